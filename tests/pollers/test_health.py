import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from gnomon_pollers.health import skew_of
from tests.support.clock import set_clock
from tests.support.given import value
from tests.support.roles import Role


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def ask(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


def test_the_skew_is_taken_half_way_between_question_and_answer() -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    assert skew_of(at, at.timestamp() - 1, at.timestamp() + 3) == timedelta(seconds=1)


@pytest.mark.parametrize("command", ["poll", "work"])
def test_a_process_says_how_it_is(command: str, start: Callable[..., Role], connection: psycopg.Connection) -> None:
    port = free_port()
    start(command, "--listen", f"127.0.0.1:{port}")
    assert ask(port, "/healthz") == (200, '{"status": "live"}')
    status, body = ask(port, "/readyz")
    assert (status, json.loads(body)["status"]) == (200, "ready")
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(milliseconds=500), frozen=False)
    status, body = ask(port, "/readyz")
    assert status == 503
    answer: dict[str, Any] = json.loads(body)
    assert "clock" in answer["reason"]
    assert -600 < answer["clock_skew_ms"] < -400
    status, body = ask(port, "/metrics")
    assert status == 200
    assert "gnomon_leases" in body


def test_without_the_database_it_is_alive_and_not_ready(start: Callable[..., Role]) -> None:
    port = free_port()
    start("work", "--listen", f"127.0.0.1:{port}", GNOMON_DATABASE_URL=f"postgresql://nobody@127.0.0.1:{free_port()}/none")
    assert ask(port, "/healthz")[0] == 200
    status, body = ask(port, "/readyz")
    assert (status, json.loads(body)["reason"]) == (503, "the database does not answer")
