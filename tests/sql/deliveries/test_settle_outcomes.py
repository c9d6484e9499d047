"""Settle: fenced by the claim, never twice, and in nobody's way."""

import statistics
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, exchange, fire, settle, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _claimed(connection: psycopg.Connection, count: int = 1, lane: str = "transactional", **fields: Any) -> list[Any]:
    """Deliveries of as many users, handed over."""
    for number in range(count):
        given_schedule(connection, user_id=f"u_{number}", schedule_at="PT0S", lane=lane, **fields)
    fire(connection)
    return claim(connection, lane)


def _log(connection: psycopg.Connection) -> Any:
    return one(connection, "select outcome, attempts, provider_reference, detail from gnomon_data.delivery_log")


def test_what_was_sent_is_gone_and_logged_with_all_its_instants(at_noon: psycopg.Connection) -> None:
    claims = _claimed(at_noon)
    advance(at_noon, timedelta(seconds=3))

    assert settle(at_noon, claims, provider_reference="msg-1", detail="202") == 1

    assert value(at_noon, "select count(*) from gnomon_data.deliveries") == 0
    assert _log(at_noon) == ("sent", 1, "msg-1", "202")
    instants = one(
        at_noon,
        "select accepted_at_utc, due_at_utc, fired_at_utc, first_claimed_at_utc, claimed_at_utc, settled_at_utc"
        " from gnomon_data.delivery_log",
    )
    assert instants == (*([_NOON] * 5), _NOON + timedelta(seconds=3))


def test_a_repeat_settles_nothing(connection: psycopg.Connection) -> None:
    claims = _claimed(connection)
    assert [settle(connection, claims), settle(connection, claims), settle(connection, claims * 2)] == [1, 0, 0]
    assert value(connection, "select count(*) from gnomon_data.delivery_log") == 1


def test_a_stale_claim_settles_nothing(at_noon: psycopg.Connection) -> None:
    [first] = _claimed(at_noon)
    advance(at_noon, timedelta(seconds=31))
    [second] = claim(at_noon)

    assert (second.delivery_id, second.attempt) == (first.delivery_id, 2)
    assert settle(at_noon, [first]) == 0
    # Both outcomes of one worker in one batch: the one that holds counts.
    assert settle(at_noon, [first, second]) == 1


@pytest.mark.parametrize("order", [1, -1])
def test_two_settles_of_the_same_rows_in_opposite_order(
    connection: psycopg.Connection, database_url: str, order: int
) -> None:
    claims = _claimed(connection, 60)

    with sessions(database_url, 1) as [other], in_background(lambda: settle(other, claims[::order])) as settled:
        count = settle(connection, claims[::-order])

    assert count + settled.result() == 60
    assert value(connection, "select count(*) from gnomon_data.delivery_log") == 60


def test_a_retry_comes_again_later_under_a_new_claim(at_noon: psycopg.Connection) -> None:
    [first] = _claimed(at_noon)
    assert settle(at_noon, [first], "retry", detail="503", retry_after="PT20S") == 1

    advance(at_noon, timedelta(seconds=19))
    assert claim(at_noon) == []
    advance(at_noon, timedelta(seconds=2))
    [second] = claim(at_noon)

    assert (second.delivery_id, second.attempt, second.event["data"]["attempt"]) == (first.delivery_id, 2, 2)
    assert second.claim_id != first.claim_id
    assert value(at_noon, "select detail ->> 'detail' from gnomon_data.events") == "503"


def test_full_jitter_doubles_and_is_never_above_ten_minutes(untouched: psycopg.Connection) -> None:
    waits = rows(
        untouched,
        "select a as attempt, array_agg(extract(epoch from gnomon_data.retry_at(a, null, %s) - %s)::float8) as seconds"
        " from generate_series(1, 30) as a cross join generate_series(1, 300) group by a order by a",
        *(_NOON, _NOON),
    )
    for wait in waits:
        ceiling = min(600, 2 ** (wait.attempt - 1))
        assert 0 <= min(wait.seconds) < ceiling * 0.1
        assert ceiling * 0.9 < max(wait.seconds) <= ceiling
        assert ceiling * 0.4 < statistics.mean(wait.seconds) < ceiling * 0.6


def test_retry_after_is_the_least_that_is_waited(untouched: psycopg.Connection) -> None:
    at = value(untouched, "select gnomon_data.retry_at(3, '1 hour', %s)", _NOON)
    assert at == _NOON + timedelta(hours=1)


def test_the_eighth_attempt_is_the_last(at_noon: psycopg.Connection) -> None:
    claims = _claimed(at_noon)
    attempts = []
    while claims:
        attempts.append(claims[0].attempt)
        settle(at_noon, claims, "retry", detail="503")
        advance(at_noon, timedelta(minutes=10))
        claims = claim(at_noon)

    assert attempts == list(range(1, 9))
    assert _log(at_noon) == ("failed", 8, None, "503; no attempt left of 8")


