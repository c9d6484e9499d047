"""Changes of a live schedule: by PATCH and by key, early, ahead of the instant, and when it has passed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import (
    claim,
    deliver_all,
    fire,
    found,
    ledger,
    reschedule,
    row_counts,
    schedule_many,
    settle,
    step_to,
    utc,
)
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows, value

_NINE = utc("2026-12-01T09:00:00")
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_PILL = {
    "user_id": "u_abc123",
    "template_id": "pill",
    "schedule_at": "09:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "daily"},
    "key": "pill-17",
}


@pytest.fixture
def clock_at(connection: psycopg.Connection) -> Callable[[Any], psycopg.Connection]:
    """Sets the frozen clock and makes the periods of that day."""

    def at(instant: Any) -> psycopg.Connection:
        set_clock(connection, instant)
        connection.execute("select gnomon.make_periods()")
        return connection

    return at


def _pending(connection: psycopg.Connection) -> list[Any]:
    """When the pending occurrence of each schedule fires, and how many have fired."""
    return [tuple(row) for row in rows(connection, "select fire_at_utc, fired_count from gnomon_data.schedules order by 1")]


def _fired_ahead(clock_at: Callable[[Any], psycopg.Connection], **fields: Any) -> tuple[psycopg.Connection, str]:
    """The second occurrence of a daily pill, fired a second before its instant."""
    connection = clock_at(_NINE - _DAY - timedelta(hours=1))
    schedule = given_schedule(connection, _PILL, **fields)
    step_to(connection, _NINE - _DAY)
    fire(connection)
    settle(connection, claim(connection))
    step_to(connection, _NINE - _SECOND)
    assert fire(connection) == 1
    assert _pending(connection) == [(_NINE + _DAY, 2)]
    return connection, schedule.schedule_id


def test_other_words_keep_stamp_and_timer(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    schedule = given_schedule(connection, _PILL)
    before = one(connection, "select stamp, ctid from gnomon_data.timers")

    answer = reschedule(connection, schedule.schedule_id, {"params": {"dose": 2}, "template_id": "tablet"})

    assert (answer.fire_at_utc, answer.version) == (schedule.fire_at_utc, 2)
    assert one(connection, "select stamp, ctid from gnomon_data.timers") == before
    assert found(connection, schedule.schedule_id).params == {"dose": 2}


def test_the_same_words_change_nothing(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    schedule = given_schedule(connection, _PILL)
    before = one(connection, "select s, s.ctid from gnomon_data.schedules as s")

    again = given_schedule(connection, _PILL)
    patched = reschedule(connection, schedule.schedule_id, {"schedule_at": "09:00"})

    assert (again.schedule_id, again.version, again.is_duplicate) == (schedule.schedule_id, 1, True)
    assert patched.version == 1
    assert one(connection, "select s, s.ctid from gnomon_data.schedules as s") == before


def test_another_lane_moves_the_timer_to_it(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    schedule = given_schedule(connection, _PILL)

    reschedule(connection, schedule.schedule_id, {"lane": "critical"})

    assert one(connection, "select lane, fire_at_utc from gnomon_data.timers") == (0, schedule.fire_at_utc)


@pytest.mark.parametrize(
    ("change", "next_at"),
    [
        ({"params": {"dose": 2}}, _NINE),
        ({"recurrence": {"end_after": 9}}, _NINE),
        ({"schedule_at": "21:00"}, _NINE + timedelta(hours=12)),
        ({"timezone": "America/New_York"}, _NINE + timedelta(hours=5)),
        ({"lane": "critical"}, _NINE),
    ],
)
def test_fired_ahead_comes_back_with_count_and_last_instant(
    clock_at: Callable[[Any], psycopg.Connection], change: dict[str, Any], next_at: Any
) -> None:
    connection, schedule_id = _fired_ahead(clock_at)

    answer = reschedule(connection, schedule_id, change)

    assert answer.fire_at_utc == next_at
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 0
    assert _pending(connection) == [(next_at, 1)]
    assert value(connection, "select last_due_at_utc from gnomon_data.schedules") == _NINE - _DAY
    assert sorted(ledger(connection, schedule_id)) == ["fired", "fired", "withdrawn"]

    step_to(connection, next_at)
    assert fire(connection) == 1
    lane = "critical" if "lane" in change else "transactional"
    assert [c.event["data"]["occurrence"] for c in claim(connection, lane)] == [2]


def test_the_same_by_key(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection, schedule_id = _fired_ahead(clock_at)

    answer = given_schedule(connection, _PILL, schedule_at="21:00")

    assert (answer.schedule_id, answer.version) == (schedule_id, 2)
    assert _pending(connection) == [(_NINE + timedelta(hours=12), 1)]


def test_an_unchanged_upsert_leaves_what_was_fired_ahead(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection, _ = _fired_ahead(clock_at)

    assert given_schedule(connection, _PILL).is_duplicate

    step_to(connection, _NINE)
    assert len(claim(connection)) == 1


def test_a_refused_change_in_a_batch_loses_nothing_that_was_fired_ahead(
    clock_at: Callable[[Any], psycopg.Connection],
) -> None:
    connection, _ = _fired_ahead(clock_at)

    [never, reached] = schedule_many(
        connection,
        [_PILL | {"recurrence": {"pattern": "daily", "end_date": "2020-01-01"}},
         _PILL | {"user_id": "u_other", "recurrence": {"pattern": "hourly"}}],
    )  # fmt: skip
    [ended] = schedule_many(connection, [_PILL | {"recurrence": {"pattern": "daily", "end_after": 1}}])

    assert [never.error_code, reached.error_code, ended.error_code] == ["GN012", "GN015", "GN012"]
    step_to(connection, _NINE)
    fire(connection)
    assert [c.event["data"]["due_at"] for c in claim(connection)] == ["2026-12-01T09:00:00Z"]
    assert _pending(connection) == [(_NINE + _DAY, 2)]


def test_a_one_shot_that_was_fired_ahead_cannot_change(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE - _SECOND)
    schedule = given_schedule(connection, schedule_at=_NINE)
    fire(connection)

    assert found(connection, schedule.schedule_id).channels == ["log"]
    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule.schedule_id, {"params": {"dose": 2}})
    assert fault.value.sqlstate == "GN029"

    step_to(connection, _NINE)
    settle(connection, claim(connection))
    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule.schedule_id, {"params": {"dose": 2}})
    assert fault.value.sqlstate == "GN025"


def test_a_one_shot_that_was_fired_ahead_is_replaced_by_its_key(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE - _SECOND)
    first = given_schedule(connection, schedule_at=_NINE, key="k")
    fire(connection)

    second = given_schedule(connection, schedule_at=_NINE + timedelta(hours=1), key="k")

    assert second.schedule_id != first.schedule_id
    assert found(connection, first.schedule_id).status == "cancelled"
    step_to(connection, _NINE + timedelta(hours=1))
    fire(connection)
    assert [c.event["data"]["schedule_id"] for c in claim(connection)] == [second.schedule_id]


def test_a_refused_replacement_leaves_the_one_shot_on_its_way(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE - _SECOND)
    given_schedule(connection, schedule_at=_NINE, key="k")
    fire(connection)

    [answer] = schedule_many(
        connection, [{"user_id": "u_abc123", "template_id": "pill", "schedule_at": "2020-01-01T00:00:00Z", "key": "k"}]
    )

    assert answer.error_code == "GN023"
    step_to(connection, _NINE)
    assert len(claim(connection)) == 1


def test_an_overdue_occurrence_still_fires_and_the_next_follows_the_new_rule(
    clock_at: Callable[[Any], psycopg.Connection],
) -> None:
    connection = clock_at(_NINE - timedelta(hours=1))
    given_schedule(connection, _PILL)
    step_to(connection, _NINE + timedelta(minutes=5))

    answer = given_schedule(connection, _PILL, schedule_at="21:00")
    assert answer.fire_at_utc == _NINE + timedelta(hours=12)

    assert fire(connection) == 1
    [handed_over] = claim(connection)
    assert handed_over.event["data"]["due_at"] == "2026-12-01T09:00:00Z"
    assert _pending(connection) == [(_NINE + timedelta(hours=12), 1)]


def test_an_overdue_one_shot_still_fires_beside_the_new_one(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE - timedelta(hours=1))
    first = given_schedule(connection, schedule_at=_NINE, key="k")
    step_to(connection, _NINE + timedelta(minutes=1))

    second = given_schedule(connection, schedule_at=_NINE + timedelta(hours=1), key="k")

    assert second.schedule_id != first.schedule_id
    step_to(connection, _NINE + timedelta(hours=1))
    fire(connection)
    handed_over = [claim(connection)[0]]
    settle(connection, handed_over)
    handed_over += claim(connection)
    assert [c.event["data"]["schedule_id"] for c in handed_over] == [first.schedule_id, second.schedule_id]


def test_an_overdue_recurrence_that_becomes_a_one_shot_fires_once_more(
    clock_at: Callable[[Any], psycopg.Connection],
) -> None:
    connection = clock_at(_NINE - timedelta(hours=1))
    first = given_schedule(connection, _PILL)
    step_to(connection, _NINE + timedelta(minutes=1))

    second = given_schedule(connection, key="pill-17", schedule_at=_NINE + timedelta(hours=1))
    assert second.schedule_id != first.schedule_id

    step_to(connection, _NINE + 3 * _DAY)
    assert [fire(connection), fire(connection)] == [2, 0]
    assert found(connection, first.schedule_id).status == "fired"


def test_by_patch_an_overdue_recurrence_stays_one_until_it_has_fired(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE - timedelta(hours=1))
    schedule = given_schedule(connection, _PILL)
    step_to(connection, _NINE + timedelta(minutes=1))
    to_once = {"recurrence": None, "schedule_date": "2026-12-05"}

    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule.schedule_id, to_once)
    assert fault.value.sqlstate == "GN029"

    fire(connection)
    settle(connection, claim(connection))
    assert reschedule(connection, schedule.schedule_id, to_once).fire_at_utc == _NINE + 4 * _DAY


def test_end_after_is_exact_through_changes_ahead_of_the_instant(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection, schedule_id = _fired_ahead(clock_at, recurrence={"pattern": "daily", "end_after": 4})
    reschedule(connection, schedule_id, {"params": {"dose": 2}})

    events: list[Any] = []
    for day in range(9):
        step_to(connection, _NINE + day * _DAY)
        fire(connection)
        claims = claim(connection)
        settle(connection, claims)
        events += [c.event["data"]["occurrence"] for c in claims]

    assert events == [2, 3, 4]
    assert found(connection, schedule_id).status == "completed"


def test_an_upsert_of_the_last_one_fired_ahead_goes_on_counting(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    course = {"pattern": "daily", "end_after": 2}
    connection = clock_at(_NINE - timedelta(hours=30))
    schedule_id = given_schedule(connection, _PILL, recurrence=course).schedule_id
    for at in (_NINE - _DAY, _NINE - _SECOND):
        step_to(connection, at)
        fire(connection)
        settle(connection, claim(connection))
    assert value(connection, "select count(*) from gnomon_data.schedules") == 0

    [reached] = schedule_many(connection, [_PILL | {"recurrence": course | {"end_after": 1}}])
    assert (reached.error_code, reached.error_pointer) == ("GN012", "/recurrence/end_after")
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 1
    answer = given_schedule(connection, _PILL, recurrence=course, schedule_at="21:00")

    assert (answer.schedule_id != schedule_id, answer.fire_at_utc) == (True, _NINE + timedelta(hours=12))
    events: list[Any] = []
    for day in range(4):
        step_to(connection, _NINE + timedelta(hours=12) + day * _DAY)
        fire(connection)
        claims = claim(connection)
        settle(connection, claims)
        events += [c.event["data"]["occurrence"] for c in claims]
    assert events == [2]
    assert found(connection, answer.schedule_id).status == "completed"


def test_end_after_cannot_lie_behind_what_has_fired(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection, schedule_id = _fired_ahead(clock_at)

    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule_id, {"recurrence": {"end_after": 1}})

    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN012", "/recurrence/end_after")


def test_another_end_leaves_rhythm_and_timer(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    every_other = _PILL | {"recurrence": {"pattern": "weekly", "interval": 2}}
    schedule = given_schedule(connection, every_other)
    step_to(connection, _NINE + 8 * _DAY)
    fire(connection)
    before = one(connection, "select stamp, fire_at_utc from gnomon_data.timers_far")

    reschedule(connection, schedule.schedule_id, {"recurrence": {"end_after": 7}})

    assert one(connection, "select stamp, fire_at_utc from gnomon_data.timers_far") == before
    assert value(connection, "select rule ->> 'end_after' from gnomon_data.schedules") == "7"


def test_a_delay_is_not_started_again_by_another_change(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    schedule = given_schedule(connection, schedule_at="PT1H")
    step_to(connection, _NINE + timedelta(minutes=30))

    assert reschedule(connection, schedule.schedule_id, {"offset": "PT5M"}).fire_at_utc == _NINE + timedelta(minutes=65)
    assert reschedule(connection, schedule.schedule_id, {"schedule_at": "PT2H"}).fire_at_utc == _NINE + timedelta(
        minutes=155
    )


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"schedule_at": "2020-01-01T00:00:00Z"}, "GN023", "/schedule_at"),
        ({"schedule_at": "2020-01-01T00:00:00Z", "if_past": "skip"}, "GN023", "/schedule_at"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "GN024", "/expires_at"),
        ({"expires_at": "2026-12-01T09:30:00Z"}, "GN024", "/expires_at"),
        ({"user_id": "u_other"}, "GN024", "/user_id"),
        ({"key": "other"}, "GN024", "/key"),
        ({"dedup_key": None}, "GN024", "/dedup_key"),
        ({"idempotency_key": "x"}, "GN024", "/idempotency_key"),
        ({"template_id": None}, "GN024", "/template_id"),
        ({"schedule_at": "10:00", "send_at": "11:00"}, "GN024", "/schedule_at"),
        ({"colour": "red"}, "GN024", "/colour"),
        ({"collapse_key": "x"}, "GN028", "/collapse_key"),
        ({"timezone": "Europe/Berln"}, "GN010", "/timezone"),
        ({"params": {"text": "x" * 65536}}, "GN024", "/params"),
    ],
)
def test_a_refused_change_writes_nothing(
    clock_at: Callable[[Any], psycopg.Connection], change: dict[str, Any], code: str, pointer: str
) -> None:
    connection = clock_at(_NINE)
    schedule = given_schedule(connection)
    before = (row_counts(connection), found(connection, schedule.schedule_id))

    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule.schedule_id, change)

    assert (fault.value.sqlstate, fault.value.diag.column_name) == (code, pointer)
    assert (row_counts(connection), found(connection, schedule.schedule_id)) == before


@pytest.mark.parametrize("change", ["[]", '"x"', "null", "7"])
def test_a_change_is_an_object(connection: psycopg.Connection, change: str) -> None:
    schedule = given_schedule(connection)
    with pytest.raises(psycopg.Error) as fault:
        connection.execute("select gnomon.reschedule(%s, %s)", [schedule.schedule_id, change])
    assert fault.value.sqlstate == "GN024"


def test_a_stale_version_changes_nothing(connection: psycopg.Connection) -> None:
    schedule = given_schedule(connection)
    reschedule(connection, schedule.schedule_id, {"template_id": "tablet"}, 1)

    with pytest.raises(psycopg.Error) as fault:
        reschedule(connection, schedule.schedule_id, {"template_id": "drops"}, 1)

    assert fault.value.sqlstate == "GN021"
    assert found(connection, schedule.schedule_id).template_id == "tablet"


def test_an_edit_of_a_follower_still_follows(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    given_user(connection)
    schedule = given_schedule(connection, schedule_at="18:00")

    pinned = reschedule(connection, schedule.schedule_id, {"timezone": "America/New_York"})
    following = reschedule(connection, schedule.schedule_id, {"timezone": None})

    assert (pinned.time_zone_source, pinned.fire_at_utc) == ("request", utc("2026-12-01T23:00:00"))
    assert (following.time_zone_source, following.fire_at_utc) == ("user", utc("2026-12-01T17:00:00"))


@pytest.mark.parametrize("act", ["reschedule", "upsert", "move"])
def test_what_is_due_and_spread_still_comes_in_its_window(connection: psycopg.Connection, act: str) -> None:
    """Due at 17:00Z, spread over an hour, changed in between: it comes where it was, the next by the new rule."""
    set_clock(connection, utc("2026-12-01T12:00:00"))
    given_user(connection)
    words = {"schedule_at": "18:00", "window": "PT1H", "key": "k", "recurrence": {"pattern": "daily"}}
    schedule = given_schedule(connection, words)
    assert schedule.fire_at_utc > utc("2026-12-01T17:00:10")
    step_to(connection, utc("2026-12-01T17:00:05"))
    match act:
        case "reschedule":
            reschedule(connection, schedule.schedule_id, {"schedule_at": "19:30"})
        case "upsert":
            given_schedule(connection, words, schedule_at="19:30")
        case _:
            connection.execute("select gnomon.move_user('u_abc123', 'Europe/Lisbon')")
    step_to(connection, schedule.fire_at_utc)
    assert [event["data"]["due_at"] for event in deliver_all(connection)] == ["2026-12-01T17:00:00Z"]
    due = value(connection, "select due_at_utc from gnomon_data.schedules")
    assert due == utc("2026-12-02T18:00:00" if act == "move" else "2026-12-01T18:30:00")


def test_of_several_on_their_way_the_last_comes_back(clock_at: Callable[[Any], psycopg.Connection]) -> None:
    connection = clock_at(_NINE)
    every = {"pattern": "elapsed", "every": "PT1S", "end_after": 9}
    schedule = given_schedule(connection, schedule_at="2026-12-01T09:00:01Z", recurrence=every)
    assert (fire(connection), fire(connection), fire(connection)) == (1, 1, 0)
    assert _pending(connection) == [(_NINE + 3 * _SECOND, 2)]

    reschedule(connection, schedule.schedule_id, {"recurrence": {"end_after": 4}})

    assert _pending(connection) == [(_NINE + 2 * _SECOND, 1)]
    handed_over = []
    for seconds in range(1, 6):
        step_to(connection, _NINE + seconds * _SECOND)
        handed_over += [event["data"]["due_at"][-3:-1] for event in deliver_all(connection)]
    assert handed_over == ["01", "02", "03", "04"]
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0
