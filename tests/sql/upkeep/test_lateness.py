"""The histogram of today: the same whether it was counted bit by bit or is read at once, and cheap when it was."""

from datetime import timedelta
from random import Random
from typing import Any

import psycopg
import pytest

from tests.sql.acts import claim, fire, settle, step_to, utc
from tests.sql.plans import plans_of
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, rows, value
from tests.support.races import sessions, wait_until

NOON = utc("2026-12-10T12:00:00")
_ASK = "select lane, le, count, round(sum_seconds::numeric, 6) as seconds from gnomon.lateness() order by 1, 2"
_FOLD = "select gnomon.fold_lateness()"


@pytest.fixture(autouse=True)
def at_noon(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")


def _deliver(connection: psycopg.Connection, random: Random, count: int) -> None:
    for n in range(count):
        given_schedule(connection, user_id=f"u{n}", schedule_at="PT0S", lane=random.choice(["critical", "bulk"]))
    fire(connection)
    advance(connection, timedelta(milliseconds=random.choice([5, 40, 700, 12_000])))
    for lane in ("critical", "bulk"):
        settle(connection, claim(connection, lane))
    advance(connection, timedelta(seconds=1))


def _fold(connection: psycopg.Connection) -> None:
    """Count what was settled before the call before; the server's own transactions may keep it waiting for a moment."""
    wait_until(lambda: value(connection, _FOLD), "what was open is over")


def _at_once(connection: psycopg.Connection) -> list[Any]:
    """Read as if nobody had counted."""
    with connection.transaction(force_rollback=True):
        connection.execute("delete from gnomon_data.lateness_folds")
        connection.execute("update gnomon_data.lateness_walk set period = ''")
        return rows(connection, _ASK)


def test_what_is_counted_bit_by_bit_is_what_is_there(connection: psycopg.Connection, database_url: str) -> None:
    random = Random(3)  # noqa: S311  # moments, no secret
    with sessions(database_url, 1, autocommit=False) as [writer]:
        for step in range(8):
            _deliver(connection, random, random.randrange(6))
            if step == 5:
                writer.execute("select pg_current_xact_id()")
                connection.execute(_FOLD)
            if step < 5:
                _fold(connection)
            else:
                assert not value(connection, _FOLD), "what may still be logged is not counted"
            assert rows(connection, _ASK) == _at_once(connection)
    _fold(connection)
    _fold(connection)
    assert rows(connection, _ASK) == _at_once(connection)
    everything = value(connection, "select count(*) from gnomon_data.delivery_log")
    assert value(connection, "select sum(count) from gnomon.lateness() where le = 'infinity'") == everything > 10
    assert value(connection, "select sum(count) from gnomon_data.lateness_folds where le = 'infinity'") == everything

    step_to(connection, NOON + timedelta(days=1))
    assert value(connection, "select sum(count) from gnomon.lateness()") == 0
    _fold(connection)
    _deliver(connection, random, 3)
    assert rows(connection, _ASK) == _at_once(connection)
    assert value(connection, "select sum(count) from gnomon.lateness() where le = 'infinity'") == 3


def test_what_was_counted_is_not_read_again(connection: psycopg.Connection) -> None:
    connection.execute(
        "insert into gnomon_data.delivery_log (shard, due_at_utc, id, lane, channel, schedule_id, notification_id, user_id,"
        " outcome, attempts, accepted_at_utc, fired_at_utc, first_claimed_at_utc, settled_at_utc)"
        " select 1, c.at, gen_random_uuid(), 1, 'log', gen_random_uuid(), gen_random_uuid(), 'u', 'sent', 1,"
        " c.at, c.at, c.at, c.at"
        " from generate_series(1, 60000) as n, lateral (select gnomon_data.now_utc() as at) as c"
    )
    connection.execute("analyze gnomon_data.delivery_log")
    before = plans_of(connection, lambda: rows(connection, _ASK), "g.ctid")[0].buffers
    advance(connection, timedelta(seconds=1))
    _fold(connection)
    _fold(connection)
    advance(connection, timedelta(seconds=1))
    _fold(connection)
    plan = plans_of(connection, lambda: rows(connection, _ASK), "g.ctid")[0]
    assert "Tid Range Scan" in plan.kinds
    assert plan.buffers < 600 < before
    assert value(connection, "select count from gnomon.lateness() where lane = 'transactional' and le = 'infinity'") == 60000
