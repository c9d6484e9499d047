"""What the tests of the HTTP door share: how to send, and what every problem must be."""

import json
from typing import Any, Final, TypeAlias

import psycopg
from httpx import Response
from litestar.testing import TestClient
from psycopg import sql

from gnomon.web.asgi import Application

Client = TestClient[Application]

LOCAL: Final = "http://127.0.0.1:8080"
SCHEDULE: Final = "/v1/notifications/schedule"
JSON: Final = {"Content-Type": "application/json"}

#: Accepted as it stands.
ONCE: Final[dict[str, Any]] = {"user_id": "u_abc123", "template_id": "pill", "schedule_at": "PT1H"}
PILL: Final[dict[str, Any]] = {
    "user_id": "u_abc123",
    "template_id": "pill",
    "schedule_at": "18:00",
    "timezone": "Europe/Berlin",
    "recurrence": {"pattern": "daily"},
}


Body: TypeAlias = bytes | str | dict[str, Any]


def send(client: Client, body: Body, path: str = SCHEDULE, method: str = "POST", **headers: str) -> Response:
    """Send a body as JSON: bytes and text as they are."""
    content = json.dumps(body) if isinstance(body, dict) else body
    return client.request(method, path, content=content, headers=JSON | headers)


def problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    """The problem in an answer, after a look at what all problems have in common."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert {"type", "title", "status", "detail", "code", "errors"} <= told.keys()
    assert (told["status"], told["code"]) == (status, code), told
    assert told["title"]
    assert told["detail"]
    assert all(error.keys() == {"pointer", "detail"} for error in told["errors"])
    return told


def scheduled(client: Client, **fields: Any) -> dict[str, Any]:
    """Schedule ONCE with these fields changed, and return the answer's body."""
    answer = send(client, ONCE | fields)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def row_counts(connection: psycopg.Connection) -> dict[str, int]:
    """Rows of every table of ours, so that a test can say that nothing was written."""
    tables = connection.execute(
        "select relname from pg_class where relnamespace = 'gnomon_data'::regnamespace and relkind = 'r' order by 1"
    ).fetchall()
    counted = [
        sql.SQL("select {}, count(*) from {}").format(sql.Literal(name), sql.Identifier("gnomon_data", name))
        for (name,) in tables
    ]
    return dict(connection.execute(sql.SQL(" union all ").join(counted)).fetchall())
