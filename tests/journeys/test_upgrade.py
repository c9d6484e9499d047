"""A database with everything alive in it is upgraded under running processes: nothing is lost, nothing comes twice."""

from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from gnomon.database import history, migrate
from gnomon.files import migrations_folder
from tests.journeys.judge import judge
from tests.journeys.stage import Stage, accepted_of, on_stage, poll, request, tasks, work
from tests.support.given import one, rows, value

_FIRST, *_, _NEWEST = [one.path.name.partition("_")[0] for one in history.folders(migrations_folder() / "versions")]
_HERD: Final = 40
_APART: Final = timedelta(milliseconds=100)

#: What services and pollers call all day; prepared on a session before the upgrade and called after it.
_CALLS: Final[dict[str, list[Any]]] = {
    "select * from gnomon.find_schedule(%s)": [],
    "select * from gnomon.preview_schedule(%s, 2)": [],
    "select schedule_id, status from gnomon.schedules where schedule_id = %s": [],
    "select * from gnomon.pending_schedules(%s, 200)": ["daily"],
    "select gnomon.pending_count(%s)": ["daily"],
    "select * from gnomon.set_user(%s, 'Europe/Berlin')": ["daily"],
    "select * from gnomon.resolve_local(date '2027-03-28', time '02:30', %s)": ["Europe/Berlin"],
    "select count(*) from gnomon.next_due(%s::smallint[], '{0}', '{-infinity}', %s::uuid[])": [[0], [UUID(int=0)]],
    "select * from gnomon.queue_numbers()": [],
}


@pytest.mark.fault
@pytest.mark.session_time_zone("UTC")
def test_an_upgrade_under_load_loses_nothing(empty_database_url: str, open_folder: Path) -> None:
    migrate.upgrade(empty_database_url, _FIRST)
    with on_stage(empty_database_url, open_folder) as stage:
        stage.connection.prepare_threshold = 0
        stage.start(poll("poller"), work("worker"))
        begin = stage.now_utc() + timedelta(seconds=1.5)
        herd = stage.accept([request(f"u{n % 7}", begin + n * _APART, window="PT1S") for n in range(_HERD)])
        kept = _course(stage, "daily", begin + _HERD * _APART)
        calls = {sql: parameters or [kept.schedule_id] * sql.count("%s") for sql, parameters in _CALLS.items()}
        before = {sql: rows(stage.connection, sql, *parameters) for sql, parameters in calls.items()}
        later = stage.accept([request("later", "PT2H", key="later"), request("later", "PT3H")])

        assert migrate.upgrade(empty_database_url).revision == _NEWEST
        assert len(stage.received()) < _HERD, "the upgrade came too late to be in anybody's way"

        after = {sql: rows(stage.connection, sql, *parameters) for sql, parameters in calls.items()}
        assert {sql: found[:1] and found[0]._fields for sql, found in after.items()} == {
            sql: found[:1] and found[0]._fields for sql, found in before.items()
        }
        assert [sql for sql, found in after.items() if len(found) < len(before[sql])] == []
        stage.wait_for(tasks([*herd, kept]))
        assert judge(stage.received(), tasks([*herd, kept])).is_clean
        _still_in_hand(stage, later[0].schedule_id, later[1].schedule_id)
        details = one(stage.connection, "select * from gnomon.find_schedule(%s)", kept.schedule_id)
        assert details.fire_at_utc == kept.fire_at_utc + timedelta(days=1)
        assert details.recurrence["fired_count"] == 1


def _course(stage: Stage, user_id: str, at: Any) -> Any:
    words: dict[str, Any] = {"user_id": user_id, "template_id": "journey", "channels": ["webhook"], "timezone": "UTC"}
    words |= {"schedule_at": f"{at:%H:%M:%S}", "recurrence": {"pattern": "daily"}}
    return accepted_of(one(stage.connection, "select * from gnomon.schedule(%s)", Jsonb(words)), words)


def _still_in_hand(stage: Stage, moved: str, cancelled: str) -> None:
    """What was accepted before the upgrade is changed and cancelled after it; its key still names it."""
    change = one(stage.connection, "select * from gnomon.reschedule(%s, %s)", moved, Jsonb({"schedule_at": "PT5H"}))
    assert (change.status, change.version) == ("scheduled", 2)
    assert one(stage.connection, "select * from gnomon.cancel_schedule(%s)", cancelled).status == "cancelled"
    assert one(stage.connection, "select * from gnomon.cancel_schedule_by_key('later', 'later')").schedule_id == moved
    assert value(stage.connection, "select gnomon.pending_count('later')") == 0
