"""The delivery role: hands over what is ready and settles what became of it.

    look       one plain statement for all lanes that are free; what is not ready is not touched
    exchange   one call for a lane and channel: outcomes in, claims out; lanes exchange beside each other
    send       slots of each lane and sender; nothing starts without a whole attempt's time left of its lease
    settle     with the next claim, or alone when nothing else comes
    sweep      beside it, every second: what became ready so late that it lies below the bounds

Nothing is sent before it is due: the claim takes only what is ready by the database's clock.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, TypeAlias

from gnomon.database.pool import Pool
from gnomon.log import logger
from gnomon_pollers.bounds import BEGINNING, Bounds, Focus, Key, View
from gnomon_pollers.calls import deliveries
from gnomon_pollers.calls.deliveries import LaneChannelShard, ReadyLook
from gnomon_pollers.claims import steady
from gnomon_pollers.clock import Clock
from gnomon_pollers.desk import Desk
from gnomon_pollers.lanes import LANES
from gnomon_pollers.leases import Leases
from gnomon_pollers.marks import Marks
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.pace import LONGEST_SLEEP, next_sweep_after
from gnomon_pollers.quiet import Quiet
from gnomon_pollers.wake import Wake

ROLE: Final = "delivery"

_FORGET_AFTER: Final = timedelta(minutes=1)
"""Bounds are kept for lanes and channels that had something within this time; the others have no dead rows to step over."""

_LAST_CALLS: Final = timedelta(seconds=3)
"""For the outcomes that are left when the process ends; what cannot be settled by then comes back when its lease ends."""

_log: Final = logger(__name__)


Ready: TypeAlias = Mapping[int, Sequence[tuple[str, Sequence[LaneChannelShard]]]]
"""What is ready: by lane its channels, the one with the oldest row first, each with its places."""


class DeliveryRole:
    """Hands over what is ready in the shards of its leases, in its lanes and channels."""

    def __init__(
        self,
        pool: Pool,
        leases: Leases,
        metrics: Metrics,
        *,
        desks: Sequence[Desk],
        channels: Sequence[str] | None,
        wake: Wake,
    ) -> None:
        """One desk a lane; `channels` None means all; `wake` is what the desks ring."""
        self._pool = pool
        self._leases = leases
        self._metrics = metrics
        self._desks = desks
        self._channels = channels
        self._wake = wake
        self._bounds: Bounds[LaneChannelShard] = Bounds()
        self._focus = Focus()
        self._quiet = Quiet()
        self._clock = Clock()
        self._active_at: dict[tuple[int, str], timedelta] = {}
        self.marks = Marks(pool, "deliveries", leases)

    def hinted(self, _payload: str) -> None:
        """Something may be ready earlier than announced: look now, and widely."""
        for lane in range(len(LANES)):
            self._focus.was_not_full(lane)
        self._quiet.forget()
        self._wake.now()

    def stopped(self, delivery_id: str) -> None:
        """A delivery was cancelled: drop it if it is unsent."""
        for desk in self._desks:
            desk.drop(delivery_id)

    async def poll(self) -> timedelta:
        """Look once and give every desk its turn; how long to sleep."""
        at = steady()
        shards = self._leases.held
        free = frozenset(desk.lane for desk in self._desks if desk.may_claim(at))
        sleep = LONGEST_SLEEP
        ready: Ready = {}
        view: View[LaneChannelShard] = View({})
        try:
            if shards and free:
                view, ready = await self._look(shards, free, at)
                sleep = self._quiet.sleep(steady()) if not ready else LONGEST_SLEEP
        finally:
            # Outcomes are settled also while looking fails.
            for desk in self._desks:
                desk.turn(ready.get(desk.lane, ()), view)
        at = steady()
        waits = [wait for desk in self._desks for wait in self._waits(desk, at, free)]
        return min([sleep, *waits])

    async def sweep(self) -> timedelta:
        """Look below the bounds once; how long to sleep."""
        began = steady()
        shards = self._leases.held
        # Without a bound a look begins at the very start, and nothing can lie below.
        if shards and (places := self._bounds.places):
            safe = await self.marks.safe(shards)
            trusted = self._clock.is_trusted
            view = View({place: safe.get((place[0], place[2]), BEGINNING) if trusted else BEGINNING for place in places})
            lanes = [desk.lane for desk in self._desks]
            look = await deliveries.next_ready(self._pool, lanes, self._channels, shards, view)
            first = look.first if look else {}
            late = {place: key for place, key in first.items() if self._bounds.is_below(place, key)}
            self._metrics.swept(ROLE, len(late))
            if late:
                self._bounds.lower(late)
                self._quiet.forget()
                self._wake.now()
        took = steady() - began
        return next_sweep_after(took) - took

    async def finish(self, limit: timedelta) -> None:
        """End: claim no more, let running sends end within the limit, settle, hand back what was never tried."""
        until = steady() + limit
        await asyncio.gather(*(desk.drain(until) for desk in self._desks))
        last = steady() + _LAST_CALLS
        if not all(await asyncio.gather(*(desk.settle_rest(last) for desk in self._desks))):
            _log.warning("not everything could be settled; it comes back when its lease ends")

    async def _look(
        self, shards: tuple[int, ...], lanes: frozenset[int], at: timedelta
    ) -> tuple[View[LaneChannelShard], Ready]:
        for lane in lanes:
            desk = next(desk for desk in self._desks if desk.lane == lane)
            (self._focus.was_full if desk.has_more else self._focus.was_not_full)(lane)
        self._keep_bounds(shards, at)
        narrow = self._focus.narrow(at) & lanes
        view = self._bounds.view(narrow)
        unless = self._quiet.snapshot(at, (lanes, shards))
        look = await deliveries.next_ready(self._pool, sorted(lanes), self._channels, shards, view, unless)
        self._metrics.polled(ROLE)
        if look is None:
            return view, {}
        if self._clock.went_back(look.now_utc):
            self._bounds.keep(())
            view = View({})
        self._focus.looked_widely(lanes - narrow, at)
        self._begin_bounds(look, shards, at)
        self._bounds.seen(look.now_utc, look.first, lanes=lanes, narrow=narrow)
        for desk in self._desks:
            # A narrow look that finds nothing says that the backlog is gone, not that nothing is there.
            desk.has_more = desk.has_more and not (desk.lane in narrow and all(lane != desk.lane for lane, *_ in look.first))
        if look.first or narrow:
            self._quiet.forget()
        else:
            self._quiet.found_nothing(look, at, (lanes, shards))
        return view, by_channel(look.first)

    def _keep_bounds(self, shards: tuple[int, ...], at: timedelta) -> None:
        """Forget what is no longer ours, or was quiet for a minute; a shard that was gained has no bound yet."""
        gained = self._leases.take_gained()
        self._active_at = {pair: since for pair, since in self._active_at.items() if at - since < _FORGET_AFTER}
        kept = set(shards) - gained
        wanted = {(lane, channel, shard) for lane, channel in self._active_at for shard in kept}
        self._bounds.keep(wanted)

    def _begin_bounds(self, look: ReadyLook, shards: tuple[int, ...], at: timedelta) -> None:
        """Give bounds to the places of every lane and channel with something ready; `seen` then moves them."""
        for lane, channel, _ in look.first:
            self._active_at[lane, channel] = at
        new = [
            place
            for lane, channel in {(lane, channel) for lane, channel, _ in look.first}
            for place in ((lane, channel, shard) for shard in shards)
            if place not in self._bounds.places
        ]
        if new:
            self._bounds.begin(new, BEGINNING[0])

    def _waits(self, desk: Desk, at: timedelta, looked_at: frozenset[int]) -> list[timedelta]:
        """When a desk wants its next turn: to settle, or to look again when it could not be looked at."""
        claim_wait = None if desk.lane in looked_at else desk.claim_wait(at)
        return [wait for wait in (claim_wait, desk.settle_wait(at)) if wait is not None]


def by_channel(
    first: Mapping[LaneChannelShard, Key],
) -> Ready:
    """What is ready, by lane: the channel with the oldest first row first, its shards likewise."""
    found: dict[int, dict[str, list[LaneChannelShard]]] = {}
    for place in sorted(first, key=first.__getitem__):
        lane, channel, _ = place
        found.setdefault(lane, {}).setdefault(channel, []).append(place)
    return {lane: list(channels.items()) for lane, channels in found.items()}
