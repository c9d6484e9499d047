"""A log partition that is missing undoes nothing: it is made by whoever needs it."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, ledger, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

_LOGS = ("delivery_log", "occurrence_log", "events")


def _drop_partitions(connection: psycopg.Connection, *parents: str) -> None:
    """As an administrator would by mistake: the table goes, and nobody is told."""
    for parent in parents:
        attached = "select inhrelid::regclass::text as name from pg_inherits where inhparent = %s::regclass"
        for period in rows(connection, attached, f"gnomon_data.{parent}"):
            connection.execute(f"drop table {period.name}")


def test_a_settle_ends_what_was_claimed_and_nothing_is_sent_again(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    claims = claim(connection)

    _drop_partitions(connection, *_LOGS)

    assert settle(connection, claims) == 1
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 0
    assert value(connection, "select outcome from gnomon_data.delivery_log") == "sent"


def test_a_retry_is_set_back_and_noted(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    claims = claim(connection)

    _drop_partitions(connection, *_LOGS)

    assert settle(connection, claims, "retry") == 1
    assert value(connection, "select kind from gnomon_data.events") == "retry"


def test_fire_claim_and_cancel_find_no_partition_and_go_on(connection: psycopg.Connection) -> None:
    first = given_schedule(connection, schedule_at="PT0S")
    second = given_schedule(connection)
    _drop_partitions(connection, *_LOGS)

    assert fire(connection) == 1
    _drop_partitions(connection, "delivery_log")
    assert len(claim(connection)) == 1
    _drop_partitions(connection, "occurrence_log")

    assert cancel(connection, second.schedule_id).status == "cancelled"
    assert cancel(connection, first.schedule_id).status == "fired"


@pytest.mark.parametrize("days", [1, 40])
def test_upkeep_that_is_dead_for_days_costs_no_notification(connection: psycopg.Connection, days: int) -> None:
    set_clock(connection, utc("2026-12-01T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    at = utc("2026-12-01T12:00:00") + timedelta(days=days)
    schedule = given_schedule(connection, schedule_at=at)

    step_to(connection, at)
    assert fire(connection) == 1
    assert settle(connection, claim(connection)) == 1
    assert ledger(connection, schedule.schedule_id) == ["fired"]


def test_what_was_due_in_the_last_microsecond_of_a_day_is_logged_there(connection: psycopg.Connection) -> None:
    at = utc("2026-12-02T00:00:00") - timedelta(microseconds=1)
    set_clock(connection, at)
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    claims = claim(connection)
    _drop_partitions(connection, "delivery_log")

    assert settle(connection, claims) == 1
    assert one(connection, "select due_at_utc from gnomon_data.delivery_log").due_at_utc == at


def test_a_partition_that_was_detached_and_not_dropped_is_attached_again(connection: psycopg.Connection) -> None:
    period = value(connection, "select period from gnomon_data.periods where parent = 'delivery_log' and now() >= from_utc"
                   " and now() < until_utc")  # fmt: skip
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    claims = claim(connection)

    connection.execute(f"alter table gnomon_data.delivery_log detach partition gnomon_data.{period}")

    assert settle(connection, claims) == 1
    assert value(connection, "select tableoid::regclass::text from gnomon_data.delivery_log") == f"gnomon_data.{period}"
