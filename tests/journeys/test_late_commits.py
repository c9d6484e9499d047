"""What commits long after its instant: it lies below everything a poller looks at, and only the sweep finds it.

The journey over 70 s of real time is marked `long` and runs only when it is asked for: pytest -m long. The others let the
database's clock, which all processes follow, run ahead while the transactions are open.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.journeys.judge import judge
from tests.journeys.stage import Accepted, Stage, accepted_of, note, on_stage, poll, request, tasks, work
from tests.support.clock import advance, set_clock
from tests.support.cluster import Server
from tests.support.given import one, rows, value
from tests.support.races import sessions, wait_until
from tests.support.roles import Role

LATEST: Final = timedelta(seconds=2)
"""After the commit."""

AGE: Final = timedelta(seconds=70)

_PERIOD: Final = """
select coalesce(i.inhdetachpending, false) as is_leaving, i.inhrelid is not null as is_attached
  from pg_class as c left join pg_inherits as i on i.inhrelid = c.oid
 where c.oid = to_regclass('gnomon_data.timers_' || to_char(%s at time zone 'UTC', 'YYYYMMDD'))
"""


@pytest.fixture(scope="module")
def company(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Role]]:
    """A stage with a worker and this poller."""
    with server.database(template) as url, on_stage(url, tmp_path_factory.mktemp("late")) as stage:
        poller, _ = stage.start(poll("p1"), work("w1"))
        yield stage, poller


def accept_in(caller: psycopg.Connection, user_id: str, lane: str = "transactional") -> Accepted:
    """Schedule something due in 300 ms, in the transaction of this connection."""
    wanted = request(user_id, "PT0.3S", lane=lane)
    return accepted_of(one(caller, "select * from gnomon.schedule(%s)", Jsonb(wanted)), wanted)


def accept_late(callers: Sequence[psycopg.Connection]) -> list[Accepted]:
    """One schedule in each of these transactions, in every lane."""
    lanes = ("critical", "transactional", "bulk")
    return [accept_in(caller, f"late{number}", lanes[number % 3]) for number, caller in enumerate(callers)]


def stay_busy(stage: Stage, seconds: float) -> None:
    """Let the pollers see other work for so long, so that their bounds move on."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        busy = stage.accept([request(f"busy{number}", "PT0.1S") for number in range(40)])
        time.sleep(0.2)
        stage.wait_for(tasks(busy))


def latest_after(stage: Stage, before: int, expected: Sequence[Accepted], at: float) -> timedelta:
    """Wait for what came late; how long after an instant the last one came, each once and nothing else."""
    stage.wait_for(tasks(expected))
    time.sleep(0.7)
    received = stage.since(before)
    assert judge(received, tasks(expected)).is_clean
    assert len(received) == len(expected)
    return timedelta(seconds=max(line.at for line in received) - at)


def test_what_commits_70_s_after_its_instant_fires_within_2_s_of_its_commit(company: tuple[Stage, Role]) -> None:
    stage, _ = company
    set_clock(stage.connection, stage.now_utc(), frozen=False)
    moved = stage.accept([request(f"moved{number}", "PT30S") for number in range(3)])
    held = stage.accept([request(f"held{number}", "PT30S") for number in range(100)])
    with sessions(stage.url, 10, autocommit=False) as callers:
        late = accept_late(callers[:6])
        # An edit in an open transaction is the same: its new instant is below the bounds when it commits.
        for caller, schedule in zip(callers[6:9], moved, strict=True):
            change = Jsonb({"schedule_at": "PT0.3S"})
            caller.execute("select * from gnomon.reschedule(%s, %s)", [schedule.schedule_id, change])
        # And what an open cancel holds back while it falls due, until it is thought better of.
        for schedule in held:
            callers[9].execute("select * from gnomon.cancel_schedule(%s)", [schedule.schedule_id])
        for _ in range(2):
            advance(stage.connection, AGE / 2)
            stay_busy(stage, 1.2)
        before = len(stage.received())
        for caller in callers[:9]:
            caller.commit()
        callers[9].rollback()
        at = time.time()
    latest = latest_after(stage, before, [*late, *moved, *held], at)
    note(f"open until {AGE.seconds} s after its instant by the database's clock: came within {latest} of the end")
    assert latest <= LATEST


