"""Two pollers and two workers over the same shards, behind a network that may fail, with everybody else who may act."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from threading import Event
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import Jsonb

from tests.journeys.cancels import Answer, Repeated, contradictions, race, race_repeats
from tests.journeys.judge import Task, copies, judge, lateness, task_of
from tests.journeys.proxy import Proxy, running_proxy
from tests.journeys.stage import LEASE, Accepted, Stage, accepted_of, note, on_stage, poll, request, tasks, work
from tests.support.cluster import Server
from tests.support.given import one
from tests.support.races import wait_until
from tests.support.roles import Role
from tests.support.sink import Received

AWAY: Final = timedelta(seconds=3)

_AFTER: Final = 0.7
"""Seconds in which what must not come would come: nobody sleeps longer than a seventh of it."""


@dataclass(frozen=True)
class Company:
    """The stage, who is on it at first, by name, and the network between the processes and their database."""

    stage: Stage
    roles: dict[str, Role]
    proxy: Proxy


@pytest.fixture(scope="module")
def company(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with server.database(template) as url, on_stage(url, tmp_path_factory.mktemp("together")) as stage:
        address = conninfo_to_dict(url)
        with running_proxy(str(address["host"]), int(str(address["port"]))) as proxy:
            through = {"GNOMON_DATABASE_URL": make_conninfo(url, port=proxy.port)}
            parts = [make(name, **through) for make, name in ((poll, "p1"), (poll, "p2"), (work, "w1"), (work, "w2"))]
            yield Company(stage, dict(zip([part.name for part in parts], stage.start(*parts), strict=True)), proxy)


def foreign_consumer(url: str, enough: Event, progress: list[int]) -> list[Task]:
    """A program of somebody else's, in SQL alone: claims, writes its own row and settles, all in one transaction.

    Every third transaction it thinks better of. What it consumed stands in its own table.
    """
    with psycopg.connect(url) as connection:
        connection.execute("create table consumed (schedule_id text, occurrence int, channel text)")
        connection.commit()
        turn = 0
        while not enough.is_set():
            time.sleep(0.015)
            taken = connection.execute(
                "with claimed as materialized (select * from gnomon.claim_deliveries('transactional', 'email', 10)),"
                " written as (insert into consumed select c.event #>> '{data,schedule_id}',"
                " (c.event #>> '{data,occurrence}')::int, c.event #>> '{data,channel}' from claimed as c)"
                " select coalesce(jsonb_agg(jsonb_build_object('delivery_id', c.delivery_id, 'claim_id', c.claim_id,"
                " 'outcome', 'sent')), '[]') from claimed as c"
            ).fetchone()
            assert taken is not None
            settled = connection.execute("select gnomon.settle_deliveries(%s)", [Jsonb(taken[0])]).fetchone()
            assert settled == (len(taken[0]),)
            turn += len(taken[0]) > 0
            if turn % 3 == 0:
                connection.rollback()
            else:
                connection.commit()
                progress.append(len(taken[0]))
        return [Task(*row) for row in connection.execute("select * from consumed").fetchall()]


@dataclass(frozen=True)
class Crowd:
    """What callers and a consumer in SQL did at the same time, and the sink's file after it."""

    cancels: list[Answer]
    repeated: list[Repeated]
    shared: list[Accepted]
    consumed: list[Task]
    received: list[Received]

    def of(self, *channels: str) -> list[Received]:
        return [line for line in self.received if line.channel in channels]


@pytest.fixture(scope="module")
def crowd(company: Company) -> Crowd:
    """500 cancels, 300 dedup keys that are cancelled and created again, 2,000 shared with a consumer: all at once."""
    stage, before, enough = company.stage, len(company.stage.received()), Event()
    progress: list[int] = []
    begin = stage.now_utc() + timedelta(seconds=0.5)
    with ThreadPoolExecutor(max_workers=3) as threads:
        consuming = threads.submit(foreign_consumer, stage.url, enough, progress)
        cancelling = threads.submit(race, stage, 500)
        repeating = threads.submit(race_repeats, stage, 300)
        try:
            shared = stage.accept(
                [
                    request(f"u{number % 700}", begin + timedelta(milliseconds=1.5 * number), channels=["email"])
                    for number in range(2_000)
                ]
            )
            _, cancels = cancelling.result()
            repeated = repeating.result()
            wait_until(
                lambda: sum(progress) + sum(line.channel == "email" for line in stage.since(before)) >= 2_000,
                "nothing is left to share",
            )
            time.sleep(_AFTER)
        finally:
            enough.set()
        return Crowd(cancels, repeated, shared, consuming.result(), stage.since(before))


def test_cancels_tell_the_truth_also_where_workers_are_told_to_drop(crowd: Crowd) -> None:
    schedules = {answer.schedule_id for answer in crowd.cancels}
    received = [line for line in crowd.of("webhook", "push") if line.schedule_id in schedules]
    dropped = sum(answer.handed_over_count for answer in crowd.cancels) - len(received)
    note(f"500 cancels with hints: {Counter(answer.status for answer in crowd.cancels)}, {dropped} dropped unsent")
    assert len(crowd.cancels) == 500
    assert contradictions(received, crowd.cancels) == []


