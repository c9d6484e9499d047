"""The claim of timers, and the look before it: what they take, and what they read to find it."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import NIL, SHARDS, claim, fire, fire_slice, given_many, settle
from tests.sql.plans import Plan, plans_of
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

_LOOK = """
select count(*) as found, count(*) filter (where lane is null) as announced, min(first_at_utc) as first_at_utc
  from gnomon.next_due(array(select l from generate_series(0, 2) as l, generate_series(0, 63) as s)::smallint[],
                       array(select s from generate_series(0, 2) as l, generate_series(0, 63) as s)::smallint[],
                       array_fill('-infinity'::timestamptz, array[192]), array_fill(%s::uuid, array[192]))
"""

_TODAY = "from gnomon_data.periods where parent = 'timers' order by from_utc limit 1"


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """Today at noon: what is due in an hour lies in the same period."""
    set_clock(connection, value(connection, f"select from_utc + interval '12 h' {_TODAY}"))
    return connection


def _given_twins(connection: psycopg.Connection) -> None:
    """Every leaf of today's period: 20 due rows in each shard, then 20 that are due in three hours, at the same places."""
    for hours in (-1, 3):
        connection.execute(
            """
            insert into gnomon_data.timers (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
            select f.at_utc, f.at_utc, 1, gen_random_uuid(), s, 1, 1
              from generate_series(0, 63) as s cross join generate_series(1, 20) as n
             cross join lateral (select h.until_utc - interval '8 h' + %s * interval '1 h' + n * interval '1 ms' as at_utc
                                   from gnomon_data.periods as h
                                  where h.parent = 'timers' order by h.from_utc limit 1) as f
            """,
            [hours],
        )


def test_only_due_rows_of_the_shards_asked_for_go(connection: psycopg.Connection) -> None:
    """A ctid names a row only in its leaf: eight leaves hold rows, due and not, at the very same places."""
    _given_twins(connection)
    places = "select count(distinct tableoid), count(*) filter (where fire_at_utc > %s) as undue from gnomon_data.timers"
    period = one(connection, f"select period, until_utc - interval '8 h' as now_utc {_TODAY}")
    shared = value(
        connection, "select count(*) from (select from gnomon_data.timers group by ctid having count(*) = 8) as c"
    )
    assert shared == 320
    before = one(connection, places, period.now_utc)
    assert before == (8, 64 * 20)

    taken = rows(
        connection,
        "select (t).* from unnest(gnomon_data.take_timers(%s, 8::smallint, 15::smallint, 1::smallint, '{9,11}',"
        " '{-infinity,-infinity}', array[%s, %s]::uuid[], %s, 500)) as t",
        *(period.period, NIL, NIL, period.now_utc),
    )

    assert {row.shard for row in taken} == {9, 11}
    assert all(row.fire_at_utc <= period.now_utc for row in taken)
    assert len(taken) == 40
    assert one(connection, places, period.now_utc) == before
    assert value(connection, "select count(*) from gnomon_data.timers") == 2 * 64 * 20 - 40


def test_the_limit_holds_for_each_shard_and_the_earliest_go_first(connection: psycopg.Connection) -> None:
    _given_twins(connection)
    period = one(connection, f"select period, until_utc {_TODAY}")

    taken = rows(
        connection,
        "select (t).* from unnest(gnomon_data.take_timers(%s, 0::smallint, 7::smallint, 1::smallint, '{1,2}',"
        " '{-infinity,-infinity}', array[%s, %s]::uuid[], %s, 5)) as t",
        *(period.period, NIL, NIL, period.until_utc),
    )

    assert sorted(row.shard for row in taken) == [1] * 5 + [2] * 5
    left = value(connection, "select min(fire_at_utc) from gnomon_data.timers where shard = 1")
    assert max(row.fire_at_utc for row in taken if row.shard == 1) < left


@pytest.fixture(params=["analyzed and planned when it was empty", "never analyzed", "analyzed full"])
def waiting(connection: psycopg.Connection, request: pytest.FixtureRequest) -> psycopg.Connection:
    """50,000 timers that are due, 50,000 that are not, in a table that the planner knows well or wrongly."""
    if request.param == "analyzed and planned when it was empty":
        connection.execute("analyze")
        for _ in range(7):
            given_schedule(connection, schedule_at="PT0S")
            fire(connection)
            settle(connection, claim(connection))
    now_utc = value(connection, "select gnomon_data.now_utc()")
    given_many(connection, 50_000, now_utc - timedelta(milliseconds=1), users="due-")
    given_many(connection, 50_000, now_utc + timedelta(hours=1), users="later-")
    if request.param == "analyzed full":
        connection.execute("analyze")
    return connection


def _reads_by_index(plan: Plan, relation: str) -> bool:
    return not plan.seq_scans_of(relation) and bool(plan.indexes_of(relation)) and "Bitmap Heap Scan" not in plan.kinds


def test_plans_with_50_000_waiting(waiting: psycopg.Connection) -> None:
    [looked] = plans_of(waiting, lambda: one(waiting, _LOOK, NIL), "firsts as materialized")
    assert _reads_by_index(looked, "timers_2")
    # Less than 8 a shard even though something is due everywhere.
    assert looked.buffers <= 8 * 64

    [taken] = plans_of(waiting, lambda: fire_slice(waiting, 1, list(range(8))), "delete from gnomon_data.timers_2")
    fired = value(waiting, "select count(*) from gnomon_data.deliveries")
    assert fired == 8 * 62
    assert _reads_by_index(taken, "timers_2")
    assert not {"Sort", "Incremental Sort"} & taken.kinds
    assert taken.buffers <= 12 * fired

    # The schedules of what was taken are found by their key, each in its leaf.
    for plan in plans_of(waiting, lambda: fire_slice(waiting, 1, list(range(8, 16))), "gnomon_data.schedules as x"):
        assert _reads_by_index(plan, "schedules_")
        assert not plan.seq_scans_of("deliveries")


def test_an_idle_look_reads_a_few_pages_a_shard(at_noon: psycopg.Connection) -> None:
    now_utc = value(at_noon, "select gnomon_data.now_utc()")
    given_many(at_noon, 50_000, now_utc + timedelta(hours=1))
    at_noon.execute("vacuum analyze gnomon_data.timers")

    [looked] = plans_of(at_noon, lambda: one(at_noon, _LOOK, NIL), "firsts as materialized")

    assert one(at_noon, _LOOK, NIL) == (1, 1, now_utc + timedelta(hours=1))
    assert looked.buffers <= 8 * 64


def test_an_idle_fire_takes_nothing_and_locks_nothing(connection: psycopg.Connection) -> None:
    now_utc = value(connection, "select gnomon_data.now_utc()")
    given_many(connection, 200, now_utc + timedelta(hours=1))
    assert fire(connection, shards=SHARDS) == 0
    with connection.transaction():
        fire_slice(connection, 1, list(range(8)))
        locked = value(
            connection,
            "select count(distinct relation) from pg_locks"
            " where pid = pg_backend_pid() and relation::regclass::text ~ 'timers_2'",
        )
    # One period, one leaf, and their indexes: not the eight leaves of each of four periods.
    assert locked <= 4
