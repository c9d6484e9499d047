"""Zone data changed: what is pending moves to the instants of the new rules, whatever else happens meanwhile.

A change of rules is made without one: schedules are made in Berlin and then said to be in Istanbul, which is remembered to
have had Berlin's rules. So Istanbul seems to have left winter time behind, as it did in 2016.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, deliver_all, fire, step_to, user_in, utc
from tests.sql.beside import beside
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON: Final = utc("2026-12-01T12:00:00")
_HOUR: Final = timedelta(hours=1)
_OLD, _NEW = "Europe/Berlin", "Europe/Istanbul"
_DAILY: Final = {"schedule_at": "09:00", "timezone": _OLD, "recurrence": {"pattern": "daily"}}

Upgrade = Callable[[], None]


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """Noon in UTC, with fingerprints of that instant; of three zones only, since all of them take a while."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    connection.execute("truncate gnomon_data.zone_fingerprints")
    zones = [_OLD, _NEW, "Europe/Paris"]
    connection.execute("select gnomon_data.take_fingerprints(%s, gnomon_data.now_utc())", [zones])
    return connection


@pytest.fixture
def upgrade(at_noon: psycopg.Connection) -> Upgrade:
    """Make the change of rules: what was made in Berlin is in a zone whose clocks are two hours further from now on."""

    def upgraded() -> None:
        at_noon.execute("update gnomon_data.schedules set time_zone = %s where time_zone = %s", [_NEW, _OLD])
        at_noon.execute("update gnomon_data.deliveries set time_zone = %s where time_zone = %s", [_NEW, _OLD])
        at_noon.execute(
            "update gnomon_data.zone_fingerprints as f set (first_offset, changes_at_utc, offsets) ="
            " (select b.first_offset, b.changes_at_utc, b.offsets from gnomon_data.zone_fingerprints as b"
            " where b.time_zone = %s) where f.time_zone = %s",
            [_OLD, _NEW],
        )

    return upgraded


def _plan(connection: psycopg.Connection, **arguments: Any) -> list[Any]:
    named = ", ".join(f"{name} => %s" for name in arguments)
    return rows(connection, f"select * from gnomon.retime_plan({named})", *arguments.values())


def _apply(connection: psycopg.Connection, at_most: int = 500) -> Any:
    return one(connection, "select * from gnomon.retime_apply(%s)", at_most)


def _apply_all(connection: psycopg.Connection, at_most: int = 500) -> int:
    moved = 0
    while True:
        piece = _apply(connection, at_most)
        moved += piece.moved_count
        if piece.is_done:
            return moved


def _fire_at(connection: psycopg.Connection, schedule_id: str) -> datetime:
    return value(connection, "select fire_at_utc from gnomon.schedules where schedule_id = %s", schedule_id)


def test_without_a_change_nothing_is_planned_or_moved(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY)
    before = rows(at_noon, "select ctid, s from gnomon_data.schedules as s")
    assert _plan(at_noon) == []
    assert _apply(at_noon)[:2] == (0, 0)
    assert rows(at_noon, "select ctid, s from gnomon_data.schedules as s") == before


