"""Single creates that come at about the same time share one call and one commit; each is answered as if it were alone.

    request -> its lane's queue -> one schedule_many of what waits -> each its own answer
                                        |  a lock held for 50 ms, or the call failed and left nothing
                                        v
                                   each alone, 50 ms too -> each alone, for as long as it takes, at most so many at once

A request waits for nobody when nothing is under way; while calls are under way what comes is gathered for the next one. So
the window is the time of a call and no setting. Nothing is answered before the commit of the call that did it.

Two requests for one key or dedup key never share a call, nor are they under way in two: a batch answers for both at once,
and one after the other is what each would have had alone. A locked key holds up its own request only: the shared call
gives up after 50 ms, and requests for a key that is known to be held are not let into the next.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import msgspec

from gnomon.database.call import left_nothing
from gnomon.database.pool import Pool
from gnomon.errors import Contended, error_of
from gnomon.schedules import calls
from gnomon.schedules.shapes import Scheduled
from gnomon.web.pressure import LANES, Entry, Pressure

# Calls under way at once, and requests and characters of one; measured, see docs/decisions.md.
CALLS: Final = 2
MOST: Final = 100
LONGEST: Final = 256 << 10

# Connections that requests may hold which go alone without waiting for locks, and those that wait for one, by lane: the
# rest of the pool stays free for everybody else.
QUICK: Final = 4
PATIENT: Final = {"critical": 2, "transactional": 2, "bulk": 1}

Name = tuple[str, str, str]


@dataclass(slots=True, eq=False)
class _Waiting:
    """One request: its text, the keys it is about, its lane, and where its answer goes."""

    text: str
    names: tuple[Name, ...]
    lane: str
    entry: Entry
    answer: asyncio.Future[Scheduled]


@dataclass(slots=True)
class _Held:
    """A key that somebody has locked: how many requests wait for it, and the one whose turn it is."""

    count: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Together:
    """The creates of one process."""

    def __init__(self, pool: Pool, pressure: Pressure, patience: timedelta) -> None:
        """Call over this pool; patience is how long a request for a locked key waits for its turn to wait for the lock."""
        self._pool = pool
        self._pressure = pressure
        self._patience = patience
        self._queues: dict[str, deque[_Waiting]] = {lane: deque() for lane in LANES}
        self._under_way: set[Name] = set()
        self._held: dict[Name, _Held] = {}
        self._calls = 0
        self._is_coming = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._quick = asyncio.Semaphore(QUICK)
        self._turns = {lane: asyncio.Semaphore(turns) for lane, turns in PATIENT.items()}

    async def schedule(self, members: Mapping[str, Any], text: str, named: Mapping[str, str] | None = None) -> Scheduled:
        """Schedule the object of this text, which has these members; `named` are text fields that stand in the address.

        Raises as calls.schedule does, and Overloaded.
        """
        if named is not None:
            members, text = {**members, **named}, _with(members, text, named)
        lane = lane_of(members)
        entry = self._pressure.enter(lane, len(text))
        waiting = _Waiting(text, tuple(_names(members)), lane, entry, asyncio.get_running_loop().create_future())
        try:
            if self._is_held(waiting):
                self._start(self._patiently(waiting))
            else:
                self._queues[lane].append(waiting)
                self._go_soon()
            return await waiting.answer
        finally:
            self._pressure.leave(entry)

    async def close(self) -> None:
        """Give up what is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _go_soon(self) -> None:
        # Not at once: what was read from other connections in this same turn of the loop goes along, and nobody waits.
        if not self._is_coming:
            self._is_coming = True
            asyncio.get_running_loop().call_soon(self._go)

    def _go(self) -> None:
        self._is_coming = False
        while self._calls < CALLS and (batch := self._taken()):
            self._calls += 1
            self._start(self._call(batch))

    def _taken(self) -> list[_Waiting]:
        """What goes next, lane by lane; what must not go along keeps its place."""
        batch: list[_Waiting] = []
        length = 0
        for queue in self._queues.values():
            kept: list[_Waiting] = []
            while queue and len(batch) < MOST and length < LONGEST:
                waiting = queue.popleft()
                if self._is_held(waiting):
                    self._start(self._patiently(waiting))
                elif self._under_way.isdisjoint(waiting.names):
                    self._under_way.update(waiting.names)
                    batch.append(waiting)
                    length += len(waiting.text)
                else:
                    kept.append(waiting)
            queue.extendleft(reversed(kept))
        return batch

    def _is_held(self, waiting: _Waiting) -> bool:
        return any(name in self._held for name in waiting.names)

    async def _call(self, batch: Sequence[_Waiting]) -> None:
        try:
            if len(batch) == 1:
                await self._quickly(batch[0])
                return
            try:
                items = await calls.schedule_together(self._pool, f"[{','.join(waiting.text for waiting in batch)}]")
            except Exception as fault:  # noqa: BLE001  # whatever it is, everybody in the batch is told
                if left_nothing(fault):
                    await asyncio.gather(*(self._quickly(waiting) for waiting in batch))
                else:
                    for waiting in batch:
                        _fail(waiting, fault)
                return
            for waiting, item in zip(batch, items, strict=True):
                if item.scheduled is not None:
                    _answer(waiting, item.scheduled)
                else:
                    told = {"hint": item.error_hint, "pointer": item.error_pointer}
                    _fail(waiting, error_of(item.error_code or "", item.error_detail, **told))
        finally:
            self._calls -= 1
            for waiting in batch:
                self._under_way.difference_update(waiting.names)
            self._go()

    async def _quickly(self, waiting: _Waiting) -> None:
        """Alone, but only where no lock is in the way."""
        try:
            async with self._quick:
                _answer(waiting, await calls.schedule_hurried(self._pool, waiting.text))
        except Contended:
            self._start(self._patiently(waiting))
        except Exception as fault:  # noqa: BLE001  # the request's to tell
            _fail(waiting, fault)

    async def _patiently(self, waiting: _Waiting) -> None:
        """Alone, for as long as it takes; one a key, and so many at once that there are connections left."""
        with self._holding(waiting.names) as locks:
            try:
                async with AsyncExitStack() as turn:
                    async with asyncio.timeout(self._patience.total_seconds()):
                        for lock in locks:
                            if lock.locked():
                                self._pressure.excuse(waiting.entry)
                            await turn.enter_async_context(lock)
                        await turn.enter_async_context(self._turns[waiting.lane])
                    self._pressure.excuse(waiting.entry)
                    _answer(waiting, await calls.schedule(self._pool, waiting.text))
            except TimeoutError:
                _fail(waiting, Contended())
            except Exception as fault:  # noqa: BLE001  # the request's to tell
                _fail(waiting, fault)

    @contextmanager
    def _holding(self, names: Sequence[Name]) -> Iterator[list[asyncio.Lock]]:
        """Names as held while the block lasts; their locks, in an order that all keep."""
        found = [self._held.setdefault(name, _Held()) for name in sorted(set(names))]
        for held in found:
            held.count += 1
        try:
            yield [held.lock for held in found]
        finally:
            for name in set(names):
                self._held[name].count -= 1
                if not self._held[name].count:
                    del self._held[name]

    def _start(self, work: Any) -> None:  # noqa: ANN401  # a coroutine
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def lane_of(members: Mapping[str, Any]) -> str:
    """The lane that a request names; one that cannot be read is refused by the database, from whatever queue."""
    lane = members.get("lane") or members.get("priority")
    return lane if isinstance(lane, str) and lane in LANES else "transactional"


def _names(members: Mapping[str, Any]) -> Iterator[Name]:
    """What two requests may not share in one call: the user's key and the user's dedup key."""
    user_id = members.get("user_id")
    if not isinstance(user_id, str):
        return
    for kind in ("key", "dedup_key", "idempotency_key"):
        if isinstance(name := members.get(kind), str):
            yield kind.replace("idempotency", "dedup"), user_id, name


def _with(members: Mapping[str, Any], text: str, named: Mapping[str, str]) -> str:
    # As text, behind the rest: jsonb takes the last of two values of a name, and every digit of a number stays.
    body = text.strip()[:-1]
    return f"{body}{',' if members else ''}{msgspec.json.encode(named).decode()[1:]}"


def _answer(waiting: _Waiting, scheduled: Scheduled) -> None:
    # Who left does not want to know any more.
    with suppress(asyncio.InvalidStateError):
        waiting.answer.set_result(scheduled)


def _fail(waiting: _Waiting, fault: Exception) -> None:
    with suppress(asyncio.InvalidStateError):
        waiting.answer.set_exception(fault)
