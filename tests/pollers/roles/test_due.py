import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.pool import Pool
from gnomon_pollers.calls import timers
from gnomon_pollers.calls.timers import Fired
from gnomon_pollers.leases import Leases
from gnomon_pollers.loop import Loop
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.pace import LONGEST_SLEEP
from gnomon_pollers.roles.due import DueRole, turns
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, rows, value
from tests.support.races import sessions

pytestmark = pytest.mark.anyio

FIRE_AHEAD = timedelta(seconds=2)
NOTHING = timedelta()


@pytest.fixture
async def role(pool: Pool, metrics: Metrics, loop: Loop) -> DueRole:
    return await a_role(pool, metrics, loop)


async def a_role(pool: Pool, metrics: Metrics, loop: Loop) -> DueRole:
    leases = Leases(pool, "due", "test")
    await leases.beat()
    return DueRole(pool, leases, metrics, loop, fire_ahead=FIRE_AHEAD)


def given_many(connection: psycopg.Connection, count: int, delay: str, lane: str = "transactional") -> None:
    connection.execute(
        "select s.schedule_id from generate_series(1, %s) as n, lateral"
        " gnomon.schedule_in('u' || n, 'pill', %s, jsonb_build_object('lane', %s::text)) as s",
        [count, delay, lane],
    )


def queued_count(connection: psycopg.Connection, lane: int | None = None) -> int:
    return int(value(connection, "select count(*) from gnomon_data.deliveries where lane = coalesce(%s, lane)", lane))


async def drained(role: DueRole, polls: int = 200) -> int:
    """Poll until nothing is due; how many polls it took."""
    for count in range(polls):
        if await role.poll() == LONGEST_SLEEP:
            return count
    raise AssertionError("never drained")


async def test_what_is_due_within_the_look_ahead_is_fired_and_the_rest_is_not(
    role: DueRole, connection: psycopg.Connection
) -> None:
    given_many(connection, 20, "1 s")
    given_many(connection, 10, "1 h")
    await drained(role)
    assert queued_count(connection) == 20
    assert value(connection, "select count(*) from gnomon_data.schedules") == 10


async def test_it_sleeps_until_the_next_instant_minus_the_look_ahead(role: DueRole, connection: psycopg.Connection) -> None:
    given_many(connection, 1, "2060 ms")
    slept = await role.poll()
    assert NOTHING <= slept < timedelta(milliseconds=60)


async def test_an_idle_poll_sleeps_the_longest(role: DueRole) -> None:
    assert await role.poll() == LONGEST_SLEEP
    assert await role.poll() == LONGEST_SLEEP


async def test_a_full_batch_is_followed_by_a_poll_at_once(role: DueRole, connection: psycopg.Connection) -> None:
    connection.execute(
        "select s.schedule_id from generate_series(1, 700) as n, lateral gnomon.schedule_in('u1', 'p' || n, '1 s') as s"
    )
    assert await role.poll() == NOTHING
    assert queued_count(connection) == 500
    await drained(role)
    assert queued_count(connection) == 700


