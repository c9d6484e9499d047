"""What a fire makes: deliveries with their exact instants, the next occurrence, the ledger."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import claim, deliver_all, fire, found, given_many, ledger, settle, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value

_NINE = utc("2026-12-01T09:00:00")
_DAY = timedelta(days=1)
_DAILY = {"schedule_at": "09:00", "timezone": "UTC", "recurrence": {"pattern": "daily"}}


@pytest.fixture
def at_eight(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at 08:00 of a day whose periods exist."""
    set_clock(connection, _NINE - timedelta(hours=1))
    connection.execute("select gnomon.make_periods()")
    return connection


def _due(events: list[Any]) -> list[str]:
    return [event["data"]["due_at"] for event in events]


def test_one_notification_and_a_delivery_for_each_channel(at_eight: psycopg.Connection) -> None:
    given_schedule(at_eight, schedule_at=_NINE, channels=["email", "log"], params={"dose": 2}, key="k", dedup_key="d")
    step_to(at_eight, _NINE - timedelta(seconds=1))
    fire(at_eight)

    made = rows(at_eight, "select * from gnomon_data.deliveries order by channel")

    assert [row.channel for row in made] == ["email", "log"]
    assert len({row.notification_id for row in made}) == 1
    assert {(row.due_at_utc, row.ready_at_utc, row.fired_at_utc) for row in made} == {
        (_NINE, _NINE, _NINE - timedelta(seconds=1))
    }
    # The id says where its row is and when it is due.
    assert {
        (row.at_utc, row.shard == row.of_id, row.lane)
        for row in rows(
            at_eight,
            "select gnomon_data.at_of_id(id) as at_utc, shard, gnomon_data.shard_of_id(id) as of_id,"
            " gnomon_data.lane_of_id(id) as lane from gnomon_data.deliveries",
        )
    } == {(_NINE, True, 1)}


def test_the_event_is_the_contracts(at_eight: psycopg.Connection) -> None:
    schedule = given_schedule(
        at_eight, _DAILY, timezone="Europe/Berlin", schedule_at="09:30", params={"dose": 2}, key="pill-17", offset="PT5M"
    )
    step_to(at_eight, schedule.fire_at_utc)
    fire(at_eight)
    [claimed] = claim(at_eight)

    notification_id = value(at_eight, "select gnomon_data.id_text('ntf', notification_id) from gnomon_data.deliveries")
    assert claimed.event == {
        "specversion": "1.0",
        "id": claimed.delivery_id,
        "source": "gnomon",
        "type": "notification.due",
        "subject": "u_abc123",
        "time": "2026-12-01T08:35:00Z",
        "datacontenttype": "application/json",
        "data": {
            "notification_id": notification_id,
            "schedule_id": schedule.schedule_id,
            "key": "pill-17",
            "dedup_key": None,
            "user_id": "u_abc123",
            "template_id": "pill",
            "channel": "log",
            "params": {"dose": 2},
            "due_at": "2026-12-01T08:35:00Z",
            "local_time": "2026-12-01T09:30",
            "timezone": "Europe/Berlin",
            "occurrence": 1,
            "attempt": 1,
            "expires_at": None,
            "collapse_key": None,
        },
    }


def test_a_recurrence_goes_on_and_ends_after_its_count(at_eight: psycopg.Connection) -> None:
    schedule = given_schedule(at_eight, _DAILY, recurrence={"pattern": "daily", "end_after": 3})
    events: list[Any] = []
    for day in range(6):
        step_to(at_eight, _NINE + day * _DAY)
        events += deliver_all(at_eight)

    assert _due(events) == [f"2026-12-0{day}T09:00:00Z" for day in (1, 2, 3)]
    assert [event["data"]["occurrence"] for event in events] == [1, 2, 3]
    assert ledger(at_eight, schedule.schedule_id) == ["fired", "fired", "completed", "fired"]
    assert found(at_eight, schedule.schedule_id).status == "completed"


