"""The live count: what is due and what has arrived, by lane, and how late it was in the last seconds."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from gnomon.demo.book import Book
from gnomon.demo.clocks import Clock
from gnomon.demo.receipts import Receipt
from gnomon.demo.report import Lateness, lateness_of

LANES: Final = ("critical", "transactional")

WINDOW: Final = timedelta(seconds=5)


@dataclass(slots=True)
class LaneCount:
    """One lane as it stands."""

    accepted: int = 0
    pending: int = 0
    """Deliveries that will become due."""
    due: int = 0
    """Deliveries that are or were due."""
    delivered: int = 0
    recent: deque[tuple[datetime, timedelta]] = field(default_factory=deque)
    """When deliveries of the last seconds arrived, and how late."""

    @property
    def lateness(self) -> Lateness:
        """Of the last seconds."""
        return lateness_of([late for _, late in self.recent])


class Tally:
    """The counts by lane."""

    def __init__(self, book: Book, clock: Clock) -> None:
        """Count against these promises."""
        self.lanes = {lane: LaneCount() for lane in LANES}
        self._book = book
        self._clock = clock
        self._seen: set[str] = set()

    def add(self, receipts: Sequence[Receipt]) -> None:
        """Count what has just arrived."""
        for receipt in receipts:
            promise = self._book.find(receipt.schedule_id)
            if promise is None:
                continue  # its answer is still on its way
            if receipt.delivery_id in self._seen:
                continue
            self._seen.add(receipt.delivery_id)
            count = self.lanes[promise.lane]
            count.delivered += 1
            if not promise.is_warm_up:
                late = receipt.received_at - self._clock.offset - receipt.due_at
                count.recent.append((receipt.received_at, late))

    def count(self, now_utc: datetime) -> None:
        """Count the promises as they stand now, and forget what is not recent."""
        for lane in self.lanes.values():
            lane.accepted = lane.pending = lane.due = 0
            while lane.recent and lane.recent[0][0] < now_utc - WINDOW:
                lane.recent.popleft()
        for promise in self._book:
            lane = self.lanes[promise.lane]
            owed = promise.owed(now_utc).least
            lane.accepted += 1
            lane.due += owed
            if promise.ended is None:
                lane.pending += len(promise.channels) * (promise.next_at is not None and promise.next_at > now_utc)
