"""Reschedule by label, user and template: what was accepted before, as of the call, and nothing that is made later."""

from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, fire, found, ledger, reschedule, settle, step_to, sweep, user_in, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_SPRING = {"season": "spring"}
_DAILY = {"schedule_at": "12:00:10", "timezone": "UTC", "recurrence": {"pattern": "daily"}}
_ONCE = {"schedule_at": "2026-12-01T12:00:10Z"}
_LATER = {"schedule_at": "12:30", "timezone": "UTC"}
_AT_HALF_PAST = _NOON + timedelta(minutes=30)
_UNWRITABLE = """
create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
create trigger refuse before insert on gnomon_data.schedules for each row
    when (new.user_id = 'u1') execute function pg_temp.refuse();
"""
_SET_ASIDE = """
insert into gnomon_data.set_aside (shard, id, what, schedule_id, lane, stamp, due_at_utc,
    error_code, error_text, set_aside_at_utc)
select s.shard, s.id, 'schedule', s.id, s.lane, s.stamp, s.due_at_utc, 'P0001', 'broken', s.due_at_utc
  from gnomon_data.schedules as s;
delete from gnomon_data.timers;
"""


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _move(connection: psycopg.Connection, change: dict[str, Any], scope: str = "label", *target: str) -> Any:
    given = target or ("season", "spring")
    places = ", ".join(["%s"] * len(given))
    return one(connection, f"select * from gnomon.reschedule_by_{scope}({places}, %s)", *given, Jsonb(change))


def _many(connection: psycopg.Connection, kind: str) -> Any:
    return one(connection, f"select * from gnomon.{kind}_by_label('season', 'spring')")


def _told(connection: psycopg.Connection, begun: Any) -> Any:
    return one(connection, "select * from gnomon.describe_operation(%s)", begun.operation_id)


def _due(connection: psycopg.Connection, *schedules: Any) -> list[tuple[str, datetime]]:
    told = [found(connection, s.schedule_id) for s in schedules]
    return [(t.status, t.fire_at_utc) for t in told]


def _is_balanced(connection: psycopg.Connection) -> bool:
    return value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0


@pytest.mark.parametrize(
    ("scope", "target", "others"),
    [
        ("label", ("season", "spring"), {"labels": {"season": "autumn"}}),
        ("user", ("u1",), {"user_id": "u2"}),
        ("template", ("t1",), {"template_id": "t2"}),
    ],
)
@pytest.mark.parametrize("is_swept", [True, False])
def test_made_rescheduled_and_made_again(
    at_noon: psycopg.Connection, scope: str, target: tuple[str, ...], others: dict[str, Any], *, is_swept: bool
) -> None:
    wish = {"user_id": "u1", "template_id": "t1", "labels": _SPRING}
    meant = [given_schedule(at_noon, wish | _DAILY, key="k"), given_schedule(at_noon, wish | _ONCE)]
    other = given_schedule(at_noon, wish | others | _ONCE)
    begun = _move(at_noon, _LATER, scope, *target)
    assert (begun.kind, begun.scope, begun.value, begun.status) == ("reschedule", scope, target[-1], "running")
    again = given_schedule(at_noon, wish | _ONCE)
    if is_swept:
        sweep(at_noon)
        told = _told(at_noon, begun)
        assert (told.status, told.walked, told.swept_count, told.refused_count) == ("done", 1, 2, 0)
        assert told.change == _LATER
        assert _due(at_noon, *meant) == [("scheduled", _AT_HALF_PAST)] * 2
        assert value(at_noon, "select count(*) from gnomon_data.timers") == 4
    else:
        assert {status for status, _ in _due(at_noon, *meant)} == {"rescheduling"}
    step_to(at_noon, _NOON + timedelta(seconds=20))
    assert fire(at_noon) == 2, "of those that are not meant"
    assert [_due(at_noon, s)[0][0] for s in (other, again)] == ["fired", "fired"]
    sweep(at_noon)
    assert fire(at_noon) == 0
    step_to(at_noon, _AT_HALF_PAST)
    assert value(at_noon, "select count(*) from gnomon.overdue_schedules()") == 0
    assert fire(at_noon) == 2
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0
    assert _is_balanced(at_noon)


