"""One run of the demo, from an empty folder to the account."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

import aiohttp

from gnomon.children.child import Child
from gnomon.children.lines import read_line
from gnomon.database.call import rows
from gnomon.database.pool import Pool, open_pool
from gnomon.deliveries.calls import queue_numbers
from gnomon.demo.book import Book
from gnomon.demo.clocks import Clock, measured
from gnomon.demo.doors import HttpDoor, SqlDoor
from gnomon.demo.faults import Fault, Faults
from gnomon.demo.load import Load, Pace
from gnomon.demo.mix import Mix, users_of
from gnomon.demo.receipts import Receipts
from gnomon.demo.report import Report, report
from gnomon.demo.stage import LEASE, POLLERS, SINK, WORKERS, Stage, stage
from gnomon.demo.tally import Tally
from gnomon.demo.wishes import Times
from gnomon.settings import adopted, read_settings
from gnomon.web.calls import set_settings

Users: TypeAlias = tuple[tuple[str, str], ...]

_USERS: Final = 500

_LOOK_EVERY: Final = timedelta(milliseconds=200)
_LOOK_FOR_FIRST: Final = timedelta(milliseconds=20)
_FIRST_WITHIN: Final = timedelta(seconds=60)

_HEARTBEATS: Final = 2 * len(POLLERS) + len(WORKERS)
"""A poller has one for each of its two roles."""
_LOOKS_FOR_ALL: Final = 25
_SHARED_OUT: Final = timedelta(seconds=2)
"""After the last process came: each gives up what is more than its share, and takes its share a heartbeat later."""

_SOON: Final = timedelta(seconds=10)
"""After the last answer: what is due within this time belongs to the run; everything else is minutes away."""
_SAID_AGAIN_AFTER: Final = timedelta(seconds=10)
"""The same line of the same process."""

SILENCE: Final = timedelta(seconds=3)
"""So long a process is silent before others take its place."""


class NothingDelivered(Exception):
    """Nothing was delivered at all."""

    hint = "`gnomon demo` without --json shows what its processes say."


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked of a run."""

    length: timedelta = timedelta(seconds=20)
    """How long requests are made."""
    rate: float = 200
    """Requests a second."""
    is_calm: bool = False
    """Without faults."""
    patience: timedelta = LEASE + SILENCE
    """How long the last ones are waited for after they are due: what a killed process held comes back within it."""


