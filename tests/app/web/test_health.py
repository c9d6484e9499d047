from datetime import timedelta

import psycopg
import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from tests.app.http import LOCAL, ONCE, Client, problem, send
from tests.support.clock import clock, set_clock


def test_ready_when_the_database_the_schema_and_the_clock_fit(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["status"] == "ready"
    assert abs(body["clock_skew_ms"]) <= 100
    assert client.get("/healthz").json() == {"status": "live"}


def test_not_ready_when_the_clocks_differ(client: Client, connection: psycopg.Connection) -> None:
    for ahead in (timedelta(milliseconds=400), timedelta(seconds=-5)):
        set_clock(connection, None)
        set_clock(connection, clock(connection) + ahead, frozen=False)
        told = problem(client.get("/readyz"), 503, "HTTP503")
        assert [error["pointer"] for error in told["errors"]] == ["/clock_skew_ms"]


def test_not_ready_when_the_schema_is_an_older_one(client: Client, connection: psycopg.Connection) -> None:
    for revision in ("0000", None):
        connection.execute("delete from gnomon_data.alembic_version")
        if revision is not None:
            connection.execute("insert into gnomon_data.alembic_version values (%s)", [revision])
        told = problem(client.get("/readyz"), 503, "HTTP503")
        assert [error["pointer"] for error in told["errors"]] == ["/revision"]


def test_a_newer_schema_serves_the_older_version_too(client: Client, connection: psycopg.Connection) -> None:
    connection.execute("update gnomon_data.alembic_version set version_num = '9999'")
    assert client.get("/readyz").json()["revision"] == "9999"


def test_without_a_database_it_lives_and_says_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.web.asgi.PATIENCE", timedelta(milliseconds=200))
    nowhere = "postgresql://gnomon@127.0.0.1:1/gnomon"
    with TestClient(build_app(Settings(), nowhere), base_url=LOCAL) as client:
        assert client.get("/healthz").json() == {"status": "live"}
        told = problem(client.get("/readyz"), 503, "HTTP503")
        assert [error["pointer"] for error in told["errors"]] == ["/database"]
        refused = send(client, ONCE)
        problem(refused, 503, "HTTP503")
        assert int(refused.headers["retry-after"]) >= 1
