"""`gnomon lanes`: the numbers of the SQL function, as a table, live or once, and as JSON."""

import json
import os
import pty
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from gnomon import cli
from gnomon.deliveries.table import span
from gnomon.settings import surroundings
from tests.sql.acts import claim, fire, settle
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule
from tests.support.races import wait_until
from tests.support.roles import GNOMON


@pytest.fixture
def one_waits(connection: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch) -> psycopg.Connection:
    """A critical delivery due five seconds ago; another one that was due with it has ended."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "160")
    set_clock(connection, datetime(2026, 12, 10, 12, tzinfo=UTC))
    for user_id in ("u_1", "u_2"):
        given_schedule(connection, user_id=user_id, schedule_at="PT0S", lane="critical")
    fire(connection)
    advance(connection, timedelta(seconds=5))
    settle(connection, claim(connection, "critical", at_most=1))
    return connection


@pytest.mark.usefixtures("one_waits")
def test_once_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--once"], []):
        assert cli.run(["lanes", *arguments]) == 0
        heading, row = capsys.readouterr().out.splitlines()
        assert heading.split("  ")[0] == "lane"
        assert row.split() == ["critical", "log", "1", "5.0", "s", "2026-12-10", "12:00:00", "0", "1.0", "1.0", "s"]


@pytest.mark.usefixtures("one_waits")
def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["lanes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "lanes": [
            {
                "lane": "critical",
                "channel": "log",
                "lag_seconds": 5.0,
                "oldest_due_at": "2026-12-10T12:00:00Z",
                "waiting": 1,
                "waiting_is_estimate": False,
                "in_flight": 0,
                "in_flight_is_at_least": False,
                "ended_a_second": 1.0,
                "drain_seconds": 1.0,
            }
        ]
    }


def test_live_on_a_terminal_until_ctrl_c(one_waits: psycopg.Connection, database_url: str, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = surroundings() | {"GNOMON_DATABASE_URL": database_url, "TERM": "xterm", "COLUMNS": "160"}
    errors = (tmp_path / "errors").open("wb")
    with (
        errors,
        subprocess.Popen(
            [GNOMON, "lanes"],
            env=environment,
            stdout=theirs,
            stderr=errors,
            # What a shell runs in the background ignores Ctrl-C, and so do its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no threads here
        ) as running,
    ):
        os.close(theirs)
        os.set_blocking(ours, False)
        seen = bytearray()

        def shows(text: bytes) -> bool:
            try:
                seen.extend(os.read(ours, 1 << 16))
            except BlockingIOError:
                return False
            return text in seen

        try:
            wait_until(lambda: shows(b"5.0 s"), "the table is drawn")
            advance(one_waits, timedelta(seconds=2))
            wait_until(lambda: shows(b"7.0 s"), "the table is drawn anew")
            running.send_signal(signal.SIGINT)
            code = running.wait(10)
        finally:
            running.kill()
    os.close(ours)
    assert code == 130, (tmp_path / "errors").read_text()


def test_nothing_yet(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    assert cli.run(["lanes"]) == 0
    assert capsys.readouterr().out == "No lane has had a delivery yet.\n"
    assert cli.run(["lanes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"lanes": []}


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["lanes", "--help"]) == 0
    assert "gnomon lanes --json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (100_000, "27 h 46 min")],
)
def test_a_length_of_time(seconds: float, said: str) -> None:
    assert span(seconds) == said
