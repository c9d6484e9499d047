"""GET /v1/forecast and `gnomon forecast`: the same curve."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from gnomon import cli
from gnomon.timers import forecast
from tests.app.http import Client, problem, scheduled
from tests.support.clock import set_clock

NOON = datetime(2026, 12, 10, 12, tzinfo=UTC)


def _told(client: Client, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/v1/forecast{query}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_the_curve_of_a_day(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, NOON + timedelta(seconds=20))
    for user in ("u_1", "u_2"):
        scheduled(client, user_id=user, schedule_at="2026-12-10T13:00:30Z")
    scheduled(client, user_id="u_3", schedule_at="2026-12-12T13:00:30Z", lane="bulk")
    assert _told(client) == {
        "from": "2026-12-10T12:00:00Z",
        "to": "2026-12-11T12:00:00Z",
        "counted_at": "2026-12-10T12:00:20Z",
        "due_count": 2,
        "is_estimate": False,
        "minutes": [{"minute": "2026-12-10T13:00:00Z", "lane": "transactional", "due_count": 2}],
    }
    assert _told(client, "?from=2026-12-10T13:01:00Z&to=2026-12-13T01:00:00%2B01:00")["due_count"] == 1
    assert _told(client, "?to=2026-12-10T11:00:00Z")["from"] == "2026-12-09T11:00:00Z"


@pytest.mark.parametrize(
    "query",
    ["?from=today", "?from=2026-12-10T13:01:00", "?to=9999-12-31T23:59:59-10:00", "?hours=3", "?to=2099-01-01T00:00:00Z"],
)
def test_what_cannot_be_asked(client: Client, query: str) -> None:
    problem(client.get(f"/v1/forecast{query}"), 400, "GN024")


def test_a_long_count_is_made_once_a_minute(
    client: Client, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecast, "_LONG", 0)
    set_clock(connection, NOON)
    scheduled(client)
    first = _told(client)
    scheduled(client)
    set_clock(connection, NOON + timedelta(seconds=59))
    assert _told(client) == first
    set_clock(connection, NOON + timedelta(seconds=60))
    assert _told(client)["due_count"] == 2


def test_the_chart(
    client: Client,
    connection: psycopg.Connection,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")
    set_clock(connection, NOON)
    assert cli.run(["forecast"]) == 0
    assert "Nothing fires between 2026-12-10 12:00 and 2026-12-11 12:00 UTC." in capsys.readouterr().out
    for minute in (5, 5, 5, 40):
        scheduled(client, user_id=f"u_{minute}", schedule_at=f"2026-12-10T14:{minute:02}:10Z")
    assert cli.run(["forecast", "--hours", "24"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[:2]] == ["Thu 10 14:00", "Thu 10 14:30"]
    assert lines[0].endswith(" 3")
    assert lines[0].count("█") == 60
    assert "4 fire between" in lines[-2]
    assert "2026-12-10 14:05 with 3" in lines[-1]
    assert cli.run(["forecast", "--from", "2026-12-10T14:00:00Z", "--hours", "0.5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["due_count"] == 3
    assert cli.run(["forecast", "--from", "noon"]) == 2
