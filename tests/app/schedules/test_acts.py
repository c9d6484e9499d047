"""Pause, resume, run and explain over HTTP."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.app.http import PILL, SCHEDULE, Client, problem, row_counts, scheduled
from tests.support.clock import set_clock

NOW = datetime(2026, 10, 24, 10, tzinfo=UTC)


@pytest.fixture
def path(client: Client, connection: psycopg.Connection) -> str:
    """The address of a daily pill at 18:00 in Berlin, seen at noon there."""
    set_clock(connection, NOW)
    return f"{SCHEDULE}/{scheduled(client, **PILL)['schedule_id']}"


def test_pause_and_resume(client: Client, path: str) -> None:
    paused = client.post(f"{path}/pause", headers={"If-Match": '"1"'})
    assert (paused.status_code, paused.headers["etag"]) == (200, '"2"')
    assert (paused.json()["status"], paused.json()["fire_at_utc"]) == ("paused", "2026-10-24T16:00:00Z")
    assert client.get(path).json()["status"] == "paused"
    assert [entry["status"] for entry in client.get(f"{SCHEDULE}/u_abc123/pending").json()["schedules"]] == ["paused"]
    assert client.post(f"{path}/pause").json() == paused.json()
    resumed = client.post(f"{path}/resume", content=b"{}")
    assert (resumed.status_code, resumed.headers["etag"], resumed.json()["status"]) == (200, '"3"', "scheduled")


def test_a_run_is_accepted_each_time(client: Client, path: str) -> None:
    first, second = client.post(f"{path}/run"), client.post(f"{path}/run", headers={"If-Match": "*"})
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["fire_at_utc"] == "2026-10-24T10:00:00Z"
    assert first.json()["notification_id"] != second.json()["notification_id"]


def test_explain_tells_it_in_this_order(client: Client, path: str) -> None:
    told = client.get(f"{path}/explain").json()
    assert list(told)[:5] == ["schedule_id", "status", "summary", "version", "fired_count"]
    assert told["summary"][0] == "Every day at 18:00, Europe/Berlin."
    assert told["next"]["offset_in_force"] == "+02:00"
    assert told["next"]["change"]["offset_after"] == "+01:00"
    client.delete(path)
    assert client.get(f"{path}/explain").json()["rule"] is None


def test_what_is_refused_writes_nothing(client: Client, path: str, connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    unknown = f"{SCHEDULE}/sch_01M3X2Q9T5000V8ZK3W7R1QH4C"
    for act in ("pause", "resume", "run"):
        problem(client.post(f"{unknown}/{act}"), 404, "GN020")
        problem(client.post(f"{path}/{act}", headers={"If-Match": '"7"'}), 412, "GN021")
        problem(client.post(f"{path}/{act}", content=b'{"until": "2027-01-01"}'), 400, "GN024")
    problem(client.get(f"{unknown}/explain"), 404, "GN020")
    assert row_counts(connection) == before


def test_one_that_is_over_and_one_on_its_way(client: Client, path: str, connection: psycopg.Connection) -> None:
    client.delete(path)
    problem(client.post(f"{path}/pause"), 409, "GN025")
    once = f"{SCHEDULE}/{scheduled(client, schedule_at='PT1S')['schedule_id']}"
    connection.execute("select gnomon.fire_due(array(select n::smallint from generate_series(0, 63) as n))")
    problem(client.post(f"{once}/pause"), 409, "GN029")
    set_clock(connection, NOW + timedelta(seconds=1))
    problem(client.post(f"{once}/run"), 409, "GN025")
