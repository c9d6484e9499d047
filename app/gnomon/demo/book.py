"""What callers were promised: one promise for each accepted schedule, as the answers said and nothing else says."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a cancel answered."""

    status: str
    """`cancelled`, or `fired` when it came too late for the current occurrence."""
    fired_count: int
    """Occurrences that fired, the current one included when it did."""
    handed_over_count: int = 0
    """Deliveries of the current occurrence that a worker had been given."""
    stopped_count: int = 0
    """Those of them without an outcome yet; they may still arrive, or not."""
    is_repeated: bool = False
    """An earlier try got no answer, so that this one may speak of what the earlier one did."""


@dataclass(frozen=True, slots=True)
class Owed:
    """How many deliveries must arrive, and how many may."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One accepted schedule."""

    schedule_id: str
    lane: str
    channels: tuple[str, ...]
    instants: frozenset[datetime]
    """Due instants of its occurrences as last answered: one, or two when a recurrence had fired before it was changed.

    What follows a recurrence's next occurrence lies a day ahead, beyond every run.
    """
    ended: Ended | None = None
    is_warm_up: bool = False
    """Asked for while the processes were still starting: its lateness says nothing."""

    def owed(self, until_utc: datetime) -> Owed:
        """What must have arrived when everything due up to this instant has."""
        width = len(self.channels)
        if self.ended is None:
            due = sum(instant <= until_utc for instant in self.instants) * width
            return Owed(due, due)
        if self.ended.status == "cancelled":
            fired = self.ended.fired_count * width
            return Owed(fired, fired)
        before = max(self.ended.fired_count - 1, 0) * width
        if self.ended.is_repeated:
            return Owed(before, before + width)
        handed_over = self.ended.handed_over_count
        return Owed(before + handed_over - self.ended.stopped_count, before + handed_over)


class Book:
    """All promises of a run, by schedule id."""

    def __init__(self) -> None:
        """Begin with none."""
        self._promises: dict[str, Promise] = {}

    def __len__(self) -> int:
        """How many schedules were accepted."""
        return len(self._promises)

    def __iter__(self) -> Iterator[Promise]:
        """Each promise as it stands now."""
        return iter(list(self._promises.values()))

    def accept(self, promise: Promise) -> None:
        """A schedule was accepted. The repeat of an answer changes nothing."""
        self._promises.setdefault(promise.schedule_id, promise)

    def change(self, schedule_id: str, instants: Collection[datetime]) -> None:
        """A change was answered: these are the instants now."""
        self._promises[schedule_id] = replace(self._promises[schedule_id], instants=frozenset(instants))

    def end(self, schedule_id: str, ended: Ended) -> None:
        """A cancel was answered."""
        self._promises[schedule_id] = replace(self._promises[schedule_id], ended=ended)

    def find(self, schedule_id: str) -> Promise | None:
        """The promise of a schedule, None for an id that nobody was answered."""
        return self._promises.get(schedule_id)
