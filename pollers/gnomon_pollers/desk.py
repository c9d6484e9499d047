"""One lane of a worker: what it holds, what it owes the database, and when it may ask for more.

Each lane has its own desk, slots and exchange, so that no lane waits for another: not for its receiver, not for its call.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from gnomon.database.pool import Pool
from gnomon_pollers.bounds import View
from gnomon_pollers.calls.deliveries import LaneChannelShard, Worker
from gnomon_pollers.channels.channel import Answer
from gnomon_pollers.channels.routing import Senders
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.exchange import NO_PLACE, Exchange
from gnomon_pollers.loop import Loop
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.outcomes import outcome_of
from gnomon_pollers.pace import LONGEST_SLEEP, Backoff, rest_after
from gnomon_pollers.slots import Slots
from gnomon_pollers.wake import Wake

LARGEST_CLAIM: Final = 500
"""Deliveries taken over by one call."""

_SETTLE_GAP: Final = timedelta(milliseconds=10)
"""Between two calls of a lane that only settle."""

_SMALL_CLAIM_GAP: Final = timedelta(milliseconds=20)
"""Before a claim of fewer than a quarter of what may be held: a backlog is not taken row by row."""

_CANCEL_KEPT: Final = timedelta(seconds=5)
"""The hint of a cancel may overtake the answer to the claim, by as long as the answer takes."""


class Desk:
    """The work of one lane in this process."""

    def __init__(  # what all desks of a process share
        self,
        lane: int,
        *,
        pool: Pool,
        worker: Worker,
        senders: Senders,
        concurrency: int,
        metrics: Metrics,
        loop: Loop,
        wake: Wake,
    ) -> None:
        """Hold nothing yet; `wake` ends the sleep of whoever gives this desk its turns."""
        self.lane = lane
        self.has_more = False
        """Whether the last claim was as large as it was allowed to be."""
        self._senders = senders
        self._concurrency = concurrency
        self._metrics = metrics
        self._loop = loop
        self._wake = wake
        self._slots: dict[str, Slots] = {}
        self._exchange = Exchange(lane, pool, worker, metrics)
        self._cancelled: dict[str, timedelta] = {}
        self._call: asyncio.Task[None] | None = None
        self._exchanged_at = steady()
        self._rest_until = timedelta()
        self._empty_claims = 0
        self._backoff = Backoff()
        self._is_closing = False

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way."""
        return self._call is not None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is being sent or waits for it."""
        return all(slots.held == 0 for slots in self._slots.values())

    def may_claim(self, at: timedelta) -> bool:
        """Whether it is worth looking for this lane; `at` is the steady clock."""
        return self.claim_wait(at) == timedelta()

    def claim_wait(self, at: timedelta) -> timedelta | None:
        """How long until it is worth looking for this lane; None while that depends on what is under way."""
        if self.is_busy or self._is_closing:
            return None
        rest = max(timedelta(), self._rest_until - at)
        rooms = [slots.share_free for slots in self._slots.values()]
        if not rooms or max(rooms) >= 1 / 4:
            return rest
        if max(rooms) == 0:
            return None
        return max(rest, self._exchanged_at + _SMALL_CLAIM_GAP - at)

    def settle_wait(self, at: timedelta) -> timedelta | None:
        """How long until outcomes should be settled even if nothing is claimed; None when there are none."""
        if self.is_busy:
            return None
        gap = max(timedelta(), self._exchanged_at + _SETTLE_GAP - at, self._pause_left(at))
        if self._exchange.owes_claims:
            return gap
        wait = self._exchange.outcomes.wait_left(at)
        if wait is None:
            return None
        return gap if self.is_quiet and not self._exchange.is_held_up else max(gap, wait)

    def turn(self, ready: Sequence[tuple[str, Sequence[LaneChannelShard]]], view: View[LaneChannelShard]) -> None:
        """Exchange when there is a reason: `ready` are the channels with something ready, each with its places."""
        at = steady()
        for name, slots in self._slots.items():
            slots.drop_late()
            if self._senders.pauses.room(name, self.lane, at) == 0:
                slots.drop_waiting()
        # What is ready for a sender that is left alone is seen at every look, and is no reason for a call.
        ready = [part for part in ready if self._senders.pauses.room(self._senders.name_for(part[0]), self.lane, at) != 0]
        if not self.is_busy and (ready or self.settle_wait(at) == timedelta()):
            self._start_call(ready, view)

    def drop(self, delivery_id: str) -> None:
        """Give up a delivery that was cancelled, if it still waits here or is about to come."""
        at = steady()
        self._cancelled = {name: since for name, since in self._cancelled.items() if at - since < _CANCEL_KEPT}
        self._cancelled[delivery_id] = at
        for slots in self._slots.values():
            slots.drop(delivery_id)

    def ended(self, claim: Claim, answer: Answer, took: timedelta) -> None:
        """Keep what became of an attempt."""
        at = steady()
        self._senders.pauses.answered(self._senders.name_for(claim.channel), claim.delivery_id, answer, at - took, at)
        outcome = outcome_of(claim, answer)
        self._exchange.outcomes.add(outcome, at)
        self._metrics.ended(claim, outcome, took)
        if self.is_quiet or len(self._exchange.outcomes) % LARGEST_CLAIM == 0 or self.has_more:
            self._wake.now()

    def given_up(self, claim: Claim) -> None:
        """Keep a claim that was not tried, to hand it back."""
        self._exchange.give_up(claim)
        self._wake.now()

    async def drain(self, until: timedelta) -> None:
        """Claim no more, hand back what waits, let running sends end until then, and cut what still runs."""
        self._is_closing = True
        for slots in self._slots.values():
            slots.drop_waiting()
        while not self.is_quiet and steady() < until:
            self.turn((), NO_PLACE)
            await self._wake.sleep(min(LONGEST_SLEEP, max(timedelta(), until - steady())))
        for slots in self._slots.values():
            await slots.cut()

    async def settle_rest(self, until: timedelta) -> bool:
        """Settle and hand back what is left, again and again until then; whether nothing is left."""
        while self._exchange.owes or self.is_busy:
            call = self._call or self._start_call((), NO_PLACE)
            await asyncio.wait([call], timeout=max(0.0, (until - steady()).total_seconds()))
            if steady() >= until:
                break
            pause = max(self._pause_left(steady()), _SETTLE_GAP if self._exchange.is_held_up else timedelta())
            await asyncio.sleep(pause.total_seconds())
        return not (self._exchange.owes or self.is_busy)

    def _start_call(
        self, ready: Sequence[tuple[str, Sequence[LaneChannelShard]]], view: View[LaneChannelShard]
    ) -> "asyncio.Task[None]":
        self._call = asyncio.create_task(self._exchange_once(ready, view))
        self._call.add_done_callback(self._exchanged)
        return self._call

    async def _exchange_once(
        self, ready: Sequence[tuple[str, Sequence[LaneChannelShard]]], view: View[LaneChannelShard]
    ) -> None:
        began = steady()
        claimed_count = 0
        is_blocked = False
        self.has_more = False
        await self._exchange.hand_back()
        for channel, places in ready:
            name, slots = await self._slots_for(channel)
            allowed = self._senders.pauses.room(name, self.lane, steady())
            room = min(slots.room, LARGEST_CLAIM if allowed is None else allowed)
            if room == 0 or self._is_closing:
                is_blocked = True
                continue
            claims = await self._exchange.claim(channel, view.of(places), room)
            claimed_count += len(claims)
            self.has_more = self.has_more or len(claims) >= room
            self._accept(slots, claims)
        await self._exchange.settle(patience=timedelta() if ready else None)
        self._empty_claims = self._empty_claims + 1 if ready and claimed_count == 0 else 0
        if self.has_more:
            rest = timedelta()
        elif is_blocked and claimed_count == 0:
            # One channel hangs or is left alone: what is ready for it is seen at every look.
            rest = LONGEST_SLEEP
        elif self._empty_claims > 1:
            # Ready, and locked elsewhere: asking again at once would only spin.
            rest = LONGEST_SLEEP
        else:
            rest = rest_after(steady() - began)
        self._rest_until = steady() + rest

    def _accept(self, slots: Slots, claims: Sequence[Claim]) -> None:
        wanted = []
        for claim in claims:
            if self._is_closing or claim.delivery_id in self._cancelled:
                self._exchange.give_up(claim)
            else:
                wanted.append(claim)
        slots.accept(wanted)

    async def _slots_for(self, channel: str) -> tuple[str, Slots]:
        name = self._senders.name_for(channel)
        if name not in self._slots:
            sender = await self._senders.open(name)
            self._slots[name] = Slots(sender, self._concurrency, self, partial(self._may_start, name))
        return name, self._slots[name]

    def _may_start(self, name: str) -> bool:
        return self._senders.pauses.may_start(name, self.lane, steady())

    def _exchanged(self, task: "asyncio.Task[None]") -> None:
        self._call = None
        self._exchanged_at = steady()
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, Exception):
            self._loop.failed("exchange", fault)
            self._rest_until = steady() + self._backoff.next_pause()
        elif self._backoff.succeeded():
            self._loop.outage.ended()
        self._wake.now()

    def _pause_left(self, at: timedelta) -> timedelta:
        return max(timedelta(), self._rest_until - at) if self._backoff.has_failed else timedelta()
