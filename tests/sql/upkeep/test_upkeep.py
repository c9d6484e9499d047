"""Periods ahead and behind, far timers, keys and long params that are over, and the check beside the time plane."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import cancel, claim, deliver_all, fire, prove, schedule_many, settle, step_to, utc
from tests.sql.plans import plans_of
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, rows, value
from tests.support.races import sessions

NOON = utc("2026-12-10T12:00:00")


def _timers(connection: psycopg.Connection) -> tuple[int, int]:
    near = value(connection, "select count(*) from gnomon_data.timers")
    return (near, value(connection, "select count(*) from gnomon_data.timers_far"))


def test_periods_are_made_three_days_ahead_and_once(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    assert value(connection, "select gnomon.make_periods()") > 0
    assert value(connection, "select gnomon.make_periods()") == 0
    assert value(connection, "select near_until_utc from gnomon_data.horizon") == utc("2026-12-14T00:00:00")
    set_clock(connection, NOON + timedelta(days=1))
    assert value(connection, "select gnomon.make_periods()") == 4


def test_what_lies_far_comes_near_and_fires(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    given_schedule(connection, schedule_at=NOON + timedelta(days=5))
    assert _timers(connection) == (0, 1)
    assert value(connection, "select gnomon.move_far(100)") == 0
    step_to(connection, NOON + timedelta(days=3))
    value(connection, "select gnomon.make_periods()")
    assert value(connection, "select gnomon.move_far(100)") == 1
    assert _timers(connection) == (1, 0)
    step_to(connection, NOON + timedelta(days=5))
    assert len(deliver_all(connection)) == 1


def test_far_timers_move_in_batches(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    batch = [
        {"user_id": f"u{n}", "template_id": "t", "schedule_at": (NOON + timedelta(days=5)).isoformat()} for n in range(30)
    ]
    assert all(item.error_code is None for item in schedule_many(connection, batch))
    step_to(connection, NOON + timedelta(days=3))
    value(connection, "select gnomon.make_periods()")
    assert [value(connection, "select gnomon.move_far(12)") for _ in range(4)] == [12, 12, 6, 0]


def test_a_batch_of_far_timers_steps_over_none_that_were_moved_before(
    connection: psycopg.Connection, database_url: str
) -> None:
    """Under a snapshot that keeps the dead rows: else the last of many batches looks at all of them."""
    connection.execute(
        "insert into gnomon_data.timers_far (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)"
        " select h.near_until_utc - interval '1 hour', h.near_from_utc, n, gnomon_data.new_id((n % 64)::smallint, now()),"
        " (n % 64)::smallint, 1, 1 from gnomon_data.horizon as h, generate_series(1, 6400) as n"
    )
    connection.execute("analyze gnomon_data.timers_far")
    with sessions(database_url, 1, autocommit=False) as [reader]:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select count(*) from gnomon_data.timers_far")

        def move() -> None:
            assert [value(connection, "select gnomon.move_far(200)") for _ in range(32)] == [200] * 32

        batches = [plan.buffers for plan in plans_of(connection, move, "delete from gnomon_data.timers_far")]
    assert max(batches[-4:]) < 2 * max(batches[:4])
    assert _timers(connection) == (6400, 0)


def test_dead_upkeep_costs_no_notification(connection: psycopg.Connection) -> None:
    """No period is made for ten days: everything goes far, the sweep's call fires it, and the logs find their days."""
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    given_user(connection)
    given_schedule(connection, schedule_at="13:00", recurrence={"pattern": "daily"})
    step_to(connection, NOON + timedelta(days=10))
    given_schedule(connection, schedule_at="PT0S", user_id="u_other")
    assert len(deliver_all(connection)) == 2


