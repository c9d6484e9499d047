"""The SQL functions of calendars, one typed function each, under the same name."""

from collections.abc import Sequence
from datetime import date

from gnomon.clock.shapes import Calendar, CalendarSet, ListedCalendar
from gnomon.database.call import first, one, rows
from gnomon.database.pool import Pool


async def set_calendar(pool: Pool, calendar: str, dates: Sequence[date]) -> CalendarSet:
    """Make or replace a calendar. What is pending on a day that it closes moves in the same transaction."""
    sql = "select * from gnomon.set_calendar(%s, %s::date[])"
    return await one(pool, sql, (calendar, list(dates)), shape=CalendarSet)


async def find_calendar(pool: Pool, calendar: str) -> Calendar | None:
    """A calendar with its days, None when it is not known."""
    return await first(pool, "select * from gnomon.find_calendar(%s)", (calendar,), shape=Calendar)


async def known_calendars(pool: Pool, at_most: int, after: str | None = None) -> list[ListedCalendar]:
    """The calendars behind this name, by name."""
    return await rows(pool, "select * from gnomon.known_calendars(%s::int, %s)", (at_most, after), shape=ListedCalendar)


async def delete_calendar(pool: Pool, calendar: str) -> bool:
    """Forget a calendar that no pending schedule names; False when it was not known."""
    return bool((await one(pool, "select gnomon.delete_calendar(%s) as deleted", (calendar,)))["deleted"])
