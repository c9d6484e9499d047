"""HTTP for single schedules: ask, replace by key, read, change, cancel.

A route reads text out of the request, makes one call, and words the answer; whether the request is right is decided by
the call.
"""

from typing import Any, Final, cast

from litestar import Response, delete, get, patch, post, put

from gnomon.errors import RequestInvalid
from gnomon.schedules import calls, examples
from gnomon.schedules.shapes import Cancelled, KeyedRequest, Scheduled, ScheduleDetails, ScheduleRequest
from gnomon.schedules.together import Together
from gnomon.web.answers import answer, etag
from gnomon.web.asked import Asked, hint, pool_of
from gnomon.web.bodies import JSON_TYPE, MERGE_PATCH_TYPE, SINGLE_LIMIT, object_of
from gnomon.web.documented import documented
from gnomon.web.paths import path_text
from gnomon.web.queries import expected_version

SCHEDULE_PATH: Final = "/v1/notifications/schedule"

# What any request body may be refused for.
REFUSALS: Final = ("GN010", "GN012", "GN013", "GN014", "GN015", "GN022", "GN023", "GN024", "GN026", "GN027", "GN028")

_CREATED: Final = {
    "Location": "Where the schedule is.",
    "ETag": "Its version, for If-Match.",
    "Idempotent-Replayed": "true when this repeats the first answer to the same dedup_key.",
}


@post(
    SCHEDULE_PATH,
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Schedule a notification",
        body=ScheduleRequest,
        body_examples={
            "once": examples.ONCE,
            "pill": examples.PILL,
            "weekly": examples.WEEKLY,
            "monthly": examples.MONTHLY,
            "rrule": examples.RRULE,
            "elapsed": examples.ELAPSED,
            "cron": examples.CRON,
        },
        answer=Scheduled,
        answer_example=examples.SCHEDULED,
        answer_headers=_CREATED,
        statuses=(201,),
        problems=REFUSALS,
    ),
)
async def schedule(request: Asked) -> Response[bytes]:
    """Schedule one notification, or repeat the first answer to its dedup_key."""
    members, text = await object_of(request)
    scheduled = await together_of(request).schedule(members, text)
    hint(request, scheduled.fire_at_utc)
    return answer(scheduled, status=201, headers=_headers(scheduled))


@put(
    f"{SCHEDULE_PATH}/by-key/{{user_id:str}}/{{key:str}}",
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Create or replace the user's one schedule of this key",
        body=KeyedRequest,
        body_examples={"pill": {name: value for name, value in examples.PILL.items() if name not in {"user_id", "key"}}},
        answer=Scheduled,
        answer_example=examples.SCHEDULED,
        answer_headers=_CREATED,
        statuses=(200, 201),
        problems=REFUSALS,
    ),
)
async def schedule_by_key(request: Asked) -> Response[bytes]:
    """Create, replace or leave as it is: repeating the same request touches nothing."""
    user_id, key = path_text(request, "user_id"), path_text(request, "key")
    members, text = await object_of(request)
    _refuse_another(members, "user_id", user_id)
    _refuse_another(members, "key", key)
    scheduled = await together_of(request).schedule(members, text, {"user_id": user_id, "key": key})
    hint(request, scheduled.fire_at_utc)
    is_new = scheduled.version == 1 and not scheduled.is_duplicate
    return answer(scheduled, status=201 if is_new else 200, headers=_headers(scheduled))


@get(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}",
    opt=documented(
        summary="Read a schedule",
        answer=ScheduleDetails,
        answer_example=examples.DETAILS,
        answer_headers={"ETag": "Its version, for If-Match."},
        problems=("GN020",),
    ),
)
async def find_schedule(request: Asked) -> Response[bytes]:
    """Everything known of one schedule."""
    found = await calls.find_schedule(pool_of(request), path_text(request, "schedule_id"))
    return answer(found, headers=etag(found.version))


@patch(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}",
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Change a schedule (RFC 7396)",
        body=dict[str, Any],
        body_examples={"later": {"schedule_at": "19:30"}, "own zone no longer": {"timezone": None}},
        body_types=(MERGE_PATCH_TYPE, JSON_TYPE),
        answer=Scheduled,
        answer_example=examples.SCHEDULED | {"version": 2},
        answer_headers={"ETag": "The new version."},
        is_conditional=True,
        problems=(*REFUSALS, "GN020", "GN021", "GN025", "GN029"),
    ),
)
async def reschedule(request: Asked) -> Response[bytes]:
    """Merge the change into the request as it was given; null removes a field. user_id and keys cannot change."""
    version = expected_version(request)
    _, text = await object_of(request, (MERGE_PATCH_TYPE, JSON_TYPE))
    changed = await calls.reschedule(pool_of(request), path_text(request, "schedule_id"), text, version)
    hint(request, changed.fire_at_utc)
    return answer(changed, headers=etag(changed.version))


@delete(
    f"{SCHEDULE_PATH}/{{schedule_id:str}}",
    status_code=200,
    opt=documented(
        summary="Cancel a schedule",
        answer=Cancelled,
        answer_example=examples.CANCELLED,
        problems=("GN020",),
    ),
)
async def cancel_schedule(request: Asked) -> Response[bytes]:
    """Once this answered `cancelled`, nothing of the schedule is ever handed over; repeating it answers the same."""
    return answer(await calls.cancel_schedule(pool_of(request), path_text(request, "schedule_id")))


def together_of(request: Asked) -> Together:
    """Where single creates meet, as long as the application lives."""
    return cast("Together", request.app.state.together)


def _headers(scheduled: Scheduled) -> dict[str, str]:
    headers = {"Location": f"{SCHEDULE_PATH}/{scheduled.schedule_id}", **etag(scheduled.version)}
    if scheduled.is_duplicate:
        headers["Idempotent-Replayed"] = "true"
    return headers


def _refuse_another(members: dict[str, Any], name: str, expected: str) -> None:
    given = members.get(name)
    if given is not None and given != expected:
        raise RequestInvalid(f"{name} differs from the one in the address", pointer=f"/{name}")


ROUTES: Final = (schedule, schedule_by_key, find_schedule, reschedule, cancel_schedule)
