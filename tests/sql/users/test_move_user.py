"""Users who move: what followed the user follows, what named its zone stays, and no occurrence is lost or comes twice."""

from datetime import timedelta

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, deliver_all, fire, found, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows, value

NOON = utc("2026-12-01T12:00:00")


def _move(connection: psycopg.Connection, user_id: str, time_zone: str) -> tuple[int, int]:
    moved = one(connection, "select * from gnomon.move_user(%s, %s)", user_id, time_zone)
    return (moved.moved_count, moved.pinned_count)


def test_what_follows_the_user_moves_and_what_is_pinned_stays(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    user = given_user(connection)
    daily = given_schedule(connection, schedule_at="18:00", recurrence={"pattern": "daily"})
    dated = given_schedule(connection, schedule_at="18:00", schedule_date="2026-12-05")
    pinned = given_schedule(connection, schedule_at="18:00", timezone="Asia/Tokyo")
    instant = given_schedule(connection, schedule_at="PT1H")
    assert _move(connection, user, "America/New_York") == (2, 1)
    assert found(connection, daily.schedule_id).fire_at_utc == utc("2026-12-01T23:00:00")
    assert found(connection, dated.schedule_id).fire_at_utc == utc("2026-12-05T23:00:00")
    assert found(connection, pinned.schedule_id).fire_at_utc == pinned.fire_at_utc
    assert found(connection, instant.schedule_id).fire_at_utc == instant.fire_at_utc
    assert found(connection, daily.schedule_id).version == 2
    assert _move(connection, user, "America/New_York") == (0, 1)


def test_a_move_that_is_rolled_back_moves_nothing(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    user = given_user(connection)
    daily = given_schedule(connection, schedule_at="18:00", recurrence={"pattern": "daily"})
    with connection.transaction(force_rollback=True):
        _move(connection, user, "America/New_York")
    assert found(connection, daily.schedule_id).fire_at_utc == daily.fire_at_utc
    assert one(connection, "select * from gnomon.find_user(%s)", user).time_zone == "Europe/Berlin"


def test_a_reading_that_has_passed_on_the_new_wall_fires_at_once(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    user = given_user(connection)
    given_schedule(connection, schedule_at="18:00", recurrence={"pattern": "daily"})
    _move(connection, user, "Asia/Tokyo")
    events = deliver_all(connection)
    assert [event["data"]["local_time"] for event in events] == ["2026-12-01T18:00"]
    pending = one(connection, "select * from gnomon.pending_schedules(%s)", user)
    assert pending.fire_at_utc == utc("2026-12-02T09:00:00")


@pytest.mark.parametrize("zones", [("Europe/Berlin", "America/Los_Angeles"), ("America/Los_Angeles", "Pacific/Auckland")])
def test_each_day_comes_once_on_the_way_there_and_back(connection: psycopg.Connection, zones: tuple[str, str]) -> None:
    at = utc("2026-12-01T00:00:00")
    set_clock(connection, at)
    user = given_user(connection, time_zone=zones[0])
    given_schedule(connection, schedule_at="09:00", recurrence={"pattern": "daily"})
    readings: list[str] = []
    for hour in range(0, 8 * 24, 3):
        step_to(connection, at + timedelta(hours=hour))
        if hour % 33 == 0:
            _move(connection, user, zones[hour // 33 % 2])
        readings += [event["data"]["local_time"] for event in deliver_all(connection)]
    days = [reading[:10] for reading in readings]
    assert len(days) == len(set(days)), readings
    assert days == [f"2026-12-{day:02}" for day in range(int(days[0][-2:]), int(days[0][-2:]) + len(days))]
    assert len(days) >= 7


def test_what_was_fired_ahead_moves_and_what_is_due_does_not(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T16:59:59"))
    user = given_user(connection)
    schedule = given_schedule(connection, schedule_at="18:00", recurrence={"pattern": "daily"})
    assert fire(connection) == 1
    assert _move(connection, user, "America/New_York") == (1, 0)
    assert found(connection, schedule.schedule_id).fire_at_utc == utc("2026-12-01T23:00:00")
    assert found(connection, schedule.schedule_id).recurrence["fired_count"] == 0
    step_to(connection, utc("2026-12-01T22:59:59"))
    assert fire(connection) == 1
    step_to(connection, utc("2026-12-01T23:00:01"))
    _move(connection, user, "Europe/Berlin")
    claims = claim(connection)
    assert [c.event["data"]["due_at"] for c in claims] == ["2026-12-01T23:00:00Z"]
    settle(connection, claims)
    assert found(connection, schedule.schedule_id).fire_at_utc == utc("2026-12-02T17:00:00")


def test_a_default_zone_gives_way_to_the_users_own(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    connection.execute("select gnomon.set_setting('default_time_zone', 'Europe/Berlin')")
    schedule = given_schedule(connection, user_id="nobody-knows", schedule_at="18:00")
    assert schedule.time_zone_source == "installation"
    assert _move(connection, "nobody-knows", "Asia/Tokyo") == (1, 0)
    assert found(connection, schedule.schedule_id).time_zone_source == "user"


def test_set_users_answers_each_item_and_one_bad_one_spoils_none(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    given_user(connection, "u_2", "Europe/Berlin")
    given_schedule(connection, user_id="u_2", schedule_at="18:00")
    users = [
        {"user_id": "u_1", "time_zone": "Europe/Paris", "locale": "fr"},
        {"user_id": "u_2", "timezone": "Asia/Tokyo"},
        {"user_id": "u_3", "time_zone": "europe/berlin"},
        {"user_id": "", "time_zone": "UTC"},
        {"user_id": "u_4", "zone": "UTC"},
        7,
    ]
    items = rows(connection, "select * from gnomon.set_users(%s)", Jsonb(users))
    assert [(i.ordinal, i.moved_count, i.error_code) for i in items] == [
        (1, 0, None),
        (2, 1, None),
        (3, 0, "GN010"),
        (4, 0, "GN024"),
        (5, 0, "GN024"),
        (6, 0, "GN024"),
    ]
    assert "Europe/Berlin" in items[2].error_hint
    assert value(connection, "select count(*) from gnomon_data.users") == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("u", "Europe/Berln", None), "GN010"),
        (("u", "UTC+3", None), "GN010"),
        (("", None, None), "GN024"),
        ((None, None, None), "GN024"),
        (("u\x07", None, None), "GN024"),
        (("u", None, "de_DE.UTF-8"), "GN024"),
    ],
)
def test_a_user_that_cannot_be_is_refused(
    connection: psycopg.Connection, arguments: tuple[str | None, ...], code: str
) -> None:
    with pytest.raises(psycopg.Error) as refused:
        connection.execute("select gnomon.set_user(%s, %s, %s)", arguments)
    assert refused.value.sqlstate == code
    assert value(connection, "select count(*) from gnomon_data.users") == 0


def test_null_leaves_what_is_known(connection: psycopg.Connection) -> None:
    one(connection, "select * from gnomon.set_user('u', 'Europe/Berlin', 'de-AT')")
    known = one(connection, "select * from gnomon.set_user('u', null, 'en')")
    assert (known.time_zone, known.locale) == ("Europe/Berlin", "en")
    assert rows(connection, "select * from gnomon.find_user('nobody')") == []
