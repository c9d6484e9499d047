"""Pause, resume and run: what is paused does not fire, nothing of it is lost, and an extra run moves nothing."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, deliver_all, fire, found, ledger, reschedule, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NINE = utc("2026-12-01T09:00:00")
_SECOND = timedelta(seconds=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_DAILY = {"schedule_at": "09:00", "timezone": "UTC", "key": "k", "recurrence": {"pattern": "daily"}}


@pytest.fixture
def at_eight(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at 08:00 of a day whose periods exist."""
    set_clock(connection, _NINE - _HOUR)
    connection.execute("select gnomon.make_periods()")
    return connection


def _call(connection: psycopg.Connection, name: str, schedule_id: str, version: int | None = None) -> Any:
    return one(connection, f"select * from gnomon.{name}_schedule(%s, %s)", schedule_id, version)


def _due(events: list[Any]) -> list[str]:
    return [event["data"]["due_at"] for event in events]


def _timers(connection: psycopg.Connection) -> int:
    return int(value(connection, "select (select count(*) from gnomon_data.timers) + count(*) from gnomon_data.timers_far"))


@pytest.mark.parametrize("words", [_DAILY, {"schedule_at": _NINE}])
def test_what_is_paused_does_not_fire_and_goes_on_when_resumed(at_eight: psycopg.Connection, words: dict[str, Any]) -> None:
    schedule = given_schedule(at_eight, words)

    paused = _call(at_eight, "pause", schedule.schedule_id)

    assert (paused.status, paused.version, paused.fire_at_utc) == ("paused", 2, _NINE)
    assert _timers(at_eight) == 0
    assert found(at_eight, schedule.schedule_id).status == "paused"
    assert one(at_eight, "select status, fire_at_utc from gnomon.pending_schedules('u_abc123')") == ("paused", _NINE)
    assert value(at_eight, "select status from gnomon.schedules") == "paused"

    resumed = _call(at_eight, "resume", schedule.schedule_id)

    assert (resumed.status, resumed.version, resumed.fire_at_utc) == ("scheduled", 3, _NINE)
    step_to(at_eight, _NINE)
    assert _due(deliver_all(at_eight)) == ["2026-12-01T09:00:00Z"]
    assert [row.kind for row in rows(at_eight, "select kind from gnomon_data.events order by at_utc, kind")] == [
        "paused",
        "resumed",
    ]


