"""The founding request as it stands: the same answer in HTTP and in SQL, and what follows from it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg

from tests.app.http import SCHEDULE, Client, send
from tests.support.clock import set_clock
from tests.support.given import one, rows, value

# Byte for byte, without its comments.
FOUNDING: Final = b"""{
  "user_id": "u_abc123",
  "template_id": "daily_digest",
  "schedule_type": "user_local_time",
  "schedule_at": "09:00",
  "schedule_date": "2024-03-15",
  "timezone": "America/New_York",
  "channels": ["push", "email"],
  "params": { "digest_count": 12 },
  "dedup_key": "daily_digest:u_abc123:2024-03-15",
  "recurrence": {
    "pattern": "daily",
    "cron_expr": null,
    "end_after": 90
  }
}
"""
BEFORE: Final = datetime(2024, 3, 14, 10, tzinfo=UTC)


def test_the_founding_request(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, BEFORE)
    answer = send(client, FOUNDING)
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert body | {"schedule_id": "", "warnings": []} == {
        "schedule_id": "",
        "fire_at_utc": "2024-03-15T13:00:00Z",
        "status": "scheduled",
        "timezone": "America/New_York",
        "timezone_source": "request",
        "resolution": "exact",
        "if_past": None,
        "version": 1,
        "warnings": [],
    }
    assert answer.headers["location"] == f"{SCHEDULE}/{body['schedule_id']}"
    assert answer.headers["etag"] == '"1"'
    assert "idempotent-replayed" not in answer.headers

    listed = client.get(f"{SCHEDULE}/u_abc123/pending?limit=20").json()
    assert listed["total_pending"] == 1
    assert listed["next"] is None
    assert [entry["schedule_id"] for entry in listed["schedules"]] == [body["schedule_id"]]
    assert listed["schedules"][0]["recurrence"] == "daily"
    assert listed["schedules"][0]["fire_at_utc"] == "2024-03-15T13:00:00Z"


def test_the_founding_request_in_sql_is_the_same_one(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, BEFORE)
    in_sql = one(connection, "select * from gnomon.schedule(%s::jsonb)", FOUNDING.decode())
    assert in_sql.fire_at_utc == datetime(2024, 3, 15, 13, tzinfo=UTC)
    assert (in_sql.status, in_sql.resolution, in_sql.time_zone_source) == ("scheduled", "exact", "request")

    repeated = send(client, FOUNDING)
    assert repeated.status_code == 201
    assert repeated.json()["schedule_id"] == in_sql.schedule_id
    assert repeated.json()["duplicate"] is True
    assert repeated.headers["idempotent-replayed"] == "true"


def test_the_founding_request_today_is_the_next_nine_o_clock(client: Client, connection: psycopg.Connection) -> None:
    body = send(client, FOUNDING).json()
    fires = datetime.fromisoformat(body["fire_at_utc"])
    in_new_york = value(connection, "select to_char(%s::timestamptz at time zone 'America/New_York', 'HH24:MI:SS')", fires)
    assert in_new_york == "09:00:00"
    ahead = value(connection, "select extract(epoch from %s - gnomon_data.now_utc())::float8", fires)
    assert 0 < ahead <= 25 * 3600
    assert body["if_past"] == "next"


def test_after_the_fire_the_next_morning_is_pending(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, BEFORE)
    value(connection, "select gnomon.make_periods()")
    send(client, FOUNDING)
    set_clock(connection, BEFORE + timedelta(days=1, hours=3, seconds=1))
    connection.execute("select gnomon.fire_due(array(select n::smallint from generate_series(0, 63) as n), 100)")
    pending = client.get(f"{SCHEDULE}/u_abc123/pending").json()
    assert pending["total_pending"] == 1
    assert pending["schedules"][0]["fire_at_utc"] == "2024-03-16T13:00:00Z"
    details = client.get(f"{SCHEDULE}/{pending['schedules'][0]['schedule_id']}").json()
    assert details["recurrence"]["fired_count"] == 1
    assert details["recurrence"]["last_fired_at"] == "2024-03-15T13:00:00Z"
    assert details["recurrence"]["next_fire_utc"] == "2024-03-16T13:00:00Z"


def test_the_ninetieth_and_last_fire_is_on_the_twelfth_of_june(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, BEFORE)
    found = client.get(f"{send(client, FOUNDING).headers['location']}/preview?n=100").json()["occurrences"]
    assert len(found) == 90
    assert (found[0]["at_utc"], found[0]["local_time"]) == ("2024-03-15T13:00:00Z", "2024-03-15T09:00")
    assert found[-1]["at_utc"] == "2024-06-12T13:00:00Z"


def test_numbers_of_params_keep_every_digit(client: Client, connection: psycopg.Connection) -> None:
    text = '{"user_id":"u","template_id":"t","schedule_at":"PT1H","params":{"price":1.10,"big":12345678901234567890123}}'
    schedule_id = send(client, text).json()["schedule_id"]
    stored = rows(connection, "select params::text as params from gnomon.find_schedule(%s)", schedule_id)[0].params
    assert "1.10" in stored
    assert '"big": 12345678901234567890123' in client.get(f"{SCHEDULE}/{schedule_id}").text
    assert json.loads(stored)["price"] == 1.1
