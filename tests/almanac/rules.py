"""When a rule fires, from its definition: every reading that the rule contains, each taken to its instant, sorted.

A rule is the JSON object that users write. Each pattern is a question about one date; dates are looked through one by one.
The dates of an rrule are those of dateutil, which knows nothing of zones here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any, Final

from dateutil.rrule import rrulestr

from tests.almanac.cron import Cron
from tests.almanac.walls import Wall

_DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_DAY: Final = timedelta(days=1)

#: No change takes more than a day away or gives more than a day back: readings further off do not matter to an instant.
_MARGIN: Final = _DAY


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An instant (UTC, naive), and the readings that lead to it: more than one where a gap lets them meet."""

    instant: datetime
    readings: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """How a reading becomes instants."""

    on_gap: str = "next_valid"
    on_overlap: str = "first"
    is_every_hour: bool = False

    def instants(self, wall: Wall, reading: datetime) -> list[datetime]:
        """The instants of a reading."""
        passes = wall.passes(reading)
        if self.is_every_hour:
            return passes
        if not passes:
            return [] if self.on_gap == "skip" else [wall.first(reading)]
        return [passes[-1] if self.on_overlap == "second" else wall.first(reading)]


def occurrences(rule: dict[str, Any], wall: Wall, after: datetime, count: int, until: datetime) -> list[Occurrence]:
    """The first occurrences later than an instant, at most count of them; those from `until` on are not looked for."""
    if rule["pattern"] == "elapsed":
        return _elapsed(rule, after, count, until)
    cron = rule.get("cron")
    policy = Policy(
        rule.get("on_gap", "next_valid"), rule.get("on_overlap", "first"), isinstance(cron, Cron) and cron.is_every_hour
    )
    offset = rule.get("offset_by", timedelta())
    times = cron.times if isinstance(cron, Cron) else [time.fromisoformat(rule["schedule_at"])]
    count = _counted(rule, count)
    found: dict[datetime, list[datetime]] = {}
    earliest = (wall.shows(after - offset) - _MARGIN).date()
    settled_until = None
    for day in _days(rule, earliest, (wall.shows(until - offset) + _MARGIN).date()):
        if settled_until is not None and day > settled_until:
            break
        for at in times:
            reading = datetime.combine(day, at)
            for instant in policy.instants(wall, reading):
                if after < instant + offset < until:
                    found.setdefault(instant + offset, []).append(reading)
        if settled_until is None and len(found) >= count:
            settled_until = day + _MARGIN
    return [Occurrence(instant, tuple(found[instant])) for instant in sorted(found)[:count]]


def _elapsed(rule: dict[str, Any], after: datetime, count: int, until: datetime) -> list[Occurrence]:
    """Every so many seconds from an instant on: no zone is asked."""
    instant: datetime = rule["from"] + rule.get("offset_by", timedelta())
    found: list[Occurrence] = []
    while len(found) < _counted(rule, count) and instant < until:
        if instant > after:
            found.append(Occurrence(instant, ()))
        instant += rule["step"]
    return found


def _counted(rule: dict[str, Any], count: int) -> int:
    """How many are left, at most count."""
    return min(count, max(rule["end_after"] - rule.get("fired_count", 0), 0)) if "end_after" in rule else count


def _days(rule: dict[str, Any], first: date, last: date) -> Iterator[date]:
    """The dates on which the rule fires, from first on."""
    start = date.fromisoformat(rule["start_date"]) if "start_date" in rule else None
    end = date.fromisoformat(rule["end_date"]) if "end_date" in rule else None
    excluded = {date.fromisoformat(text) for text in rule.get("exclude_dates", ())}
    day = max(first, start) if start else first
    last = min(last, end) if end else last
    if rule["pattern"] == "rrule":
        yield from (day for day in _dates_of_rrule(rule, last) if day >= first and day not in excluded)
        return
    is_day = _PATTERNS[rule["pattern"]](rule, start)
    while day <= last:
        if day not in excluded and is_day(day):
            yield day
        day += _DAY


def _dates_of_rrule(rule: dict[str, Any], last: date) -> Iterator[date]:
    dates = rrulestr(rule["rrule"], dtstart=datetime.combine(date.fromisoformat(rule["start_date"]), time()))
    if "COUNT" not in rule["rrule"]:
        dates = dates.replace(until=datetime.combine(last, time()))
    for at in dates:
        if at.date() > last:
            return
        yield at.date()


def _daily(rule: dict[str, Any], start: date | None) -> Callable[[date], bool]:
    every = rule.get("interval", 1)
    return lambda day: every == 1 or (start is not None and (day - start).days % every == 0)


def _weekly(rule: dict[str, Any], start: date | None) -> Callable[[date], bool]:
    every = rule.get("interval", 1)
    weekdays = {_DAYS.index(name) for name in rule.get("weekdays", ())} or {_known(start).weekday()}
    return lambda day: (
        day.weekday() in weekdays and (every == 1 or (_monday(day) - _monday(_known(start))).days // 7 % every == 0)
    )


def _monthly(rule: dict[str, Any], start: date | None) -> Callable[[date], bool]:
    every = rule.get("interval", 1)
    return lambda day: (
        (every == 1 or (_months(day) - _months(_known(start))) % every == 0) and _is_day_of_month(rule, start, day)
    )


def _yearly(rule: dict[str, Any], start: date | None) -> Callable[[date], bool]:
    begun = _known(start)
    every = rule.get("interval", 1)
    return lambda day: (
        day.month == begun.month and (day.year - begun.year) % every == 0 and _is_day_of_month(rule, begun, day)
    )


def _cron(rule: dict[str, Any], start: date | None) -> Callable[[date], bool]:
    del start
    cron: Cron = rule["cron"]
    return cron.is_day


_PATTERNS: Final[dict[str, Callable[[dict[str, Any], date | None], Callable[[date], bool]]]] = {
    "daily": _daily,
    "weekly": _weekly,
    "monthly": _monthly,
    "yearly": _yearly,
    "cron": _cron,
}


def _is_day_of_month(rule: dict[str, Any], start: date | None, day: date) -> bool:
    """Whether a date is one of the days of its month that the rule names; without any, the day of the first date."""
    numbers = rule.get("days_of_month", [])
    nth = rule.get("nth", [])
    nth = [nth] if isinstance(nth, dict) else nth
    if not numbers and not nth:
        numbers = [_known(start).day]
    length = month_length(day.year, day.month)
    clamps = rule.get("on_missing_day", "last") == "last"
    for number in numbers:
        if number in (day.day, day.day - length - 1):
            return True
        if clamps and abs(number) > length and day.day == (length if number > 0 else 1):
            return True
    return any(is_nth(day, _DAYS.index(item["weekday"]), item["n"]) for item in nth)


def is_nth(day: date, weekday: int, n: int) -> bool:
    """Whether a date is the n-th such weekday (0 = Monday) of its month; from the end when n is negative."""
    if day.weekday() != weekday:
        return False
    others = [other for other in range(1, month_length(day.year, day.month) + 1) if (other - day.day) % 7 == 0]
    return abs(n) <= len(others) and others[n - 1 if n > 0 else n] == day.day


@cache
def month_length(year: int, month: int) -> int:
    """How many days a month has."""
    return ((date(year, month, 28) + timedelta(days=4)).replace(day=1) - _DAY).day


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _months(day: date) -> int:
    return day.year * 12 + day.month


def _known(start: date | None) -> date:
    assert start is not None, "the rule counts from a date that it does not name"
    return start
