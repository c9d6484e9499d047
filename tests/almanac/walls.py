"""The clock on the wall of a zone, by zoneinfo and the tzdata package: what it shows, and when it first shows a reading.

Shares nothing with the product: no SQL, none of its searches. A zone is a list of stretches in which the offset stays the
same, found by looking at the offset every six days and halving where it differs. (That no two changes are closer is a test
of its own, which looks at every hour.)
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo

#: What is known: instants from FIRST until before LAST.
FIRST: Final = datetime(1999, 12, 1, tzinfo=UTC)
LAST: Final = datetime(2038, 2, 1, tzinfo=UTC)

_STEP: Final = timedelta(days=6)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From begins until before ends (UTC, naive) the wall shows the instant plus offset."""

    begins: datetime
    ends: datetime
    offset: timedelta


class Wall:
    """The clock on the wall of one zone. Instants and readings are naive datetimes; instants are in UTC."""

    def __init__(self, stretches: list[Stretch]) -> None:
        """Know these stretches, in order and without a hole."""
        self.stretches = stretches
        self._begins = [stretch.begins for stretch in stretches]

    def shows(self, instant: datetime) -> datetime:
        """What it shows at an instant."""
        return instant + self.stretches[bisect_right(self._begins, instant) - 1].offset

    def first(self, reading: datetime) -> datetime:
        """The first instant at which it shows the reading or later: in the first stretch in which it ever does so."""
        return next(
            instant
            for stretch in self._around(reading)
            if (instant := max(stretch.begins, reading - stretch.offset)) < stretch.ends
        )

    def passes(self, reading: datetime) -> list[datetime]:
        """The instants at which it shows exactly the reading: none in a gap, two in an overlap."""
        return [
            instant
            for stretch in self._around(reading)
            if stretch.begins <= (instant := reading - stretch.offset) < stretch.ends
        ]

    def changes(self) -> list[datetime]:
        """The instants at which the offset changes."""
        return self._begins[1:]

    def _around(self, reading: datetime) -> Iterator[Stretch]:
        # No offset is more than a day, and no change takes away more than one: two days back nothing shows it yet.
        place = max(bisect_right(self._begins, reading - timedelta(days=2)) - 1, 0)
        while place < len(self.stretches):
            stretch = self.stretches[place]
            if stretch.begins > reading + timedelta(days=2):
                return
            yield stretch
            place += 1


@cache
def wall_of(time_zone: str) -> Wall | None:
    """The wall of a zone by its IANA name; None when tzdata does not know the name."""
    found = _data_of(time_zone)
    return None if found is None else _wall_of_data(found)


def offset_at(time_zone: ZoneInfo, instant: datetime) -> timedelta:
    """The offset of a zone at a naive instant in UTC, as zoneinfo says it."""
    return time_zone.fromutc(instant.replace(tzinfo=time_zone)).replace(tzinfo=None) - instant


def zone_of(time_zone: str) -> ZoneInfo:
    """Zoneinfo's own object, read from the package whatever TZPATH says. Raises FileNotFoundError."""
    with (resources.files("tzdata") / "zoneinfo" / time_zone).open("rb") as data:
        return ZoneInfo.from_file(data, key=time_zone)


def _data_of(time_zone: str) -> bytes | None:
    try:
        return (resources.files("tzdata") / "zoneinfo" / time_zone).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None


@cache
def _wall_of_data(data: bytes) -> Wall:
    # Links have the bytes of what they link to, and are looked through once.
    from io import BytesIO

    zone = ZoneInfo.from_file(BytesIO(data))
    stretches = []
    begins = instant = FIRST.replace(tzinfo=None)
    last = LAST.replace(tzinfo=None)
    offset = offset_at(zone, begins)
    while instant < last:
        later = min(instant + _STEP, last)
        if offset_at(zone, later) != offset:
            change = _change(zone, instant, later)
            stretches.append(Stretch(begins, change, offset))
            begins, offset = change, offset_at(zone, change)
        instant = later
    return Wall([*stretches, Stretch(begins, last, offset)])


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The minute from which another offset holds; it is the one of before until then."""
    offset = offset_at(zone, before)
    while after - before > _MINUTE:
        half = before + (after - before) // 2
        half -= timedelta(seconds=half.second, microseconds=half.microsecond)
        if offset_at(zone, half) == offset:
            before = half
        else:
            after = half
    return after