def test_pause_and_resume_repeated_change_nothing(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    assert _call(at_eight, "resume", schedule_id).version == 1
    first = _call(at_eight, "pause", schedule_id)
    before = one(at_eight, "select s, s.ctid from gnomon_data.schedules as s")
    step_to(at_eight, _NINE + _DAY)
    assert _call(at_eight, "pause", schedule_id) == first
    assert one(at_eight, "select s, s.ctid from gnomon_data.schedules as s") == before
    assert deliver_all(at_eight) == []
    assert rows(at_eight, "select * from gnomon.overdue_schedules()") == []


def test_one_second_before_it_is_due_a_recurrence_is_withdrawn(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    step_to(at_eight, _NINE - _SECOND)
    assert fire(at_eight) == 1

    assert _call(at_eight, "pause", schedule_id).fire_at_utc == _NINE

    step_to(at_eight, _NINE)
    assert deliver_all(at_eight) == []
    assert one(at_eight, "select due_at_utc, fired_count, last_due_at_utc from gnomon_data.schedules") == (_NINE, 0, None)
    assert sorted(ledger(at_eight, schedule_id)) == ["fired", "withdrawn"]

    _call(at_eight, "resume", schedule_id)
    assert [(e["data"]["due_at"], e["data"]["occurrence"]) for e in deliver_all(at_eight)] == [("2026-12-01T09:00:00Z", 1)]


def test_one_second_before_it_is_due_a_one_shot_is_on_its_way(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, schedule_at=_NINE).schedule_id
    step_to(at_eight, _NINE - _SECOND)
    fire(at_eight)
    for call, code in (("pause", "GN029"), ("resume", "GN029"), ("run", "GN029")):
        with pytest.raises(psycopg.Error) as fault:
            _call(at_eight, call, schedule_id)
        assert fault.value.sqlstate == code
    step_to(at_eight, _NINE)
    assert len(deliver_all(at_eight)) == 1
    with pytest.raises(psycopg.Error) as fault:
        _call(at_eight, "pause", schedule_id)
    assert fault.value.sqlstate == "GN025"


def test_what_a_worker_has_is_sent_and_the_next_is_paused(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    step_to(at_eight, _NINE)
    fire(at_eight)
    claims = claim(at_eight)
    assert _call(at_eight, "pause", schedule_id).fire_at_utc == _NINE + _DAY
    assert settle(at_eight, claims) == 1
    step_to(at_eight, _NINE + _DAY)
    assert deliver_all(at_eight) == []


def test_a_paused_schedule_stays_paused_through_edits_and_moves(at_eight: psycopg.Connection) -> None:
    given_user(at_eight, time_zone="UTC")
    words = {name: given for name, given in _DAILY.items() if name != "timezone"}
    schedule_id = given_schedule(at_eight, words).schedule_id
    _call(at_eight, "pause", schedule_id)

    assert reschedule(at_eight, schedule_id, {"template_id": "tablet"}).status == "paused"
    assert given_schedule(at_eight, words, schedule_at="10:00", template_id="tablet").status == "paused"
    at_eight.execute("select gnomon.move_user('u_abc123', 'Europe/Berlin')")
    assert _timers(at_eight) == 0
    assert (found(at_eight, schedule_id).status, found(at_eight, schedule_id).fire_at_utc) == ("paused", _NINE)

    _call(at_eight, "resume", schedule_id)
    step_to(at_eight, _NINE)
    assert _due(deliver_all(at_eight)) == ["2026-12-01T09:00:00Z"]


@pytest.mark.parametrize("words", [_DAILY, {"schedule_at": _NINE}])
def test_an_edit_of_what_became_overdue_while_paused_places_it_anew(
    at_eight: psycopg.Connection, words: dict[str, Any]
) -> None:
    schedule_id = given_schedule(at_eight, words).schedule_id
    _call(at_eight, "pause", schedule_id)
    step_to(at_eight, _NINE + 2 * _HOUR)
    at = "13:00" if "recurrence" in words else "2026-12-01T13:00:00Z"

    changed = reschedule(at_eight, schedule_id, {"schedule_at": at})

    assert (changed.schedule_id, changed.status, changed.fire_at_utc) == (schedule_id, "paused", _NINE + 4 * _HOUR)
    missed = rows(at_eight, "select (detail -> 'count')::int from gnomon_data.events where kind = 'missed'")
    assert missed == ([(1,)] if "recurrence" in words else [])
    _call(at_eight, "resume", schedule_id)
    assert deliver_all(at_eight) == []
    step_to(at_eight, _NINE + 4 * _HOUR)
    assert _due(deliver_all(at_eight)) == ["2026-12-01T13:00:00Z"]


def test_a_paused_schedule_can_be_cancelled(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    _call(at_eight, "pause", schedule_id)
    assert cancel(at_eight, schedule_id).status == "cancelled"
    with pytest.raises(psycopg.Error) as fault:
        _call(at_eight, "resume", schedule_id)
    assert fault.value.sqlstate == "GN025"


def test_a_stale_version_and_an_unknown_id(at_eight: psycopg.Connection) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    _call(at_eight, "pause", schedule_id, 1)
    unknown = "sch_01M3X2Q9T5000V8ZK3W7R1QH4C"
    for call in ("pause", "resume", "run"):
        for asked, version, code in ((schedule_id, 1, "GN021"), (unknown, None, "GN020")):
            with pytest.raises(psycopg.Error) as fault:
                _call(at_eight, call, asked, version)
            assert fault.value.sqlstate == code
    assert _call(at_eight, "resume", schedule_id, 2).version == 3


def test_a_pause_waits_for_an_edit_and_pauses_what_came_of_it(at_eight: psycopg.Connection, database_url: str) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    with sessions(database_url, 2) as [editor, pauser]:
        with editor.transaction():
            reschedule(editor, schedule_id, {"schedule_at": "10:00"})
            with in_background(lambda: _call(pauser, "pause", schedule_id)) as paused:
                wait_until_blocked(at_eight, pauser.info.backend_pid)
                editor.execute("commit")
                editor.execute("begin")
        assert paused.result()[1:3] == (_NINE + _HOUR, "paused")
    assert _timers(at_eight) == 0


def test_a_pause_waits_for_a_fire_ahead_and_takes_it_back(at_eight: psycopg.Connection, database_url: str) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    step_to(at_eight, _NINE - _SECOND)
    with sessions(database_url, 2) as [firing, pauser]:
        with firing.transaction():
            assert fire(firing) == 1
            with in_background(lambda: _call(pauser, "pause", schedule_id)) as paused:
                wait_until_blocked(at_eight, pauser.info.backend_pid)
                firing.execute("commit")
                firing.execute("begin")
        assert paused.result()[1:3] == (_NINE, "paused")
    step_to(at_eight, _NINE)
    assert deliver_all(at_eight) == []


def test_a_fire_waits_for_no_open_pause_and_an_upsert_keeps_it(at_eight: psycopg.Connection, database_url: str) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    step_to(at_eight, _NINE)
    with sessions(database_url, 2) as [pauser, rebuilder]:
        with pauser.transaction():
            _call(pauser, "pause", schedule_id)
            assert fire(at_eight) == 0
            with in_background(lambda: given_schedule(rebuilder, _DAILY, schedule_at="18:00")) as rebuilt:
                wait_until_blocked(at_eight, rebuilder.info.backend_pid)
                pauser.execute("commit")
                pauser.execute("begin")
        assert (rebuilt.result().schedule_id, rebuilt.result().status) == (schedule_id, "paused")
    step_to(at_eight, _NINE + _DAY)
    assert fire(at_eight) == 0


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_run_is_an_extra_one_and_moves_nothing(at_eight: psycopg.Connection, *, is_paused: bool) -> None:
    schedule_id = given_schedule(
        at_eight, _DAILY, recurrence={"pattern": "daily", "end_after": 2}, params={"dose": 2}
    ).schedule_id
    if is_paused:
        _call(at_eight, "pause", schedule_id)
    before = one(at_eight, "select s from gnomon_data.schedules as s")

    run = _call(at_eight, "run", schedule_id)

    assert (run.schedule_id, run.fire_at_utc, run.delivery_count) == (schedule_id, _NINE - _HOUR, 1)
    assert one(at_eight, "select s from gnomon_data.schedules as s") == before
    [event] = deliver_all(at_eight)
    told = event["data"]
    assert (told["notification_id"], told["occurrence"], told["params"]) == (run.notification_id, 0, {"dose": 2})
    assert (told["due_at"], told["local_time"]) == ("2026-12-01T08:00:00Z", "2026-12-01T08:00")
    if is_paused:
        _call(at_eight, "resume", schedule_id)
    events: list[Any] = []
    for day in range(4):
        step_to(at_eight, _NINE + day * _DAY)
        events += deliver_all(at_eight)
    assert [e["data"]["occurrence"] for e in events] == [1, 2]


@pytest.mark.parametrize("is_claimed", [False, True])
def test_a_cancel_stops_a_run_and_counts_only_the_series(at_eight: psycopg.Connection, *, is_claimed: bool) -> None:
    schedule_id = given_schedule(at_eight, _DAILY).schedule_id
    step_to(at_eight, _NINE)
    deliver_all(at_eight)
    _call(at_eight, "run", schedule_id)
    if is_claimed:
        claim(at_eight)

    answer = cancel(at_eight, schedule_id)

    assert (answer.status, answer.fired_count) == ("fired" if is_claimed else "cancelled", 1)
    assert claim(at_eight) == []


def test_a_run_keeps_the_users_order(at_eight: psycopg.Connection) -> None:
    given_schedule(at_eight, schedule_at=_NINE - _HOUR)
    fire(at_eight)
    run = _call(at_eight, "run", given_schedule(at_eight, _DAILY).schedule_id)
    [first] = claim(at_eight)
    assert first.event["data"]["notification_id"] != run.notification_id
    settle(at_eight, [first])
    assert [c.event["data"]["notification_id"] for c in claim(at_eight)] == [run.notification_id]
