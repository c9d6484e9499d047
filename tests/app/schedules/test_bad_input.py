"""Every bad input: the same code in HTTP and in SQL, a pointer to the field, and nothing written."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from gnomon.web.problems import STATUS_OF_CODE
from tests.app.http import JSON, LOCAL, ONCE, PILL, SCHEDULE, Client, problem, row_counts, send
from tests.support import cluster

CRON = {"pattern": "cron", "cron_expr": "0 9 * * 1"}

# What is wrong, the request, the code, and the field that the answer points at.
CASES: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("a near miss of a zone", PILL | {"timezone": "europe/berlin"}, "GN010", "/timezone"),
    ("a zone that is none", PILL | {"timezone": "Mars/Olympus"}, "GN010", "/timezone"),
    ("an offset as a zone", PILL | {"timezone": "UTC+3"}, "GN010", "/timezone"),
    ("an abbreviation as a zone", PILL | {"timezone": "CET"}, "GN010", "/timezone"),
    ("24:00", PILL | {"schedule_at": "24:00"}, "GN013", "/schedule_at"),
    ("a minute that is none", PILL | {"schedule_at": "18:60"}, "GN013", "/schedule_at"),
    ("a naive instant", ONCE | {"schedule_at": "2030-01-01T00:00:00"}, "GN024", "/schedule_at"),
    ("infinity", ONCE | {"schedule_at": "infinity"}, "GN024", "/schedule_at"),
    ("what only PostgreSQL reads", ONCE | {"schedule_at": "tomorrow"}, "GN024", "/schedule_at"),
    ("months", ONCE | {"schedule_at": "P1M"}, "GN024", "/schedule_at"),
    ("a negative delay", ONCE | {"schedule_at": "-PT1H"}, "GN024", "/schedule_at"),
    ("beyond ten years", ONCE | {"schedule_at": "2099-01-01T00:00:00Z"}, "GN024", "/schedule_at"),
    ("long past", ONCE | {"schedule_at": "2020-01-01T00:00:00Z"}, "GN023", "/schedule_at"),
    ("no time", {"user_id": "u", "template_id": "t"}, "GN024", "/schedule_at"),
    ("a number as time", ONCE | {"schedule_at": 0}, "GN024", "/schedule_at"),
    ("a date that does not exist", PILL | {"schedule_date": "2027-02-29"}, "GN014", "/schedule_date"),
    ("a date of another form", PILL | {"schedule_date": "29.2.2028"}, "GN014", "/schedule_date"),
    ("a type against the form", ONCE | {"schedule_type": "user_local_time"}, "GN024", "/schedule_type"),
    ("an unknown field", ONCE | {"colour": "red"}, "GN024", "/colour"),
    ("an unknown category", ONCE | {"category": "news"}, "GN024", "/category"),
    ("a field not built yet", ONCE | {"collapse_key": "c"}, "GN028", "/collapse_key"),
    ("another one", ONCE | {"condition": {"name": "c"}}, "GN028", "/condition"),
    ("an unknown pattern", PILL | {"recurrence": {"pattern": "hourly"}}, "GN015", "/recurrence/pattern"),
    ("cron beside a time", PILL | {"recurrence": CRON}, "GN024", "/schedule_at"),
    (
        "no cron text",
        PILL | {"schedule_at": None, "recurrence": CRON | {"cron_expr": "9 am"}},
        "GN011",
        "/recurrence/cron_expr",
    ),
    ("30 February", PILL | {"schedule_at": None, "recurrence": CRON | {"cron_expr": "0 9 30 2 *"}}, "GN012", "/recurrence"),
    ("a limit of nothing", ONCE | {"misfire_limit": 3}, "GN024", "/misfire_limit"),
    ("an unknown rule field", PILL | {"recurrence": {"pattern": "daily", "colour": 1}}, "GN024", "/recurrence/colour"),
    ("an interval of 0", PILL | {"recurrence": {"pattern": "daily", "interval": 0}}, "GN015", "/recurrence/interval"),
    (
        "a rule without a day",
        PILL | {"recurrence": {"pattern": "daily", "end_date": "2020-01-01"}},
        "GN012",
        "/recurrence",
    ),
    ("65 KB of params", ONCE | {"params": {"a": "x" * 66_560}}, "GN024", "/params"),
    ("params that are no object", ONCE | {"params": [1]}, "GN024", "/params"),
    ("a dedup key of 256", ONCE | {"dedup_key": "k" * 256}, "GN024", "/dedup_key"),
    ("a key of 256", ONCE | {"key": "k" * 256}, "GN024", "/key"),
    ("an empty key", ONCE | {"key": ""}, "GN024", "/key"),
    ("an empty user", ONCE | {"user_id": ""}, "GN024", "/user_id"),
    ("no user", {"template_id": "t", "schedule_at": "PT1H"}, "GN024", "/user_id"),
    ("a user of 256", ONCE | {"user_id": "u" * 256}, "GN024", "/user_id"),
    ("a control character", ONCE | {"user_id": "a\u0007b"}, "GN024", "/user_id"),
    ("a number as user", ONCE | {"user_id": 7}, "GN024", "/user_id"),
    ("a boolean as template", ONCE | {"template_id": True}, "GN024", "/template_id"),
    ("a text as channels", ONCE | {"channels": "push"}, "GN024", "/channels"),
    ("a number among channels", ONCE | {"channels": ["push", 1]}, "GN024", "/channels"),
    ("an unknown channel", ONCE | {"channels": ["pigeon"]}, "GN027", "/channels"),
    ("an unknown lane", ONCE | {"lane": "urgent"}, "GN024", "/lane"),
    ("a text as interval", PILL | {"recurrence": {"pattern": "daily", "interval": "2"}}, "GN024", "/recurrence/interval"),
    ("both names of a field", ONCE | {"template": "pill"}, "GN024", "/template"),
    ("an unknown if_past", ONCE | {"if_past": "maybe"}, "GN024", "/if_past"),
    ("an expiry in the past", ONCE | {"expires_at": "2020-01-01T00:00:00Z"}, "GN024", "/expires_at"),
    ("labels that are no text", ONCE | {"labels": {"a": 1}}, "GN024", "/labels"),
    ("a local time with no zone known", {**ONCE, "schedule_at": "09:00"}, "GN026", "/timezone"),
)


@pytest.fixture(scope="module")
def shared_url(server: cluster.Server, template: str) -> Iterator[str]:
    """One database for all cases: none of them may change it."""
    with server.database(template) as url:
        yield url


@pytest.fixture(scope="module")
def shared(shared_url: str) -> Iterator[Client]:
    with TestClient(build_app(Settings(), shared_url), base_url=LOCAL) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(shared_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared_url, autocommit=True) as opened:
        yield opened


@pytest.mark.parametrize(("request_", "code", "pointer"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_same_refusal_in_http_and_in_sql(
    shared: Client, session: psycopg.Connection, request_: dict[str, Any], code: str, pointer: str
) -> None:
    before = row_counts(session)
    told = problem(send(shared, request_), STATUS_OF_CODE[code], code)
    assert [error["pointer"].startswith(pointer) for error in told["errors"]] == [True], told
    with pytest.raises(psycopg.Error) as caught:
        session.execute("select * from gnomon.schedule(%s::jsonb)", [json.dumps(request_)])
    assert caught.value.sqlstate == code
    assert caught.value.diag.message_primary == told["errors"][0]["detail"]
    assert row_counts(session) == before


def test_each_of_them_in_one_batch(shared: Client, session: psycopg.Connection) -> None:
    before = row_counts(session)
    body = json.dumps([case[1] for case in CASES])
    results = shared.post(f"{SCHEDULE}/batch", content=body, headers=JSON).json()["results"]
    assert [result["error"]["code"] for result in results] == [case[2] for case in CASES]
    assert row_counts(session) == before


def test_the_near_miss_is_named(shared: Client) -> None:
    told = problem(send(shared, PILL | {"timezone": "europe/berlin"}), 422, "GN010")
    assert "Europe/Berlin" in told["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"user_id": "a\\u0000b", "template_id": "t", "schedule_at": "PT1H"}',
        b'{"user_id": "a", "user_id": "b", "template_id": "t", "schedule_at": "PT1H"}',
        b'{"user_id": "\xff", "template_id": "t", "schedule_at": "PT1H"}',
        b'{"user_id": "a", "template_id": "t", "schedule_at": Infinity}',
        b'{"user_id": "a", "template_id": "t", "schedule_at": "PT1H", "params": {"a": 1e400}}',
        b"[]",
        b"null",
        b"",
    ],
)
def test_what_no_jsonb_can_hold(shared: Client, session: psycopg.Connection, body: bytes) -> None:
    before = row_counts(session)
    problem(send(shared, body), 400, "GN024")
    assert row_counts(session) == before


def test_a_dedup_key_with_another_body(client: Client, connection: psycopg.Connection) -> None:
    assert send(client, ONCE | {"dedup_key": "d"}).status_code == 201
    before = row_counts(connection)
    problem(send(client, ONCE | {"dedup_key": "d", "params": {"a": 1}}), 422, "GN022")
    assert row_counts(connection) == before


def test_a_change_that_is_refused_changes_nothing(client: Client, connection: psycopg.Connection) -> None:
    path = send(client, ONCE).headers["location"]
    before, text = row_counts(connection), client.get(path).text
    for change, code in (
        ({"schedule_at": "24:00"}, "GN013"),
        ({"timezone": "UTC+3", "schedule_at": "09:00"}, "GN010"),
        ({"colour": 1}, "GN024"),
        ({"user_id": "other"}, "GN024"),
        ({"template_id": None}, "GN024"),
        ({"recurrence": {"pattern": "yearly"}}, "GN013"),
        ({"category": "news"}, "GN024"),
        ({"collapse_key": "c"}, "GN028"),
    ):
        problem(send(client, change, path, "PATCH", **{"If-Match": '"1"'}), STATUS_OF_CODE[code], code)
    problem(send(client, {"params": {}}, path, "PATCH", **{"If-Match": '"2"'}), 412, "GN021")
    assert row_counts(connection) == before
    assert client.get(path).text == text
