"""Crashes under load, on a server that waits for its disk: of PostgreSQL, and of a poller and a worker at once."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from gnomon.database import fresh
from gnomon.embedded import Embedded
from tests.journeys.judge import copies, firsts, judge, lateness, out_of_order, unexplained
from tests.journeys.stage import LEASE, Accepted, Stage, accepted_of, note, on_stage, poll, request, tasks, work
from tests.support.given import one, rows
from tests.support.races import wait_until
from tests.support.roles import Role
from tests.support.sink import Received

pytestmark = [pytest.mark.fault, pytest.mark.alone]

GRACE: Final = timedelta(seconds=1)
"""An outcome is settled sooner than this after its answer, also on a busy machine."""

ORDERED: Final = "one-after-the-other"


@dataclass(frozen=True)
class Set:
    """The server of this module, two pollers and three workers on it, started once."""

    server: Embedded
    stage: Stage
    pollers: list[Role]
    workers: dict[str, Role]

    @property
    def all_roles(self) -> list[Role]:
        return [*self.pollers, *self.workers.values()]


@pytest.fixture(scope="module")
def crashing() -> Iterator[Set]:
    with TemporaryDirectory(prefix="gnomon-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)  # the server's account enters it too
        with Embedded(folder / "data") as server:
            fresh.load(server.url)
            with on_stage(server.url, folder) as stage:
                parts = [poll("p1"), poll("p2"), work("w1"), work("w2"), work("w3")]
                p1, p2, w1, w2, w3 = stage.start(*parts)
                yield Set(server, stage, [p1, p2], {"w1": w1, "w2": w2, "w3": w3})


def persistent_caller(url: str, name: str, enough: Event) -> list[Accepted]:
    """Schedule one after the other, as a caller who repeats with the same dedup_key what he has no answer for."""
    accepted: list[Accepted] = []
    connection: psycopg.Connection | None = None
    is_answered = True
    while not (enough.is_set() and is_answered):
        number = len(accepted)
        wanted = request(f"{name}-{number % 40}", "PT0.2S" if number % 2 else "PT1.2S", dedup_key=f"{name}-{number}")
        try:
            connection = connection or psycopg.connect(url, autocommit=True, connect_timeout=2)
            answer = one(connection, "select * from gnomon.schedule(%s)", Jsonb(wanted))
        except psycopg.OperationalError:
            connection, is_answered = None, False
            time.sleep(0.02)
            continue
        accepted.append(accepted_of(answer, wanted))
        is_answered = True
        time.sleep(0.005)
    if connection is not None:
        connection.close()
    return accepted


def test_a_restart_of_the_server_under_load_loses_nothing(crashing: Set) -> None:
    stage = crashing.stage
    enough = Event()
    with ThreadPoolExecutor(max_workers=2) as callers:
        answers = [callers.submit(persistent_caller, stage.url, name, enough) for name in ("early", "late")]
        try:
            stage.wait_for_count(200)
            down_at = time.time()
            crashing.server.restart("immediate")
            up_at = time.time()
            time.sleep(1)
        finally:
            enough.set()
        accepted = [schedule for answer in answers for schedule in answer.result()]
    stage.connect()
    stage.wait_for(tasks(accepted), patience=LEASE + timedelta(seconds=15))
    received = stage.received()
    verdict = judge(received, tasks(accepted))
    assert verdict.is_clean, verdict
    first = {line.delivery_id: line for line in reversed(received)}
    for copy in copies(received):
        assert -GRACE.total_seconds() <= first[copy.delivery_id].at - down_at <= up_at - down_at + 1
        assert copy.attempt > first[copy.delivery_id].attempt
    came_back = "select distinct application_name from pg_stat_activity where application_name = any (%s)"
    wait_until(
        lambda: len(rows(stage.connection, came_back, ["p1", "p2", "w1", "w2", "w3"])) == 5, "all have connected again"
    )
    assert all(role.process.poll() is None for role in crashing.all_roles)
    assert stage.unbalanced() == []
    note(f"restart: {len(accepted)} accepted, {len(verdict.resent)} resent, server away {up_at - down_at:.2f} s")


@dataclass(frozen=True)
class Aftermath:
    """5,000 due, and what became of them when roles were taken out in the middle."""

    accepted: list[Accepted]
    received: list[Received]
    killed: str
    killed_at: float
    stopped: str
    stopped_at: float
    after_waking: list[Received]
    """What came once the stopped worker went on."""


@pytest.fixture(scope="module")
def aftermath(crashing: Set) -> Aftermath:
    """5,000 due within 3 s and 200 of one user; in the middle a poller is killed, one worker is, another sleeps."""
    stage = crashing.stage
    before = len(stage.received())
    # So long at least something is sent and not settled.
    stage.sink.behave(delay=0.01)
    begin = stage.now_utc() + timedelta(seconds=2.5)
    step = timedelta(seconds=3) / 4_700
    both = {"channels": ["webhook", "push"]}
    lanes = ("critical", "transactional")
    wanted = [
        request(f"u{number % 900}", begin + number * step, lane=lanes[number % 2], **(both if number % 15 == 0 else {}))
        for number in range(4_686)
    ]
    # Two at each instant: then the id decides. They begin earlier, since one waits for the other.
    early = begin - timedelta(seconds=1)
    wanted += [request(ORDERED, early + (number // 2) * timedelta(milliseconds=20)) for number in range(200)]
    accepted = stage.accept(wanted)
    assert len(tasks(accepted)) == 4_999 + 200
    stage.wait_for_count(before + 1_000)
    crashing.pollers[0].kill()
    stage.wait_for_count(before + 1_500)
    # The one that is killed is the one that serves the ordered user.
    killed = [line.via for line in stage.since(before) if line.user_id == ORDERED][-1]
    crashing.workers[killed].kill()
    killed_at = time.time()
    stopped = min(crashing.workers.keys() - {killed})
    crashing.workers[stopped].send(signal.SIGSTOP)
    stopped_at = time.time()
    stage.sink.behave(delay=0)
    stage.wait_for(tasks(accepted), patience=timedelta(seconds=60))
    # What would come twice has had its time: all leases are over.
    time.sleep(max(0.0, stopped_at + LEASE.total_seconds() + 0.5 - time.time()))
    received = stage.since(before)
    crashing.workers[stopped].send(signal.SIGCONT)
    time.sleep(1)
    return Aftermath(accepted, received, killed, killed_at, stopped, stopped_at, stage.since(before + len(received)))


def test_nothing_is_lost_and_nothing_has_two_ids_when_a_poller_and_a_worker_are_killed(aftermath: Aftermath) -> None:
    verdict = judge(aftermath.received, tasks(aftermath.accepted))
    assert verdict.is_clean, verdict
    # Others have taken over by then: the shards of the poller, and what the worker held after its lease. Not counted is the
    # ordered user, whose deliveries come one after the other.
    latest = max(lateness(line) for line in aftermath.received if line.user_id != ORDERED)
    note(f"kill -9: {len(verdict.resent)} resent of {len(aftermath.received)}, the latest was {latest} late")
    assert latest < timedelta(seconds=10)


def test_only_what_the_killed_worker_had_sent_and_not_settled_comes_again(aftermath: Aftermath) -> None:
    received = aftermath.received
    of_killed = unexplained(received, aftermath.killed, aftermath.killed_at, grace=GRACE)
    of_stopped = unexplained(received, aftermath.stopped, aftermath.stopped_at, grace=GRACE)
    first = {line.delivery_id: line for line in reversed(received)}
    ages = sorted(aftermath.killed_at - first[line.delivery_id].at for line in copies(received))
    note(f"what came again had been sent at most {ages[-1]:.3f} s before the end of its first sender")
    assert [line for line in of_killed if line in of_stopped] == []


def test_one_users_deliveries_stay_in_order_when_their_worker_is_killed(aftermath: Aftermath) -> None:
    ordered = [line for line in aftermath.received if line.user_id == ORDERED]
    assert len({line.via for line in ordered}) > 1
    assert out_of_order(ordered) == []
    assert len(firsts(ordered)) == 200


def test_a_worker_that_slept_past_its_lease_sends_nothing_of_what_it_held(aftermath: Aftermath) -> None:
    taken_over = [line for line in aftermath.received if line.attempt > 1 and line.at > aftermath.stopped_at]
    note(f"{len(taken_over)} of the killed and of the sleeping worker came by the third")
    assert len(taken_over) > 10, "they held something"
    assert aftermath.after_waking == []


def test_the_ledger_balances_after_all_of_it(crashing: Set, aftermath: Aftermath) -> None:
    assert crashing.stage.unbalanced() == []
    sums = "select sum(accepted_count) as accepted, sum(pending_count) as pending from gnomon.ledger()"
    found = one(crashing.stage.connection, sums)
    assert found.accepted >= len(aftermath.accepted)
    assert found.pending == 0
