"""Cancel by label, user and template: at once what was accepted before, nothing that is made later; swept behind it."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import claim, fire, found, ledger, reschedule, settle, step_to, sweep, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_NOON = utc("2026-12-01T12:00:00")
_DAILY = {"schedule_at": "12:00:01", "timezone": "UTC", "recurrence": {"pattern": "daily"}}
_SPRING = {"season": "spring"}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _cancel(connection: psycopg.Connection, scope: str = "label", *target: str) -> Any:
    given = target or ("season", "spring")
    return one(connection, f"select * from gnomon.cancel_by_{scope}({', '.join(['%s'] * len(given))})", *given)


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
def test_made_cancelled_and_made_again(
    at_noon: psycopg.Connection, scope: str, target: tuple[str, ...], others: dict[str, Any]
) -> None:
    wish = {"user_id": "u1", "template_id": "t1", "labels": _SPRING} | _DAILY
    first, other = given_schedule(at_noon, wish, key="k"), given_schedule(at_noon, wish | others, key="o")
    loose = given_schedule(at_noon, wish)
    answer = _cancel(at_noon, scope, *target)
    assert (answer.kind, answer.scope, answer.value, answer.status) == ("cancel", scope, target[-1], "running")
    assert _status(at_noon, first, loose, other) == ["cancelled", "cancelled", "scheduled"]
    again, beside = given_schedule(at_noon, wish, key="k"), given_schedule(at_noon, wish)
    assert again.schedule_id != first.schedule_id
    assert not again.is_duplicate
    assert given_schedule(at_noon, wish, key="k").is_duplicate

    sweep(at_noon)

    told = _operation(at_noon, answer.operation_id)
    assert (told.status, told.walked, told.swept_count) == ("done", 1, 1), "the other one was ended by its upsert"
    assert value(at_noon, "select count(*) from gnomon_data.mass_cancels") == 0
    assert _status(at_noon, first, loose, other, again, beside) == [*["cancelled"] * 2, *["scheduled"] * 3]
    assert ledger(at_noon) == ["cancelled", "cancelled"]
    assert given_schedule(at_noon, wish, key="k").schedule_id == again.schedule_id


@pytest.mark.parametrize("when", [{"schedule_at": "PT1S"}, _DAILY])
def test_what_waits_to_be_claimed_is_never_handed_over(at_noon: psycopg.Connection, when: dict[str, Any]) -> None:
    first = given_schedule(at_noon, when, user_id="u1", labels=_SPRING)
    given_schedule(at_noon, when, user_id="u2", labels={"season": "autumn"})
    assert fire(at_noon) == 2
    step_to(at_noon, _NOON + timedelta(seconds=1))
    _cancel(at_noon)
    assert [c.event["subject"] for c in claim(at_noon)] == ["u2"]
    sweep(at_noon)
    assert ledger(at_noon, first.schedule_id) == ["fired", "cancelled", "withdrawn"]
    assert value(at_noon, "select count(*) from gnomon_data.deliveries where claim_id is null") == 0
    step_to(at_noon, _NOON + timedelta(days=2))
    at_noon.execute("select gnomon.make_periods()")
    fire(at_noon)
    assert {c.event["subject"] for c in claim(at_noon)} == {"u2"}


def test_a_timer_of_what_is_cancelled_fires_nothing(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, schedule_at="PT1S", labels=_SPRING)
    _cancel(at_noon)
    assert fire(at_noon) == 0
    sweep(at_noon)
    assert (_status(at_noon, first), ledger(at_noon)) == (["cancelled"], ["cancelled"])


def test_what_is_in_flight_gets_no_further_attempt(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, schedule_at="PT0S", labels=_SPRING)
    fire(at_noon)
    claims = claim(at_noon)
    _cancel(at_noon)
    sweep(at_noon)
    answer = one(at_noon, "select * from gnomon.cancel_schedule(%s)", first.schedule_id)
    assert (answer.status, answer.was_fired, answer.stopped_count) == ("fired", True, 1)
    settle(at_noon, claims, "retry")
    step_to(at_noon, _NOON + timedelta(hours=1))
    assert claim(at_noon) == []


def test_a_retry_of_what_is_cancelled_and_not_swept_is_not_handed_over(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT0S", labels=_SPRING)
    fire(at_noon)
    settle(at_noon, claim(at_noon), "retry")
    _cancel(at_noon)
    step_to(at_noon, _NOON + timedelta(minutes=5))
    assert claim(at_noon) == []


def test_nothing_revives_what_is_cancelled(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels=_SPRING)
    _cancel(at_noon)
    for call in ("pause_schedule", "resume_schedule", "run_schedule"):
        with pytest.raises(psycopg.Error, match="cancelled") as refused:
            at_noon.execute(f"select gnomon.{call}(%s)", [first.schedule_id])
        assert refused.value.sqlstate == "GN025"
    with pytest.raises(psycopg.Error, match="cancelled"):
        reschedule(at_noon, first.schedule_id, {"labels": None})
    assert value(at_noon, "select gnomon.pending_count('u_abc123')") == 0


def test_a_label_given_by_an_edit_after_the_cancel_is_not_meant(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels={"season": "autumn"})
    _cancel(at_noon)
    reschedule(at_noon, first.schedule_id, {"labels": _SPRING})
    sweep(at_noon)
    assert _status(at_noon, first) == ["scheduled"]
    _cancel(at_noon)
    assert _status(at_noon, first) == ["cancelled"]


def test_what_had_fired_ahead_is_made_anew_by_its_key(at_noon: psycopg.Connection) -> None:
    wish = {"schedule_at": (_NOON + timedelta(seconds=1)).isoformat(), "labels": _SPRING, "key": "k"}
    first = given_schedule(at_noon, wish)
    fire(at_noon)
    _cancel(at_noon)
    again = given_schedule(at_noon, wish)
    assert (again.schedule_id != first.schedule_id, again.is_duplicate) == (True, False)
    assert fire(at_noon) == 1
    step_to(at_noon, _NOON + timedelta(seconds=1))
    assert [c.event["data"]["schedule_id"] for c in claim(at_noon)] == [again.schedule_id]


def test_a_dedup_key_is_answered_with_the_status_of_today(at_noon: psycopg.Connection) -> None:
    first = given_schedule(at_noon, labels=_SPRING, dedup_key="d")
    _cancel(at_noon)
    again = given_schedule(at_noon, labels=_SPRING, dedup_key="d")
    assert (again.schedule_id, again.status, again.is_duplicate) == (first.schedule_id, "cancelled", True)


def test_who_accepted_before_and_commits_later_is_swept_too(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as (other,), other.transaction():
        late = given_schedule(other, labels=_SPRING)
        answer = _cancel(at_noon)
        for _ in range(3):
            sweep(at_noon)
            step_to(at_noon, value(at_noon, "select gnomon_data.now_utc()") + timedelta(seconds=2))
        assert _operation(at_noon, answer.operation_id).status == "running"
    sweep(at_noon)
    told = _operation(at_noon, answer.operation_id)
    assert (told.status, told.swept_count) == ("done", 1)
    assert _status(at_noon, late) == ["cancelled"]


def test_accepted_before_the_commit_of_a_cancel_is_accepted_before(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as (other,):
        with other.transaction():
            _cancel(other)
            first = given_schedule(at_noon, labels=_SPRING)
            assert _status(at_noon, first) == ["scheduled"]
        assert _status(at_noon, first) == ["cancelled"]
        with other.transaction(force_rollback=True):
            _cancel(other, "template", "pill")
            second = given_schedule(at_noon)
        assert _status(at_noon, second) == ["scheduled"]


def test_a_sweep_waits_for_nobody_and_goes_on_where_it_stopped(at_noon: psycopg.Connection, database_url: str) -> None:
    made = [given_schedule(at_noon, user_id=f"u{n}", labels=_SPRING) for n in range(7)]
    answer = _cancel(at_noon)
    with sessions(database_url, 1) as (other,), other.transaction():
        other.execute("select from gnomon_data.schedules where user_id = 'u3' for update")
        for _ in range(4):
            value(at_noon, "select gnomon.sweep_operations(2)")
        swept = _operation(at_noon, answer.operation_id).swept_count
        assert 0 < swept < 7
        sweep(at_noon, 2)
        assert _operation(at_noon, answer.operation_id).swept_count == 6
    step_to(at_noon, _NOON + timedelta(seconds=2))
    sweep(at_noon, 2)
    told = _operation(at_noon, answer.operation_id)
    assert (told.status, told.swept_count) == ("done", 7)
    assert {*_status(at_noon, *made)} == {"cancelled"}


def test_several_at_once_are_swept_in_turns(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, user_id="u1", labels=_SPRING)
    answers = [_cancel(at_noon), _cancel(at_noon), _cancel(at_noon, "user", "u1"), _cancel(at_noon, "template", "none")]
    sweep(at_noon)
    told = [_operation(at_noon, a.operation_id) for a in answers]
    assert {t.status for t in told} == {"done"}
    assert sum(t.swept_count for t in told) == 1


def test_a_target_is_a_text(at_noon: psycopg.Connection) -> None:
    for name, given in ((None, "x"), ("", "x"), ("x", None), ("x", "y" * 256)):
        with pytest.raises(psycopg.Error) as refused:
            at_noon.execute("select gnomon.cancel_by_label(%s, %s)", [name, given])
        assert refused.value.sqlstate == "GN024"
    assert rows(at_noon, "select from gnomon_data.operations") == []


def test_an_unknown_operation(at_noon: psycopg.Connection) -> None:
    for unknown in ("op_00000000000000000000000000", "sch_00000000000000000000000000", "op_1"):
        with pytest.raises(psycopg.Error) as refused:
            _operation(at_noon, unknown)
        assert refused.value.sqlstate == "GN020"
