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
    next_at: datetime | None
    """Due instant of the occurrence that comes next, as last answered. The one after it is a day ahead, beyond every run."""
    fired_count: int = 0
    """Occurrences of a recurrence that had fired when it was changed."""
    earlier: frozenset[datetime] = frozenset()
    """Instants that were promised before a change; what had fired fired for these."""
    is_open: bool = False
    """Whether one more may follow."""
    ended: Ended | None = None
    is_warm_up: bool = False
    """Asked for while the processes were still starting: its lateness says nothing."""

    @property
    def instants(self) -> frozenset[datetime]:
        """Every instant for which something may arrive."""
        return self.earlier if self.next_at is None else self.earlier | {self.next_at}

    def owed(self, until_utc: datetime) -> Owed:
        """What must have arrived when everything due up to this instant has."""
        width = len(self.channels)
        if self.ended is None:
            count = self.fired_count + (self.next_at is not None and self.next_at <= until_utc)
            return Owed(count * width, (count + self.is_open) * width)
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

    def change(self, schedule_id: str, next_at: datetime | None) -> None:
        """A change was answered, before anything had fired."""
        self._promises[schedule_id] = replace(self._promises[schedule_id], next_at=next_at)

    def look(
        self,
        schedule_id: str,
        next_at: datetime | None,
        fired_count: int,
        instants: Collection[datetime],
        *,
        is_open: bool = False,
    ) -> None:
        """A look after a change told what comes next, and how many had fired; all for known instants or these."""
        promise = self._promises[schedule_id]
        earlier = promise.instants.union(instants)
        self._promises[schedule_id] = replace(
            promise, next_at=next_at, fired_count=fired_count, earlier=earlier, is_open=is_open
        )

    def end(self, schedule_id: str, ended: Ended) -> None:
        """A cancel was answered."""
        self._promises[schedule_id] = replace(self._promises[schedule_id], ended=ended)

    def find(self, schedule_id: str) -> Promise | None:
        """The promise of a schedule, None for an id that nobody was answered."""
        return self._promises.get(schedule_id)