def test_the_plan_tells_from_when_to_when(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    made = given_schedule(at_noon, _DAILY)
    given_schedule(at_noon, schedule_at="PT3H", timezone=_OLD)
    given_schedule(at_noon, _DAILY | {"timezone": "Europe/Paris"})
    upgrade()

    [row] = _plan(at_noon)

    assert (row.schedule_id, row.time_zone) == (made.schedule_id, _NEW)
    assert (row.from_utc, row.to_utc) == (utc("2026-12-02T08:00:00"), utc("2026-12-02T06:00:00"))
    assert row.local_time == datetime(2026, 12, 2, 9)  # noqa: DTZ001  # a wall reading


def test_the_plan_goes_on_behind_an_id(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    for number in range(7):
        given_schedule(at_noon, _DAILY, user_id=f"u{number}")
    upgrade()
    whole = _plan(at_noon)
    assert len(whole) == 7
    paged: list[Any] = []
    while page := _plan(at_noon, at_most=3, after=paged[-1].schedule_id if paged else None):
        assert len(page) <= 3
        paged += page
    assert paged == whole


def test_what_moved_fires_at_its_new_instants(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    made = given_schedule(at_noon, _DAILY)
    upgrade()

    assert _apply_all(at_noon) == 1

    assert _plan(at_noon) == []
    assert value(at_noon, "select count(*) from gnomon.zone_drift()") == 0
    due = []
    for _ in range(3):
        step_to(at_noon, _fire_at(at_noon, made.schedule_id))
        due += [event["data"]["due_at"] for event in deliver_all(at_noon)]
    assert due == ["2026-12-02T06:00:00Z", "2026-12-03T06:00:00Z", "2026-12-04T06:00:00Z"]
    event = one(at_noon, "select kind, detail from gnomon_data.events")
    assert event.kind == "retimed"
    assert event.detail["from"] == "2026-12-02T08:00:00Z"
    assert event.detail["to"] == "2026-12-02T06:00:00Z"


def test_a_dated_time_and_an_offset_and_a_window_move_too(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    dated = given_schedule(at_noon, schedule_at="09:00", schedule_date="2027-01-15", timezone=_OLD, offset="PT5M")
    spread = given_schedule(at_noon, _DAILY, window="PT10M")
    upgrade()
    _apply_all(at_noon)
    assert _fire_at(at_noon, dated.schedule_id) == utc("2027-01-15T06:05:00")
    assert utc("2026-12-02T06:00:00") <= _fire_at(at_noon, spread.schedule_id) < utc("2026-12-02T06:10:00")


def test_what_has_passed_by_the_new_rules_fires_at_once(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    given_schedule(at_noon, _DAILY | {"schedule_at": "14:00"})  # 13:00 UTC by the old rules, 11:00 by the new ones
    upgrade()
    assert _apply_all(at_noon) == 1
    assert [event["data"]["due_at"] for event in deliver_all(at_noon)] == ["2026-12-01T11:00:00Z"]
    assert value(at_noon, "select fire_at_utc from gnomon.schedules") == utc("2026-12-02T11:00:00")


def test_what_is_due_fires_as_it_is(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    given_schedule(at_noon, _DAILY)
    step_to(at_noon, utc("2026-12-02T08:00:00"))
    upgrade()
    assert _apply_all(at_noon) == 0
    assert [event["data"]["due_at"] for event in deliver_all(at_noon)] == ["2026-12-02T08:00:00Z"]
    assert value(at_noon, "select fire_at_utc from gnomon.schedules") == utc("2026-12-03T06:00:00")


def test_an_occurrence_fired_ahead_comes_back_and_moves(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    # 08:00 UTC by the old rules; with clocks that moved the other way it is an hour later.
    made = given_schedule(at_noon, _DAILY | {"timezone": "Europe/Istanbul"})
    step_to(at_noon, _fire_at(at_noon, made.schedule_id) - timedelta(seconds=1))
    assert fire(at_noon) == 1
    at_noon.execute("update gnomon_data.schedules set time_zone = 'Europe/Berlin'")

    assert one(at_noon, "select * from gnomon.retime_apply(500, array['Europe/Berlin'])").moved_count == 1

    assert claim(at_noon) == []
    told = one(at_noon, "select fired_count, last_due_at_utc, fire_at_utc from gnomon_data.schedules")
    assert (told.fired_count, told.last_due_at_utc, told.fire_at_utc) == (0, None, utc("2026-12-02T08:00:00"))
    step_to(at_noon, told.fire_at_utc)
    assert [event["data"]["due_at"] for event in deliver_all(at_noon)] == ["2026-12-02T08:00:00Z"]
    upgrade()


def test_what_somebody_holds_is_passed_by_and_comes_later(
    at_noon: psycopg.Connection, database_url: str, upgrade: Upgrade
) -> None:
    made = [given_schedule(at_noon, _DAILY, user_id=f"u{number}") for number in range(3)]
    upgrade()
    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        cancel(caller, made[1].schedule_id)
        assert _apply(at_noon) == (2, 1, 1.0, False)
        assert value(at_noon, "select count(*) from gnomon.zone_drift()") == 1
    assert _apply(at_noon) == (1, 0, 1.0, True)
    assert {row.fire_at_utc for row in rows(at_noon, "select fire_at_utc from gnomon.schedules")} == {
        utc("2026-12-02T06:00:00")
    }


def test_a_cancel_that_waited_for_the_move_finds_the_schedule(
    at_noon: psycopg.Connection, database_url: str, upgrade: Upgrade
) -> None:
    made = given_schedule(at_noon, _DAILY)
    upgrade()
    with sessions(database_url, 2) as [mover, caller]:
        with mover.transaction():
            assert _apply(mover).moved_count == 1
            with in_background(lambda: cancel(caller, made.schedule_id)) as cancelled:
                wait_until_blocked(at_noon, caller.info.backend_pid)
                mover.execute("commit; begin")
        assert cancelled.result().status == "cancelled"
    assert rows(at_noon, "select * from gnomon.schedules") == []


def test_one_walk_at_a_time(at_noon: psycopg.Connection, database_url: str, upgrade: Upgrade) -> None:
    given_schedule(at_noon, _DAILY)
    upgrade()
    with sessions(database_url, 1) as [mover], mover.transaction():
        assert _apply(mover).moved_count == 1
        assert _apply(at_noon) == (0, 0, None, False)


def test_batches_go_on_where_the_last_one_stopped(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    for number in range(9):
        given_schedule(at_noon, _DAILY, user_id=user_in(at_noon, 7, number))
    for number in range(30):
        given_schedule(at_noon, _DAILY | {"timezone": "Europe/Paris"}, user_id=user_in(at_noon, 7, number))
    upgrade()
    moved = [_apply(at_noon, 2).moved_count for _ in range(5)]
    assert sum(moved) == 9
    assert max(moved) == 2
    assert _apply_all(at_noon, 2) == 0


def test_a_paused_one_gets_no_timer(at_noon: psycopg.Connection, upgrade: Upgrade) -> None:
    made = given_schedule(at_noon, _DAILY)
    at_noon.execute("update gnomon_data.schedules set paused_at_utc = %s", [_NOON])
    at_noon.execute("delete from gnomon_data.timers")
    upgrade()
    assert _apply_all(at_noon) == 1
    assert _fire_at(at_noon, made.schedule_id) == utc("2026-12-02T06:00:00")
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 0


@pytest.mark.parametrize(
    ("request_", "before", "after"),
    [
        # What fires every hour keeps the instant that still fits; the reading is another, the count of hours is not.
        ({"recurrence": {"pattern": "cron", "cron_expr": "0 * * * *"}}, "2026-12-01T13:00:00", "2026-12-01T13:00:00"),
        # 13:15 has passed by the new rules, where it is 15:00: it comes at once.
        ({"recurrence": {"pattern": "cron", "cron_expr": "15 9-17 * * *"}}, "2026-12-01T12:15:00", "2026-12-01T10:15:00"),
        ({"recurrence": {"pattern": "cron", "cron_expr": "0 9 * * 1"}}, "2026-12-07T08:00:00", "2026-12-07T06:00:00"),
        ({"recurrence": {"pattern": "elapsed", "every": "PT3H"}}, "2026-12-01T15:00:00", "2026-12-01T15:00:00"),
        (
            {"schedule_at": "09:00", "recurrence": {"pattern": "monthly", "days_of_month": [-1]}},
            "2026-12-31T08:00:00",
            "2026-12-31T06:00:00",
        ),
        (
            {"schedule_at": "09:00", "recurrence": {"pattern": "rrule", "rrule": "FREQ=WEEKLY;BYDAY=FR"}},
            "2026-12-04T08:00:00",
            "2026-12-04T06:00:00",
        ),
    ],
)
def test_every_kind_of_rule(
    at_noon: psycopg.Connection, upgrade: Upgrade, request_: dict[str, Any], before: str, after: str
) -> None:
    given = {"timezone": _OLD} | request_
    made = one(at_noon, "select * from gnomon.schedule(%s)", Jsonb({"user_id": "u", "template_id": "t"} | given))
    assert made.fire_at_utc == utc(before)
    upgrade()
    assert _apply_all(at_noon) == (before != after)
    assert value(at_noon, "select fire_at_utc from gnomon.schedules") == utc(after)
    assert value(at_noon, "select count(*) from gnomon.retime_plan()") == 0


def test_raced_against_the_fire_none_is_lost_or_comes_twice(
    at_noon: psycopg.Connection, database_url: str, upgrade: Upgrade
) -> None:
    """Every schedule has one occurrence that day, whether it fired by the old rules or by the new ones."""
    for number in range(60):
        given_schedule(at_noon, _DAILY | {"schedule_at": f"14:00:{number % 60:02}"}, user_id=f"u{number}")
    upgrade()
    at_noon.execute("select gnomon.make_periods()")
    set_clock(at_noon, utc("2026-12-01T13:00:30"), frozen=False)

    def poll(session: psycopg.Connection) -> None:
        fire(session, 7)

    def retime(session: psycopg.Connection) -> None:
        _apply(session, 5)

    with beside(database_url, poll, poll, retime, retime) as roles:
        roles.wait_until(
            lambda: (
                not value(at_noon, "select exists (select from gnomon.zone_drift())")
                and value(at_noon, "select bool_and(fired_count = 1) from gnomon_data.schedules")
            ),
            "all moved and all fired",
        )

    left = one(
        at_noon, "select count(*), count(distinct nominal_local) as readings, max(fire_at_utc) from gnomon_data.schedules"
    )
    assert (left.count, left.readings) == (60, 60)
    assert left.max == utc("2026-12-02T11:00:59")
    assert value(at_noon, "select count(*) from gnomon_data.deliveries") == 60
    assert (
        value(
            at_noon,
            "select count(*) from gnomon_data.timers as t join gnomon_data.schedules as s"
            " on s.id = t.subject_id and s.stamp = t.stamp",
        )
        == 60
    )
