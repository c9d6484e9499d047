"""gnomon doctor: what is wrong is said with a way out, and the exit code tells whether something is."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest

from gnomon import cli
from gnomon.doctor import horizon, server
from tests.sql.acts import claim, fire, settle
from tests.support.given import given_schedule

Run = Callable[..., tuple[int, str, str]]

#: This server was not built for production, and its rules are those of the wheel.
_OF_THE_TESTS: Final = {"server", "zone data"}


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line on the test's database: exit code, standard output, standard error."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return ran


def _examined(run: Run) -> dict[str, list[dict[str, Any]]]:
    code, out, err = run("doctor", "--json")
    told = json.loads(out)
    assert err == ""
    assert told["healthy"] == (code == 0)
    assert told["healthy"] != any(exam["findings"] for exam in told["checks"])
    for finding in (finding for exam in told["checks"] for finding in exam["findings"]):
        assert all(finding[part] for part in ("what", "why", "remedy"))
    return {exam["check"]: exam["findings"] for exam in told["checks"]}


def _all_beat(connection: psycopg.Connection) -> None:
    for group in ("due", "upkeep", "delivery/transactional/all"):
        connection.execute("select gnomon.beat(%s, %s, 'test')", [uuid4(), group])


def test_a_healthy_installation(run: Run, connection: psycopg.Connection) -> None:
    _all_beat(connection)
    found = _examined(run)
    assert {check for check, findings in found.items() if findings} == _OF_THE_TESTS
    assert [finding["what"] for finding in found["server"]][:1] == ["fsync is off."]


def test_what_is_wrong_is_found(run: Run, connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    connection.execute(
        "update gnomon_data.timers set fire_at_utc = fire_at_utc - interval '1 min', wanted_at_utc = '-infinity'"
    )
    connection.execute("delete from gnomon_data.periods where from_utc > gnomon_data.now_utc()")
    connection.execute("update gnomon_data.alembic_version set version_num = '0000'")
    found = _examined(run)
    assert len(found["processes"]) == 3
    assert "in the transactional lane waits since" in found["overdue"][0]["what"]
    assert "timers" in found["periods"][0]["what"]
    assert "gnomon migrate" in found["schema"][0]["remedy"]


def test_a_row_taken_out_is_named(run: Run, connection: psycopg.Connection) -> None:
    lost = given_schedule(connection)
    connection.execute("delete from gnomon_data.schedules")
    for _ in range(64):
        connection.execute("select gnomon.balance_ledger()")
    told = [finding["what"] for finding in _examined(run)["ledger"]]
    assert "1 accepted, 0 pending, 0 ended; 1 missing" in told[0]
    assert [what for what in told if lost.schedule_id in what and "has a timer" in what]


def test_a_receiver_that_does_not_accept_our_credentials_is_named(run: Run, connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    settle(connection, claim(connection), "unauthorised", detail="HTTP 401: who are you?")
    (finding,) = _examined(run)["credentials"]
    assert "channel log has not accepted our credentials since 2" in finding["what"]
    assert finding["what"].endswith("UTC: HTTP 401: who are you?.")


def test_what_was_set_aside_is_named_with_its_error(run: Run, connection: psycopg.Connection) -> None:
    _all_beat(connection)
    broken = given_schedule(connection, schedule_at="09:00", recurrence={"pattern": "daily"}, timezone="UTC").schedule_id
    connection.execute('update gnomon_data.schedules set rule = rule || \'{"time": "unreadable"}\'')
    connection.execute("update gnomon_data.timers set fire_at_utc = now(), wanted_at_utc = now()")
    connection.execute("select gnomon.fire_due(array(select generate_series(0, 63))::smallint[])")
    (finding,) = _examined(run)["set aside"]
    assert finding["what"].startswith("1 schedule set aside by 22007, invalid input syntax for type time")
    assert broken in finding["what"]
    assert "gnomon.retry_set_aside" in finding["remedy"]


def test_who_holds_the_horizon_is_named(run: Run, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(database_url, application_name="nightly report") as other:
        other.execute("select pg_current_xact_id()")
        assert not _examined(run)["horizon"]
        monkeypatch.setattr(horizon, "_LONG", timedelta())
        [finding] = _examined(run)["horizon"]
        assert finding["what"].startswith(
            f"Session {other.info.backend_pid} of postgres (nightly report, idle in transaction)"
        )
        assert f"pg_terminate_backend({other.info.backend_pid})" in finding["remedy"]
        other.rollback()


def test_sessions_that_fill_the_server(run: Run, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_FULL", 0.02)  # four of two hundred
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(psycopg.connect(database_url))
        assert "of 200 sessions are in use" in _examined(run)["sessions"][0]["what"]


def test_a_zone_whose_rules_changed_is_named_with_what_uses_it(run: Run, connection: psycopg.Connection) -> None:
    daily = {"schedule_at": "09:00", "timezone": "Europe/Berlin", "recurrence": {"pattern": "daily"}}
    given_schedule(connection, daily)
    connection.execute("update gnomon_data.zone_fingerprints set first_offset = 0 where time_zone = 'Europe/Berlin'")
    [finding] = _examined(run)["zone changes"]
    assert "Europe/Berlin: +00:00 is now +0" in finding["what"]
    assert "1 pending schedule" in finding["what"]
    code, out, _ = run("doctor")
    assert code == 1
    assert "-> gnomon retime shows what moves" in out


def test_a_zone_in_use_that_the_server_lost(run: Run, connection: psycopg.Connection) -> None:
    daily = {"schedule_at": "09:00", "timezone": "Europe/Berlin", "recurrence": {"pattern": "daily"}}
    given_schedule(connection, daily)
    for table in ("zone_fingerprints", "schedules"):
        connection.execute(
            f"update gnomon_data.{table} set time_zone = 'Europe/Atlantis' where time_zone = 'Europe/Berlin'".encode()
        )
    [finding] = _examined(run)["zone changes"]
    assert "no longer knows zones in use: Europe/Atlantis" in finding["what"]


def test_rules_older_than_the_package_are_named_with_the_instant(run: Run, connection: psycopg.Connection) -> None:
    row = connection.execute(
        "select timestamp '2027-01-15 09:00' at time zone 'America/Winnipeg' at time zone 'UTC'"
    ).fetchone()
    if row is None or row[0].hour == 14:
        pytest.skip("this server already knows that Manitoba gave up winter time")
    daily = {"schedule_at": "09:00", "timezone": "America/Winnipeg", "recurrence": {"pattern": "daily"}}
    given_schedule(connection, daily)
    [finding] = _examined(run)["zone data"]
    assert "America/Winnipeg: -06:00 instead of -05:00" in finding["what"]
    assert "1 pending schedule in these zones" in finding["why"]


def test_a_login_without_rights_is_told_so(
    run: Run, connection: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = f"stranger_{uuid4().hex[:8]}"
    connection.execute(f"create role {role} login".encode())
    try:
        monkeypatch.setenv("GNOMON_DATABASE_URL", database_url.replace("postgres@", f"{role}@"))
        found = _examined(run)
        assert "could not be looked at" in found["processes"][0]["what"]
    finally:
        connection.execute(f"drop role {role}".encode())


def test_without_a_schema(empty_database_url: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    found = _examined(run)
    assert "There is no schema" in found["schema"][0]["what"]
    assert {check for check, findings in found.items() if findings} == {"server", "schema"}
