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
    advance(at_noon, timedelta(seconds=7))
    [second] = claim(at_noon)

    assert (second.delivery_id, second.attempt, second.event["data"]["attempt"]) == (first.delivery_id, 2, 2)
    assert second.claim_id != first.claim_id
    assert value(at_noon, "select detail ->> 'detail' from gnomon_data.events") == "503"


_LIMITS = {
    "critical": (0, 20, 0.5, 30, 60, 900),
    "transactional": (1, 16, 1, 600, 900, 21600),
    "bulk": (2, 12, 5, 1800, 3600, 86400),
}
"""Number, attempts, base, ceiling, how long a Retry-After is obeyed, horizon; seconds. As docs/states.md tells them."""


def _waits(connection: psycopg.Connection, lane: int, attempt: int, reason: str | None, asked: str | None) -> list[float]:
    wait = "extract(epoch from gnomon_data.retry_wait(%s::smallint, %s, %s, %s))::float8"
    query = f"select {wait} as s from generate_series(1, 300)"  # ours
    return [row.s for row in rows(connection, query, lane, attempt, reason, asked)]


@pytest.mark.parametrize("lane", _LIMITS)
def test_full_jitter_doubles_between_a_minimum_and_the_ceiling_of_the_lane(untouched: psycopg.Connection, lane: str) -> None:
    number, _, base, longest, *_ = _LIMITS[lane]
    for attempt in (1, 2, 5, 9, 16, 40):
        waits = _waits(untouched, number, attempt, "transient", None)
        ceiling = min(longest, base * 2 ** (attempt - 1))
        assert 0.25 <= min(waits) < 0.25 + ceiling * 0.1
        assert ceiling * 0.9 < max(waits) <= ceiling
        assert 0.25 + (ceiling - 0.25) * 0.4 < statistics.mean(waits) < 0.25 + (ceiling - 0.25) * 0.6


@pytest.mark.parametrize("lane", _LIMITS)
@pytest.mark.parametrize("asked", ["-1 hour", "0", "40 s", "10 min", "1 year", "9999 years"])
def test_retry_after_is_obeyed_up_to_a_ceiling_and_jittered_on_top(
    untouched: psycopg.Connection, lane: str, asked: str
) -> None:
    """What was throttled together must not come back together."""
    number, _, base, _, obeyed, _ = _LIMITS[lane]
    seconds = {"-1 hour": 0, "0": 0, "40 s": 40, "10 min": 600}.get(asked, 10**9)
    least = min(seconds, obeyed)
    waits = _waits(untouched, number, 1, "throttled", asked)
    spread = max(base, least / 4)
    assert least + 0.25 <= min(waits)
    assert max(waits) <= least + spread
    assert max(waits) - min(waits) > spread * (0.8 if spread > 1 else 0.3)


@pytest.mark.parametrize("lane", _LIMITS)
def test_attempts_are_limited_by_lane_and_bulk_is_dropped(at_noon: psycopg.Connection, lane: str) -> None:
    claims = _claimed(at_noon, lane=lane)
    most = _LIMITS[lane][1]
    at_noon.execute("update gnomon_data.deliveries set attempt = %s", [most - 1])
    settle(at_noon, claims, "transient", detail="HTTP 500")
    advance(at_noon, timedelta(minutes=30))
    [last] = claim(at_noon, lane)
    assert last.attempt == most

    settle(at_noon, [last], "transient", detail="HTTP 500")

    ends_as = "dropped" if lane == "bulk" else "failed"
    assert _log(at_noon) == (ends_as, most, None, f"HTTP 500; no attempt left of {most}")
    assert value(at_noon, "select reason from gnomon_data.delivery_log") == "transient"


@pytest.mark.parametrize("lane", _LIMITS)
def test_nothing_is_tried_after_the_horizon_of_its_lane(at_noon: psycopg.Connection, lane: str) -> None:
    advance(at_noon, timedelta(seconds=-1))
    claims = _claimed(at_noon, 2, lane=lane)
    horizon = timedelta(seconds=_LIMITS[lane][-1])
    # An outage before the first attempt counts for nothing.
    at_noon.execute("update gnomon_data.deliveries set due_at_utc = due_at_utc - interval '30 h' where user_id = 'u_1'")
    advance(at_noon, timedelta(seconds=20))
    assert settle(at_noon, claims, "throttled") == 2
    advance(at_noon, horizon - timedelta(seconds=20, milliseconds=100))
    claims = claim(at_noon, lane)
    assert len(claims) == 2

    settle(at_noon, claims, "throttled", detail="HTTP 429")

    found = rows(at_noon, "select outcome, attempts, detail from gnomon_data.delivery_log")
    assert {(row.outcome, row.attempts) for row in found} == {("dropped" if lane == "bulk" else "failed", 2)}
    assert all(row.detail.startswith("HTTP 429; no attempt later than") for row in found)


