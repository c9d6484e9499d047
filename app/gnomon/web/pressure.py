"""What the door is asked for beyond what it can do, and who is sent away first: bulk, then transactional, critical last.

Measured where it happens, in this process, without a question to the database:

    age         how long the oldest create waits that nobody else's lock holds up: the database is slow, or held
    lag         how much later than asked the event loop comes back: this process is short of CPU
    waiting     creates that have no answer yet, and their characters: what bounds the memory
    batches     bytes of the batches that are being read or done

A lane is shed from the moment one of its bounds is reached until all measures are below half of them, so that it does not
flutter. Who is sent away is told 503 before anything was done. Probes, reads and cancels are never shed.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

from gnomon.errors import Overloaded
from gnomon.log import logger

LANES: Final = ("critical", "transactional", "bulk")


class Bounds(NamedTuple):
    """From where on a lane is shed; seconds, requests, characters."""

    age: float
    lag: float
    waiting: int
    characters: int


BOUNDS: Final = {
    "critical": Bounds(10.0, 10.0, 2_000, 32 << 20),
    "transactional": Bounds(2.5, 2.0, 1_000, 16 << 20),
    "bulk": Bounds(1.0, 0.5, 500, 8 << 20),
}
# Bytes. Two batches of the largest size, or many small ones; a batch is bulk, whatever its items say.
BATCH_BYTES: Final = 64 << 20
# Of those that have been read, how many are done at a time: the rest of the connections is for others.
BATCHES: Final = 2

# Seconds after which to come again: whoever matters less stays away longer.
RETRY_AFTER: Final = {"critical": 1, "transactional": 2, "bulk": 5}

_OVER: Final = 0.5
_LOOK: Final = 0.1

_log = logger(__name__)


@dataclass(slots=True, eq=False)
class Entry:
    """One create that was let in."""

    since: float
    characters: int


class Pressure:
    """The measures of one process, and who is let in."""

    def __init__(self) -> None:
        """Begin with nothing to do."""
        # In the order they came: the first is the oldest. Those that wait for somebody's lock are in none of it.
        self._ageing: dict[Entry, None] = {}
        self._waiting = 0
        self._characters = 0
        self._batch_bytes = 0
        self._lag = 0.0
        self._is_shed = dict.fromkeys(LANES, False)
        self.batch_turns = asyncio.Semaphore(BATCHES)
        self.shed: Counter[str] = Counter(dict.fromkeys(LANES, 0))

    def enter(self, lane: str, characters: int) -> Entry:
        """Let a create in. Raises Overloaded."""
        self._let_in(lane)
        entry = Entry(asyncio.get_running_loop().time(), characters)
        self._ageing[entry] = None
        self._waiting += 1
        self._characters += characters
        return entry

    def excuse(self, entry: Entry) -> None:
        """It waits for a lock that somebody holds: how long says nothing of the load."""
        self._ageing.pop(entry, None)

    def leave(self, entry: Entry) -> None:
        """It is answered."""
        self._ageing.pop(entry, None)
        self._waiting -= 1
        self._characters -= entry.characters

    @contextmanager
    def batch(self, size: int) -> Iterator[None]:
        """Let a batch of so many bytes in, for as long as it lasts. Raises Overloaded."""
        self._let_in("bulk")
        if self._batch_bytes and self._batch_bytes + size > BATCH_BYTES:
            self._send_away("bulk")
        self._batch_bytes += size
        self._waiting += 1
        try:
            yield
        finally:
            self._batch_bytes -= size
            self._waiting -= 1

    async def watch(self) -> None:
        """Measure the lag of the event loop, without end."""
        loop = asyncio.get_running_loop()
        before = 0.0
        while True:
            began = loop.time()
            await asyncio.sleep(_LOOK)
            lag = loop.time() - began - _LOOK
            # The smaller of two: one stall is over when it is seen.
            self._lag, before = min(lag, before), lag
            for lane in LANES:
                self._judge(lane)

    def numbers(self) -> dict[str, float]:
        """The measures, as they are now."""
        return {"creates_waiting": float(self._waiting), "create_oldest_seconds": self._age(), "loop_lag_seconds": self._lag}

    def is_shed(self, lane: str) -> bool:
        """Whether this lane is sent away just now."""
        return self._is_shed[lane]

    def _let_in(self, lane: str) -> None:
        self._judge(lane)
        if self._is_shed[lane]:
            self._send_away(lane)

    def _send_away(self, lane: str) -> None:
        self.shed[lane] += 1
        raise Overloaded(lane, RETRY_AFTER[lane])

    def _judge(self, lane: str) -> None:
        bounds = BOUNDS[lane]
        load = max(
            self._age() / bounds.age,
            self._lag / bounds.lag,
            self._waiting / bounds.waiting,
            self._characters / bounds.characters,
        )
        is_shed = load >= (_OVER if self._is_shed[lane] else 1)
        if is_shed != self._is_shed[lane]:
            self._is_shed[lane] = is_shed
            measures = {name: round(value, 3) for name, value in self.numbers().items()}
            event = "creates_are_shed" if is_shed else "creates_are_taken_again"
            _log.warning(event, lane=lane, **measures)

    def _age(self) -> float:
        oldest = next(iter(self._ageing), None)
        return 0.0 if oldest is None else asyncio.get_running_loop().time() - oldest.since
