"""A process of the clockwork: its connections, its roles, its steps, and its end in good order."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from gnomon.database.pool import PREPARE_THRESHOLD, Pool, open_pool
from gnomon.database.renewal import Renewal
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger
from gnomon.settings import Settings, adopted
from gnomon_pollers import hints
from gnomon_pollers.calls import processes, timers
from gnomon_pollers.calls.deliveries import Worker
from gnomon_pollers.channels.routing import Senders
from gnomon_pollers.desk import Desk
from gnomon_pollers.health import Health
from gnomon_pollers.hints import Hints
from gnomon_pollers.lanes import LANES
from gnomon_pollers.leases import Leases, delivery_group
from gnomon_pollers.loop import Loop, Step
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.roles import delivery, due, upkeep
from gnomon_pollers.stop import Stop
from gnomon_pollers.wake import Wake

STOP_WITHIN: Final = timedelta(seconds=10)
"""How long running sends may go on after the end was asked for."""

_GOODBYE: Final = timedelta(seconds=2)
"""For giving up leases; others notice our silence a second later anyway."""

_LAST_STEPS: Final = timedelta(seconds=1)
"""For the steps that are under way when the end is asked for; a detach may wait for hours and is cut."""

_CONNECTIONS: Final = 8
"""Of one process at most: the calls of three lanes, polls, sweep, heartbeats, proof, and a detach that waits."""

_ADOPT_AGAIN: Final = timedelta(hours=24)

_log: Final = logger(__name__)


async def _nothing() -> None:
    return


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker does."""

    lanes: Sequence[str] = LANES
    channels: Sequence[str] | None = None
    """None: all."""
    concurrency: int = 64
    """Sends at a time in one lane and through one sender."""
    stop_within: timedelta = STOP_WITHIN


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process runs and how it is called."""

    url: str
    """The database, as libpq reads it."""
    settings: Settings
    name: str
    """Of this process, in heartbeats and claims."""
    listen: tuple[str, int] | None = None
    """Where /healthz, /readyz and /metrics are served."""


class Crew:
    """What the roles of one process share."""

    def __init__(self, place: Place, pool: Pool) -> None:
        """Set nothing going yet."""
        self.place = place
        self.pool = pool
        self.stop = Stop()
        self.metrics = Metrics()
        self.loop = Loop(self.stop, self.metrics)
        self.hints = Hints()
        self._leases: list[Leases] = []
        self._steps: list[tuple[str, Step, Wake]] = []

    def add(self, name: str, step: Step, wake: Wake | None = None) -> None:
        """Repeat a step from the start to the end of the process."""
        self._steps.append((name, step, wake or self.stop.wake_of_own()))

    def leases(self, lease_group: str, role: str) -> Leases:
        """Leases of one role, kept by a heartbeat of their own."""
        leases = Leases(self.pool, lease_group, self.place.name)
        self._leases.append(leases)
        self.metrics.watch_leases(role, lambda: len(leases.held))
        self.add(f"beat {role}", leases.beat)
        return leases

    async def run(self, finish: Callable[[], Awaitable[None]] = _nothing) -> None:
        """Take all steps again and again until the end is asked for; then give up the leases and `finish`.

        The leases go first: while running sends come to their end, others already claim in these shards.
        """
        self.stop.listen_to_signals()
        self.add("adopt settings", self._adopt_settings)
        self.add("renew sessions", Renewal(self.pool).look)
        health = Health(self.pool, self.metrics)
        if self.place.listen is not None:
            await health.start(*self.place.listen)
        _log.info("started", name=self.place.name)
        steps = [asyncio.create_task(self.loop.repeat(*step), name=step[0]) for step in self._steps]
        listening = self._listen()
        try:
            await self.stop.wait()
            _, late = await asyncio.wait(steps, timeout=_LAST_STEPS.total_seconds())
            await _cancel(late)
            await asyncio.gather(self._leave(), finish())
        finally:
            await _cancel([*steps, *listening])
            await health.stop()
        _log.info("stopped", name=self.place.name)

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(_GOODBYE.total_seconds()):
                for leases in self._leases:
                    await leases.leave()
        except (DatabaseUnavailable, TimeoutError):
            _log.info("leases end by themselves: the database does not answer")

    def _listen(self) -> "list[asyncio.Task[None]]":
        if not self.place.settings.notify or not self.hints.channels:
            return []
        return [asyncio.create_task(self.hints.hear(self.place.url, self.place.name), name="hints")]

    async def _adopt_settings(self) -> timedelta:
        for name, value in adopted(self.place.settings).items():
            await processes.set_setting(self.pool, name, value)
        return _ADOPT_AGAIN


async def run_poll(place: Place, roles: Collection[str]) -> None:
    """A poller: the due role, the upkeep role, or both."""
    async with _pool(place) as pool:
        crew = Crew(place, pool)
        if due.GROUP in roles:
            _add_due(crew)
        if upkeep.GROUP in roles:
            for name, step in upkeep.UpkeepRole(pool, crew.leases(upkeep.GROUP, upkeep.GROUP)).steps().items():
                crew.add(name, step)
        await crew.run()


async def run_work(place: Place, work: Work) -> None:
    """A worker: sends what is ready in its lanes and channels."""
    senders = Senders(place.settings)
    await senders.open(senders.name_for("webhook"))
    async with _pool(place) as pool:
        crew = Crew(place, pool)
        role = _add_delivery(crew, senders, work)
        try:
            await crew.run(lambda: role.finish(work.stop_within))
        finally:
            await senders.close()


def _add_due(crew: Crew) -> None:
    leases = crew.leases(due.GROUP, due.GROUP)
    settings = crew.place.settings
    role = due.DueRole(
        crew.pool,
        leases,
        crew.metrics,
        crew.loop,
        fire_ahead=settings.fire_ahead,
        hint_ready=timers.hint_ready if settings.notify else None,
    )
    wake = crew.stop.wake_of_own()
    crew.add("poll due", role.poll, wake)
    crew.add("sweep due", role.sweep)
    crew.add("prove timers", role.marks.prove)

    def hinted(payload: str) -> None:
        role.hinted(payload)
        wake.now()

    crew.hints.on(hints.DUE, hinted)


def _add_delivery(crew: Crew, senders: Senders, work: Work) -> delivery.DeliveryRole:
    settings = crew.place.settings
    wake = crew.stop.wake_of_own()
    desks = [
        Desk(
            LANES.index(lane),
            pool=crew.pool,
            worker=Worker(crew.place.name, settings.lease),
            senders=senders,
            concurrency=work.concurrency,
            metrics=crew.metrics,
            loop=crew.loop,
            wake=wake,
        )
        for lane in work.lanes
    ]
    leases = crew.leases(delivery_group(work.lanes, work.channels), delivery.ROLE)
    role = delivery.DeliveryRole(crew.pool, leases, crew.metrics, desks=desks, channels=work.channels, wake=wake)
    crew.add("poll ready", role.poll, wake)
    crew.add("sweep ready", role.sweep)
    crew.add("prove deliveries", role.marks.prove)
    crew.hints.on(hints.READY, role.hinted)
    crew.hints.on(hints.STOP, role.stopped)
    return role


def _pool(place: Place) -> Pool:
    # Without hints there may be a transaction pooler on the way, which cannot keep prepared statements.
    threshold = PREPARE_THRESHOLD if place.settings.notify else None
    return open_pool(place.url, min_size=2, max_size=_CONNECTIONS, application_name=place.name, prepare_threshold=threshold)


async def _cancel(tasks: Collection["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
