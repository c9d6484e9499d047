"""Periods: made ahead, taken away behind, and nothing lost whoever has one of them open."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import claim, deliver_all, fire, prove, row_counts, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_DAY = timedelta(days=1)
_TODAY = "timers_20261201"


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _behind(connection: psycopg.Connection) -> set[str]:
    return {row.period_table for row in rows(connection, "select * from gnomon.periods_behind()")}


def test_two_makers_at_once_make_each_once(connection: psycopg.Connection, database_url: str) -> None:
    set_clock(connection, utc("2027-06-01T12:00:00"))
    with sessions(database_url, 2) as [first, second]:
        with first.transaction():
            first.execute("select gnomon.make_periods()")
            with in_background(lambda: value(second, "select gnomon.make_periods()")) as made:
                wait_until_blocked(connection, second.info.backend_pid)
                first.execute("commit")
                first.execute("begin")
        assert made.result() == 0


def test_a_period_is_made_while_a_caller_is_open_and_nobody_waits(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller)
        at_noon.execute("set lock_timeout = '100ms'")
        advance(at_noon, _DAY)
        assert value(at_noon, "select gnomon.make_periods()") == 4
        given_schedule(at_noon, user_id="u_other")


def test_a_detached_period_loses_nothing_that_an_open_caller_wrote_into_it(
    at_noon: psycopg.Connection, database_url: str
) -> None:
    with sessions(database_url, 2) as [caller, upkeep], caller.transaction():
        given_schedule(caller, schedule_at="PT1H", user_id="u_before")
        at_noon.execute("select gnomon.leave_period(%s)", [_TODAY])
        detach = f"alter table gnomon_data.timers detach partition gnomon_data.{_TODAY} concurrently"
        with in_background(lambda: upkeep.execute(detach)):
            wait_until_blocked(at_noon, upkeep.info.backend_pid)
            # While the detach waits nobody else does: the day itself goes far, the next one near.
            at_noon.execute("set lock_timeout = '100ms'")
            given_schedule(at_noon, schedule_at="PT1H", user_id="u_today")
            given_schedule(at_noon, schedule_at="P1D", user_id="u_tomorrow")
            given_schedule(caller, schedule_at="PT1H", user_id="u_after")
            caller.execute("commit")
            caller.execute("begin")

    with pytest.raises(psycopg.Error) as fault:
        at_noon.execute("select gnomon.drop_period(%s)", [_TODAY])
    assert fault.value.sqlstate == "GN024"
    assert [value(at_noon, "select gnomon.reread_period(%s)", _TODAY) for _ in range(2)] == [1, 0]
    at_noon.execute("select gnomon.drop_period(%s)", [_TODAY])

    step_to(at_noon, _NOON + timedelta(hours=1))
    assert {event["subject"] for event in deliver_all(at_noon)} == {"u_before", "u_today", "u_after"}


def test_what_is_behind_every_mark_may_go_and_makes_room(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT1H")
    advance(at_noon, _DAY)
    at_noon.execute("select gnomon.make_periods()")
    prove(at_noon, "timers", "deliveries")
    # Its timer is still there: the mark stands before it.
    assert _TODAY not in _behind(at_noon)
    assert len(deliver_all(at_noon)) == 1
    prove(at_noon, "timers", "deliveries")
    assert _TODAY in _behind(at_noon)
    assert "timers_20261202" not in _behind(at_noon)

    at_noon.execute("select gnomon.leave_period(%s)", [_TODAY])
    at_noon.execute(f"alter table gnomon_data.timers detach partition gnomon_data.{_TODAY} concurrently")
    assert value(at_noon, "select gnomon.reread_period(%s)", _TODAY) == 0
    at_noon.execute("select gnomon.drop_period(%s)", [_TODAY])

    assert _TODAY not in _behind(at_noon)
    given_schedule(at_noon, schedule_at="PT1S")
    assert fire(at_noon) == 1


def test_a_far_timer_that_is_moved_while_its_schedule_changes_fires_once(
    at_noon: psycopg.Connection, database_url: str
) -> None:
    schedule = given_schedule(at_noon, schedule_at=_NOON + 5 * _DAY, key="k")
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at=_NOON + 6 * _DAY, key="k")
        advance(at_noon, 3 * _DAY)
        at_noon.execute("select gnomon.make_periods()")
        # Held by the caller: left alone, and nobody waits.
        assert value(at_noon, "select gnomon.move_far(20)") == 0
    assert value(at_noon, "select gnomon.move_far(20)") == 1
    step_to(at_noon, _NOON + 5 * _DAY)
    assert fire(at_noon) == 0
    step_to(at_noon, _NOON + 6 * _DAY)
    assert [c.event["data"]["schedule_id"] for c in (fire(at_noon), claim(at_noon))[1]] == [schedule.schedule_id]


def test_installing_again_changes_nothing(connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    connection.execute("select gnomon_data.install()")
    assert row_counts(connection) == before
    assert (before["shard_slices"], before["walks"]) == (8, 4)