def test_a_delay_counts_from_the_call_and_only_once(at_noon: psycopg.Connection) -> None:
    meant = [given_schedule(at_noon, _ONCE, user_id=f"u{n}", labels=_SPRING, key="k") for n in range(3)]
    begun = _move(at_noon, {"schedule_at": "PT1H"})
    step_to(at_noon, _NOON + timedelta(minutes=5))
    reschedule(at_noon, meant[0].schedule_id, {"params": {"a": 1}})
    value(at_noon, "select gnomon.sweep_operations(2)")
    sweep(at_noon)
    assert _told(at_noon, begun).status == "done"
    assert _due(at_noon, *meant) == [("scheduled", _NOON + timedelta(hours=1))] * 3
    assert [found(at_noon, s.schedule_id).version for s in meant] == [3, 2, 2]


def test_what_passes_before_the_sweep_comes_fires_at_once_and_once(at_noon: psycopg.Connection) -> None:
    for more in (_ONCE, _DAILY):
        given_schedule(at_noon, more, user_id="u1", labels=_SPRING)
    _move(at_noon, {"schedule_at": "12:00:05", "timezone": "UTC"})
    step_to(at_noon, _NOON + timedelta(minutes=5))
    assert fire(at_noon) == 0
    assert value(at_noon, "select count(*) from gnomon.overdue_schedules()") == 0, "they are held"
    sweep(at_noon)
    assert fire(at_noon) == 2
    assert [c.event["data"]["due_at"] for c in claim(at_noon)] == ["2026-12-01T12:00:05Z"]
    assert fire(at_noon) == 0
    assert _is_balanced(at_noon)


@pytest.mark.parametrize("is_swept_at_once", [True, False])
def test_what_was_fired_ahead_is_taken_back(at_noon: psycopg.Connection, *, is_swept_at_once: bool) -> None:
    near = {"schedule_at": "12:00:01", "timezone": "UTC"}
    meant = given_schedule(at_noon, _DAILY | near, labels=_SPRING)
    assert fire(at_noon) == 1
    begun = _move(at_noon, _LATER)
    if is_swept_at_once:
        sweep(at_noon)
    for seconds in (1, 3, 9):
        step_to(at_noon, _NOON + timedelta(seconds=seconds))
        assert claim(at_noon) == []
    sweep(at_noon)
    assert _due(at_noon, meant) == [("scheduled", _AT_HALF_PAST)]
    assert found(at_noon, meant.schedule_id).recurrence["fired_count"] == 0
    step_to(at_noon, _AT_HALF_PAST)
    assert fire(at_noon) == 1
    assert [c.event["data"]["due_at"] for c in claim(at_noon)] == ["2026-12-01T12:30:00Z"]
    assert (_told(at_noon, begun).refused_count, ledger(at_noon)) == (0, ["fired", "withdrawn", "fired"])
    assert _is_balanced(at_noon)


def test_what_was_handed_over_stays_so(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _DAILY | {"schedule_at": "12:00:01"}, labels=_SPRING)
    fire(at_noon)
    step_to(at_noon, _NOON + timedelta(seconds=1))
    held = claim(at_noon)
    _move(at_noon, _LATER)
    sweep(at_noon)
    assert settle(at_noon, held) == 1
    assert _due(at_noon, meant) == [("scheduled", _AT_HALF_PAST)]
    assert ledger(at_noon) == ["fired"]


