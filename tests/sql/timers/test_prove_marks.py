"""Safe marks: below them nothing is left, whoever was open when they were proven."""

from datetime import datetime, timedelta
from typing import Any

import psycopg

from tests.sql.acts import SHARDS, cancel, claim, fire, settle
from tests.support.clock import advance, clock, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_BELOW = """
select (select count(*) from gnomon_data.timers as t join gnomon_data.shard_marks as m
            on m.plane = 'timers' and m.lane = t.lane and m.shard = t.shard where t.fire_at_utc < m.safe_at_utc)
     + (select count(*) from gnomon_data.deliveries as d join gnomon_data.shard_marks as m
            on m.plane = 'deliveries' and m.lane = d.lane and m.shard = d.shard where d.ready_at_utc < m.safe_at_utc)
"""


def _begin(connection: psycopg.Connection) -> Any:
    return one(connection, "select * from gnomon.begin_proof()")


def _prove(connection: psycopg.Connection, proof: Any, plane: str = "timers", shards: list[int] = SHARDS) -> bool:
    query = "select gnomon.prove_marks(%s, %s::smallint[], %s, %s)"
    return bool(value(connection, query, plane, shards, proof.clock_utc, proof.xid))


def _marks(connection: psycopg.Connection, plane: str = "timers") -> set[datetime]:
    return {
        row.safe_at_utc
        for row in rows(connection, "select safe_at_utc from gnomon_data.shard_marks where plane = %s", plane)
    }


def test_no_mark_moves_while_a_transaction_of_before_is_open(connection: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at="PT0S")
        proof = _begin(connection)
        assert not _prove(connection, proof)
        assert _marks(connection) == set()
    assert _prove(connection, proof)
    assert fire(connection) == 1


def test_a_mark_stops_at_the_first_row_that_is_left_even_a_locked_one(
    connection: psycopg.Connection, database_url: str
) -> None:
    set_clock(connection, clock(connection))
    schedule = given_schedule(connection, schedule_at="PT1S")
    advance(connection, timedelta(seconds=5))
    proof = _begin(connection)

    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        caller.execute("select from gnomon_data.timers for update")
        assert _prove(connection, proof)

    assert _marks(connection) == {schedule.fire_at_utc, proof.clock_utc}
    assert fire(connection) == 1


def test_of_deliveries_the_instant_of_readiness_counts(connection: psycopg.Connection) -> None:
    set_clock(connection, clock(connection))
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    settle(connection, claim(connection), "retry", retry_after="PT5S")
    ready_at_utc = value(connection, "select ready_at_utc from gnomon_data.deliveries")
    advance(connection, timedelta(minutes=1))
    proof = _begin(connection)

    assert _prove(connection, proof, "deliveries")

    assert _marks(connection, "deliveries") == {ready_at_utc, proof.clock_utc}
    assert len(claim(connection)) == 1


def test_a_mark_never_goes_back(connection: psycopg.Connection) -> None:
    old = _begin(connection)
    new = _begin(connection)
    assert _prove(connection, new)
    assert _prove(connection, old)
    assert _marks(connection) == {new.clock_utc}


def test_only_the_shards_asked_for_move(connection: psycopg.Connection) -> None:
    assert _prove(connection, _begin(connection), shards=[5, 9])
    moved = rows(connection, "select distinct shard, lane from gnomon_data.shard_marks")
    assert {tuple(row) for row in moved} == {(shard, lane) for shard in (5, 9) for lane in (0, 1, 2)}


def test_a_cancel_leaves_nothing_below_a_mark(connection: psycopg.Connection) -> None:
    """What a cancel lets go is written at its clock, not at its old due instant."""
    set_clock(connection, clock(connection))
    first = given_schedule(connection, schedule_at="PT0S")
    advance(connection, timedelta(milliseconds=1))
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    advance(connection, timedelta(minutes=1))
    cancelled = given_schedule(connection, schedule_at="PT0S", user_id="u_other")
    assert cancelled.schedule_id
    claim(connection)
    advance(connection, timedelta(seconds=1))
    assert _prove(connection, _begin(connection), "deliveries")

    cancel(connection, first.schedule_id)
    advance(connection, timedelta(seconds=31))
    claim(connection)

    assert value(connection, _BELOW) == 0
    assert len(claim(connection)) == 1


def test_a_clock_that_is_set_back_a_little_lets_nobody_write_below_a_mark(connection: psycopg.Connection) -> None:
    now = value(connection, "select clock_timestamp()")
    set_clock(connection, now)
    connection.execute("select gnomon.make_periods()")
    proof = _begin(connection)
    assert _prove(connection, proof)
    set_clock(connection, now - timedelta(milliseconds=1900))
    given_schedule(connection, schedule_at="PT0S")
    mark = value(connection, "select max(safe_at_utc) from gnomon_data.shard_marks where plane = 'timers'")
    assert value(connection, "select fire_at_utc from gnomon_data.timers") > mark
