"""Cancel: what it answers is true for ever, whoever fires, claims or cancels at the same time."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, fire, found, ledger, settle, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_DAILY = {"schedule_at": "12:00", "timezone": "UTC", "recurrence": {"pattern": "daily"}}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _deliveries(connection: psycopg.Connection) -> int:
    return int(value(connection, "select count(*) from gnomon_data.deliveries"))


def test_before_the_fire_nothing_is_left_of_it(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection)

    answer = cancel(connection, schedule.schedule_id)

    assert (answer.status, answer.was_fired, answer.fired_count, answer.handed_over_count) == ("cancelled", False, 0, 0)
    assert value(connection, "select count(*) from gnomon_data.timers") == 0
    assert ledger(connection, schedule.schedule_id) == ["cancelled"]
    assert found(connection, schedule.schedule_id).status == "cancelled"


def test_fired_ahead_and_not_claimed_is_cancelled(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, schedule_at="PT1S")
    fire(connection)

    answer = cancel(connection, schedule.schedule_id)

    assert (answer.status, answer.was_fired, answer.fired_count) == ("cancelled", False, 0)
    assert _deliveries(connection) == 0
    assert ledger(connection, schedule.schedule_id) == ["fired", "cancelled", "withdrawn"]
    assert value(connection, "select outcome from gnomon_data.delivery_log") == "cancelled"


def test_handed_over_has_fired_and_is_stopped(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    claims = claim(connection)

    answer = cancel(connection, schedule.schedule_id)
    assert (answer.status, answer.was_fired, answer.handed_over_count, answer.stopped_count) == ("fired", True, 1, 1)
    assert answer.fired_at_utc == claims[0].now_utc

    # The worker finds out that it failed: no further attempt.
    assert settle(connection, claims, "retry") == 1
    assert value(connection, "select outcome from gnomon_data.delivery_log") == "cancelled"
    assert claim(connection) == []


def test_of_two_channels_one_handed_over(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, schedule_at="PT0S", channels=["log", "email"])
    fire(connection)
    claim(connection, channel="log")

    answer = cancel(connection, schedule.schedule_id)

    assert (answer.status, answer.handed_over_count, answer.stopped_count) == ("fired", 1, 1)
    assert claim(connection, channel="email") == []
    assert ledger(connection, schedule.schedule_id) == ["fired"]


def test_of_two_channels_one_settled(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, schedule_at="PT0S", channels=["log", "email"])
    fire(connection)
    settle(connection, claim(connection, channel="log"))

    answer = cancel(connection, schedule.schedule_id)

    assert (answer.status, answer.was_fired, answer.handed_over_count, answer.stopped_count) == ("fired", True, 1, 0)
    assert claim(connection, channel="email") == []


def _before_the_fire(connection: psycopg.Connection) -> None:
    """Nothing has happened yet."""
    assert connection.autocommit


def _fired(connection: psycopg.Connection) -> None:
    fire(connection)


def _claimed(connection: psycopg.Connection) -> None:
    fire(connection)
    claim(connection)


def _waits_for_a_retry(connection: psycopg.Connection) -> None:
    fire(connection)
    settle(connection, claim(connection), "retry", retry_after="PT1H")


def _settled(connection: psycopg.Connection) -> None:
    fire(connection)
    settle(connection, claim(connection))


def _expired_unclaimed(connection: psycopg.Connection) -> None:
    fire(connection)
    advance(connection, timedelta(hours=1))
    claim(connection)


@pytest.mark.parametrize(
    ("come_to", "status"),
    [
        (_before_the_fire, "cancelled"),
        (_fired, "cancelled"),
        (_claimed, "fired"),
        (_waits_for_a_retry, "fired"),
        (_settled, "fired"),
        (_expired_unclaimed, "expired"),
    ],
)
def test_a_repeat_gives_the_same_answer_now_and_after_all_is_over(
    at_noon: psycopg.Connection, come_to: Any, status: str
) -> None:
    schedule = given_schedule(at_noon, schedule_at="PT0S", expires_in="PT20M")
    come_to(at_noon)

    first = cancel(at_noon, schedule.schedule_id)
    again = cancel(at_noon, schedule.schedule_id)
    advance(at_noon, timedelta(hours=2))
    # An expired lease of what was stopped ends here, everything else has ended before.
    claim(at_noon)
    later = cancel(at_noon, schedule.schedule_id)

    assert first.status == status
    assert (again, later) == (first, first)
    assert _deliveries(at_noon) == 0


def test_a_recurrence_ends_and_what_it_had_fired_before_counts(at_noon: psycopg.Connection) -> None:
    schedule = given_schedule(at_noon, _DAILY, if_past="next")
    for day in (1, 2):
        step_to(at_noon, _NOON + timedelta(days=day))
        fire(at_noon)
        settle(at_noon, claim(at_noon))

    answer = cancel(at_noon, schedule.schedule_id)

    assert (answer.status, answer.was_fired, answer.fired_count) == ("cancelled", False, 2)
    assert cancel(at_noon, schedule.schedule_id) == answer
    step_to(at_noon, _NOON + timedelta(days=9))
    assert fire(at_noon) == 0
    assert found(at_noon, schedule.schedule_id).status == "cancelled"


def test_a_recurrence_whose_occurrences_wait_unclaimed_takes_all_of_them_back(at_noon: psycopg.Connection) -> None:
    schedule = given_schedule(at_noon, _DAILY)
    for day in (1, 2):
        step_to(at_noon, _NOON + timedelta(days=day))
        fire(at_noon)
    assert _deliveries(at_noon) == 2

    answer = cancel(at_noon, schedule.schedule_id)

    assert (answer.status, answer.fired_count) == ("cancelled", 0)
    assert sorted(ledger(at_noon, schedule.schedule_id)) == ["cancelled", "fired", "fired", "withdrawn", "withdrawn"]


def test_by_key_the_current_schedule_goes(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, key="pill-17")

    answer = one(connection, "select * from gnomon.cancel_schedule_by_key('u_abc123', 'pill-17')")

    assert (answer.schedule_id, answer.status) == (schedule.schedule_id, "cancelled")
    with pytest.raises(psycopg.Error) as fault:
        connection.execute("select gnomon.cancel_schedule_by_key('u_abc123', 'pill-17')")
    assert fault.value.sqlstate == "GN020"


def test_while_a_cancel_is_open_nothing_is_handed_over_and_nobody_waits(
    connection: psycopg.Connection, database_url: str
) -> None:
    held = given_schedule(connection, schedule_at="PT0S")
    given_schedule(connection, schedule_at="PT0S", user_id="u_other")
    fire(connection)

    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        assert cancel(caller, held.schedule_id).status == "cancelled"
        connection.execute("set lock_timeout = '1ms'")
        assert [c.event["subject"] for c in claim(connection)] == ["u_other"]

    assert [c.event["subject"] for c in claim(connection)] == ["u_abc123"]


def test_a_cancel_waits_for_the_claim_that_came_first_and_tells_of_it(
    connection: psycopg.Connection, database_url: str
) -> None:
    schedule = given_schedule(connection, schedule_at="PT0S")
    fire(connection)

    with sessions(database_url, 2) as [worker, caller]:
        with worker.transaction():
            assert len(claim(worker)) == 1
            with in_background(lambda: cancel(caller, schedule.schedule_id)) as answer:
                wait_until_blocked(connection, caller.info.backend_pid)
                worker.execute("commit")
                worker.execute("begin")
        assert (answer.result().status, answer.result().stopped_count) == ("fired", 1)


def test_a_cancel_that_waited_for_the_fire_is_what_the_ledger_tells_last(
    connection: psycopg.Connection, database_url: str
) -> None:
    """The cancel begins first, is held up by its key, and a whole fire goes by."""
    schedule = given_schedule(connection, schedule_at="PT1S", key="pill-17")

    with sessions(database_url, 2) as [other, caller]:
        with other.transaction():
            other.execute("select from gnomon_data.schedule_keys for update")
            with in_background(lambda: cancel(caller, schedule.schedule_id)) as answer:
                wait_until_blocked(connection, caller.info.backend_pid)
                assert fire(connection) == 1
                other.execute("commit")
                other.execute("begin")
        assert answer.result().status == "cancelled"

    assert found(connection, schedule.schedule_id).status == "cancelled"
    assert cancel(connection, schedule.schedule_id) == answer.result()


def test_under_repeatable_read_a_race_is_an_honest_40001(connection: psycopg.Connection, database_url: str) -> None:
    schedule = given_schedule(connection, schedule_at="PT0S")

    with sessions(database_url, 1) as [caller]:
        caller.execute("begin isolation level repeatable read")
        caller.execute("select count(*) from gnomon_data.schedules")
        fire(connection)
        with pytest.raises(psycopg.errors.SerializationFailure):
            cancel(caller, schedule.schedule_id)


def test_a_rollback_leaves_everything_as_it_was(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection, schedule_at="PT1S", key="k", dedup_key="d")
    fire(connection)
    before = rows(connection, "select d from gnomon_data.deliveries as d")

    with connection.transaction(force_rollback=True):
        assert cancel(connection, schedule.schedule_id).status == "cancelled"

    assert rows(connection, "select d from gnomon_data.deliveries as d") == before
    assert found(connection, schedule.schedule_id).status == "scheduled"


def test_an_unknown_schedule_is_not_found(connection: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as fault:
        cancel(connection, "sch_01M8PSTVESE0XR00T9E4VSZD2F")
    assert fault.value.sqlstate == "GN020"


def test_the_dedup_key_is_kept_for_48_hours(at_noon: psycopg.Connection) -> None:
    request = {"user_id": "u_abc123", "template_id": "pill", "schedule_at": "PT1H", "dedup_key": "order-7"}
    schedule = one(at_noon, "select * from gnomon.schedule(%s)", Jsonb(request))
    cancel(at_noon, schedule.schedule_id)

    assert value(at_noon, "select keep_until_utc from gnomon_data.schedule_keys") == _NOON + timedelta(hours=48)