def test_a_period_goes_only_when_every_mark_has_passed_it(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    given_schedule(connection, schedule_at="PT1H")
    step_to(connection, NOON + timedelta(days=1))
    prove(connection, "timers")
    assert "timers_20261210" not in [row.period_table for row in rows(connection, "select * from gnomon.periods_behind()")]
    deliver_all(connection)
    prove(connection, "timers")
    assert "timers_20261210" in [row.period_table for row in rows(connection, "select * from gnomon.periods_behind()")]


def test_an_attached_period_is_not_dropped(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    with pytest.raises(psycopg.Error, match="still attached"):
        connection.execute("select gnomon.drop_period('timers_20261210')")
    with pytest.raises(psycopg.Error, match="no period"):
        connection.execute("select gnomon.drop_period('schedules')")


def test_logs_go_after_thirty_days_but_never_under_an_open_delivery(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")
    given_schedule(connection, schedule_at="PT0S")
    assert fire(connection) == 1
    step_to(connection, NOON + timedelta(days=40))
    behind = {row.period_table for row in rows(connection, "select * from gnomon.periods_behind()")}
    assert "occurrence_log_20261210" in behind
    assert "delivery_log_20261210" not in behind
    settle(connection, claim(connection))
    assert "delivery_log_20261210" in {row.period_table for row in rows(connection, "select * from gnomon.periods_behind()")}


def test_a_dedup_key_is_remembered_48_hours_after_its_end(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    first = given_schedule(connection, schedule_at="PT1H", dedup_key="d")
    value(connection, "select gnomon.forget_keys(100)")
    cancel(connection, first.schedule_id)
    step_to(connection, NOON + timedelta(hours=47))
    value(connection, "select gnomon.forget_keys(100)")
    again = given_schedule(connection, schedule_at="PT1H", dedup_key="d")
    assert (again.schedule_id, again.status, again.is_duplicate) == (first.schedule_id, "cancelled", True)
    step_to(connection, NOON + timedelta(hours=49))
    value(connection, "select gnomon.forget_keys(100)")
    assert given_schedule(connection, schedule_at="PT1H", dedup_key="d").schedule_id != first.schedule_id


def test_a_fired_dedup_key_gets_its_term_from_upkeep(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    first = given_schedule(connection, schedule_at="PT0S", dedup_key="d")
    assert fire(connection) == 1
    value(connection, "select gnomon.forget_keys(100)")
    assert value(connection, "select count(*) from gnomon_data.schedule_keys where keep_until_utc is null") == 1
    settle(connection, claim(connection))
    value(connection, "select gnomon.forget_keys(100)")
    step_to(connection, NOON + timedelta(hours=47))
    value(connection, "select gnomon.forget_keys(100)")
    assert given_schedule(connection, schedule_at="PT0S", dedup_key="d").schedule_id == first.schedule_id
    step_to(connection, NOON + timedelta(hours=49))
    value(connection, "select gnomon.forget_keys(100)")
    assert value(connection, "select count(*) from gnomon_data.schedule_keys") == 0


def test_long_params_travel_and_are_forgotten(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    params = {"text": "x" * 4000}
    given_schedule(connection, schedule_at="PT0S", params=params)
    assert value(connection, "select count(*) from gnomon_data.payloads") == 1
    assert fire(connection) == 1
    assert value(connection, "select gnomon.forget_payloads(100)") == 0
    claims = claim(connection)
    assert claims[0].event["data"]["params"] == params
    settle(connection, claims)
    assert value(connection, "select gnomon.forget_payloads(100)") == 1
    assert value(connection, "select count(*) from gnomon_data.payloads") == 0


def test_a_schedule_that_nobody_fired_is_reported(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    lost = given_schedule(connection, schedule_at="PT1H")
    connection.execute("delete from gnomon_data.timers")
    step_to(connection, NOON + timedelta(hours=1, minutes=30))
    assert [row.schedule_id for row in rows(connection, "select * from gnomon.overdue_schedules()")] == [lost.schedule_id]


def test_lateness_counts_hand_over_minus_due_by_lane(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    given_schedule(connection, schedule_at="PT0S", lane="critical")
    assert fire(connection) == 1
    step_to(connection, NOON + timedelta(milliseconds=200))
    settle(connection, claim(connection, "critical"))
    histogram = {row.le: row for row in rows(connection, "select * from gnomon.lateness() where lane = 'critical'")}
    assert (histogram[0.1].count, histogram[0.25].count, histogram[float("inf")].count) == (0, 1, 1)
    assert histogram[float("inf")].sum_seconds == pytest.approx(0.2, abs=0.01)