def test_due_never_moves(at_noon: psycopg.Connection) -> None:
    claims = _claimed(at_noon)
    for _ in range(5):
        settle(at_noon, claims, "transient")
        advance(at_noon, timedelta(minutes=11))
        claims = claim(at_noon)
    due, ready = one(at_noon, "select due_at_utc, ready_at_utc from gnomon_data.deliveries")
    assert due == _NOON < ready


@pytest.mark.parametrize("lane", _LIMITS)
@pytest.mark.parametrize(
    ("word", "end", "bulk_end", "reason"),
    [
        ("sent", "sent", "sent", None),
        ("failed", "failed", "failed", None),
        ("gone", "failed", "failed", "gone"),
        ("refused", "failed", "failed", "refused"),
        ("retry", None, None, None),
        ("throttled", None, None, "throttled"),
        ("transient", None, None, "transient"),
        ("unknown", None, "unknown", "unclear"),
        ("unclear", None, "unknown", "unclear"),
        ("unauthorised", None, None, "unauthorised"),
    ],
)
def test_what_an_outcome_means_in_each_lane(
    at_noon: psycopg.Connection, lane: str, word: str, end: str | None, bulk_end: str | None, reason: str | None
) -> None:
    settle(at_noon, _claimed(at_noon, lane=lane), word, detail="so")

    expected = bulk_end if lane == "bulk" else end
    if expected:
        logged = one(at_noon, "select outcome, reason, detail from gnomon_data.delivery_log")
        assert tuple(logged) == (expected, reason, "so")
        assert value(at_noon, "select count(*) from gnomon_data.deliveries") == 0
    else:
        attempt, claim_id = one(at_noon, "select attempt, claim_id from gnomon_data.deliveries")
        assert (attempt, claim_id) == (0 if word == "unauthorised" else 1, None)
        noted = one(
            at_noon, "select kind, detail ->> 'reason' as reason from gnomon_data.events where delivery_id is not null"
        )
        assert tuple(noted) == ("retry", reason)


def test_who_does_not_accept_our_credentials_is_told_until_minutes_after(at_noon: psycopg.Connection) -> None:
    told = "select * from gnomon.unauthorised_channels()"
    claims = _claimed(at_noon, 3)
    for claimed in claims:
        settle(at_noon, [claimed], "unauthorised", detail="HTTP 401")
    [found] = rows(at_noon, told)
    assert tuple(found) == ("log", _NOON, _NOON, "HTTP 401")
    assert value(at_noon, "select count(*) from gnomon_data.unauthorised") == 1, "once in ten seconds, whoever settles"

    for _ in range(40):
        advance(at_noon, timedelta(minutes=2))
        for claimed in claim(at_noon):
            settle(at_noon, [claimed], "unauthorised", detail="HTTP 403")
    [found] = rows(at_noon, told)
    assert found.detail == "HTTP 403"
    assert timedelta(minutes=55) < found.last_at_utc - found.since_utc <= timedelta(hours=1)

    advance(at_noon, timedelta(minutes=6))
    settle(at_noon, claim(at_noon))
    assert rows(at_noon, told) == []


def test_every_word_has_a_meaning(untouched: psycopg.Connection) -> None:
    query = (
        "select w.word, m.reason from unnest(gnomon_data.outcome_words()) as w (word)"
        " cross join gnomon_data.meaning_of(w.word, 1::smallint) as m"
    )
    meant = {row.word: row.reason for row in rows(untouched, query)}
    assert {word for word, reason in meant.items() if reason is None} == {"sent", "retry", "failed"}


def test_what_is_unauthorised_uses_up_no_attempt_and_waits_a_minute(at_noon: psycopg.Connection) -> None:
    claims = _claimed(at_noon, lane="bulk")
    for _ in range(20):
        settle(at_noon, claims, "unauthorised", detail="HTTP 401")
        wait = value(at_noon, "select ready_at_utc - gnomon_data.now_utc() from gnomon_data.deliveries")
        assert timedelta(minutes=1) <= wait <= timedelta(minutes=2)
        advance(at_noon, timedelta(minutes=2))
        claims = claim(at_noon, "bulk")
        assert claims[0].attempt == 1
    settle(at_noon, claims)
    assert _log(at_noon).outcome == "sent"


@pytest.mark.parametrize(("lane", "end"), [("transactional", "failed"), ("bulk", "dropped")])
def test_no_retry_beyond_expires_at(at_noon: psycopg.Connection, lane: str, end: str) -> None:
    claims = _claimed(at_noon, lane=lane, expires_in="PT10S")

    settle(at_noon, claims, "retry", detail="503", retry_after="PT10S")

    assert _log(at_noon) == (end, 1, None, "503; expires before the next attempt")


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
