"""What goes in and comes out of the calendar calls. Names as in SQL, renamed to those of the JSON contract."""

from datetime import date, datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

_JSON_NAMES: Final = {"changed_at_utc": "changed_at"}


class CalendarRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The days of a calendar, all of them: what is not named is open again."""

    dates: Annotated[list[date], Meta(max_length=5000, description="YYYY-MM-DD, in any order.")]


class CalendarSet(msgspec.Struct, frozen=True, kw_only=True):
    """How many days it has, how many schedules now fire next on another day, how many have none left and are completed."""

    calendar: str
    date_count: int
    moved_count: int
    ended_count: int


class Calendar(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """Days on which the schedules that name this calendar do not fire, sorted."""

    calendar: str
    dates: list[date]
    changed_at_utc: datetime


class ListedCalendar(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """A calendar in the list, without its days."""

    calendar: str
    date_count: int
    first_on: date | None
    last_on: date | None
    changed_at_utc: datetime


class CalendarPage(msgspec.Struct, frozen=True, kw_only=True):
    """Calendars by name; `next` is the `after` of the page behind this one, null at the end."""

    calendars: list[ListedCalendar]
    next: str | None


class CalendarDeleted(msgspec.Struct, frozen=True, kw_only=True):
    """The calendar is not known any more."""

    calendar: str
    deleted: bool