async def test_critical_goes_before_a_backlog_of_bulk(
    role: DueRole, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_many(connection, 1500, "100 ms", "bulk")
    given_many(connection, 50, "1 s", "critical")
    order: list[int] = []
    fire = timers.fire_slice

    async def noted(pool: Pool, lane: int, *rest: Any) -> Fired:
        order.append(lane)
        return await fire(pool, lane, *rest)

    monkeypatch.setattr(timers, "fire_slice", noted)
    await role.poll()
    last = len(order) - 1 - order[::-1].index(0)
    assert set(order[: last + 1]) == {0}
    assert queued_count(connection, 0) == 50
    # What comes while the backlog is being worked on waits for a batch, not for the backlog.
    given_many(connection, 1, "1 s", "critical")
    while queued_count(connection, 0) == 50:
        await role.poll()
    assert queued_count(connection, 2) < 1500
    await drained(role)
    assert queued_count(connection) == 1551


async def test_a_herd_of_one_instant_is_fired_once_each(role: DueRole, connection: psycopg.Connection) -> None:
    connection.execute(
        "with at as materialized (select clock_timestamp() + interval '1 s' as at) select s.schedule_id"
        " from at, generate_series(1, 1500) as n, lateral gnomon.schedule_at('u' || n, 'pill', at.at) as s"
    )
    await drained(role)
    assert queued_count(connection) == 1500
    assert value(connection, "select count(distinct schedule_id) from gnomon_data.deliveries") == 1500


async def test_a_schedule_held_elsewhere_neither_spins_nor_blocks(
    role: DueRole, connection: psycopg.Connection, database_url: str
) -> None:
    held = given_schedule(connection, user_id="u1", schedule_at="PT1S")
    given_many(connection, 20, "1 s")
    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute("select * from gnomon.cancel_schedule(%s)", [held.schedule_id])
        await drained(role)
        assert queued_count(connection) == 20
        caller.rollback()
    set_clock(connection, value(connection, "select clock_timestamp()"), frozen=False)
    advance(connection, timedelta(seconds=2))
    await drained(role)
    assert queued_count(connection) == 21


async def test_a_commit_far_behind_its_instant_is_found_by_the_sweep(
    role: DueRole, connection: psycopg.Connection, database_url: str
) -> None:
    set_clock(connection, value(connection, "select clock_timestamp()"), frozen=False)
    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute("select * from gnomon.schedule_in('u1', 'pill', '1 s')")
        advance(connection, timedelta(seconds=70))
        await drained(role)
        caller.commit()
    assert await drained(role) == 0
    assert queued_count(connection) == 0, "it lies below the fast bound"
    await role.sweep()
    assert queued_count(connection) == 1


async def test_more_than_a_batch_of_late_commits_goes_on_without_the_sweep(
    role: DueRole, connection: psycopg.Connection, database_url: str
) -> None:
    set_clock(connection, value(connection, "select clock_timestamp()"), frozen=False)
    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute(
            "select s.schedule_id from generate_series(1, 1100) as n, lateral gnomon.schedule_in('u1', 'p' || n, '1 s') as s"
        )
        advance(connection, timedelta(seconds=70))
        await drained(role)
        caller.commit()
    await role.sweep()
    await drained(role)
    assert queued_count(connection) == 1100


async def test_the_mark_is_proven_only_after_older_transactions_are_over(
    role: DueRole, connection: psycopg.Connection, database_url: str
) -> None:
    marks = "select count(*) from gnomon_data.shard_marks where plane = 'timers'"
    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute("select pg_current_xact_id()")
        await role.marks.prove()
        await role.marks.prove()
        assert value(connection, marks) == 0
        caller.rollback()
    await role.marks.prove()
    assert value(connection, marks) == 192
    safe = await role.marks.safe(range(64))
    assert len({at for at, _ in safe.values()}) == 1
    # And the sweep from there still finds nothing where there is nothing.
    await role.sweep()


async def test_after_a_clock_that_went_back_everything_is_looked_at(role: DueRole, connection: psycopg.Connection) -> None:
    real = value(connection, "select clock_timestamp()")
    set_clock(connection, real + timedelta(hours=1), frozen=False)
    await drained(role)
    await role.marks.prove()
    await role.marks.prove()
    set_clock(connection, real, frozen=False)
    given_many(connection, 5, "1 s")
    with capture_logs() as logs:
        await drained(role)
    assert queued_count(connection) == 5
    assert [log["event"] for log in logs] == ["the database's clock went back"]


async def test_a_sweep_does_not_trust_marks_of_a_clock_that_went_back(
    role: DueRole, connection: psycopg.Connection, database_url: str
) -> None:
    real = value(connection, "select clock_timestamp()")
    set_clock(connection, real + timedelta(hours=1), frozen=False)
    await drained(role)
    await role.marks.prove()
    await role.marks.prove()
    set_clock(connection, real, frozen=False)
    await drained(role)
    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute("select * from gnomon.schedule_in('u1', 'pill', '1 s')")
        advance(connection, timedelta(seconds=30))
        await drained(role)
        caller.commit()
    await role.sweep()
    assert queued_count(connection) == 1


async def test_what_lies_far_although_it_is_due_is_fired_by_the_sweep(role: DueRole, connection: psycopg.Connection) -> None:
    at = value(connection, "select clock_timestamp()") + timedelta(days=30)
    given_schedule(connection, user_id="u1", schedule_at=at)
    assert value(connection, "select count(*) from gnomon_data.timers_far") == 1
    set_clock(connection, at, frozen=False)  # nobody made periods for a month
    await drained(role)
    await role.sweep()
    assert queued_count(connection) == 1


async def test_shards_of_a_dead_poller_are_looked_at_from_the_start(
    pool: Pool, metrics: Metrics, loop: Loop, connection: psycopg.Connection
) -> None:
    given_many(connection, 10, "1 s")
    set_clock(connection, value(connection, "select clock_timestamp()"), frozen=False)
    advance(connection, timedelta(minutes=10))
    role = await a_role(pool, metrics, loop)
    await drained(role)
    assert queued_count(connection) == 10


async def test_two_pollers_over_the_same_shards_fire_each_once(
    pool: Pool, metrics: Metrics, loop: Loop, connection: psycopg.Connection
) -> None:
    given_many(connection, 1000, "1 s")
    roles = [await a_role(pool, metrics, loop) for _ in range(2)]
    # Both believe in all shards, as after a pause of one of them.
    for role in roles:
        role._leases._shards = tuple(range(64))
        role._leases._gained = set(range(64))
    await asyncio.gather(*(drained(role) for role in roles))
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 1000
    assert value(connection, "select count(distinct schedule_id) from gnomon_data.deliveries") == 1000


async def test_one_that_cannot_be_fired_is_set_aside_and_holds_up_nobody(
    role: DueRole, connection: psycopg.Connection
) -> None:
    given_many(connection, 64, "1 s")
    broken = given_schedule(
        connection, user_id="broken", schedule_at="09:00", timezone="Europe/Berlin", recurrence={"pattern": "daily"}
    )
    unreadable = "update gnomon_data.schedules set rule = rule || '{\"time\": \"unreadable\"}' where user_id = 'broken'"
    connection.execute(unreadable)
    connection.execute(
        "update gnomon_data.timers set fire_at_utc = now(), wanted_at_utc = now()"
        " where subject_id = gnomon_data.id_of('sch', %s)",
        [broken.schedule_id],
    )
    with capture_logs() as logs:
        await drained(role)
    assert [row.user_id for row in rows(connection, "select user_id from gnomon_data.schedules")] == ["broken"]
    assert value(connection, "select schedule_id from gnomon.set_aside") == broken.schedule_id
    said = [(log["event"], log.get("step")) for log in logs]
    assert said == [
        ("a step failed", "fire"),
        ("schedules cannot be fired and are set aside; gnomon doctor names them", None),
    ]


async def test_one_far_ahead_that_cannot_be_fired_does_not_stop_the_sweep(
    role: DueRole, connection: psycopg.Connection
) -> None:
    given_many(connection, 20, "1 s")
    connection.execute(
        "update gnomon_data.schedules set is_recurring = true, time_zone = 'UTC', time_zone_source = 'request',"
        """ nominal_local = now(), rule = '{"kind": "daily", "time": "no"}' where user_id = 'u7'"""
    )
    connection.execute(
        "with gone as (delete from gnomon_data.timers returning *) insert into gnomon_data.timers_far table gone"
    )
    await role.sweep()
    assert queued_count(connection) == 19
    assert value(connection, "select user_id from gnomon.set_aside") == "u7"


async def test_what_is_no_fault_of_a_row_holds_up_its_own_shard_and_sets_nothing_aside(
    role: DueRole, connection: psycopg.Connection
) -> None:
    given_many(connection, 2, "1 s")
    connection.execute("alter function gnomon_data.fire_schedules(smallint[], uuid[], timestamptz, boolean) rename to gone")
    await role.poll()
    connection.execute("alter function gnomon_data.gone(smallint[], uuid[], timestamptz, boolean) rename to fire_schedules")
    assert value(connection, "select count(*) from gnomon.set_aside") == 0
    role._left_alone.clear()
    await drained(role)
    assert queued_count(connection) == 2


async def test_workers_are_woken_for_what_is_due_now_and_not_for_what_was_fired_ahead(
    pool: Pool, metrics: Metrics, loop: Loop, connection: psycopg.Connection
) -> None:
    hints: list[Pool] = []

    async def noted(pool: Pool) -> None:
        hints.append(pool)

    leases = Leases(pool, "due", "test")
    await leases.beat()
    role = DueRole(pool, leases, metrics, loop, fire_ahead=FIRE_AHEAD, hint_ready=noted)
    given_many(connection, 5, "1800 ms")
    await drained(role)
    assert queued_count(connection) == 5
    assert not hints
    given_many(connection, 5, "0")
    await drained(role)
    assert hints


def test_a_round_goes_lane_by_lane_and_within_one_by_age() -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    first = {
        (2, 0): (at, UUID(int=1)),
        (1, 9): (at + timedelta(seconds=3), UUID(int=2)),
        (1, 1): (at + timedelta(seconds=2), UUID(int=3)),
        (1, 8): (at + timedelta(seconds=1), UUID(int=4)),
        (0, 63): (at + timedelta(seconds=9), UUID(int=5)),
    }
    assert list(turns(first)) == [(0, [(0, 63)]), (1, [(1, 8), (1, 9)]), (1, [(1, 1)]), (2, [(2, 0)])]