class Run:
    """A run, as far as it has come: what a screen shows of it."""

    def __init__(self, options: Options, say: Callable[[str], None]) -> None:
        """`say` is told, in a line, what happens."""
        self.options = options
        self.phase = "starting"
        self.book = Book()
        self.clock = Clock()
        self.children: tuple[Child, ...] = ()
        self.server_pid: int | None = None
        self.load: Load | None = None
        self.times: Times | None = None
        self.tally = Tally(self.book, self.clock)
        self.first_delivery: timedelta | None = None
        """From the start of the run to the first delivery."""
        self.faults: list[Fault] = []
        self._say = say
        self._began = time.monotonic()
        self._until_utc = self.clock.now_utc()
        self._quiet_until: dict[tuple[str, str], float] = {}

    async def play(self, sink: Sequence[str] = SINK) -> Report:
        """Do it all. `sink` is what the interpreter runs as the receiver. Raises ChildEnded, NothingDelivered."""
        async with stage(self._heard, sink) as built, _pool(built) as pool, aiohttp.ClientSession() as session:
            self.children = built.children
            self.server_pid = built.database.pid
            await set_settings(pool, adopted(read_settings(built.environment)))
            self.clock = await measured(pool)
            self.tally = Tally(self.book, self.clock)
            self.load = Load(self.book, self.clock, SqlDoor(pool))
            receipts = Receipts(built.received)
            async with _beside(self._look(receipts)):
                await self._warm_up(receipts)
                users = await _settle(pool)
                await self._play(built, users, HttpDoor(session, await built.api.address()))
                await self._drain(receipts)
            self.phase = "stopping"
            return self._account(receipts)

    async def _warm_up(self, receipts: Receipts) -> None:
        """Wait for the first delivery, which comes as soon as there is a poller and a worker."""
        assert self.load is not None
        await self.load.ask_first()
        give_up_at = time.monotonic() + _FIRST_WITHIN.total_seconds()
        while not receipts.all:
            if time.monotonic() > give_up_at:
                raise NothingDelivered(NothingDelivered.__doc__)
            await asyncio.sleep(_LOOK_FOR_FIRST.total_seconds())
            self._add(receipts)
        self.first_delivery = timedelta(seconds=time.monotonic() - self._began)
        self._say(f"the first delivery arrived {self.first_delivery.total_seconds():.1f} s after the start")

    async def _play(self, built: Stage, users: Users, http: HttpDoor) -> None:
        """The load, and the faults in its middle."""
        assert self.load is not None
        begin = self.clock.now_utc()
        length = self.options.length
        times = Times(begin_utc=begin, end_utc=begin + length, herd_utc=begin + length / 2)
        faults = Faults(built, times, self.clock, self._say)
        self.times, self.faults, self.phase = times, faults.done, "running"
        pace = Pace(round(length.total_seconds() * self.options.rate), self.options.rate)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.load.run(Mix(times, users), pace, http))
                if not self.options.is_calm:
                    group.create_task(faults.run())
        except ExceptionGroup as group_of_faults:
            raise _first_of(group_of_faults) from group_of_faults
        self._until_utc = self.clock.now_utc() + _SOON
        self.server_pid = built.database.pid

    async def _drain(self, receipts: Receipts) -> None:
        """Wait until all that is due has arrived; when nothing arrives any more, until every lease is over."""
        self.phase = "waiting for the last ones"
        now = self.clock.now_utc()
        # What was sent and not settled by a killed one would be seen again when its lease is over.
        looked_for = max([now, *(self.times.begin_utc + fault.at + LEASE for fault in self.faults if self.times)])
        due = [promise.next_at for promise in self.book if promise.next_at and promise.next_at <= self._until_utc]
        last_due = max(due, default=now)
        earliest = max(looked_for, last_due)
        deadline, arrived = earliest + self.options.patience, len(receipts.all)
        while (now := self.clock.now_utc()) < deadline:
            began = time.monotonic()
            if now > earliest and not self._account(receipts).lost:
                return
            if len(receipts.all) > arrived:
                # More was asked for than this machine delivers: late is not lost.
                deadline, arrived = max(deadline, now + self.options.patience), len(receipts.all)
            await _rest_after(began)

    def _account(self, receipts: Receipts) -> Report:
        assert self.load is not None
        self._add(receipts)
        return report(
            list(self.book),
            receipts.all,
            until_utc=self._until_utc,
            clock=self.clock,
            refusals=self.load.refusals,
        )

    async def _look(self, receipts: Receipts) -> None:
        while True:
            began = time.monotonic()
            self._add(receipts)
            self.tally.count(self.clock.now_utc())
            await _rest_after(began)

    def _add(self, receipts: Receipts) -> None:
        self.tally.add(receipts.read())

    def _heard(self, name: str, is_error: bool, line: str) -> None:  # noqa: FBT001  # as Hear says it
        told = read_line(line)
        at = time.monotonic()
        if not is_error or told.is_routine or at < self._quiet_until.get((name, told.event), 0):
            return
        self._quiet_until[name, told.event] = at + _SAID_AGAIN_AFTER.total_seconds()
        self._say(f"{name}: {told.event if told.level == 'warning' else told.text}")


def _first_of(group: ExceptionGroup[Exception]) -> Exception:
    """One fault is told; the others came of the same."""
    first = group.exceptions[0]
    return _first_of(first) if isinstance(first, ExceptionGroup) else first


async def _rest_after(began: float) -> None:
    """Looking may take one part in ten of the time: after an hour there is much to look at."""
    await asyncio.sleep(max(_LOOK_EVERY.total_seconds(), (time.monotonic() - began) * 9))


async def _heartbeats(pool: Pool) -> float:
    return sum(number.value for number in await queue_numbers(pool) if number.name == "heartbeats")


async def _settle(pool: Pool) -> Users:
    """Let users live somewhere, and wait until every process is there and has its share."""
    users = users_of(_USERS)
    told = json.dumps([{"user_id": user_id, "time_zone": zone} for user_id, zone in users])
    sql = "select error_detail from gnomon.set_users(%s::jsonb) where error_code is not null"
    if refused := await rows(pool, sql, (told,)):
        message = f"The database does not know a zone: {refused[0]['error_detail']}"
        raise RuntimeError(message)
    for _ in range(_LOOKS_FOR_ALL):
        if await _heartbeats(pool) >= _HEARTBEATS:
            break
        await asyncio.sleep(_LOOK_EVERY.total_seconds())
    await asyncio.sleep(_SHARED_OUT.total_seconds())
    return users


def _pool(built: Stage) -> Pool:
    return open_pool(built.database.url, min_size=2, max_size=4, application_name="gnomon demo")


@contextlib.asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Do something as long as the block lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
