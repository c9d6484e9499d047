"""Pause and resume by label, user and template: what was accepted before, at once, and nothing that is made later."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import claim, fire, found, ledger, reschedule, step_to, sweep, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_NOON = utc("2026-12-01T12:00:00")
_DAILY = {"schedule_at": "12:00:10", "timezone": "UTC", "recurrence": {"pattern": "daily"}}
_ONCE = {"schedule_at": "PT10S"}
_SPRING = {"season": "spring"}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _call(connection: psycopg.Connection, kind: str, scope: str = "label", *target: str) -> Any:
    given = target or ("season", "spring")
    return one(connection, f"select * from gnomon.{kind}_by_{scope}({', '.join(['%s'] * len(given))})", *given)


def _operation(connection: psycopg.Connection, operation_id: str) -> Any:
    return one(connection, "select * from gnomon.find_operation(%s)", operation_id)


def _status(connection: psycopg.Connection, *schedules: Any) -> list[str]:
    return [found(connection, s.schedule_id).status for s in schedules]


@pytest.mark.parametrize(
    ("scope", "target", "others"),
    [
        ("label", ("season", "spring"), {"labels": {"season": "autumn"}}),
        ("user", ("u1",), {"user_id": "u2"}),
        ("template", ("t1",), {"template_id": "t2"}),
    ],
)
@pytest.mark.parametrize("is_swept", [True, False])
def test_made_paused_made_again_and_resumed(
    at_noon: psycopg.Connection, scope: str, target: tuple[str, ...], others: dict[str, Any], *, is_swept: bool
) -> None:
    wish = {"user_id": "u1", "template_id": "t1", "labels": _SPRING}
    held = [given_schedule(at_noon, wish | _DAILY, key="k"), given_schedule(at_noon, wish | _ONCE)]
    other = given_schedule(at_noon, wish | others | _ONCE)
    answer = _call(at_noon, "pause", scope, *target)
    assert (answer.kind, answer.scope, answer.value, answer.status) == ("pause", scope, target[-1], "running")
    again = given_schedule(at_noon, wish | _ONCE)
    assert given_schedule(at_noon, wish | _DAILY, key="k").status == "paused"
    if is_swept:
        sweep(at_noon)
        told = _operation(at_noon, answer.operation_id)
        assert (told.status, told.walked, told.swept_count) == ("done", 1, 2)
        assert value(at_noon, "select count(*) from gnomon_data.timers") == 2
    assert _status(at_noon, *held, other, again) == ["paused", "paused", "scheduled", "scheduled"]
    step_to(at_noon, _NOON + timedelta(seconds=20))
    assert fire(at_noon) == 2
    assert value(at_noon, "select count(*) from gnomon.overdue_schedules()") == 0

    answer = _call(at_noon, "resume", scope, *target)
    sweep(at_noon)

    told = _operation(at_noon, answer.operation_id)
    assert (told.kind, told.status, told.walked) == ("resume", "done", 1)
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0
    assert fire(at_noon) == 2, "what became overdue is a misfire, as after an outage"
    step_to(at_noon, _NOON + timedelta(days=1, seconds=10))
    at_noon.execute("select gnomon.make_periods()")
    assert fire(at_noon) == 1
    assert value(at_noon, "select sum(abs(missing_count)) from gnomon.ledger()") == 0


def test_a_resume_before_the_sweep_lets_go_on_what_was_not_due(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, _ONCE, labels=_SPRING)
    _call(at_noon, "pause")
    assert _status(at_noon, first) == ["paused"]
    _call(at_noon, "resume", "user", "u_abc123")
    assert _status(at_noon, first) == ["scheduled"]
    step_to(at_noon, _NOON + timedelta(seconds=10))
    assert fire(at_noon) == 1
    sweep(at_noon)
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0


def test_the_latest_of_several_counts(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels=_SPRING)
    for kind in ("pause", "resume", "pause"):
        _call(at_noon, kind)
    _call(at_noon, "resume", "template", "none")
    sweep(at_noon)
    assert _status(at_noon, first) == ["paused"]
    assert {o.status for o in rows(at_noon, "select (gnomon_data.operation_of(id)).* from gnomon_data.operations")} == {
        "done"
    }


@pytest.mark.parametrize("is_swept", [True, False])
def test_one_resumed_after_the_pause_of_many_stays_so(at_noon: psycopg.Connection, *, is_swept: bool) -> None:
    first, second = (given_schedule(at_noon, _DAILY, labels=_SPRING, user_id=user) for user in ("u1", "u2"))
    _call(at_noon, "pause")
    if is_swept:
        sweep(at_noon)
    assert one(at_noon, "select * from gnomon.resume_schedule(%s)", first.schedule_id).status == "scheduled"
    sweep(at_noon)
    assert _status(at_noon, first, second) == ["scheduled", "paused"]
    one(at_noon, "select * from gnomon.pause_schedule(%s)", first.schedule_id)
    _call(at_noon, "resume")
    sweep(at_noon)
    assert _status(at_noon, first, second) == ["scheduled", "scheduled"]


def test_an_edit_lifts_no_pause(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels=_SPRING, key="k")
    other = given_schedule(at_noon, labels={"season": "autumn"})
    _call(at_noon, "pause")
    assert reschedule(at_noon, first.schedule_id, {"labels": {"season": "autumn"}}, 1).status == "paused"
    assert reschedule(at_noon, other.schedule_id, {"labels": _SPRING}).status == "scheduled"
    assert given_schedule(at_noon, labels=_SPRING, key="k", schedule_at="PT2H").status == "paused"
    sweep(at_noon)
    assert _status(at_noon, first, other) == ["paused", "scheduled"]


def test_an_edit_beside_a_pause_that_commits_meanwhile(at_noon: psycopg.Connection, database_url: str) -> None:
    first = given_schedule(at_noon, labels=_SPRING)
    with sessions(database_url, 1) as (other,), other.transaction():
        reschedule(other, first.schedule_id, {"params": {"a": 1}})
        answer = _call(at_noon, "pause")
        sweep(at_noon)
        assert _operation(at_noon, answer.operation_id).status == "running", "the one that is being edited is left to do"
    assert _status(at_noon, first) == ["paused"]
    step_to(at_noon, _NOON + timedelta(seconds=2))
    sweep(at_noon)
    assert _operation(at_noon, answer.operation_id).status == "done"
    assert found(at_noon, first.schedule_id).version == 3


def test_a_cancel_of_many_goes_before_a_pause(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels=_SPRING)
    _call(at_noon, "pause")
    _call(at_noon, "cancel")
    assert _status(at_noon, first) == ["cancelled"]
    sweep(at_noon)
    assert (_status(at_noon, first), ledger(at_noon)) == (["cancelled"], ["cancelled"])
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0


def test_what_was_fired_ahead_comes_and_the_next_does_not(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY | {"schedule_at": "12:00:01"}, labels=_SPRING)
    assert fire(at_noon) == 1
    _call(at_noon, "pause")
    sweep(at_noon)
    step_to(at_noon, _NOON + timedelta(seconds=1))
    assert len(claim(at_noon)) == 1
    step_to(at_noon, _NOON + timedelta(days=1, seconds=1))
    assert fire(at_noon) == 0


def test_it_is_told_in_the_history(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, labels=_SPRING)
    answers = []
    for kind in ("pause", "resume"):
        answers.append(_call(at_noon, kind).operation_id)
        sweep(at_noon)
    events = rows(at_noon, "select kind, detail from gnomon_data.events order by detail ->> 'version'")
    assert [e.kind for e in events] == ["paused", "resumed"]
    assert [e.detail["operation_id"] for e in events] == answers


def test_two_of_many_come_one_after_the_other(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as (other,), other.transaction():
        _call(other, "pause")
        at_noon.execute("alter function gnomon_data.begin_pause(text, text, text, text, jsonb) set lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            _call(at_noon, "resume")


def test_targets_are_texts(at_noon: psycopg.Connection) -> None:
    for call in ("pause_by_label(null, 'x')", "resume_by_label('x', '')", "pause_by_user('')", "resume_by_template(null)"):
        with pytest.raises(psycopg.Error) as refused:
            at_noon.execute(f"select gnomon.{call}")
        assert refused.value.sqlstate == "GN024"


def test_view_and_explain_tell_it_before_the_sweep(at_noon: psycopg.Connection) -> None:
    first, second = (given_schedule(at_noon, labels=_SPRING, user_id=user) for user in ("u1", "u2"))
    other = given_schedule(at_noon, labels={"season": "autumn"})
    _call(at_noon, "pause")
    shown = "select schedule_id, status from gnomon.schedules order by status, schedule_id"
    pending = sorted([(first.schedule_id, "paused"), (second.schedule_id, "paused")])
    assert rows(at_noon, shown) == [*pending, (other.schedule_id, "scheduled")]
    told = value(at_noon, "select gnomon.explain_schedule(%s)", first.schedule_id)
    assert told["status"] == "paused"
    assert any(sentence.startswith("Paused with all") for sentence in told["summary"])
    _call(at_noon, "resume", "user", "u2")
    _call(at_noon, "cancel", "user", "u1")
    assert rows(at_noon, shown) == sorted([(other.schedule_id, "scheduled"), (second.schedule_id, "scheduled")])
    told = value(at_noon, "select gnomon.explain_schedule(%s)", first.schedule_id)
    assert (told["status"], told["next"]) == ("cancelled", None)
    assert told["summary"][0].startswith("Cancelled with all")
    _call(at_noon, "cancel")
    again = given_schedule(at_noon, labels=_SPRING, user_id="u3")
    assert {row.schedule_id for row in rows(at_noon, shown)} == {other.schedule_id, again.schedule_id}


def test_a_sweep_goes_on_where_another_process_stopped(at_noon: psycopg.Connection, database_url: str) -> None:
    made = [given_schedule(at_noon, user_id=f"u{n}", labels=_SPRING) for n in range(9)]
    answer = _call(at_noon, "pause")
    seen: list[int] = []
    while _operation(at_noon, answer.operation_id).status == "running":
        with sessions(database_url, 1) as (other,):
            value(other, "select gnomon.sweep_operations(2)")
        seen.append(_operation(at_noon, answer.operation_id).swept_count)
    assert (seen == sorted(seen), seen[-1]) == (True, 9)
    assert any(0 < count < 9 for count in seen)
    assert {*_status(at_noon, *made)} == {"paused"}
    assert {found(at_noon, s.schedule_id).version for s in made} == {2}, "each is paused once"