def test_create_cancel_and_create_again_with_one_dedup_key_stay_cancelled(crowd: Crowd) -> None:
    raced = Counter(answer.status for key in crowd.repeated for answer in key.again)
    note(f"300 keys: {Counter(key.cancelled.status for key in crowd.repeated)}; the repeats beside it were told {raced}")
    for key in crowd.repeated:
        assert {answer.schedule_id for answer in [*key.again, key.last]} == {key.created.schedule_id}
        assert len(key.again) == 2
        assert all(answer.is_duplicate for answer in [*key.again, key.last])
        assert key.last.status == key.cancelled.status, key
    assert contradictions(crowd.of("webhook"), [key.cancelled for key in crowd.repeated]) == []
    assert len(raced) > 1, "it was a race"


def test_a_consumer_in_sql_and_the_workers_share_without_loss_or_double(crowd: Crowd) -> None:
    sent = [task_of(line) for line in crowd.of("email")]
    note(f"2,000 shared: {len(crowd.consumed)} consumed in SQL, {len(sent)} sent by workers")
    assert Counter(crowd.consumed + sent) == Counter(tasks(crowd.shared))
    assert len(crowd.consumed) > 100, "both took part"
    assert len(sent) > 100, "both took part"


def resumed(company: Company) -> float:
    """Let the fault last, end it, and say how many seconds later sends went on."""
    time.sleep(AWAY.total_seconds())
    company.proxy.pass_on()
    at, gone = time.time(), len(company.stage.received())
    wait_until(lambda: len(company.stage.received()) > gone + 50, "sends go on")
    return time.time() - at


@pytest.mark.fault
@pytest.mark.alone
def test_a_network_that_cuts_connections_and_then_stalls_for_3_s_each_loses_nothing(company: Company) -> None:
    stage, proxy = company.stage, company.proxy
    before = len(stage.received())
    begin = stage.now_utc() + timedelta(seconds=1)
    step = timedelta(seconds=8.5) / 1_700
    lanes = ("critical", "transactional")
    accepted = stage.accept(
        [request(f"u{number % 500}", begin + number * step, lane=lanes[number % 2]) for number in range(1_700)]
    )
    stage.wait_for_count(before + 200)
    began = time.time()
    proxy.cut()
    after_cut = resumed(company)
    proxy.stall()
    after_stall = resumed(company)
    back_at = time.time()
    stage.wait_for(tasks(accepted), patience=LEASE + timedelta(seconds=15))
    received = stage.since(before)
    verdict = judge(received, tasks(accepted))
    assert verdict.is_clean, verdict
    # What was sent and could not be settled in time may come again, under the same id and as a later attempt.
    first = {line.delivery_id: line for line in reversed(received)}
    for copy in copies(received):
        assert began - 1 <= first[copy.delivery_id].at <= back_at + 1
        assert copy.attempt > first[copy.delivery_id].attempt
    latest = max(lateness(line) for line in received)
    note(
        f"network cut for 3 s: on again after {after_cut:.2f} s; stalled: after {after_stall:.2f} s;"
        f" the latest was {latest} late, {len(verdict.resent)} resent"
    )
    assert max(after_cut, after_stall) < 3
    assert latest < AWAY + LEASE + timedelta(seconds=3)


def trickle(stage: Stage, enough: Event) -> list[Accepted]:
    """A schedule every 20 ms, due in 300 ms, all over the shards."""
    accepted: list[Accepted] = []
    with psycopg.connect(stage.url, autocommit=True) as connection:
        for number in count():
            if enough.is_set():
                break
            wanted = request(f"t{number}", "PT0.3S", lane=("critical", "transactional")[number % 2])
            answer = one(connection, "select * from gnomon.schedule(%s)", Jsonb(wanted))
            accepted.append(accepted_of(answer, wanted))
            time.sleep(0.02)
    return accepted


def test_roles_come_and_go_and_each_is_handed_over_once(company: Company) -> None:
    stage, roles = company.stage, company.roles
    before, enough = len(stage.received()), Event()
    with ThreadPoolExecutor(max_workers=1) as thread:
        trickling = thread.submit(trickle, stage, enough)
        try:
            stage.start(poll("p3"), work("w3"))
            time.sleep(1)
            leaving = (roles["p2"], roles["w2"])
            for role in leaving:
                role.send(signal.SIGTERM)
            assert [role.ended(timedelta(seconds=5)) for role in leaving] == [0, 0]
            time.sleep(1.5)
        finally:
            enough.set()
        accepted = trickling.result()
    stage.wait_for(tasks(accepted), patience=timedelta(seconds=20))
    time.sleep(_AFTER)
    received = stage.since(before)
    assert judge(received, tasks(accepted)).is_clean
    assert len(received) == len(tasks(accepted))
    latest = max(lateness(line) for line in received)
    note(f"{len(received)} in a trickle came at most {latest} late while roles came and went")
    assert {line.via for line in received} == {"w1", "w2", "w3"}
    assert latest < timedelta(seconds=3)
