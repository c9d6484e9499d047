"""The form without memory: what a caller sees who calls nothing but fire, claim and settle."""

from datetime import timedelta

import psycopg

from tests.sql.acts import deliver_all, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value


def test_after_a_clock_that_went_back_nothing_is_lost(connection: psycopg.Connection) -> None:
    day = utc("2026-12-10T12:00:00")
    set_clock(connection, day)
    connection.execute("select gnomon.make_periods()")
    given_schedule(connection, schedule_at=day + timedelta(hours=1), user_id="u_before")

    set_clock(connection, day - timedelta(days=9))
    connection.execute("select gnomon.make_periods()")
    given_schedule(connection, schedule_at="PT1H", user_id="u_after")

    step_to(connection, day - timedelta(days=9) + timedelta(hours=1))
    assert [event["subject"] for event in deliver_all(connection)] == ["u_after"]
    step_to(connection, day + timedelta(hours=1))
    assert [event["subject"] for event in deliver_all(connection)] == ["u_before"]


def test_an_instant_that_passes_while_a_caller_is_open_is_written_at_his_clock(connection: psycopg.Connection) -> None:
    """The write rule: never below the clock that was read after the xid."""
    schedule = given_schedule(connection, schedule_at="2020-01-01T00:00:00Z", if_past="now")
    timer = one(connection, "select fire_at_utc, wanted_at_utc from gnomon_data.timers")
    assert timer == (schedule.fire_at_utc, schedule.fire_at_utc)

    connection.execute(
        "select gnomon_data.put_timers(array[row('2020-01-01', '2020-01-01', 5, gen_random_uuid(), 3, 1, 1)"
        "::gnomon_data.timers], '2026-12-01T10:00:00Z')"
    )
    late = "select fire_at_utc, wanted_at_utc from gnomon_data.{} where stamp = 5"
    [timer] = rows(connection, f"{late.format('timers')} union all {late.format('timers_far')}")
    assert timer == (utc("2026-12-01T10:00:00"), value(connection, "select timestamptz '2020-01-01'"))
