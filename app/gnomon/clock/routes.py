"""HTTP for calendars: named sets of days that schedules leave out by `exclude_calendars`."""

from typing import Final

from litestar import Response, delete, get, put
from litestar.exceptions import NotFoundException

from gnomon.clock import calls
from gnomon.clock.shapes import Calendar, CalendarDeleted, CalendarPage, CalendarRequest, CalendarSet
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, shape_of
from gnomon.web.documented import Query, documented
from gnomon.web.paths import path_text
from gnomon.web.queries import count_of, query_of

PAGE: Final = 100
LONGEST_PAGE: Final = 1000

_LIMIT: Final = Query("limit", "How many.", {"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE, "default": PAGE})
_AFTER: Final = Query("after", "`next` of the page before.", {"type": "string"})
_NAMED: Final = {"calendar": "holidays", "changed_at": "2026-11-30T08:12:45.120934Z"}


@put(
    "/v1/calendars/{calendar:str}",
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Make or replace a calendar",
        body=CalendarRequest,
        body_examples={"holidays": {"dates": ["2027-01-01", "2027-12-25", "2027-12-26"]}},
        answer=CalendarSet,
        answer_example={"calendar": "holidays", "date_count": 3, "moved_count": 2, "ended_count": 0},
        problems=("GN014", "GN024"),
    ),
)
async def set_calendar(request: Asked) -> Response[bytes]:
    """What is pending on a day that it closes moves in the same transaction; one with no day left is completed."""
    asked = await shape_of(request, CalendarRequest)
    return answer(await calls.set_calendar(pool_of(request), path_text(request, "calendar"), asked.dates))


@get(
    "/v1/calendars/{calendar:str}",
    opt=documented(
        summary="Read a calendar",
        answer=Calendar,
        answer_example=_NAMED | {"dates": ["2027-01-01", "2027-12-25", "2027-12-26"]},
        statuses=(200, 404),
    ),
)
async def find_calendar(request: Asked) -> Response[bytes]:
    """The days of a calendar; 404 when it was never set."""
    calendar = path_text(request, "calendar")
    found = await calls.find_calendar(pool_of(request), calendar)
    if found is None:
        raise _not_known(calendar)
    return answer(found)


@get(
    "/v1/calendars",
    opt=documented(
        summary="The calendars by name",
        query=(_LIMIT, _AFTER),
        answer=CalendarPage,
        answer_example={
            "calendars": [_NAMED | {"date_count": 3, "first_on": "2027-01-01", "last_on": "2027-12-26"}],
            "next": None,
        },
        problems=("GN024",),
    ),
)
async def known_calendars(request: Asked) -> Response[bytes]:
    """One page of calendars, without their days."""
    asked = query_of(request, "limit", "after")
    at_most = count_of(asked, "limit", otherwise=PAGE, most=LONGEST_PAGE)
    found = await calls.known_calendars(pool_of(request), at_most, asked.get("after"))
    return answer(CalendarPage(calendars=found, next=found[-1].calendar if len(found) == at_most else None))


@delete(
    "/v1/calendars/{calendar:str}",
    status_code=200,
    opt=documented(
        summary="Forget a calendar",
        answer=CalendarDeleted,
        answer_example={"calendar": "holidays", "deleted": True},
        statuses=(200, 404),
        problems=("GN024",),
    ),
)
async def delete_calendar(request: Asked) -> Response[bytes]:
    """Refused while a pending schedule names it; 404 when it is not known."""
    calendar = path_text(request, "calendar")
    if not await calls.delete_calendar(pool_of(request), calendar):
        raise _not_known(calendar)
    return answer(CalendarDeleted(calendar=calendar, deleted=True))


def _not_known(calendar: str) -> NotFoundException:
    return NotFoundException(f"No calendar of the name {calendar[:64]!r} is known.")


ROUTES: Final = (set_calendar, find_calendar, known_calendars, delete_calendar)
