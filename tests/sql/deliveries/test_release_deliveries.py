"""A clean stop: what was claimed and never tried goes back at once."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, settle, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, value
from tests.support.races import sessions


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist; one delivery is ready."""
    set_clock(connection, utc("2026-12-01T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    return connection


def _release(connection: psycopg.Connection, claims: list[Any], lane: str = "transactional") -> int:
    return int(
        value(
            connection,
            "select gnomon.release_deliveries(%s, %s, %s::uuid[])",
            *(lane, [c.delivery_id for c in claims], [c.claim_id for c in claims]),
        )
    )


def test_it_is_ready_at_once_and_the_attempt_does_not_count(at_noon: psycopg.Connection) -> None:
    [first] = claim(at_noon)
    assert _release(at_noon, [first]) == 1
    assert value(at_noon, "select first_claimed_at_utc from gnomon_data.deliveries") is None

    [second] = claim(at_noon)
    assert second.attempt == 1
    assert (settle(at_noon, [first]), _release(at_noon, [first]), settle(at_noon, [second])) == (0, 0, 1)


def test_an_attempt_that_was_made_stays_counted(at_noon: psycopg.Connection) -> None:
    settle(at_noon, claim(at_noon), "retry")
    advance(at_noon, timedelta(seconds=2))
    _release(at_noon, claim(at_noon))
    told = one(at_noon, "select attempt, first_claimed_at_utc from gnomon_data.deliveries")
    assert told == (1, utc("2026-12-01T12:00:00"))


def test_what_was_cancelled_meanwhile_ends(at_noon: psycopg.Connection) -> None:
    claims = claim(at_noon)
    cancel(at_noon, claims[0].event["data"]["schedule_id"])
    assert _release(at_noon, claims) == 1
    assert value(at_noon, "select outcome from gnomon_data.delivery_log") == "cancelled"
    assert claim(at_noon) == []


def test_after_it_a_cancel_is_in_time(at_noon: psycopg.Connection) -> None:
    claims = claim(at_noon)
    _release(at_noon, claims)
    assert cancel(at_noon, claims[0].event["data"]["schedule_id"]).status == "cancelled"


def test_it_waits_for_no_caller(at_noon: psycopg.Connection, database_url: str) -> None:
    claims = claim(at_noon)
    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        cancel(caller, claims[0].event["data"]["schedule_id"])
        at_noon.execute("set lock_timeout = '1ms'")
        assert _release(at_noon, claims) == 0
    # It stays leased, and comes back when the lease is over.
    advance(at_noon, timedelta(seconds=31))
    assert [c.attempt for c in claim(at_noon)] == [2]


def test_of_another_lane_nothing_is_released(at_noon: psycopg.Connection) -> None:
    assert _release(at_noon, claim(at_noon), "bulk") == 0
