"""A zone that the server no longer knows, as after an upgrade that moved old names elsewhere."""

import psycopg

from tests.sql.acts import deliver_all, fire, step_to, user_in, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, rows


def test_a_schedule_of_a_lost_zone_waits_and_holds_up_nobody(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    daily = {"schedule_at": "13:00", "timezone": "UTC", "recurrence": {"pattern": "daily"}}
    neighbours = [user_in(connection, 7, number) for number in range(3)]
    for user_id in neighbours:
        given_schedule(connection, daily, user_id=user_id)
    lost = [neighbours[1]]
    connection.execute("update gnomon_data.schedules set time_zone = 'Europe/Atlantis' where user_id = any(%s)", [lost])
    step_to(connection, utc("2026-12-01T13:00:00"))

    events = deliver_all(connection)

    assert sorted(event["subject"] for event in events) == sorted([neighbours[0], neighbours[2]])
    connection.execute("update gnomon_data.schedules set time_zone = 'UTC' where user_id = any(%s)", [lost])
    assert fire(connection) == 0
    step_to(connection, utc("2026-12-01T13:00:03"))
    assert [event["subject"] for event in deliver_all(connection)] == lost
    assert {row.fire_at_utc for row in rows(connection, "select fire_at_utc from gnomon.schedules")} == {
        utc("2026-12-02T13:00:00")
    }
