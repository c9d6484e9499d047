"""The rules of time zones in the package tzdata: the newest there are, as far as this environment is upgraded.

Read from the package and never from the system, whose rules may be as old as the server's. For comparison only: instants
are computed in one place, the database.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

# Changes of one zone are never closer than 6.9 days.
_STEP: Final = timedelta(days=6)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the rules of a zone part."""

    time_zone: str
    from_utc: datetime
    server_offset: timedelta
    package_offset: timedelta


class Reading:
    """The offsets of one zone, in order of time: the first, and each change."""

    def __init__(self, first: timedelta, changes_utc: Sequence[datetime], offsets: Sequence[timedelta]) -> None:
        """Take the offset at the beginning, and those from each change on."""
        self.first = first
        self.changes = dict(zip(changes_utc, offsets, strict=True))

    def parts_from(self, other: "Reading", from_utc: datetime) -> tuple[datetime, timedelta, timedelta] | None:
        """The first instant at which the other one reads something else, and both offsets there."""
        mine, its = self.first, other.first
        for at_utc in (from_utc, *sorted(self.changes.keys() | other.changes.keys())):
            mine, its = self.changes.get(at_utc, mine), other.changes.get(at_utc, its)
            if mine != its:
                return at_utc, mine, its
        return None


def package_zone(name: str) -> ZoneInfo | None:
    """A zone of the package; None for a name that it does not have."""
    try:
        with (files("tzdata") / "zoneinfo" / name).open("rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (OSError, ValueError):
        return None


def package_reading(name: str, from_utc: datetime, until_utc: datetime) -> Reading | None:
    """The package's rules of a zone between two instants on whole minutes; None for a name that it does not have."""
    zone = package_zone(name)
    if zone is None:
        return None
    found = list(_changes(zone, from_utc, until_utc))
    return Reading(_offset(zone, from_utc), [at for at, _ in found], [offset for _, offset in found])


def _changes(zone: ZoneInfo, from_utc: datetime, until_utc: datetime) -> Iterator[tuple[datetime, timedelta]]:
    low, offset = from_utc, _offset(zone, from_utc)
    while low < until_utc:
        high = min(low + _STEP, until_utc)
        if (after := _offset(zone, high)) != offset:
            yield _first_minute_after(zone, low, high, offset), after
        low, offset = high, after


def _first_minute_after(zone: ZoneInfo, low: datetime, high: datetime, offset: timedelta) -> datetime:
    """The minute in (low, high] from which on the offset is another."""
    while high - low > _MINUTE:
        middle = low + (high - low) // _MINUTE // 2 * _MINUTE
        if _offset(zone, middle) == offset:
            low = middle
        else:
            high = middle
    return high


def _offset(zone: ZoneInfo, at_utc: datetime) -> timedelta:
    return at_utc.astimezone(UTC).astimezone(zone).utcoffset() or timedelta()
