"""What upkeep walks through it walks in pieces, and forgets only what is over."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, schedule_many, settle
from tests.support.clock import advance, clock, set_clock
from tests.support.given import given_schedule, rows, value
from tests.support.races import sessions

_KEYED = {"template_id": "pill", "schedule_at": "PT1H"}


@pytest.fixture
def stopped(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands."""
    set_clock(connection, clock(connection))
    return connection


def test_a_call_looks_at_a_piece_and_the_walk_comes_round(stopped: psycopg.Connection) -> None:
    answers = schedule_many(stopped, [_KEYED | {"user_id": f"u_{n}", "dedup_key": "d", "key": "k"} for n in range(100)])
    for answer in answers[:40]:
        cancel(stopped, answer.schedule_id)
    advance(stopped, timedelta(hours=49))
    assert value(stopped, "select count(*) from gnomon_data.schedule_keys") == 160

    calls = [value(stopped, "select gnomon.forget_keys(1)") for _ in range(17)]

    assert max(calls) <= 10
    assert sum(calls) == 40
    assert value(stopped, "select count(*) from gnomon_data.schedule_keys") == 120
    assert value(stopped, "select gnomon.forget_keys(1000)") == 0


def test_payloads_likewise(stopped: psycopg.Connection) -> None:
    long = {"params": {"text": "x" * 2000}}
    answers = schedule_many(stopped, [_KEYED | long | {"user_id": f"u_{n}"} for n in range(50)])
    for answer in answers[:20]:
        cancel(stopped, answer.schedule_id)

    calls = [value(stopped, "select gnomon.forget_payloads(1)") for _ in range(6)]

    assert (max(calls) <= 10, sum(calls)) == (True, 20)
    assert value(stopped, "select count(*) from gnomon_data.payloads") == 30


def test_what_is_queued_or_in_flight_keeps_its_key(stopped: psycopg.Connection) -> None:
    given_schedule(stopped, schedule_at="PT0S", key="k", dedup_key="d")
    fire(stopped)
    assert value(stopped, "select gnomon.forget_keys(100)") == 0
    claims = claim(stopped)
    assert value(stopped, "select gnomon.forget_keys(100)") == 0
    settle(stopped, claims)
    assert value(stopped, "select gnomon.forget_keys(100)") == 2


def test_of_two_walkers_one_walks(stopped: psycopg.Connection, database_url: str) -> None:
    given_schedule(stopped, schedule_at="PT0S", dedup_key="d")
    fire(stopped)
    settle(stopped, claim(stopped))
    with sessions(database_url, 1) as [other], other.transaction():
        assert value(other, "select gnomon.forget_keys(100)") == 1
        stopped.execute("set lock_timeout = '100ms'")
        assert value(stopped, "select gnomon.forget_keys(100)") == 0


def test_a_key_in_use_by_an_open_caller_is_left(stopped: psycopg.Connection, database_url: str) -> None:
    given_schedule(stopped, schedule_at="PT0S", key="k")
    fire(stopped)
    settle(stopped, claim(stopped))
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at="PT1H", key="k")
        assert value(stopped, "select gnomon.forget_keys(100)") == 0
    assert value(stopped, "select gnomon.forget_keys(100)") == 0
    assert [row.keep_until_utc for row in rows(stopped, "select keep_until_utc from gnomon_data.schedule_keys")] == [None]
