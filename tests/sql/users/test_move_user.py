"""Users who move: what follows them moves with them, what named its own zone stays."""

from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, deliver_all, fire, reschedule, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_DAY = timedelta(days=1)
_DAILY = {"schedule_at": "09:00", "recurrence": {"pattern": "daily"}}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """Noon in UTC, one o'clock where the user lives, who is told."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    return connection


def _move(connection: psycopg.Connection, time_zone: str) -> Any:
    return one(connection, "select * from gnomon.move_user('u_abc123', %s)", time_zone)


def _pending(connection: psycopg.Connection) -> list[datetime]:
    return [row.fire_at_utc for row in rows(connection, "select fire_at_utc from gnomon.schedules order by 1")]


def test_followers_move_and_pinned_ones_stay(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="18:00")
    given_schedule(at_noon, schedule_at="18:00", timezone="Europe/Berlin")
    given_schedule(at_noon, schedule_at="PT3H")
    assert _pending(at_noon) == [_NOON + timedelta(hours=3), *([_NOON + timedelta(hours=5)] * 2)]

    assert _move(at_noon, "America/New_York") == (1, 1)

    assert _pending(at_noon) == [_NOON + timedelta(hours=3), _NOON + timedelta(hours=5), _NOON + timedelta(hours=11)]
    told = one(at_noon, "select * from gnomon.find_user('u_abc123')")
    assert told.time_zone == "America/New_York"


def test_the_same_zone_again_moves_and_locks_nothing(at_noon: psycopg.Connection, database_url: str) -> None:
    given_schedule(at_noon, _DAILY)
    before = rows(at_noon, "select ctid, s from gnomon_data.schedules as s")
    with sessions(database_url, 1) as [caller], caller.transaction():
        caller.execute("select gnomon.set_users(%s)", [Jsonb([{"user_id": "u_abc123", "time_zone": "Europe/Berlin"}])])
        step_to(at_noon, value(at_noon, "select fire_at_utc from gnomon.schedules"))
        assert fire(at_noon) == 1
    assert before != rows(at_noon, "select ctid, s from gnomon_data.schedules as s")
    assert value(at_noon, "select version from gnomon_data.schedules") == 1


def test_who_had_the_installations_zone_follows_from_now_on(connection: psycopg.Connection) -> None:
    set_clock(connection, _NOON)
    connection.execute("select gnomon.set_setting('default_time_zone', 'UTC')")
    assert given_schedule(connection, schedule_at="18:00").time_zone_source == "installation"

    assert _move(connection, "Europe/Berlin") == (1, 0)

    assert _pending(connection) == [_NOON + timedelta(hours=5)]


@pytest.mark.parametrize(
    ("time_zone", "expected"),
    [
        ("America/New_York", ["2026-12-02T14:00:00Z", "2026-12-03T14:00:00Z"]),
        # There the reading that pends has passed already: it comes at once, and none is lost.
        ("Pacific/Auckland", ["2026-12-01T20:00:00Z", "2026-12-02T20:00:00Z"]),
    ],
)
def test_the_pending_reading_moves_and_none_is_lost_or_comes_twice(
    at_noon: psycopg.Connection, time_zone: str, expected: list[str]
) -> None:
    given_schedule(at_noon, _DAILY)
    step_to(at_noon, _NOON + timedelta(hours=15))

    _move(at_noon, time_zone)

    events: list[Any] = []
    for hours in range(0, 60, 6):
        step_to(at_noon, _NOON + timedelta(hours=15 + hours))
        events += deliver_all(at_noon)
    assert [event["data"]["due_at"] for event in events][:2] == expected
    readings = [event["data"]["local_time"] for event in events]
    assert readings[:2] == ["2026-12-02T09:00", "2026-12-03T09:00"]
    assert len(readings) == len(set(readings))


def test_fired_ahead_comes_back_and_moves(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY, schedule_at="14:00")
    step_to(at_noon, _NOON + timedelta(minutes=59, seconds=59))
    assert fire(at_noon) == 1

    assert _move(at_noon, "America/New_York") == (1, 0)

    assert value(at_noon, "select count(*) from gnomon_data.deliveries") == 0
    assert _pending(at_noon) == [_NOON + timedelta(hours=7)]
    assert value(at_noon, "select fired_count from gnomon_data.schedules") == 0


def test_a_one_shot_on_its_way_goes_its_way(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="14:00")
    step_to(at_noon, _NOON + timedelta(minutes=59, seconds=59))
    fire(at_noon)
    assert _move(at_noon, "America/New_York") == (0, 0)
    step_to(at_noon, _NOON + timedelta(hours=1))
    assert len(claim(at_noon)) == 1


def test_what_is_overdue_fires_and_the_next_is_read_there(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY, schedule_at="14:00")
    step_to(at_noon, _NOON + timedelta(hours=2))

    _move(at_noon, "America/New_York")

    fire(at_noon)
    claims = claim(at_noon)
    assert [c.event["data"]["due_at"] for c in claims] == ["2026-12-01T13:00:00Z"]
    settle(at_noon, claims)
    # 14:00 comes in New York today as well, but today's has fired.
    assert _pending(at_noon) == [_NOON + timedelta(hours=7) + _DAY]


def test_a_reading_that_does_not_exist_there_is_skipped_when_the_rule_says_so(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2027-03-13T20:00:00"))
    given_user(connection, time_zone="Asia/Tokyo")
    given_schedule(
        connection, schedule_at="02:30", schedule_date="2027-03-14", on_gap="skip", recurrence={"pattern": "daily"}
    )

    _move(connection, "America/New_York")

    assert _pending(connection) == [utc("2027-03-15T06:30:00")]


def test_an_edit_that_the_move_waited_for_moves_too(at_noon: psycopg.Connection, database_url: str) -> None:
    schedule = given_schedule(at_noon, _DAILY)
    with sessions(database_url, 2) as [editor, mover]:
        with editor.transaction():
            reschedule(editor, schedule.schedule_id, {"schedule_at": "10:00"})
            with in_background(lambda: _move(mover, "America/New_York")) as moved:
                wait_until_blocked(at_noon, mover.info.backend_pid)
                editor.execute("commit")
                editor.execute("begin")
        assert moved.result() == (1, 0)
    assert _pending(at_noon) == [utc("2026-12-02T15:00:00")]


def test_a_rollback_leaves_the_user_where_he_was(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY)
    before = _pending(at_noon)
    with at_noon.transaction(force_rollback=True):
        _move(at_noon, "America/New_York")
        assert _pending(at_noon) != before
    assert _pending(at_noon) == before


@pytest.mark.parametrize(
    ("user_id", "zone", "code"), [("u_abc123", None, "GN024"), ("u_abc123", "Europe/Berln", "GN010"), ("", "UTC", "GN024")]
)
def test_a_move_to_nowhere_is_refused(untouched: psycopg.Connection, user_id: str, zone: str | None, code: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.move_user(%s, %s)", [user_id, zone])
    assert fault.value.sqlstate == code
