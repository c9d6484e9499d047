"""What a test starts from: users and schedules, made through the public SQL, as a caller would."""

from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb


def given_user(connection: psycopg.Connection, user_id: str = "u_abc123", time_zone: str | None = "Europe/Berlin") -> str:
    """Make a user who lives in a zone, and return the id."""
    connection.execute("select gnomon.set_user(%s, %s)", [user_id, time_zone])
    return user_id


def given_schedule(connection: psycopg.Connection, request: dict[str, Any] | None = None, **fields: Any) -> Any:
    """Schedule a request and return the row of type `scheduled`.

    Without a user_id, template_id or time it is u_abc123, pill, in an hour. An aware datetime may stand for schedule_at.
    """
    whole = {"user_id": "u_abc123", "template_id": "pill", "schedule_at": "PT1H"} | (request or {}) | fields
    if isinstance(at := whole["schedule_at"], datetime):
        whole["schedule_at"] = at.isoformat()
    return one(connection, "select * from gnomon.schedule(%s)", Jsonb(whole))


def one(connection: psycopg.Connection, query: str, *parameters: object) -> Any:
    """The only row of a query, its columns as attributes. Raises AssertionError when there is not exactly one."""
    found = rows(connection, query, *parameters)
    assert len(found) == 1, f"{len(found)} rows"
    return found[0]


def rows(connection: psycopg.Connection, query: str, *parameters: object) -> list[Any]:
    """All rows of a query, their columns as attributes."""
    with connection.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute(query, parameters or None).fetchall()


def value(connection: psycopg.Connection, query: str, *parameters: object) -> Any:
    """The only value of the only row of a query."""
    row = one(connection, query, *parameters)
    assert len(row) == 1, f"{len(row)} columns"
    return row[0]