def test_one_that_refuses_stays_as_it_was_and_is_counted(at_noon: psycopg.Connection) -> None:
    weekly = {"schedule_at": "12:00:10", "timezone": "UTC", "recurrence": {"pattern": "weekly"}}
    taking = given_schedule(at_noon, weekly, user_id="u1", labels=_SPRING)
    refusing = [
        given_schedule(at_noon, _ONCE, user_id="u2", labels=_SPRING),
        given_schedule(at_noon, _DAILY, user_id="u3", labels=_SPRING),
    ]
    begun = _move(at_noon, {"recurrence": {"weekdays": ["FRI"]}})
    step_to(at_noon, _NOON + timedelta(seconds=9))
    assert fire(at_noon) == 0
    sweep(at_noon)
    told = _told(at_noon, begun)
    assert (told.status, told.swept_count, told.refused_count) == ("done", 3, 2)
    assert {r["schedule_id"] for r in told.refusals} == {s.schedule_id for s in refusing}
    assert {(r["code"], r["pointer"]) for r in told.refusals} == {
        ("GN024", "/recurrence/pattern"),
        ("GN015", "/recurrence/weekdays"),
    }
    assert [found(at_noon, s.schedule_id).version for s in (*refusing, taking)] == [1, 1, 2]
    explained = value(at_noon, "select gnomon.explain_schedule(%s)", refusing[0].schedule_id)
    assert explained["history"][-1]["what"].startswith("A reschedule of many was refused")
    step_to(at_noon, _NOON + timedelta(seconds=10))
    assert fire(at_noon) == 2
    assert _is_balanced(at_noon)


