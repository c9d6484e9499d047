"""Asks for schedules at a steady rate, whatever becomes of the earlier ones, and writes down what was answered.

Open loop: a late system must not slow the clock that shows how late it is. A request that got no answer is repeated with
the same dedup_key until one comes, so that nothing is counted as accepted that is not, and nothing accepted is missed.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from msgspec import UNSET

from gnomon.demo.book import Book, Ended, Promise
from gnomon.demo.clocks import Clock
from gnomon.demo.doors import Door
from gnomon.demo.mix import Mix
from gnomon.demo.wishes import Cancel, Change, Move, Wish
from gnomon.errors import DatabaseUnavailable, GnomonError, HasEnded, InThePast, OnItsWay
from gnomon.schedules.shapes import Scheduled

Answer = TypeVar("Answer")

DEFAULT_CHANNELS: Final = ("webhook",)

_LONGEST_PAUSE: Final = timedelta(milliseconds=400)
_GIVE_UP_AFTER: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests, and how many a second."""

    count: int
    rate: float


class Load:
    """The callers of a run."""

    def __init__(self, book: Book, clock: Clock, sql: Door) -> None:
        """Ask by SQL, and keep the answers in `book`."""
        self.asked = 0
        self.repeated = 0
        """Calls that got no answer and were made again."""
        self.too_late = 0
        """Changes refused because the schedule was due or on its way."""
        self.refusals: list[str] = []
        """Answers that nobody should have got."""
        self._book = book
        self._clock = clock
        self._sql = sql
        self._http = sql

    async def run(self, mix: Mix, pace: Pace, http: Door) -> None:
        """Make all requests, each for what `mix` draws and some through `http`, and see every one through.

        Raises DatabaseUnavailable when no answer came for a minute.
        """
        self._http = http
        begin = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as callers:
            for number in range(pace.count):
                await self._sleep(begin + number / pace.rate - asyncio.get_running_loop().time())
                self.asked += 1
                callers.create_task(self._call(mix.wish(number, self._clock.now_utc())))

    async def ask_first(self) -> None:
        """One schedule that is due at once, to see the first delivery."""
        request = {"user_id": "u_first", "template_id": "first", "schedule_at": "PT0S", "lane": "critical"}
        request["dedup_key"] = "demo-first"
        answer, _ = await self._answered(lambda: self._sql.schedule(request))
        self._accept(request, answer, is_warm_up=True)

    async def _call(self, wish: Wish) -> None:
        door = self._http if wish.is_by_http else self._sql
        try:
            if (home := wish.home) is not None:
                await self._answered(lambda: door.set_user(wish.user_id, home))
            answer, _ = await self._answered(lambda: door.schedule(wish.request))
            self._accept(wish.request, answer)
            if wish.then is not None:
                await self._sleep((wish.then.at_utc - self._clock.now_utc()).total_seconds())
                await self._follow(door, wish, answer.schedule_id)
        except GnomonError as fault:
            self.refusals.append(f"{wish.request['template_id']} was refused: {fault} ({fault.code})")

    def _accept(self, request: Mapping[str, object], answer: Scheduled, *, is_warm_up: bool = False) -> None:
        channels = request.get("channels", DEFAULT_CHANNELS)
        self._book.accept(
            Promise(
                schedule_id=answer.schedule_id,
                lane=str(request["lane"]),
                channels=tuple(channels),  # type: ignore[arg-type]  # a list of names
                next_at=answer.fire_at_utc,
                is_warm_up=is_warm_up,
            )
        )

    async def _follow(self, door: Door, wish: Wish, schedule_id: str) -> None:
        match wish.then:
            case Cancel():
                await self._cancel(door, schedule_id)
            case Change(change=change):
                await self._change(door, schedule_id, change, is_recurring=wish.is_recurring)
            case Move(time_zone=zone):
                await self._answered(lambda: door.set_user(wish.user_id, zone))
                await self._look(door, schedule_id)

    async def _cancel(self, door: Door, schedule_id: str) -> None:
        answer, is_repeated = await self._answered(lambda: door.cancel(schedule_id))
        self._book.end(
            schedule_id,
            Ended(
                status=answer.status,
                fired_count=answer.fired_count,
                handed_over_count=0 if answer.handed_over_count is UNSET else answer.handed_over_count,
                stopped_count=0 if answer.stopped_count is UNSET else answer.stopped_count,
                is_repeated=is_repeated,
            ),
        )

    async def _change(self, door: Door, schedule_id: str, change: dict[str, object], *, is_recurring: bool) -> None:
        answered_at: datetime | None = None
        try:
            answer, is_repeated = await self._answered(lambda: door.reschedule(schedule_id, change))
        except (HasEnded, OnItsWay, InThePast):
            self.too_late += 1
            # An earlier try without an answer may have changed it: then the refusal says only that it is over now.
        else:
            answered_at = answer.fire_at_utc
            if not is_recurring and not is_repeated:
                self._book.change(schedule_id, answered_at)
                return
        await self._look(door, schedule_id, answered_at)

    async def _look(self, door: Door, schedule_id: str, answered_at: datetime | None = None) -> None:
        """Ask what the schedule is after a change: what comes next, and what of a recurrence had fired before it."""
        found, _ = await self._answered(lambda: door.find(schedule_id))
        next_at, last_at, fired_count = found.fire_at_utc, None, 0
        if found.recurrence is not None:
            fired_count, last_at = found.recurrence.fired_count, found.recurrence.last_fired_at
        if next_at is not None and next_at == last_at:
            # Fired ahead and not yet due: it counts as fired and comes next, but it is one.
            fired_count -= 1
        instants = {at for at in (answered_at, last_at, next_at) if at is not None}
        # Changed while it was due, as an outage makes likely: it still comes. So does the one that the change answered,
        # unless that is over too when the first fires: after an outage one reminder comes and not several.
        is_overdue = found.recurrence is not None and next_at is not None and next_at <= self._clock.now_utc()
        self._book.look(schedule_id, next_at, fired_count, instants, is_open=is_overdue)

    async def _answered(self, call: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """Make a call until it is answered, and say whether it was made more than once."""
        deadline = asyncio.get_running_loop().time() + _GIVE_UP_AFTER.total_seconds()
        is_repeated = False
        while True:
            try:
                return await call(), is_repeated
            except DatabaseUnavailable:
                if asyncio.get_running_loop().time() > deadline:
                    raise
            self.repeated += 1
            is_repeated = True
            await asyncio.sleep(_LONGEST_PAUSE.total_seconds() * random.uniform(0.2, 1))  # noqa: S311  # spreads load

    async def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds)