def period_of(stage: Stage, day: datetime) -> str:
    """What has become of the timers' period of a day: attached, leaving, detached or gone."""
    found = rows(stage.connection, _PERIOD, day)
    if not found:
        return "gone"
    return "leaving" if found[0].is_leaving else "attached" if found[0].is_attached else "detached"


def marks_have_passed(stage: Stage, day: datetime) -> bool:
    """Whether every safe mark of the timers lies behind a day."""
    passed = "select count(*) from gnomon_data.shard_marks where plane = 'timers' and safe_at_utc > %s"
    return int(value(stage.connection, passed, day + timedelta(days=1))) == 192


def leave(role: Role) -> None:
    """Let a process end in good order."""
    role.send(signal.SIGTERM)
    assert role.ended(timedelta(seconds=10)) == 0


@pytest.mark.fault
def test_a_period_goes_while_transactions_that_wrote_into_it_are_open_and_nothing_is_lost(
    company: tuple[Stage, Role],
) -> None:
    stage, poller = company
    before = len(stage.received())
    # The oldest one: a detach waits for all who have written timers, and periods go one after the other.
    monday = value(stage.connection, "select gnomon.oldest_period_utc()")
    wednesday = monday + timedelta(days=2, hours=12)
    with sessions(stage.url, 1, autocommit=False) as [caller]:
        accepted = [accept_in(caller, "monday")]
        set_clock(stage.connection, wednesday, frozen=False)
        accepted.append(accept_in(stage.connection, "wednesday"))
        stage.wait_for(tasks(accepted[1:]))
        time.sleep(1.2)
        assert period_of(stage, monday) == "attached", "no mark passes what is not visible yet"
        caller.commit()
    stage.wait_for(tasks(accepted), patience=timedelta(seconds=3))
    # The proof that ended with the commit stopped before its row. A poller that is new begins another one at once.
    leave(poller)
    [poller] = stage.start(poll("p2", "--role", "due"))
    wait_until(lambda: marks_have_passed(stage, monday), "the marks have passed the day")
    leave(poller)

    # A transaction under a clock that was set back writes where no mark expects anything any more.
    set_clock(stage.connection, monday + timedelta(hours=12), frozen=False)
    with sessions(stage.url, 1, autocommit=False) as [caller]:
        accepted.append(accept_in(caller, "monday again"))
        set_clock(stage.connection, wednesday + timedelta(hours=1), frozen=False)
        stage.start(poll("p3", "--role", "upkeep"))
        wait_until(lambda: period_of(stage, monday) == "leaving", "the detach waits for the transaction")
        began = time.monotonic()
        accepted.append(accept_in(stage.connection, "meanwhile"))
        took = time.monotonic() - began
        assert period_of(stage, monday) == "leaving"
        assert took < 1, "it keeps nobody"
        caller.commit()
    wait_until(lambda: period_of(stage, monday) == "gone", "it goes when the transaction is over")
    assert len(stage.since(before)) == 2
    stage.start(poll("p4", "--role", "due"))
    at = time.time()
    latest_after(stage, before, accepted, at)
    note(f"a period went while a transaction had written into it; a caller beside it took {took * 1000:.0f} ms")


@pytest.mark.long
def test_a_transaction_open_for_70_s_of_real_time_fires_within_2_s_of_its_commit(stage: Stage) -> None:
    stage.start(poll("p1"), poll("p2"), work("w1"), work("w2"))
    with sessions(stage.url, 6, autocommit=False) as callers:
        late = accept_late(callers)
        stay_busy(stage, AGE.total_seconds())
        before = len(stage.received())
        for caller in callers:
            caller.commit()
        at = time.time()
    latest = latest_after(stage, before, late, at)
    note(f"committed {AGE.seconds} s after its instant: came within {latest} of the commit")
    assert latest <= LATEST
