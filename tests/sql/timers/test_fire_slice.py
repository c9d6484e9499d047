"""The fire: lanes first, stamps that tell stale timers, and callers who hold what is due."""

from datetime import timedelta
from time import monotonic
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, fire, fire_slice, found, given_many, schedule_many, settle, step_to, user_in, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_TEN = utc("2026-12-01T10:00:00")
_SECOND = timedelta(seconds=1)


@pytest.fixture
def at_nine(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at 09:00 of a day whose periods exist."""
    set_clock(connection, _TEN - timedelta(hours=1))
    connection.execute("select gnomon.make_periods()")
    return connection


def _fire_all(connection: psycopg.Connection) -> int:
    fired = 0
    while now_fired := fire(connection, 10_000):
        fired += now_fired
    return fired


def _handed_over(connection: psycopg.Connection) -> list[str]:
    return [c.event["data"]["due_at"] for c in claim(connection)]


def test_fires_by_the_look_ahead_and_hands_over_at_the_instant(at_nine: psycopg.Connection) -> None:
    given_schedule(at_nine, schedule_at=_TEN)
    step_to(at_nine, _TEN - timedelta(seconds=2, milliseconds=1))
    assert fire(at_nine) == 0
    step_to(at_nine, _TEN - timedelta(seconds=2))
    assert fire(at_nine) == 1
    assert claim(at_nine) == []
    step_to(at_nine, _TEN)
    assert _handed_over(at_nine) == ["2026-12-01T10:00:00Z"]


def test_a_key_that_was_cancelled_and_set_anew_fires_at_its_new_instant_only(at_nine: psycopg.Connection) -> None:
    first = given_schedule(at_nine, schedule_at=_TEN, key="pill-17")
    # The timer of the cancelled one is held, so that it stays behind: as stale as a timer can be.
    stale = one(at_nine, "select * from gnomon_data.timers")
    cancel(at_nine, first.schedule_id)
    at_nine.execute("insert into gnomon_data.timers values (%s, %s, %s, %s, %s, %s, %s)", stale)
    second = given_schedule(at_nine, schedule_at=_TEN + timedelta(hours=8), key="pill-17")

    step_to(at_nine, _TEN)
    result = fire_slice(at_nine, stale.lane, [stale.shard])
    assert (result.taken_count, result.stale_count, result.fired_count) == (1, 1, 0)
    assert claim(at_nine) == []
    step_to(at_nine, second.fire_at_utc)
    assert fire(at_nine) == 1
    assert _handed_over(at_nine) == ["2026-12-01T18:00:00Z"]


def test_a_timer_of_before_an_edit_is_stale(at_nine: psycopg.Connection) -> None:
    schedule = given_schedule(at_nine, schedule_at=_TEN, key="pill-17")
    old = one(at_nine, "select * from gnomon_data.timers")
    given_schedule(at_nine, schedule_at=_TEN + timedelta(hours=8), key="pill-17")
    at_nine.execute("insert into gnomon_data.timers values (%s, %s, %s, %s, %s, %s, %s)", old)

    step_to(at_nine, _TEN)
    assert fire(at_nine) == 0
    assert found(at_nine, schedule.schedule_id).status == "scheduled"
    step_to(at_nine, _TEN + timedelta(hours=8))
    assert [fire(at_nine), fire(at_nine)] == [1, 0]


def test_the_same_dedup_key_for_another_instant_is_refused_and_nothing_is_sent(at_nine: psycopg.Connection) -> None:
    first = given_schedule(at_nine, schedule_at=_TEN, dedup_key="order-7")
    cancel(at_nine, first.schedule_id)

    with pytest.raises(psycopg.Error) as fault:
        given_schedule(at_nine, schedule_at=_TEN + timedelta(hours=8), dedup_key="order-7")

    assert fault.value.sqlstate == "GN022"
    for hours in (1, 9):
        step_to(at_nine, _TEN + timedelta(hours=hours))
        assert fire(at_nine) == 0


def test_critical_is_fired_before_100_000_bulk_of_the_same_instant(connection: psycopg.Connection) -> None:
    now_utc = value(connection, "select gnomon_data.now_utc()")
    given_many(connection, 100_000, now_utc, lane="bulk")
    given_many(connection, 8, now_utc, lane="critical", users="urgent-")

    began = monotonic()
    fire(connection, 500)
    took = monotonic() - began

    assert len(claim(connection, "critical")) == 8
    assert took < 1


def test_a_call_takes_one_lane_and_at_most_each_of_a_shard(connection: psycopg.Connection) -> None:
    now_utc = value(connection, "select gnomon_data.now_utc()")
    for lane in ("critical", "transactional", "bulk"):
        given_many(connection, 2000, now_utc, lane=lane)

    result = fire_slice(connection, 2, [0, 1], each=5)

    assert (result.taken_count, result.fired_count, result.is_full) == (10, 10, True)
    assert value(connection, "select array_agg(distinct lane) from gnomon_data.deliveries") == [2]


@pytest.mark.parametrize("shards", [[7, 8], [64], [-1], [0, 64]])
def test_shards_that_share_no_slice_are_refused(untouched: psycopg.Connection, shards: list[int]) -> None:
    with pytest.raises(psycopg.Error) as fault:
        fire_slice(untouched, 1, shards)
    assert fault.value.sqlstate == "GN024"


@pytest.mark.parametrize("ending", ["rollback", "commit"])
def test_2_000_due_cancels_held_open_hold_up_nothing_else(
    connection: psycopg.Connection, database_url: str, ending: str
) -> None:
    """For five seconds of the clock. What the caller holds comes back after a rollback and is gone after a commit."""
    set_clock(connection, _TEN)
    connection.execute("select gnomon.make_periods()")
    given_many(connection, 2000, _TEN, users="held-")
    for second in range(5):
        given_many(connection, 100, _TEN + second * _SECOND, users=f"free-{second}-")

    with sessions(database_url, 1, autocommit=False) as [caller]:
        caller.execute(
            "select c.status from gnomon.schedules as s cross join lateral gnomon.cancel_schedule(s.schedule_id) as c"
            " where s.user_id like 'held-%'"
        )
        connection.execute("set lock_timeout = '1ms'")
        for second in range(5):
            step_to(connection, _TEN + second * _SECOND)
            _fire_all(connection)
            claims = claim(connection, at_most=1000)
            assert {c.event["data"]["due_at"] for c in claims} == {f"2026-12-01T10:00:0{second}Z"}
            assert settle(connection, claims) == 100
        caller.execute(ending)

    assert _fire_all(connection) == (2000 if ending == "rollback" else 0)
    assert value(connection, "select count(*) from gnomon_data.timers") == 0


def test_what_a_caller_holds_is_set_back_with_its_stamp_and_fires_when_he_lets_go(
    at_nine: psycopg.Connection, database_url: str
) -> None:
    given_schedule(at_nine, schedule_at=_TEN)
    stamp = value(at_nine, "select stamp from gnomon_data.timers")
    step_to(at_nine, _TEN)

    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        caller.execute("select from gnomon_data.schedules for update")
        shard = value(at_nine, "select shard from gnomon_data.timers")
        result = fire_slice(at_nine, 1, [shard])
        assert (result.taken_count, result.set_back_count, result.stale_count) == (1, 1, 0)
        assert fire(at_nine) == 0

    assert one(at_nine, "select stamp, wanted_at_utc, fire_at_utc from gnomon_data.timers") == (
        stamp,
        _TEN,
        _TEN + 3 * _SECOND,
    )
    advance(at_nine, _SECOND)
    assert fire(at_nine) == 1
    # Late by a second, and due as it was.
    assert _handed_over(at_nine) == ["2026-12-01T10:00:00Z"]


def test_an_edit_held_open_over_the_instant_fires_once(at_nine: psycopg.Connection, database_url: str) -> None:
    schedule = given_schedule(at_nine, schedule_at=_TEN)
    with sessions(database_url, 1) as [caller], caller.transaction():
        caller.execute("select gnomon.reschedule(%s, %s)", [schedule.schedule_id, Jsonb({"params": {"dose": 2}})])
        step_to(at_nine, _TEN)
        assert fire(at_nine) == 0

    advance(at_nine, _SECOND)
    assert [fire(at_nine), fire(at_nine)] == [1, 0]
    assert [c.event["data"]["params"] for c in claim(at_nine)] == [{"dose": 2}]


def test_a_move_held_open_over_the_instant_fires_once(at_nine: psycopg.Connection, database_url: str) -> None:
    given_schedule(at_nine, schedule_at=_TEN, key="k")
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at=_TEN + timedelta(hours=1), key="k")
        step_to(at_nine, _TEN)
        assert fire(at_nine) == 0

    step_to(at_nine, _TEN + timedelta(hours=1))
    assert [fire(at_nine), fire(at_nine)] == [1, 0]
    assert _handed_over(at_nine) == ["2026-12-01T11:00:00Z"]


def test_two_fires_at_once_fire_each_once(connection: psycopg.Connection, database_url: str) -> None:
    given_many(connection, 400, value(connection, "select gnomon_data.now_utc()"))
    with sessions(database_url, 2) as [first, second], first.transaction(), second.transaction():
        one_fired = fire(first, 64)
        other_fired = fire(second, 10_000)
        assert one_fired + other_fired == 400
    assert value(connection, "select count(distinct schedule_id) from gnomon_data.deliveries") == 400


def test_what_committed_after_its_instant_is_fired(at_nine: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at=_TEN)
        step_to(at_nine, _TEN + timedelta(seconds=70))
        assert fire(at_nine) == 0
    assert fire(at_nine) == 1


def test_a_fire_announces_the_next_instant(at_nine: psycopg.Connection) -> None:
    given_schedule(at_nine, schedule_at=_TEN)
    told = one(at_nine, "select * from gnomon.fire_due(array(select generate_series(0, 63))::smallint[], 5)")
    assert told == (0, _TEN)


@pytest.mark.parametrize("at_most", [0, -1, 10_001, None])
def test_a_limit_beyond_sense_is_refused(untouched: psycopg.Connection, at_most: Any) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.fire_due('{1}', %s)", [at_most])
    assert fault.value.sqlstate == "GN024"


def test_a_batch_is_fired_in_one_shard_as_in_many(at_nine: psycopg.Connection) -> None:
    home = [user_in(at_nine, 5, number) for number in range(30)]
    answers = schedule_many(at_nine, [{"user_id": u, "template_id": "pill", "schedule_at": _TEN.isoformat()} for u in home])
    assert {a.error_code for a in answers} == {None}

    step_to(at_nine, _TEN)

    assert fire(at_nine, shards=[6]) == 0
    assert fire(at_nine, shards=[5]) == 30
    assert {row.shard for row in rows(at_nine, "select shard from gnomon_data.deliveries")} == {5}