def test_after_an_outage_one_reminder_comes_and_not_thirty(at_eight: psycopg.Connection) -> None:
    given_schedule(at_eight, _DAILY)
    step_to(at_eight, _NINE + 3 * _DAY + timedelta(hours=1))

    assert _due(deliver_all(at_eight)) == ["2026-12-01T09:00:00Z"]

    pending = one(at_eight, "select due_at_utc, fired_count from gnomon_data.schedules")
    assert pending == (_NINE + 4 * _DAY, 1)
    missed = one(at_eight, "select kind, detail from gnomon_data.events")
    assert missed.kind == "missed"
    assert missed.detail["from"] == "2026-12-02T09:00:00Z"
    # A missed one does not count.
    step_to(at_eight, _NINE + 4 * _DAY)
    assert [event["data"]["occurrence"] for event in deliver_all(at_eight)] == [2]


def test_a_window_spreads_forward_and_the_same_way_each_time(at_eight: psycopg.Connection) -> None:
    hour = timedelta(hours=1)
    ats = [given_schedule(at_eight, user_id=f"u_{n}", schedule_at=_NINE, window="PT1H").fire_at_utc for n in range(60)]
    assert all(_NINE <= at < _NINE + hour for at in ats)
    assert len(set(ats)) > 50
    assert min(ats) < _NINE + hour / 4
    assert max(ats) > _NINE + hour * 3 / 4

    again = given_schedule(at_eight, user_id="u_key", schedule_at=_NINE, window="PT1H", key="k")
    changed = given_schedule(at_eight, user_id="u_key", schedule_at=_NINE, window="PT1H", key="k", params={"n": 1})
    assert (changed.schedule_id, changed.fire_at_utc) == (again.schedule_id, again.fire_at_utc)


def test_within_a_window_the_body_tells_the_instant_before_it(at_eight: psycopg.Connection) -> None:
    schedule = given_schedule(at_eight, _DAILY, window="PT2H")
    assert schedule.fire_at_utc > _NINE

    step_to(at_eight, schedule.fire_at_utc)
    assert _due(deliver_all(at_eight)) == ["2026-12-01T09:00:00Z"]

    # Compared by nothing: the next is the next day's, wherever in the window this one came.
    assert value(at_eight, "select due_at_utc from gnomon_data.schedules") == _NINE + _DAY


@pytest.mark.parametrize(
    ("limit", "late", "outcome"),
    [
        ({"expires_at": "2026-12-01T09:10:00Z"}, timedelta(minutes=10), "expired"),
        ({"expires_at": "2026-12-01T09:10:00Z"}, timedelta(minutes=9), "fired"),
        ({"expires_in": "PT10M"}, timedelta(minutes=10), "expired"),
        ({"expires_in": "PT10M"}, timedelta(minutes=9), "fired"),
    ],
)
def test_what_is_worthless_is_not_fired(
    at_eight: psycopg.Connection, limit: dict[str, Any], late: timedelta, outcome: str
) -> None:
    schedule = given_schedule(at_eight, schedule_at=_NINE, **limit)
    step_to(at_eight, _NINE + late)

    fire(at_eight)

    assert ledger(at_eight, schedule.schedule_id) == [outcome]
    assert found(at_eight, schedule.schedule_id).status == outcome
    assert value(at_eight, "select count(*) from gnomon_data.deliveries") == (outcome == "fired")


def test_an_expired_occurrence_counts_for_nothing_and_the_next_comes(at_eight: psycopg.Connection) -> None:
    schedule = given_schedule(at_eight, _DAILY, expires_in="PT10M", recurrence={"pattern": "daily", "end_after": 1})
    step_to(at_eight, _NINE + timedelta(minutes=30))
    assert deliver_all(at_eight) == []

    step_to(at_eight, _NINE + _DAY)
    events = deliver_all(at_eight)

    assert [event["data"]["occurrence"] for event in events] == [1]
    assert events[0]["data"]["expires_at"] == "2026-12-02T09:10:00Z"
    assert found(at_eight, schedule.schedule_id).status == "completed"


