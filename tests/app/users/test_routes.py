from datetime import UTC, datetime

import psycopg

from tests.app.http import PILL, Client, problem, row_counts, send
from tests.support.clock import set_clock

USER = "/v1/users/u_abc123"


def test_setting_and_reading_a_user(client: Client) -> None:
    told = problem(client.get(USER), 404, "HTTP404")
    assert "u_abc123" in told["detail"]
    answer = send(client, {"timezone": "Europe/Berlin", "locale": "de"}, USER, "PUT")
    kept = {"user_id": "u_abc123", "timezone": "Europe/Berlin", "locale": "de"}
    assert (answer.status_code, answer.json()) == (200, kept | {"moved_count": 0, "pinned_count": 0})
    assert client.get(USER).json() == kept
    send(client, {"locale": "de-AT", "timezone": None}, USER, "PUT")
    assert client.get(USER).json() == kept | {"locale": "de-AT"}


def test_what_took_its_zone_from_the_user_moves(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, datetime(2026, 10, 24, 10, tzinfo=UTC))
    send(client, {"timezone": "Europe/Berlin"}, USER, "PUT")
    follows = send(client, {name: word for name, word in PILL.items() if name != "timezone"})
    assert follows.json()["timezone_source"] == "user"
    send(client, PILL)
    moved = send(client, {"timezone": "Asia/Tashkent"}, USER, "PUT").json()
    assert (moved["moved_count"], moved["pinned_count"]) == (1, 1)
    assert client.get(follows.headers["location"]).json()["fire_at_utc"] == "2026-10-24T13:00:00Z"


def test_bad_users_are_refused_and_nothing_is_written(client: Client, connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    for body, path, status, code, pointer in (
        ({"timezone": "UTC+3"}, USER, 422, "GN010", "/timezone"),
        ({"timezone": 3}, USER, 400, "GN024", "/timezone"),
        ({"locale": []}, USER, 400, "GN024", "/locale"),
        ({"time_zone": "UTC"}, USER, 400, "GN024", "/time_zone"),
        ({"timezone": "UTC"}, "/v1/users/" + "x" * 256, 400, "GN024", "/user_id"),
        ({"timezone": "UTC"}, "/v1/users/a%07b", 400, "GN024", "/user_id"),
        ({"timezone": "UTC"}, "/v1/users/a%00b", 400, "GN024", "/user_id"),
    ):
        told = problem(send(client, body, path, "PUT"), status, code)
        assert [error["pointer"] for error in told["errors"]] == [pointer]
    assert row_counts(connection) == before
