"""Calendars of days that schedules leave out: what a change of one moves, and what it must not miss."""

from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from tests.sql.acts import claim, deliver_all, fire, found, ledger, reschedule, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, value
from tests.support.plans import plans_of
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON: Final = utc("2026-12-01T12:00:00")
_DAY: Final = timedelta(days=1)
_DAILY: Final[dict[str, Any]] = {
    "schedule_at": "09:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "daily", "exclude_calendars": ["holidays"]},
}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """Noon, periods for the days to come, and a calendar that closes no day yet."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    _set(connection)
    return connection


def _set(connection: psycopg.Connection, *days: int, calendar: str = "holidays") -> tuple[int, int]:
    """Close these days of December; how many moved, how many ended."""
    dates = [f"2026-12-{day:02}" for day in days]
    answer = one(connection, "select * from gnomon.set_calendar(%s, %s::date[])", calendar, dates)
    assert answer.date_count == len(days)
    return answer.moved_count, answer.ended_count


def _pending(connection: psycopg.Connection) -> datetime | None:
    at: datetime | None = value(connection, "select min(fire_at_utc) from gnomon.schedules")
    return at


def _nine(day: int) -> datetime:
    return utc(f"2026-12-{day:02}T09:00:00")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"recurrence": {"pattern": "monthly", "days_of_month": [2, 3, 4, 5, 6], "exclude_calendars": ["holidays"]}},
        {"recurrence": {"pattern": "rrule", "rrule": "FREQ=DAILY", "exclude_calendars": ["holidays"]}},
        {
            "recurrence": {"pattern": "cron", "cron_expr": "0 9 * * *", "exclude_calendars": ["holidays"]},
            "schedule_at": None,
        },
    ],
)
def test_a_day_that_closes_gives_way_and_one_that_opens_comes_back(
    at_noon: psycopg.Connection, fields: dict[str, Any]
) -> None:
    given_schedule(at_noon, _DAILY, **fields)
    assert _pending(at_noon) == _nine(2)

    assert _set(at_noon, 2, 3) == (1, 0)
    assert _pending(at_noon) == _nine(4)
    assert _set(at_noon, 3) == (1, 0)
    assert _pending(at_noon) == _nine(2)
    step_to(at_noon, _nine(5))
    assert [event["data"]["local_time"][:10] for event in deliver_all(at_noon)] == ["2026-12-02"]
    assert _pending(at_noon) == _nine(6)


def test_days_that_touch_nothing_pending_move_nothing(at_noon: psycopg.Connection, database_url: str) -> None:
    given_schedule(at_noon, _DAILY)
    before = one(at_noon, "select ctid, s from gnomon_data.schedules as s")

    assert _set(at_noon, 1, 24) == (0, 0)
    assert one(at_noon, "select ctid, s from gnomon_data.schedules as s") == before
    # The same days once more lock nothing either: the fire goes on beside it.
    with sessions(database_url, 1) as [caller], caller.transaction():
        _set(caller, 1, 24)
        step_to(at_noon, _nine(2))
        assert fire(at_noon) == 1


def test_what_is_due_fires_and_what_was_fired_ahead_is_taken_back(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY)
    step_to(at_noon, _nine(2))
    assert _set(at_noon, 2) == (0, 0)
    assert [event["data"]["due_at"] for event in deliver_all(at_noon)] == ["2026-12-02T09:00:00Z"]

    step_to(at_noon, _nine(3) - timedelta(seconds=1))
    assert fire(at_noon) == 1
    assert _set(at_noon, 2, 3) == (1, 0)
    step_to(at_noon, _nine(3))
    assert claim(at_noon) == []
    assert value(at_noon, "select fired_count from gnomon_data.schedules") == 1
    assert _pending(at_noon) == _nine(4)


def test_a_paused_one_moves_and_stays_paused(at_noon: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_noon, _DAILY).schedule_id
    at_noon.execute("select gnomon.pause_schedule(%s)", [schedule_id])

    assert _set(at_noon, 2) == (1, 0)

    assert found(at_noon, schedule_id).status == "paused"
    assert _pending(at_noon) == _nine(3)
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 0


def test_a_user_who_flew_west_hears_nothing_twice(at_noon: psycopg.Connection) -> None:
    given_user(at_noon)
    given_schedule(at_noon, _DAILY, timezone=None)
    step_to(at_noon, utc("2026-12-02T08:00:00"))
    assert len(deliver_all(at_noon)) == 1
    at_noon.execute("select gnomon.move_user('u_abc123', 'America/New_York')")
    third = utc("2026-12-03T14:00:00")
    assert _pending(at_noon) == third

    # Nine o'clock of the 2nd is still ahead in New York, and was heard in Berlin.
    for days in ([24], []):
        assert _set(at_noon, *days) == (0, 0)
        assert _pending(at_noon) == third


def test_one_with_no_day_left_is_completed(at_noon: psycopg.Connection) -> None:
    rule = _DAILY["recurrence"] | {"end_date": "2026-12-03"}
    schedule_id = given_schedule(at_noon, _DAILY, recurrence=rule).schedule_id

    assert _set(at_noon, 2, 3) == (0, 1)

    assert found(at_noon, schedule_id).status == "completed"
    assert ledger(at_noon, schedule_id) == ["completed"]
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 0


def test_an_acceptance_waits_for_the_days_and_keeps_to_them(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 2) as [keeper, caller]:
        with keeper.transaction():
            _set(keeper, 2)
            with in_background(lambda: given_schedule(caller, _DAILY)) as answer:
                wait_until_blocked(at_noon, caller.info.backend_pid)
                keeper.execute("commit")
        assert answer.result().fire_at_utc == _nine(3)

        with caller.transaction():
            given_schedule(caller, _DAILY)
            with in_background(lambda: _set(keeper, 2, 3)) as moved:
                wait_until_blocked(at_noon, keeper.info.backend_pid)
                caller.execute("commit")
        assert moved.result() == (2, 0)


def test_a_fire_under_way_is_waited_for(at_noon: psycopg.Connection, database_url: str) -> None:
    given_schedule(at_noon, _DAILY)
    step_to(at_noon, _nine(2))
    with sessions(database_url, 2) as [poller, keeper]:
        with poller.transaction():
            assert fire(poller) == 1
            with in_background(lambda: _set(keeper, 3)) as moved:
                wait_until_blocked(at_noon, keeper.info.backend_pid)
                poller.execute("commit")
        assert moved.result() == (1, 0)
    assert _pending(at_noon) == _nine(4)


def test_users_of_a_calendar_are_found_by_their_index(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY)
    with plans_of(at_noon) as plans:
        _set(at_noon, 2)
    reads = [node for node in plans.nodes() if node.get("Relation Name", "").startswith("schedules_recurring")]
    assert reads
    assert {node["Node Type"] for node in plans.nodes("Seq Scan") if "schedules" in node["Relation Name"]} == set()
    assert {node["Index Name"] for node in plans.nodes("Bitmap Index Scan")} >= {"schedules_recurring_0_expr_idx"}


def test_a_fire_writes_no_index_of_calendars(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY)
    step_to(at_noon, _nine(2))
    with at_noon.transaction():
        fire(at_noon)
        updated, hot = one(
            at_noon,
            "select sum(n_tup_upd) as updated, sum(n_tup_hot_upd) as hot from pg_stat_xact_user_tables"
            " where relname like 'schedules_recurring%'",
        )
    assert (updated, hot) == (1, 1)


def test_a_calendar_in_use_is_kept(at_noon: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_noon, _DAILY).schedule_id
    with pytest.raises(psycopg.Error, match="in use by 1 schedule") as fault:
        at_noon.execute("select gnomon.delete_calendar('holidays')")
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", "/calendar")

    with pytest.raises(psycopg.Error) as fault:
        reschedule(at_noon, schedule_id, {"recurrence": {"exclude_calendars": ["holiday"]}})
    assert (fault.value.sqlstate, fault.value.diag.message_hint) == ("GN015", "did you mean holidays")

    reschedule(at_noon, schedule_id, {"recurrence": {"exclude_calendars": None}})
    assert value(at_noon, "select gnomon.delete_calendar('holidays')")
    assert not value(at_noon, "select gnomon.delete_calendar('holidays')")


@pytest.mark.parametrize(
    ("arguments", "code", "pointer"),
    [
        ("null, '{}'", "GN024", "/calendar"),
        ("'', '{}'", "GN024", "/calendar"),
        ("repeat('x', 256), '{}'", "GN024", "/calendar"),
        ("E'a\\tb', '{}'", "GN024", "/calendar"),
        ("'a', null", "GN024", "/dates"),
        ("'a', '{2027-01-01,null}'", "GN014", "/dates"),
        ("'a', '{infinity}'", "GN014", "/dates"),
        ("'a', array(select date '2027-01-01' + n from generate_series(1, 5001) as n)", "GN024", "/dates"),
    ],
)
def test_refuses(untouched: psycopg.Connection, arguments: str, code: str, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute(f"select gnomon.set_calendar({arguments})")
    assert (fault.value.sqlstate, fault.value.diag.column_name) == (code, pointer)


def test_another_isolation_level_would_miss_what_it_waited_for(connection: psycopg.Connection) -> None:
    connection.execute("set default_transaction_isolation = 'repeatable read'")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        connection.execute("select gnomon.set_calendar('holidays', '{}')")


def test_every_other_rule_keeps_its_rhythm_through_an_edit(at_noon: psycopg.Connection) -> None:
    for pattern, key in (("monthly", "month_days"), ("yearly", "months"), ("elapsed", "from")):
        at = None if pattern == "elapsed" else "09:00"
        recurrence = {"pattern": pattern, "every": "PT90M"} if pattern == "elapsed" else {"pattern": pattern, "interval": 2}
        made = given_schedule(at_noon, schedule_at=at, timezone="UTC", recurrence=recurrence)
        rule = value(
            at_noon, "select rule from gnomon_data.schedules where id = gnomon_data.id_of('sch', %s)", made.schedule_id
        )
        step_to(at_noon, made.fire_at_utc + timedelta(minutes=5))
        deliver_all(at_noon)

        reschedule(at_noon, made.schedule_id, {"offset": "PT1M"})

        kept = value(
            at_noon, "select rule from gnomon_data.schedules where id = gnomon_data.id_of('sch', %s)", made.schedule_id
        )
        assert kept == rule | {"offset": 60}
        assert key in kept