def test_params_above_1_kb_travel_once_and_are_forgotten(at_eight: psycopg.Connection) -> None:
    long = {"text": "x" * 4000}
    given_schedule(at_eight, _DAILY, params=long, recurrence={"pattern": "daily", "end_after": 2})
    assert value(at_eight, "select count(*) from gnomon_data.payloads") == 1
    assert value(at_eight, "select params from gnomon_data.schedules") is None

    events: list[Any] = []
    for day in range(2):
        step_to(at_eight, _NINE + day * _DAY)
        assert value(at_eight, "select gnomon.forget_payloads(100)") == 0
        fire(at_eight)
        assert value(at_eight, "select gnomon.forget_payloads(100)") == 0
        claims = claim(at_eight)
        events += [c.event for c in claims]
        settle(at_eight, claims)

    assert [event["data"]["params"] for event in events] == [long, long]
    assert value(at_eight, "select gnomon.forget_payloads(100)") == 1


def test_of_changed_long_params_each_delivery_keeps_its_own(at_eight: psycopg.Connection) -> None:
    old, new = {"text": "o" * 2000}, {"text": "n" * 2000}
    given_schedule(at_eight, _DAILY, key="k", params=old)
    step_to(at_eight, _NINE)
    fire(at_eight)
    given_schedule(at_eight, _DAILY, key="k", params=new)
    assert value(at_eight, "select gnomon.forget_payloads(100)") == 0

    assert [event["data"]["params"] for event in deliver_all(at_eight)] == [old]
    assert value(at_eight, "select gnomon.forget_payloads(100)") == 1
    step_to(at_eight, _NINE + _DAY)
    assert [event["data"]["params"] for event in deliver_all(at_eight)] == [new]


def test_a_default_channel_is_the_installations_at_the_fire(at_eight: psycopg.Connection) -> None:
    schedule = given_schedule(at_eight, schedule_at=_NINE)
    assert schedule.warnings == []
    at_eight.execute("select gnomon.set_setting('default_channels', 'email, sms')")

    step_to(at_eight, _NINE)
    fire(at_eight)

    assert [row.channel for row in rows(at_eight, "select channel from gnomon_data.deliveries order by 1")] == [
        "email",
        "sms",
    ]


def test_the_advance_of_a_recurrence_is_a_hot_update(at_eight: psycopg.Connection) -> None:
    """No index of schedules holds the next instant: 10 million advances a day write no index entry."""
    for number in range(200):
        given_schedule(at_eight, _DAILY, user_id=f"u_{number}")
    step_to(at_eight, _NINE)

    assert fire(at_eight, 10_000) == 200

    at_eight.execute("select pg_stat_force_next_flush()")
    updates = one(
        at_eight,
        "select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot from pg_stat_user_tables"
        " where relname like 'schedules_recurring%%'",
    )
    assert updates.all == 200
    assert updates.hot >= 190


def test_every_accepted_one_is_pending_or_has_an_end(connection: psycopg.Connection) -> None:
    now_utc = value(connection, "select gnomon_data.now_utc()")
    given_many(connection, 500, now_utc)
    given_many(connection, 300, now_utc + timedelta(hours=1), users="later-")
    connection.execute("select gnomon.cancel_schedule(schedule_id) from gnomon.schedules where user_id ~ '^(many|later)-1'")
    fire(connection, 10_000)
    deliver_all(connection)

    by_shard = rows(
        connection,
        """
        select shard, count(*) filter (where kind = 'pending') + count(*) filter (where kind = 'ended') as told
          from (select shard, id, 'pending' as kind from gnomon_data.schedules
                union all select distinct shard, schedule_id, 'ended' from gnomon_data.occurrence_log where is_last) as every
         group by shard
        """,
    )
    assert sum(row.told for row in by_shard) == 800
    advance(connection, timedelta(hours=2))
    deliver_all(connection)
    assert value(connection, "select count(*) from gnomon_data.schedules") == 0
    assert value(connection, "select count(*) from gnomon_data.occurrence_log where is_last") == 800