def test_no_retry_beyond_expires_at(at_noon: psycopg.Connection) -> None:
    claims = _claimed(at_noon, expires_in="PT10S")

    settle(at_noon, claims, "retry", detail="503", retry_after="PT10S")

    assert _log(at_noon) == ("failed", 1, None, "503; expires before the next attempt")


@pytest.mark.parametrize(("lane", "outcome"), [("bulk", "unknown"), ("critical", None), ("transactional", None)])
def test_unknown_ends_bulk_and_is_tried_again_elsewhere(at_noon: psycopg.Connection, lane: str, outcome: str | None) -> None:
    settle(at_noon, _claimed(at_noon, lane=lane), "unknown")
    assert [row.outcome for row in rows(at_noon, "select outcome from gnomon_data.delivery_log")] == (
        [outcome] if outcome else []
    )


def test_failed_is_the_end_at_once(connection: psycopg.Connection) -> None:
    settle(connection, _claimed(connection), "failed", detail="410")
    assert _log(connection) == ("failed", 1, None, "410")


@pytest.mark.parametrize(
    ("outcomes", "pointer"),
    [
        ({}, ""),
        ([7], "/0"),
        ([{"delivery_id": 7}], "/0"),
        ([{"delivery_id": "dlv_01M8PSTVESE0XR00T9E4VSZD2F", "claim_id": None, "outcome": "done"}], "/0/outcome"),
        ([{"delivery_id": "dlv_01M8PSTVESE0XR00T9E4VSZD2F", "claim_id": "x", "outcome": "sent"}], "/0/claim_id"),
        ([{"delivery_id": "dlv_01M8PSTVESE0XR00T9E4VSZD2F", "claimid": "x", "outcome": "sent"}], "/0"),
    ],
)
def test_a_wrong_outcome_is_refused_and_named(untouched: psycopg.Connection, outcomes: Any, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.settle_deliveries(%s)", [Jsonb(outcomes)])
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", pointer)


def test_a_worker_waits_for_no_open_cancel(connection: psycopg.Connection, database_url: str) -> None:
    """One of a batch was cancelled in flight by a caller who stays open: the others are settled, and it is told."""
    claims = _claimed(connection, 3)
    given_schedule(connection, user_id="u_next", schedule_at="PT0S")
    fire(connection)

    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        cancel(caller, claims[1].event["data"]["schedule_id"])
        connection.execute("set lock_timeout = '1ms'")

        answers = exchange(connection, claims, at_most=10)

    busy = [answer.delivery_id for answer in answers if answer.event is None]
    assert busy == [claims[1].delivery_id]
    assert [answer.event["subject"] for answer in answers if answer.event] == ["u_next"]
    assert exchange(connection, [claims[1]]) == []
    assert value(connection, "select count(*) from gnomon_data.delivery_log where outcome = 'sent'") == 3


def test_what_was_sent_before_the_cancel_committed_is_logged_as_sent(
    connection: psycopg.Connection, database_url: str
) -> None:
    claims = _claimed(connection)
    with sessions(database_url, 1) as [caller], caller.transaction():
        cancel(caller, claims[0].event["data"]["schedule_id"])
        assert len(exchange(connection, claims)) == 1

    assert exchange(connection, claims) == []
    assert _log(connection).outcome == "sent"


def test_a_consumer_of_its_own_waits_for_the_cancel(connection: psycopg.Connection, database_url: str) -> None:
    claims = _claimed(connection)
    with sessions(database_url, 2) as [caller, consumer]:
        with caller.transaction():
            cancel(caller, claims[0].event["data"]["schedule_id"])
            with in_background(lambda: settle(consumer, claims)) as settled:
                wait_until_blocked(connection, consumer.info.backend_pid)
                caller.execute("commit")
                caller.execute("begin")
        assert settled.result() == 1


def test_a_callers_open_change_of_an_overdue_schedule_holds_up_no_settle(
    connection: psycopg.Connection, database_url: str
) -> None:
    [first] = _claimed(connection)
    overdue = {"user_id": "u_0", "key": "pill"}
    given_schedule(connection, overdue, schedule_at="PT0S")

    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, overdue, schedule_at="PT1H")
        connection.execute("set lock_timeout = '1ms'")
        assert settle(connection, [first]) == 1


def test_in_a_consumers_own_transaction_all_goes_back_with_it(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)

    with connection.transaction(force_rollback=True):
        assert settle(connection, claim(connection)) == 1

    [again] = claim(connection)
    assert again.attempt == 1


def test_repeatable_read_is_refused(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    step_to(connection, value(connection, "select gnomon_data.now_utc()"))
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    refused = [
        "select gnomon.fire_due('{1}', 5)",
        "select gnomon.fire_slice(1::smallint, '{1}', '{-infinity}', array[gen_random_uuid()], 5)",
        "select gnomon.fire_far('{1}', 5)",
        "select gnomon.claim_deliveries('critical', 'log')",
        "select gnomon.settle_deliveries('[]')",
        "select gnomon.release_deliveries('critical', '{}', '{}')",
    ]
    for call in refused:
        with pytest.raises(psycopg.Error) as fault, connection.transaction():
            connection.execute(call)
        assert fault.value.sqlstate == "0A000", call
