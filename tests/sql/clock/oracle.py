"""A second opinion on time zones and rules that shares nothing with the product but the published zone data.

A zone is taken apart into segments of constant offset, found in zoneinfo on the data of the tzdata package. What a reading
resolves to then follows from the words of the definition alone: the first instant at which the clock reads it or later.
No database, no `fold`, no library of recurrences.
"""

import functools
import importlib.resources
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

FIRST: Final = datetime(2005, 1, 1, tzinfo=UTC)
LAST: Final = datetime(2035, 1, 1, tzinfo=UTC)

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time, in naive UTC, in which a zone keeps one offset."""

    begins: datetime
    ends: datetime
    offset: timedelta


@functools.cache
def segments(time_zone: str) -> tuple[Segment, ...]:
    """The segments of a zone from FIRST to LAST, in order."""
    *folders, name = time_zone.split("/")
    with importlib.resources.files("tzdata").joinpath("zoneinfo", *folders, name).open("rb") as file:
        zone = ZoneInfo.from_file(file, key=time_zone)
    found: list[Segment] = []
    begins = at = FIRST
    while at < LAST:
        # No zone changes twice within six days, so a step of a day misses none.
        if _offset(zone, at + _DAY) != _offset(zone, at):
            change = _change(zone, at, at + _DAY)
            found.append(Segment(begins.replace(tzinfo=None), change.replace(tzinfo=None), _offset(zone, at)))
            begins = change
        at += _DAY
    found.append(Segment(begins.replace(tzinfo=None), LAST.replace(tzinfo=None), _offset(zone, LAST)))
    return tuple(found)


def resolve(reading: datetime, time_zone: str, *, on_gap: str = "next_valid", on_overlap: str = "first") -> datetime | None:
    """The aware instant of a naive reading; None for a reading in a gap that is to be skipped."""
    near = [s for s in segments(time_zone) if s.ends > reading - 3 * _DAY and s.begins < reading + 3 * _DAY]
    passes = [reading - s.offset for s in near if s.begins <= reading - s.offset < s.ends]
    if passes:
        return passes[-1 if on_overlap == "second" else 0].replace(tzinfo=UTC)
    if on_gap == "skip":
        return None
    # The clock jumps over the reading: the first segment that gets beyond it begins beyond it.
    return next(s.begins for s in near if s.ends + s.offset > reading).replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rule:
    """A recurrence in the oracle's own words; `anchor` is the first day, `weekdays` counts Monday as 0."""

    at: time
    anchor: date
    every: int = 1
    weekdays: frozenset[int] | None = None
    last: date = date.max
    offset: timedelta = timedelta(0)
    on_gap: str = "next_valid"
    on_overlap: str = "first"

    def has(self, day: date) -> bool:
        """Whether the rule has this date."""
        if not self.anchor <= day <= self.last:
            return False
        if self.weekdays is None:
            return (day - self.anchor).days % self.every == 0
        weeks = (_monday(day) - _monday(self.anchor)).days // 7
        return day.weekday() in self.weekdays and weeks % self.every == 0

    def after(self, instant: datetime, time_zone: str) -> Iterator[datetime]:
        """The due instants strictly after `instant`, found by trying every date."""
        seen = instant
        day = (instant - self.offset).date() - 3 * _DAY
        while day < LAST.date() - 5 * _DAY:
            if self.has(day):
                reading = datetime.combine(day, self.at)
                found = resolve(reading, time_zone, on_gap=self.on_gap, on_overlap=self.on_overlap)
                if found is not None and found + self.offset > seen:
                    seen = found + self.offset
                    yield seen
            day += _DAY


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _offset(zone: ZoneInfo, at: datetime) -> timedelta:
    offset = at.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def _change(zone: ZoneInfo, low: datetime, high: datetime) -> datetime:
    before = _offset(zone, low)
    while high - low > _SECOND:
        middle = low + (high - low) // 2
        middle -= timedelta(microseconds=middle.microsecond)
        if _offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high
