"""The due role: turns timers into deliveries, a little before their instant.

    look    one plain statement for all lanes and shards; what is not due is not touched
    fire    one call for each lane and slice of shards that has something due, critical first
    sleep   until the next instant minus the look-ahead, at most 100 ms, cut short by hints
    sweep   beside it, every second: what committed so late that it lies below the bounds

A statement takes the shards of one slice, because they share a leaf and a ctid names a row only in its leaf.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger
from gnomon_pollers.bounds import BEGINNING, NIL, Bounds, Focus, Key, View
from gnomon_pollers.calls import timers
from gnomon_pollers.calls.timers import NOTHING_FIRED, Fired, LaneShard
from gnomon_pollers.claims import steady
from gnomon_pollers.clock import Clock
from gnomon_pollers.lanes import LANES
from gnomon_pollers.leases import Leases
from gnomon_pollers.loop import Loop
from gnomon_pollers.marks import Marks
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.pace import LONGEST_SLEEP, next_sweep_after, rest_after
from gnomon_pollers.quiet import Quiet

GROUP: Final = "due"

_log: Final = logger(__name__)

LARGEST_BATCH: Final = 500
"""Timers taken by one call: a cancel waits for one batch at most, and so does a critical one behind bulk."""

SHARDS_IN_A_SLICE: Final = 8

_LANE_NUMBERS: Final = frozenset(range(len(LANES)))
_URGENT: Final = 0
_LOOK_AGAIN_AFTER: Final = timedelta(milliseconds=20)
"""So long the less urgent lanes may keep a round busy before the critical one is asked again."""

_LEAVE_ALONE_FOR: Final = timedelta(seconds=10)
"""A lane and shard with something that cannot be fired: asking at every poll would keep the database busy with it."""

_FAR_ROUNDS: Final = 10


class DueRole:
    """Fires what is due in the shards of its leases."""

    def __init__(
        self,
        pool: Pool,
        leases: Leases,
        metrics: Metrics,
        loop: Loop,
        *,
        fire_ahead: timedelta,
        hint_ready: Callable[[Pool], Awaitable[None]] | None = None,
    ) -> None:
        """fire_ahead: how long before its instant a timer is taken, as SQL has it too.

        hint_ready wakes the workers; None where hints are off.
        """
        self._pool = pool
        self._leases = leases
        self._metrics = metrics
        self._loop = loop
        self._hint_ready = hint_ready
        self._bounds: Bounds[LaneShard] = Bounds()
        self.marks = Marks(pool, "timers", leases)
        self._clock = Clock()
        self._must_begin_anew = True
        self._shards: tuple[int, ...] = ()
        self._focus = Focus()
        self._quiet = Quiet(fire_ahead)
        self._left_alone: dict[LaneShard, timedelta] = {}

    def hinted(self, _payload: str) -> None:
        """A timer earlier than announced may exist, also between low and high bounds."""
        for lane in _LANE_NUMBERS:
            self._focus.was_not_full(lane)
        self._quiet.forget()

    async def poll(self) -> timedelta:
        """Look and fire once; how long to sleep."""
        shards = self._leases.held
        if not shards:
            return LONGEST_SLEEP
        try:
            return await self._poll(shards)
        except Exception:
            # Whatever happened meanwhile, a fail-over included, happened without us.
            self._must_begin_anew = True
            raise

    async def sweep(self) -> timedelta:
        """Look below the bounds and among the far timers once; how long to sleep."""
        began = steady()
        if shards := self._leases.held:
            await self._sweep(shards)
        took = steady() - began
        return next_sweep_after(took) - took

    async def _poll(self, shards: tuple[int, ...]) -> timedelta:
        await self._begin_where_needed(shards)
        began = steady()
        narrow = self._focus.narrow(began)
        view = self._bounds.view(narrow)
        look = await timers.next_due(self._pool, view, self._quiet.snapshot(began, shards))
        self._metrics.polled(GROUP)
        if look is None:
            return self._quiet.sleep(steady())
        if self._clock.went_back(look.now_utc):
            self._must_begin_anew = True
            return timedelta()
        self._focus.looked_widely(_LANE_NUMBERS - narrow, began)
        self._bounds.seen(look.now_utc, look.first, lanes=_LANE_NUMBERS, narrow=narrow)
        drained = narrow - {lane for lane, _ in look.first}
        for lane in drained:
            self._focus.was_not_full(lane)
        taken_count, is_over = await self._fire_round(look.first, view)
        if taken_count and self._hint_ready and min(look.first.values())[0] < look.now_utc + LONGEST_SLEEP:
            # Workers look for themselves soon enough for what was fired ahead, but not for what is due now.
            await self._hint_ready(self._pool)
        if not is_over or drained:
            return timedelta()
        if not look.first:
            self._quiet.found_nothing(look, began, shards)
            return self._quiet.sleep(steady())
        self._quiet.forget()
        if taken_count == 0:
            # Due, and locked elsewhere: asking again at once would only spin.
            return LONGEST_SLEEP
        return rest_after(steady() - began)

    async def _begin_where_needed(self, shards: tuple[int, ...]) -> None:
        gained = self._leases.take_gained()
        if self._must_begin_anew:
            gained = set(shards)
        if shards != self._shards:
            self._shards = shards
            self._bounds.keep(set(_places(shards)))
        if gained:
            oldest = await timers.oldest_period_utc(self._pool)
            self._bounds.begin(_places(sorted(gained)), oldest or BEGINNING[0])
            self._quiet.forget()
        self._must_begin_anew = False

    async def _fire_round(self, first: Mapping[LaneShard, Key], view: View[LaneShard]) -> tuple[int, bool]:
        """Fire in each slice that has something due; how many were taken, and whether that was all for now."""
        began = steady()
        taken_count = 0
        is_over = True
        for lane, places in turns(self._without_left_alone(first)):
            fired = await self._fire(lane, view.of(places))
            taken_count += fired.taken_count
            if fired.is_full:
                self._focus.was_full(lane)
                is_over = False
            if lane != _URGENT and fired.taken_count and steady() - began >= _LOOK_AGAIN_AFTER:
                return taken_count, False
        return taken_count, is_over

    async def _fire(self, lane: int, view: View[LaneShard]) -> Fired:
        """Fire in one slice; after an error once more, piece by piece."""
        try:
            fired = await timers.fire_slice(self._pool, lane, view, max(1, LARGEST_BATCH // len(view.keys)))
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001  # whatever it is, the other rows can do nothing for it
            self._loop.failed("fire", fault)
            fired = await self._fire_carefully(lane, view)
        self._metrics.fired(LANES[lane], fired)
        return fired

    async def _fire_carefully(self, lane: int, view: View[LaneShard]) -> Fired:
        """Fire and set aside what cannot be fired; what is no fault of a row holds up its own shard and lane only."""
        try:
            fired = await timers.fire_carefully(self._pool, lane, view, max(1, LARGEST_BATCH // len(view.keys)))
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001  # whatever it is, the other shards can do nothing for it
            self._loop.failed("fire carefully", fault)
            if len(view.keys) == 1:
                self._left_alone |= dict.fromkeys(view.keys, steady() + _LEAVE_ALONE_FOR)
                return NOTHING_FIRED
            return Fired.sum([await self._fire_carefully(lane, view.of([place])) for place in view.keys])
        _say_set_aside(fired)
        return fired

    def _without_left_alone(self, first: Mapping[LaneShard, Key]) -> Mapping[LaneShard, Key]:
        if not self._left_alone:
            return first
        at = steady()
        self._left_alone = {place: until for place, until in self._left_alone.items() if until > at}
        return {place: key for place, key in first.items() if place not in self._left_alone}

    async def _sweep(self, shards: tuple[int, ...]) -> None:
        safe = await self.marks.safe(shards)
        view = View(safe if self._clock.is_trusted else dict.fromkeys(safe, (BEGINNING[0], NIL)))
        look = await timers.next_due(self._pool, view)
        if look is None:
            return
        late = {place: key for place, key in look.first.items() if self._bounds.is_below(place, key)}
        self._metrics.swept(GROUP, len(late))
        for lane, places in turns(late):
            fired = await self._fire(lane, view.of(places))
            if fired.is_full:
                # More than one batch: let the polls go on from here at full speed.
                self._bounds.lower({place: late[place] for place in places})
                self._quiet.forget()
        for _ in range(_FAR_ROUNDS):
            fired = await self._fire_far(shards)
            self._metrics.fired("far", fired)
            if not fired.is_full:
                break

    async def _fire_far(self, shards: tuple[int, ...]) -> Fired:
        try:
            return await timers.fire_far(self._pool, shards, LARGEST_BATCH)
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001  # raised again when it is no fault of a row
            self._loop.failed("fire far", fault)
            fired = await timers.fire_far_carefully(self._pool, shards, max(1, LARGEST_BATCH // len(shards)))
            _say_set_aside(fired)
            return fired


def _say_set_aside(fired: Fired) -> None:
    if fired.set_aside_count:
        _log.error("schedules cannot be fired and are set aside; gnomon doctor names them", count=fired.set_aside_count)


def turns(first: Mapping[LaneShard, Key]) -> Iterator[tuple[int, list[LaneShard]]]:
    """The calls of one round: lane by lane, within one the slice whose first row is oldest, its shards likewise."""
    slices: dict[tuple[int, int], list[LaneShard]] = {}
    for place in sorted(first, key=first.__getitem__):
        lane, shard = place
        slices.setdefault((lane, shard // SHARDS_IN_A_SLICE), []).append(place)
    # dict keeps the order of first insertion: the slice with the oldest row first; sorting by lane keeps it within one.
    for (lane, _), places in sorted(slices.items(), key=lambda item: item[0][0]):
        yield lane, places


def _places(shards: Sequence[int]) -> list[LaneShard]:
    return [(lane, shard) for lane in range(len(LANES)) for shard in shards]
