"""The real process: `gnomon serve` answers, keeps its promises to the socket, and ends well."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from tests.app.http import JSON, ONCE, SCHEDULE
from tests.support.given import value
from tests.support.races import wait_until

GNOMON = [sys.executable, "-m", "gnomon"]


def bare() -> dict[str, str]:
    """The environment of this run without settings of ours."""
    return {name: text for name, text in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251


@contextmanager
def served(database_url: str, **settings: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    environment = bare() | {"GNOMON_DATABASE_URL": database_url, "GNOMON_LISTEN": "127.0.0.1:0"} | settings
    process = subprocess.Popen(
        [*GNOMON, "serve", "--json"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield json.loads(line)["address"], process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def in_flight(client: httpx.Client, connection: psycopg.Connection) -> Iterator[Future[httpx.Response]]:
    """A request that waits in the database as long as the block lasts."""
    body = json.dumps(ONCE | {"dedup_key": "d"})
    with ThreadPoolExecutor(max_workers=1) as threads, connection.transaction():
        connection.execute("lock table gnomon_data.schedule_keys in exclusive mode")
        answer = threads.submit(client.post, SCHEDULE, content=body, headers=JSON)
        waits = (
            "select exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database())"
        )
        wait_until(lambda: value(connection, waits), "the request waits in the database")
        yield answer


def refuses(address: str) -> bool:
    try:
        httpx.get(f"{address}/healthz")
    except httpx.TransportError:
        return True
    return False


def test_it_serves_and_answers_what_is_in_flight_when_it_ends(database_url: str, connection: psycopg.Connection) -> None:
    settings = {"GNOMON_API_TOKENS": "t0,t1", "GNOMON_DEFAULT_TIME_ZONE": "Asia/Kolkata", "GNOMON_NOTIFY": "off"}
    with served(database_url, **settings) as (address, process):
        with httpx.Client(base_url=address, headers={"Authorization": "Bearer t1"}) as client:
            assert client.get("/healthz").json() == {"status": "live"}
            made = client.post(SCHEDULE, content=json.dumps(ONCE | {"schedule_at": "09:00"}), headers=JSON)
            assert made.status_code == 201, made.text
            assert (made.json()["timezone"], made.json()["timezone_source"]) == ("Asia/Kolkata", "installation")
            assert "server" not in made.headers
            # As bytes on the wire: the path is not decoded on its way to us.
            assert client.get(f"{SCHEDULE}/u%2Fabc/pending").json()["total_pending"] == 0
            assert client.get(f"{SCHEDULE}/u_abc123/pending").json()["total_pending"] == 1
            assert client.get("/v1/users/%ff").status_code == 400
            with in_flight(client, connection) as answer:
                process.send_signal(signal.SIGTERM)
                wait_until(lambda: refuses(address), "the server takes no more connections")
            assert answer.result().status_code == 201
            _, log = process.communicate(timeout=20)
        assert process.returncode == 0, log
        assert "Traceback" not in log
    adopted: dict[str, str] = dict(connection.execute("select name, value from gnomon_data.settings").fetchall())
    assert adopted.items() >= {"default_time_zone": "Asia/Kolkata", "notify": "off"}.items()


@pytest.mark.parametrize("arguments", [["--listen", "0.0.0.0:0"], ["--listen", "nonsense"]])
def test_an_address_it_may_not_use_is_wrong_use(arguments: list[str]) -> None:
    done = subprocess.run(
        [*GNOMON, "serve", *arguments], env=bare(), capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 2
    assert "GNOMON_" in done.stderr
    assert "Traceback" not in done.stderr
