"""pause, resume, run and explain from the command line."""

import json
from datetime import UTC, datetime

import psycopg
import pytest

from gnomon.commands.explain import explain
from gnomon.commands.pause import pause
from gnomon.commands.resume import resume
from gnomon.commands.run import run
from tests.support.clock import set_clock
from tests.support.given import given_schedule


@pytest.fixture
def schedule_id(database_url: str, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> str:
    """A daily pill at 02:30 in New York, the day before clocks go forward there."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    set_clock(connection, datetime(2027, 3, 13, 12, tzinfo=UTC))
    made = given_schedule(connection, schedule_at="02:30", timezone="America/New_York", recurrence={"pattern": "daily"})
    return str(made.schedule_id)


def test_as_people_read_it(schedule_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, told in (
        (pause, "Paused. Its pending occurrence is that of 2027-03-14 07:00:00 UTC."),
        (resume, "Goes on with the occurrence of 2027-03-14 07:00:00 UTC."),
        (run, "is ready, deliveries: 1."),
    ):
        command(schedule_id)
        assert told in capsys.readouterr().out
    explain(schedule_id)
    out = capsys.readouterr().out
    for told in (
        ": scheduled",
        "Every day at 02:30, America/New_York.",
        "02:30 does not exist there",
        "Paused.",
        "Run by hand",
    ):
        assert told in out


def test_as_json(schedule_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, field, told in ((pause, "status", "paused"), (resume, "version", 3), (run, "delivery_count", 1)):
        command(schedule_id, as_json=True)
        assert json.loads(capsys.readouterr().out)[field] == told
    explain(schedule_id, as_json=True)
    assert json.loads(capsys.readouterr().out)["next"]["kind"] == "gap"
