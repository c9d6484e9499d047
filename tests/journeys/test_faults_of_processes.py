"""Pollers and workers killed again and again, or put to sleep, under load, on a server that waits for its disk."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import pytest
from psycopg.conninfo import make_conninfo

from tests.journeys.breakage import Breakage
from tests.journeys.durable import Durable
from tests.journeys.load import steady_load
from tests.journeys.stage import LEASE, Part, Stage, note, on_stage, poll, request, tasks, work
from tests.support.roles import Role

pytestmark = [pytest.mark.fault, pytest.mark.alone]

EVERY: Final = 2.0
"""Seconds between two kills."""

SLOTS: Final = 16
LANES: Final = ("critical", "transactional")

DELAY: Final = 0.05
"""Seconds that the receiver takes."""


@dataclass
class Crew:
    """Who is on the stage now, the longest there first; each that comes has a name of its own."""

    stage: Stage
    pollers: dict[str, Role] = field(default_factory=dict)
    workers: dict[str, Role] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def join(self, *makes: str) -> None:
        """Start pollers and workers beside each other."""
        parts = [self._part(make) for make in makes]
        for part, role in zip(parts, self.stage.start(*parts), strict=True):
            (self.pollers if part.name.startswith("p") else self.workers)[part.name] = role

    def oldest(self) -> tuple[str, str]:
        """The poller and the worker that are there longest."""
        return next(iter(self.pollers)), next(iter(self.workers))

    def _part(self, make: str) -> Part:
        name = f"{make}{next(self._numbers)}"
        return poll(name) if make == "p" else work(name, "--concurrency", str(SLOTS))


@pytest.fixture(scope="module")
def crew(durable: Durable, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    folder = tmp_path_factory.mktemp("processes")
    with durable.database() as name, on_stage(make_conninfo(durable.server.url, dbname=name), folder) as stage:
        crew = Crew(stage)
        crew.join("p", "p", "w", "w")
        yield crew


@contextmanager
def asleep(after: Breakage, roles: dict[str, Role]) -> Iterator[None]:
    """Stop processes for the block, as a suspended machine does, and note it."""
    stopped_at = time.time()
    for role in roles.values():
        role.send(signal.SIGSTOP)
    try:
        yield
    finally:
        for role in roles.values():
            role.send(signal.SIGCONT)
    for name in roles:
        after.out(stopped_at, time.time(), via=name)


def killed_again_and_again(crew: Crew, seconds: float) -> None:
    """Under load, kill the oldest poller and worker at once every two seconds; two others come for them."""
    # So long at least something is sent and not settled.
    crew.stage.sink.behave(delay=DELAY)
    after = Breakage(crew.stage)
    kill_count = 0
    with steady_load(crew.stage, f"kill{seconds:g}") as load:
        after.warm_up()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            poller, worker = crew.oldest()
            crew.pollers.pop(poller).kill()
            crew.workers.pop(worker).kill()
            after.out(time.time(), time.time(), via=worker)
            kill_count += 1
            # On a machine that takes longer to start them the next kill waits: two are killed, and two are there.
            crew.join("p", "w")
            time.sleep(max(0.0, min(began + EVERY, end) - time.monotonic()))
    received = after.judge(f"{kill_count} pollers and workers killed", load.accepted)
    assert len({line.via for line in received}) > kill_count, "those that came took part"


def test_pollers_and_workers_killed_every_2_s(crew: Crew) -> None:
    killed_again_and_again(crew, 6)


@pytest.mark.long
def test_pollers_and_workers_killed_every_2_s_for_a_minute(crew: Crew) -> None:
    killed_again_and_again(crew, 60)


def asleep_for(crew: Crew, seconds: float) -> None:
    """Under load, stop a poller and a worker that holds something, for longer than its lease, and let them go on."""
    crew.stage.sink.behave(delay=DELAY)
    after = Breakage(crew.stage)
    poller, worker = crew.oldest()
    with steady_load(crew.stage, f"sleep{seconds:g}") as load:
        after.warm_up()
        # More than they can send at once: what they hold waits in them, and is sent in part.
        crew.stage.sink.behave(delay=5 * DELAY)
        herd = crew.stage.accept([request(f"herd{number}", "PT0.1S", lane=LANES[number % 2]) for number in range(200)])
        crew.stage.wait_for(tasks(herd[:20]))
        with asleep(after, {poller: crew.pollers[poller], worker: crew.workers[worker]}):
            crew.stage.sink.behave(delay=0)
            time.sleep(seconds)
            before_waking = after.received()
        after.wait_for_more(50)
    received = after.judge(f"asleep for {seconds:g} s", [*herd, *load.accepted])
    known = {line.delivery_id for line in before_waking}
    woken = [line for line in received[len(before_waking) :] if line.via == worker]
    taken_over = [line for line in received if line.attempt > 1 and line.via != worker]
    note(f"{len(taken_over)} of the sleeping worker came by the other, {len(woken)} that are new by it afterwards")
    assert [line for line in woken if line.delivery_id in known or line.attempt > 1] == []
    assert len(taken_over) > SLOTS, "it held more than it was sending"


def test_a_poller_and_a_worker_that_sleep_past_a_lease_send_nothing_of_what_they_held(crew: Crew) -> None:
    asleep_for(crew, LEASE.total_seconds() + 0.5)


@pytest.mark.long
def test_a_poller_and_a_worker_that_sleep_for_10_s_send_nothing_of_what_they_held(crew: Crew) -> None:
    asleep_for(crew, 10)