def test_one_that_cannot_be_written_stops_no_other(at_noon: psycopg.Connection) -> None:
    meant = [given_schedule(at_noon, user_id=f"u{n}", labels=_SPRING) for n in range(4)]
    at_noon.execute(_UNWRITABLE)
    begun = _move(at_noon, {"schedule_at": "PT2H"})
    sweep(at_noon)
    told = _told(at_noon, begun)
    assert (told.status, told.swept_count, told.refused_count) == ("done", 4, 1)
    assert told.refusals[0] == {"schedule_id": meant[1].schedule_id, "code": "P0001", "detail": "broken", "pointer": ""}
    moved = rows(at_noon, "select schedule_id from gnomon.schedules where fire_at_utc = %s", _NOON + timedelta(hours=2))
    assert {row.schedule_id for row in moved} == {s.schedule_id for n, s in enumerate(meant) if n != 1}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"schedule_at": "25:00"}, "GN013"),
        ({"schedule_at": "2026-11-01T00:00:00Z", "recurrence": None}, "GN023"),
        ({"schedule_at": "2026-11-01T00:00:00Z", "if_past": "skip"}, "GN023"),
        ({"timezone": "Mars/Olympus"}, "GN010"),
        ({"key": "k"}, "GN024"),
        ({"when": "now"}, "GN024"),
        ({"condition": {"name": "x"}}, "GN028"),
        ({"category": "x"}, "GN024"),
        ({"recurrence": {"pattern": "cron", "cron_expr": "61 * * * *"}, "schedule_at": None}, "GN011"),
        ({"channels": ["pigeon"]}, "GN027"),
        ([], "GN024"),
    ],
)
def test_what_no_schedule_could_take_is_refused_at_the_call(untouched: psycopg.Connection, change: Any, code: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        _move(untouched, change)
    assert refused.value.sqlstate == code
    assert value(untouched, "select count(*) from gnomon_data.operations") == 0


@pytest.mark.parametrize(
    "change",
    [{}, {"timezone": None}, {"recurrence": {"weekdays": ["MON"]}}, {"on_gap": "skip"}, {"recurrence": {"every": "PT5M"}}],
)
def test_what_some_could_take_is_begun(at_noon: psycopg.Connection, change: dict[str, Any]) -> None:
    assert _move(at_noon, change).status == "running"


def test_it_stays_paused_and_is_changed(at_noon: psycopg.Connection) -> None:
    alone = given_schedule(at_noon, _DAILY, labels=_SPRING, user_id="u1")
    with_many = given_schedule(at_noon, _DAILY, labels=_SPRING, user_id="u2")
    one(at_noon, "select * from gnomon.pause_schedule(%s)", alone.schedule_id)
    _many(at_noon, "pause")
    _move(at_noon, _LATER)
    assert {status for status, _ in _due(at_noon, alone, with_many)} == {"paused"}
    sweep(at_noon)
    assert _due(at_noon, alone, with_many) == [("paused", _AT_HALF_PAST)] * 2
    step_to(at_noon, _AT_HALF_PAST)
    assert fire(at_noon) == 0
    _many(at_noon, "resume")
    sweep(at_noon)
    assert fire(at_noon) == 2
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0


def test_pauses_and_reschedules_are_applied_in_their_order(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _DAILY, labels=_SPRING)
    _many(at_noon, "pause")
    step_to(at_noon, _NOON + timedelta(minutes=1))
    _move(at_noon, _LATER)
    _many(at_noon, "resume")
    sweep(at_noon)
    assert _due(at_noon, meant) == [("scheduled", _AT_HALF_PAST)], "what became overdue in the pause is placed anew"
    assert fire(at_noon) == 0
    kinds = [
        e.kind for e in rows(at_noon, "select kind from gnomon_data.events order by (detail ->> 'version')::int nulls last")
    ]
    assert kinds == ["paused", "edited", "resumed", "missed"]


def test_what_was_due_at_the_call_fires_and_the_next_is_the_new(at_noon: psycopg.Connection) -> None:
    daily = given_schedule(at_noon, _DAILY, labels=_SPRING, user_id="u1")
    once = given_schedule(at_noon, _ONCE, labels=_SPRING, user_id="u2")
    step_to(at_noon, _NOON + timedelta(seconds=30))
    begun = _move(at_noon, _LATER)
    assert [status for status, _ in _due(at_noon, daily, once)] == ["scheduled", "scheduled"]
    assert fire(at_noon) == 2
    sweep(at_noon)
    assert _due(at_noon, daily) == [("scheduled", _AT_HALF_PAST)]
    assert (_told(at_noon, begun).swept_count, _told(at_noon, begun).refused_count) == (1, 0)


@pytest.mark.parametrize("change", [_LATER, {"params": {"b": 2}}])
def test_what_was_due_at_the_call_and_is_swept_first_fires_too(at_noon: psycopg.Connection, change: dict[str, Any]) -> None:
    given_schedule(at_noon, _DAILY, labels=_SPRING, user_id="u1")
    given_schedule(at_noon, _ONCE, labels=_SPRING, user_id="u2")
    step_to(at_noon, _NOON + timedelta(seconds=30))
    begun = _move(at_noon, change)
    sweep(at_noon)
    told = _told(at_noon, begun)
    assert (told.refused_count, told.refusals[0]["code"]) == (1, "GN029")
    assert fire(at_noon) == 2
    assert _is_balanced(at_noon)


def test_the_later_of_two_wins(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _DAILY, labels=_SPRING)
    _move(at_noon, _LATER | {"params": {"a": 1}})
    _move(at_noon, {"schedule_at": "13:00", "params": {"b": 2}}, "user", "u_abc123")
    sweep(at_noon)
    told = found(at_noon, meant.schedule_id)
    assert (told.fire_at_utc, told.params, told.version) == (_NOON + timedelta(hours=1), {"a": 1, "b": 2}, 3)


@pytest.mark.parametrize("kinds", [("cancel", "move"), ("move", "cancel")])
def test_a_cancel_of_many_goes_before(at_noon: psycopg.Connection, kinds: tuple[str, str]) -> None:
    meant, other = (given_schedule(at_noon, _DAILY, labels=_SPRING, key=key) for key in ("k", "l"))
    for kind in kinds:
        _move(at_noon, _LATER) if kind == "move" else _many(at_noon, kind)
    assert found(at_noon, meant.schedule_id).status == "cancelled"
    assert given_schedule(at_noon, _DAILY, labels=_SPRING, key="l").schedule_id != other.schedule_id
    sweep(at_noon)
    assert (found(at_noon, meant.schedule_id).status, ledger(at_noon)) == ("cancelled", ["cancelled", "cancelled"])
    assert value(at_noon, "select count(*) from gnomon_data.events where kind = 'edited'") == 0, "it is over, not changed"
    assert value(at_noon, "select count(*) from gnomon_data.mass_pauses") == 0


@pytest.mark.parametrize("is_keyed", [True, False])
def test_what_is_done_to_one_comes_after_it(at_noon: psycopg.Connection, *, is_keyed: bool) -> None:
    def made(number: int) -> str:
        more = {"key": "k"} if is_keyed else {}
        return str(given_schedule(at_noon, _DAILY | more, labels=_SPRING, user_id=f"u{number}").schedule_id)

    edited, paused, run, cancelled, resumed = (made(number) for number in range(5))
    _move(at_noon, _LATER)
    assert reschedule(at_noon, edited, {"params": {"a": 1}}, 1).fire_at_utc == _AT_HALF_PAST
    answer = one(at_noon, "select * from gnomon.pause_schedule(%s, 1)", paused)
    assert (answer.status, answer.fire_at_utc, answer.version) == ("paused", _AT_HALF_PAST, 3)
    assert one(at_noon, "select * from gnomon.run_schedule(%s, 1)", run).delivery_count == 1
    assert cancel(at_noon, cancelled).status == "cancelled"
    assert one(at_noon, "select * from gnomon.resume_schedule(%s)", resumed).fire_at_utc == _AT_HALF_PAST
    with pytest.raises(psycopg.Error) as stale:
        reschedule(at_noon, edited, {"params": {}}, 1)
    assert stale.value.sqlstate == "GN021"
    assert len(claim(at_noon)) == 1, "the extra one is handed over"
    sweep(at_noon)
    assert [found(at_noon, s).version for s in (edited, paused, run, resumed)] == [3, 3, 2, 2]
    assert found(at_noon, run).fire_at_utc == _AT_HALF_PAST
    assert _is_balanced(at_noon)


def test_an_upsert_comes_after_it(at_noon: psycopg.Connection) -> None:
    wish = _DAILY | {"labels": _SPRING, "key": "k"}
    back, same, other = (given_schedule(at_noon, wish, user_id=f"u{n}") for n in range(3))
    _move(at_noon, _LATER)
    again = given_schedule(at_noon, wish, user_id="u0")
    assert (again.schedule_id, again.version, again.is_duplicate) == (back.schedule_id, 3, False)
    assert again.fire_at_utc == _NOON + timedelta(seconds=10)
    again = given_schedule(at_noon, wish | _LATER, user_id="u1")
    assert (again.schedule_id, again.version, again.is_duplicate) == (same.schedule_id, 2, True)
    sweep(at_noon)
    assert given_schedule(at_noon, wish | _LATER, user_id="u2").is_duplicate
    assert _due(at_noon, back, other) == [("scheduled", _NOON + timedelta(seconds=10)), ("scheduled", _AT_HALF_PAST)]


def test_one_made_due_by_it_is_on_its_way(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, {"schedule_at": "PT2H"}, labels=_SPRING)
    _move(at_noon, {"schedule_at": "PT1M"})
    step_to(at_noon, _NOON + timedelta(minutes=2))
    with pytest.raises(psycopg.Error) as refused:
        reschedule(at_noon, meant.schedule_id, {"params": {"a": 1}})
    assert refused.value.sqlstate == "GN029"


def test_a_change_of_labels_counts_once_it_is_swept(at_noon: psycopg.Connection) -> None:
    first, second = (given_schedule(at_noon, labels=_SPRING, user_id=user) for user in ("u1", "u2"))
    _move(at_noon, {"labels": {"season": "autumn"}})
    one(at_noon, "select * from gnomon.cancel_by_label('season', 'autumn')")
    sweep(at_noon)
    assert [status for status, _ in _due(at_noon, first, second)] == ["scheduled", "scheduled"]
    assert found(at_noon, first.schedule_id).labels == {"season": "autumn"}
    one(at_noon, "select * from gnomon.cancel_by_label('season', 'autumn')")
    assert [status for status, _ in _due(at_noon, first, second)] == ["cancelled", "cancelled"]


def test_it_is_told_before_the_sweep(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, labels=_SPRING, user_id="u1")
    _move(at_noon, {"schedule_at": "PT2H"})
    again = given_schedule(at_noon, labels=_SPRING, user_id="u1")
    shown = {r.schedule_id: r.status for r in rows(at_noon, "select schedule_id, status from gnomon.schedules")}
    listed = {r.schedule_id: r.status for r in rows(at_noon, "select * from gnomon.pending_schedules('u1')")}
    assert shown == listed == {meant.schedule_id: "rescheduling", again.schedule_id: "scheduled"}
    told = value(at_noon, "select gnomon.explain_schedule(%s)", meant.schedule_id)
    assert told["status"] == "rescheduling"
    assert any(sentence.startswith("Rescheduled with all") for sentence in told["summary"])


def test_a_sweep_goes_on_where_another_process_stopped(at_noon: psycopg.Connection, database_url: str) -> None:
    meant = [given_schedule(at_noon, user_id=f"u{n}", labels=_SPRING) for n in range(9)]
    begun = _move(at_noon, {"schedule_at": "PT3H"})
    seen: list[int] = []
    while _told(at_noon, begun).status == "running":
        with sessions(database_url, 1) as (other,):
            with other.transaction(force_rollback=True):
                value(other, "select gnomon.sweep_operations(3)")
            value(other, "select gnomon.sweep_operations(2)")
        seen.append(_told(at_noon, begun).swept_count)
    assert (seen == sorted(seen), seen[-1]) == (True, 9)
    assert any(0 < count < 9 for count in seen)
    assert _due(at_noon, *meant) == [("scheduled", _NOON + timedelta(hours=3))] * 9
    assert {found(at_noon, s.schedule_id).version for s in meant} == {2}, "each is changed once"


def test_an_edit_and_an_accept_beside_it_that_commit_later(at_noon: psycopg.Connection, database_url: str) -> None:
    edited = given_schedule(at_noon, labels=_SPRING)
    with sessions(database_url, 1) as (other,), other.transaction():
        reschedule(other, edited.schedule_id, {"params": {"a": 1}})
        made = given_schedule(other, labels=_SPRING, user_id="u2")
        begun = _move(at_noon, {"schedule_at": "PT3H"})
        sweep(at_noon)
        assert _told(at_noon, begun).status == "running", "what others have open is left to do"
    assert [status for status, _ in _due(at_noon, edited, made)] == ["rescheduling", "rescheduling"]
    step_to(at_noon, _NOON + timedelta(seconds=2))
    sweep(at_noon)
    assert _told(at_noon, begun).status == "done"
    assert _due(at_noon, edited, made) == [("scheduled", _NOON + timedelta(hours=3))] * 2


@pytest.mark.parametrize("is_swept_at_once", [True, False])
def test_what_was_fired_ahead_of_one_that_refuses_comes(at_noon: psycopg.Connection, *, is_swept_at_once: bool) -> None:
    given_schedule(at_noon, _DAILY | {"schedule_at": "12:00:01"}, labels=_SPRING)
    assert fire(at_noon) == 1
    begun = _move(at_noon, {"recurrence": {"weekdays": ["FRI"]}})
    if is_swept_at_once:
        sweep(at_noon)
    else:
        for seconds in (1, 3, 7):
            step_to(at_noon, _NOON + timedelta(seconds=seconds))
            assert claim(at_noon) == []
        sweep(at_noon)
    step_to(at_noon, _NOON + timedelta(seconds=7))
    assert _told(at_noon, begun).refused_count == 1
    assert len(claim(at_noon)) == 1, "as soon as it is refused, and on time if that is before"


def test_a_pause_ends_when_its_schedules_are_paused_not_before(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _DAILY, labels=_SPRING)
    paused = _many(at_noon, "pause")
    _move(at_noon, _LATER)
    # Only the pause is swept, however often it is looked at.
    at_noon.execute("update gnomon_data.operations set resume_at_utc = 'infinity' where kind = 'reschedule'")
    for seconds in range(2, 12, 2):
        step_to(at_noon, _NOON + timedelta(seconds=seconds))
        sweep(at_noon)
    assert _told(at_noon, paused).status == "running"
    at_noon.execute("update gnomon_data.operations set resume_at_utc = created_at_utc")
    sweep(at_noon)
    step_to(at_noon, _NOON + timedelta(seconds=20))
    sweep(at_noon)
    assert _told(at_noon, paused).status == "done"
    assert _due(at_noon, meant) == [("paused", _AT_HALF_PAST)]


def test_who_changes_one_takes_its_key_before_the_schedule(at_noon: psycopg.Connection, database_url: str) -> None:
    meant = given_schedule(at_noon, _DAILY, key="k", labels=_SPRING)
    _move(at_noon, _LATER)
    with sessions(database_url, 2) as (keeper, pauser):
        with keeper.transaction():
            keeper.execute("select from gnomon_data.schedule_keys for update")
            query = "select * from gnomon.pause_schedule(%s)"
            with in_background(lambda: one(pauser, query, meant.schedule_id)) as paused:
                wait_until_blocked(at_noon, pauser.info.backend_pid)
                free = "select count(*) from (select from gnomon_data.schedules for update skip locked) as s"
                is_free = value(at_noon, free) == 1
                keeper.execute("commit")
                keeper.execute("begin")
        assert (is_free, paused.result().fire_at_utc) == (True, _AT_HALF_PAST)


def test_it_is_forgotten_with_what_it_refused(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, _DAILY, labels=_SPRING)
    _move(at_noon, {"recurrence": {"weekdays": ["FRI"]}})
    sweep(at_noon)
    assert value(at_noon, "select count(*) from gnomon_data.mass_refusals") == 1
    step_to(at_noon, _NOON + timedelta(days=8))
    sweep(at_noon)
    left = "select count(*) from (select from gnomon_data.operations union all select from gnomon_data.mass_refusals) as l"
    assert value(at_noon, left) == 0


def test_what_is_set_aside_comes_back_only_when_it_is_changed(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _ONCE, labels=_SPRING)
    at_noon.execute(_SET_ASIDE)
    _move(at_noon, {"recurrence": {"weekdays": ["FRI"]}})
    sweep(at_noon)
    assert found(at_noon, meant.schedule_id).status == "set_aside"
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 0
    _move(at_noon, {"params": {"a": 1}})
    sweep(at_noon)
    assert found(at_noon, meant.schedule_id).status == "scheduled"
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 1


def test_what_the_old_plan_would_fire_is_changed_first_and_comes_in_time(at_noon: psycopg.Connection) -> None:
    others = [given_schedule(at_noon, user_id=user_in(at_noon, n), labels=_SPRING) for n in range(9)]
    meant = given_schedule(at_noon, _ONCE, user_id=user_in(at_noon, 63), labels=_SPRING)
    begun = _move(at_noon, {"params": {"a": 1}})
    step_to(at_noon, _NOON + timedelta(seconds=8))
    assert fire(at_noon) == 0
    while found(at_noon, meant.schedule_id).status == "rescheduling":
        value(at_noon, "select gnomon.sweep_operations(1)")
    assert {status for status, _ in _due(at_noon, *others)} == {"rescheduling"}
    assert (_told(at_noon, begun).swept_count, fire(at_noon)) == (1, 1)
    step_to(at_noon, _NOON + timedelta(seconds=10))
    assert [c.event["data"]["params"] for c in claim(at_noon)] == [{"a": 1}]
    sweep(at_noon)
    assert _told(at_noon, begun).swept_count == 10
    assert value(at_noon, "select count(*) from gnomon_data.mass_waiting") == 0


def test_it_leaves_nothing_waiting(at_noon: psycopg.Connection) -> None:
    meant = given_schedule(at_noon, _ONCE, labels=_SPRING)
    begun = _move(at_noon, _LATER)
    step_to(at_noon, _NOON + timedelta(seconds=8))
    fire(at_noon)
    reschedule(at_noon, meant.schedule_id, {"params": {"a": 1}})
    cancel(at_noon, meant.schedule_id)
    assert value(at_noon, "select count(*) from gnomon_data.mass_waiting") == 1
    at_noon.execute(
        "insert into gnomon_data.mass_waiting select operation_id, 1, gen_random_uuid()"
        " from gnomon_data.mass_waiting cross join generate_series(1, 500)"
    )
    sweep(at_noon, 2)
    assert (_told(at_noon, begun).swept_count, _told(at_noon, begun).status) == (0, "done")
    assert value(at_noon, "select count(*) from gnomon_data.mass_waiting") == 0


def test_a_sweep_waits_for_no_claim_that_came_before(at_noon: psycopg.Connection, database_url: str) -> None:
    meant = given_schedule(at_noon, _DAILY | {"schedule_at": "12:00:01"}, labels=_SPRING)
    fire(at_noon)
    at_noon.execute("set lock_timeout = '1s'")
    with sessions(database_url, 2) as (caller, worker), worker.transaction():
        with caller.transaction():
            begun = _move(caller, _LATER)
            step_to(at_noon, _NOON + timedelta(seconds=1))
            held = claim(worker)
        sweep(at_noon)
        assert (len(held), _told(at_noon, begun).status) == (1, "running")
    step_to(at_noon, _NOON + timedelta(seconds=5))
    sweep(at_noon)
    assert (_told(at_noon, begun).status, settle(at_noon, held)) == ("done", 1)
    assert (_due(at_noon, meant), ledger(at_noon)) == ([("scheduled", _AT_HALF_PAST)], ["fired"])


def test_what_is_on_its_way_is_decided_before_the_walk(at_noon: psycopg.Connection) -> None:
    others = [given_schedule(at_noon, user_id=user_in(at_noon, n), labels=_SPRING) for n in range(9)]
    ahead = _DAILY | {"schedule_at": "12:00:01"}
    meant = given_schedule(at_noon, ahead, user_id=user_in(at_noon, 63), labels=_SPRING)
    fire(at_noon)
    _move(at_noon, _LATER)
    while found(at_noon, meant.schedule_id).fire_at_utc != _AT_HALF_PAST:
        value(at_noon, "select gnomon.sweep_operations(1)")
    assert {status for status, _ in _due(at_noon, *others)} == {"rescheduling"}


def test_what_an_edit_gives_the_label_is_not_meant(at_noon: psycopg.Connection) -> None:
    into = given_schedule(at_noon, _DAILY, labels={"season": "autumn"}, user_id="u1")
    out = given_schedule(at_noon, _DAILY, labels=_SPRING, user_id="u2")
    _move(at_noon, _LATER)
    reschedule(at_noon, into.schedule_id, {"labels": _SPRING})
    reschedule(at_noon, out.schedule_id, {"labels": {"season": "autumn"}})
    sweep(at_noon)
    assert [at for _, at in _due(at_noon, into, out)] == [_NOON + timedelta(seconds=10), _AT_HALF_PAST]


def test_an_instant_misfires_as_its_schedule_says_when_the_sweep_is_late(at_noon: psycopg.Connection) -> None:
    skipping = _DAILY | {"misfire": "skip"}
    meant = given_schedule(at_noon, skipping, labels=_SPRING)
    _move(at_noon, {"schedule_at": "12:00:05"})
    step_to(at_noon, _NOON + timedelta(minutes=5))
    sweep(at_noon)
    assert (fire(at_noon), ledger(at_noon)) == (0, ["missed"])
    assert _due(at_noon, meant) == [("scheduled", _NOON + timedelta(days=1, seconds=5))]
