"""With NOTIFY off: nobody is told anything, so what is late is late by the sleeps alone, and nothing is dropped unsent.

One stage for all; the journey that leaves a hundred thousand waiting comes last.
"""

import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import pytest

from tests.journeys.cancels import contradictions, race, without_drops
from tests.journeys.judge import judge, lateness
from tests.journeys.stage import Accepted, Stage, note, on_stage, poll, request, tasks, work
from tests.support.cluster import Server

OFF: Final = {"GNOMON_NOTIFY": "off"}

LATEST: Final = timedelta(milliseconds=250)
LATEST_CRITICAL: Final = timedelta(seconds=1)
TRIES: Final = 3

_AFTER: Final = 1.0
"""Seconds in which what must not come would come: nobody sleeps longer than a tenth of it."""


HERD: Final = 100_000

# One bulk schedule that was accepted, copied to as many users: what accepting them one by one would have written.
_COPY: Final = """
with model as (
    select s from gnomon_data.schedules as s where s.id = gnomon_data.id_of('sch', %(schedule_id)s)
), made as (
    select jsonb_populate_record(m.s, jsonb_build_object('user_id', u.user_id, 'shard', u.shard,
               'id', gnomon_data.new_id(u.shard, clock_timestamp()))) as c
      from model as m
     cross join (select 'bulk' || n as user_id, gnomon_data.shard_of('bulk' || n) as shard
                   from generate_series(2, %(count)s) as n) as u
), written as (
    insert into gnomon_data.schedules select (m.c).* from made as m returning shard, id, lane, fire_at_utc, stamp
)
insert into gnomon_data.timers (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
select w.fire_at_utc, w.fire_at_utc, w.stamp, w.id, w.shard, w.lane, 1 from written as w
"""


@pytest.fixture(scope="module")
def deaf(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A stage on which no process listens."""
    with server.database(template) as url, on_stage(url, tmp_path_factory.mktemp("deaf")) as stage:
        stage.start(poll("p1", **OFF), work("w1", **OFF))
        yield stage


def noise(seconds: float) -> timedelta:
    """How much later than asked a sleeping process of this machine wakes up, at worst, while nothing of ours runs."""
    worst = 0.0
    until = time.monotonic() + seconds
    while (began := time.monotonic()) < until:
        time.sleep(0.01)
        worst = max(worst, time.monotonic() - began - 0.01)
    return timedelta(seconds=worst)


def one_offs(stage: Stage) -> tuple[list[Accepted], timedelta]:
    """200 one-offs 50 to 950 ms ahead; and the worst lateness.

    The first 30 are near and far between: poller and worker both sleep when one comes, which is the worst there is. The
    rest come in groups.
    """
    before = len(stage.received())
    sparse = [(50 + number * 100 / 29, 0.11 + number % 7 * 0.01) for number in range(30)]
    dense = [(50 + number * 900 / 169, 0.04 if number % 5 == 4 else 0.0) for number in range(170)]
    accepted = []
    for number, (ahead, pause) in enumerate([*sparse, *dense]):
        due = stage.now_utc() + timedelta(milliseconds=ahead)
        accepted += stage.accept([request(f"{before}-{number}", due, lane="critical")])
        time.sleep(pause)
    stage.wait_for(tasks(accepted))
    late = [lateness(line) for line in stage.since(before)]
    assert min(late) >= timedelta()
    return accepted, max(late)


@pytest.mark.alone
def test_none_of_200_one_offs_is_later_than_250_ms(deaf: Stage) -> None:
    for number in range(1, TRIES + 1):
        before = len(deaf.received())
        floor = noise(0.3)
        accepted, latest = one_offs(deaf)
        note(f"NOTIFY off, try {number}: the latest of 200 came {latest} after its instant; noise of the machine {floor}")
        assert judge(deaf.since(before), tasks(accepted)).is_clean
        if latest <= LATEST:
            return
    pytest.fail(f"later than {LATEST} in each of {TRIES} tries")


def test_1000_cancels_raced_against_fire_and_send_tell_the_truth(deaf: Stage) -> None:
    before = len(deaf.received())
    _, answers = race(deaf, 1_000)
    deaf.wait_for_count(before + sum(answer.handed_over_count for answer in answers))
    time.sleep(_AFTER)
    received = deaf.since(before)
    note(f"1,000 cancels: {Counter(answer.status for answer in answers)}")
    assert len(answers) == 1_000
    assert contradictions(received, without_drops(answers)) == []
    assert {status for status, count in Counter(answer.status for answer in answers).items() if count > 50} == {
        "cancelled",
        "fired",
    }, "it was a race"


@pytest.mark.alone
def test_critical_ones_are_not_late_behind_100_000_in_bulk(deaf: Stage) -> None:
    before = len(deaf.received())
    herd_at = deaf.now_utc() + timedelta(seconds=5)
    [model] = deaf.accept([request("bulk1", herd_at, lane="bulk")])
    deaf.connection.execute(_COPY, {"schedule_id": model.schedule_id, "count": HERD})
    critical = deaf.accept([request(f"c{number}", herd_at, lane="critical") for number in range(50)])
    assert deaf.now_utc() < herd_at - timedelta(seconds=1), "all fall due together"
    while deaf.now_utc() < herd_at + timedelta(seconds=3):
        critical += deaf.accept([request(f"c{len(critical)}", "PT0S", lane="critical")])
        time.sleep(0.05)
    deaf.wait_for(tasks(critical), patience=timedelta(seconds=5))
    urgent = {one.schedule_id for one in critical}
    received = [line for line in deaf.since(before) if line.schedule_id in urgent]
    bulk_count = len(deaf.since(before)) - len(received)
    assert judge(received, tasks(critical)).is_clean
    latest = max(lateness(line) for line in received)
    note(f"{len(received)} critical came at most {latest} late beside {HERD} in bulk, {bulk_count} of which had been sent")
    assert 0 < bulk_count < HERD / 2, "the herd was being worked on"
    assert latest <= LATEST_CRITICAL
