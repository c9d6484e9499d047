"""The running and waiting sends of one lane and one sender.

Each lane has slots of its own, so that a bulk receiver that hangs holds up no critical delivery. More is claimed than
there are slots only as far as it is sent within about a second: what waits here waits with its lease running.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final, Protocol, TypeAlias

from gnomon.log import logger
from gnomon_pollers.channels.channel import Answer, Channel, no_answer
from gnomon_pollers.claims import Claim, LeaseOver, steady

MOST_WAITING: Final = 2_000
"""Claims of one lane and sender in this process, whatever its speed."""

_HORIZON: Final = timedelta(seconds=1)
_PATIENCE: Final = timedelta(seconds=1)
"""For a channel that does not end when it is cancelled."""

_SHORTEST: Final = timedelta(milliseconds=1)
_WEIGHT: Final = 0.1
"""Of the newest attempt in the moving average of their lengths."""

_log: Final = logger(__name__)

_End: TypeAlias = tuple[Answer, timedelta] | None
"""The answer to an attempt and how long it took; None when none was made."""


class Listener(Protocol):
    """Who is told how attempts ended."""

    def ended(self, claim: Claim, answer: Answer, took: timedelta) -> None:
        """An attempt was made."""

    def given_up(self, claim: Claim) -> None:
        """No attempt was made: the lease has too little left, the receiver wants quiet, or the process ends."""


class Slots:
    """At most `concurrency` sends at a time, the rest in the order they came."""

    def __init__(
        self, channel: Channel, concurrency: int, listener: Listener, may_start: Callable[[], bool] = lambda: True
    ) -> None:
        """Begin with nothing claimed; `may_start` is asked right before each attempt, and what it refuses is given up."""
        self._channel = channel
        self._concurrency = concurrency
        self._listener = listener
        self._may_start = may_start
        self._waiting: deque[Claim] = deque()
        self._running: dict[asyncio.Task[_End], tuple[Claim, timedelta]] = {}
        self._mean_took: timedelta | None = None

    @property
    def held(self) -> int:
        """Claims that have not ended."""
        return len(self._waiting) + len(self._running)

    @property
    def room(self) -> int:
        """How many more may be claimed: all that start at once, or as many as a second sends."""
        return max(0, self._target() - self.held)

    @property
    def share_free(self) -> float:
        """The part of what may be held that is not, 0 to 1."""
        target = self._target()
        return max(0.0, (target - self.held) / target)

    def accept(self, claims: Iterable[Claim]) -> None:
        """Send these, the first at once as far as slots are free."""
        for claim in claims:
            claim.timeout = self._channel.timeout
            self._waiting.append(claim)
        self._fill()

    def drop(self, delivery_id: str) -> None:
        """Give up a delivery that waits; one that is being sent goes on."""
        for claim in self._waiting:
            if claim.delivery_id == delivery_id:
                self._waiting.remove(claim)
                self._listener.given_up(claim)
                return

    def drop_late(self) -> None:
        """Give up what waits and no longer can start; the leases end in the order of the claims."""
        while self._waiting and not self._waiting[0].can_start:
            self._listener.given_up(self._waiting.popleft())

    def drop_waiting(self) -> None:
        """Give up all that waits."""
        while self._waiting:
            self._listener.given_up(self._waiting.popleft())

    async def cut(self) -> None:
        """End the running sends now; what may have left ends unclear."""
        running = list(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_PATIENCE.total_seconds())

    def _target(self) -> int:
        if self._mean_took is None:
            return self._concurrency
        # A receiver that begins to hang shows in the age of what runs long before the first attempt ends.
        at = steady()
        age = sum((at - started for _, started in self._running.values()), timedelta()) / max(len(self._running), 1)
        took = max(self._mean_took, age, _SHORTEST)
        return max(self._concurrency, min(int(self._concurrency * (_HORIZON / took)), MOST_WAITING))

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._concurrency:
            claim = self._waiting.popleft()
            if not (claim.can_start and self._may_start()):
                self._listener.given_up(claim)
                continue
            task = asyncio.create_task(self._send(claim))
            self._running[task] = (claim, steady())
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[_End]") -> None:
        # It counts no more when its end is told: the one that listens settles at once when it was the last.
        claim, _ = self._running.pop(task)
        end = None if task.cancelled() else task.result()
        if end is None:
            self._listener.given_up(claim)
        else:
            answer, took = end
            self._mean_took = took if self._mean_took is None else self._mean_took * (1 - _WEIGHT) + took * _WEIGHT
            self._listener.ended(claim, answer, took)
        self._fill()

    async def _send(self, claim: Claim) -> _End:
        started = steady()
        try:
            async with asyncio.timeout(claim.timeout.total_seconds()):
                answer = await self._channel.send(claim)
        except LeaseOver:
            return None
        except asyncio.CancelledError:
            if not claim.has_begun:
                return None
            answer = no_answer(claim, "the worker stopped before the answer came")
        except Exception as fault:  # noqa: BLE001  # a channel is a plugin: whatever it raises is an end of its attempt
            answer = _fault_answer(fault, claim)
        return answer, steady() - started


def _fault_answer(fault: Exception, claim: Claim) -> Answer:
    if isinstance(fault, TimeoutError):
        return no_answer(claim, f"no answer within {claim.timeout.total_seconds():g} s")
    if not isinstance(fault, OSError):
        _log.warning("a channel raised", channel=claim.channel, delivery_id=claim.delivery_id, exc_info=fault)
    return no_answer(claim, f"{type(fault).__name__}: {fault}")
