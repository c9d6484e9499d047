"""gnomon retime: the plan, its application, and sessions that would go on by the old rules."""

import json
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest

from gnomon import cli
from gnomon.retiming import run as retiming
from tests.support.given import given_schedule, rows, value

Run = Callable[..., tuple[int, str, str]]

_DAILY = {"schedule_at": "09:00", "timezone": "Europe/Berlin", "recurrence": {"pattern": "daily"}}


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line on the test's database: exit code, standard output, standard error."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(retiming, "_SESSIONS_WITHIN", timedelta(milliseconds=300))

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return ran


def _upgrade(connection: psycopg.Connection) -> None:
    """Say that what was made in Berlin is in a zone that had Berlin's rules until now: two hours further from now on."""
    connection.execute("update gnomon_data.schedules set time_zone = 'Europe/Istanbul'")
    connection.execute(
        "update gnomon_data.zone_fingerprints as f set (first_offset, changes_at_utc, offsets) = (select b.first_offset,"
        " b.changes_at_utc, b.offsets from gnomon_data.zone_fingerprints as b where b.time_zone = 'Europe/Berlin')"
        " where f.time_zone = 'Europe/Istanbul'"
    )


def test_without_a_change_there_is_nothing_to_do(run: Run, connection: psycopg.Connection) -> None:
    given_schedule(connection, _DAILY)
    code, out, _ = run("retime", "--apply")
    assert (code, out) == (0, "The rules of no zone changed: nothing to do.\n")
    code, out, _ = run("retime", "--all")
    assert code == 0
    assert "No pending schedule has another instant." in out


def test_the_plan_changes_nothing_and_is_then_applied(run: Run, connection: psycopg.Connection) -> None:
    made = [given_schedule(connection, _DAILY, user_id=f"u{number}") for number in range(3)]
    _upgrade(connection)
    before = rows(connection, "select schedule_id, fire_at_utc from gnomon.schedules order by 1")

    code, out, _ = run("retime", "-n", "2")
    assert code == 0
    assert sum(one.schedule_id in out for one in made) == 2
    assert "The first 2; -n shows more." in out
    assert "gnomon retime --apply moves them" in out
    assert rows(connection, "select schedule_id, fire_at_utc from gnomon.schedules order by 1") == before

    code, out, _ = run("retime", "--apply", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["plan"]["time_zones"] == ["Europe/Istanbul"]
    assert {move["schedule_id"] for move in told["plan"]["moves"]} == {one.schedule_id for one in made}
    assert told["applied"]["moved_count"] == 3
    after = rows(connection, "select schedule_id, fire_at_utc from gnomon.schedules order by 1")
    assert all(new.fire_at_utc < old.fire_at_utc for old, new in zip(before, after, strict=True))
    assert value(connection, "select count(*) from gnomon.zone_drift()") == 0


def test_sessions_that_stay_are_named(run: Run, connection: psycopg.Connection, database_url: str) -> None:
    given_schedule(connection, _DAILY)
    _upgrade(connection)
    with psycopg.connect(database_url, application_name="shop"):
        _, out, _ = run("retime", "--apply", "--json")
    assert "shop" in json.loads(out)["applied"]["old_sessions"]


def test_a_zone_that_nobody_knows(run: Run) -> None:
    code, _, err = run("retime", "--zone", "Europe/Berlinn")
    assert code == 1
    assert "GN010" in err
    assert run("retime", "--zone", "Europe/Berlin", "--all")[0] == 2
