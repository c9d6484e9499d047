"""A schedule that cannot be fired stops nobody else: it is set aside with its error, told everywhere, mended and fired."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, fire, fire_slice, found, given_many, reschedule, schedule_many, step_to, user_in, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_TEN = utc("2026-12-01T10:00:00")
_RULE = "update gnomon_data.schedules set rule = %s where id = gnomon_data.id_of('sch', %s)"
_DAILY = {
    "template_id": "pill",
    "schedule_type": "user_local_time",
    "schedule_at": "10:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "daily"},
}
_ASIDE = "select * from gnomon.set_aside order by schedule_id"


@pytest.fixture
def at_nine(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at 09:00 of a day whose periods exist."""
    set_clock(connection, _TEN - timedelta(hours=1))
    connection.execute("select gnomon.make_periods()")
    return connection


def _daily(connection: psycopg.Connection, user_id: str) -> str:
    return str(given_schedule(connection, _DAILY, user_id=user_id).schedule_id)


def _break(connection: psycopg.Connection, schedule_id: str) -> str:
    """Corrupt a rule, so that its next occurrence cannot be computed; the rule as it was."""
    rule = value(
        connection, "select rule::text from gnomon_data.schedules where id = gnomon_data.id_of('sch', %s)", schedule_id
    )
    connection.execute(_RULE, ['{"kind": "daily", "time": "no time"}', schedule_id])
    return str(rule)


def _carefully(connection: psycopg.Connection, lane: int, shard: int) -> Any:
    return one(
        connection,
        "select * from gnomon.fire_carefully(%s::smallint, array[%s::smallint], array['-infinity'::timestamptz],"
        " array['00000000-0000-0000-0000-000000000000'::uuid], 500)",
        lane,
        shard,
    )


def test_one_broken_among_five_hundred_due_is_set_aside_and_all_others_fire(at_nine: psycopg.Connection) -> None:
    user = user_in(at_nine, 7)
    ids = [item.schedule_id for item in schedule_many(at_nine, [{"user_id": user} | _DAILY] * 500)]
    rule = _break(at_nine, ids[321])
    step_to(at_nine, _TEN)
    with pytest.raises(psycopg.DataError):
        fire_slice(at_nine, 1, [7], 500)
    fired = _carefully(at_nine, 1, 7)
    assert (fired.taken_count, fired.fired_count, fired.set_aside_count, fired.is_full) == (500, 499, 1, True)
    assert value(at_nine, "select count(*) from gnomon_data.deliveries") == 499

    aside = one(at_nine, _ASIDE)
    assert (aside.what, aside.schedule_id, aside.user_id, aside.error_code) == ("schedule", ids[321], user, "22007")
    assert aside.due_at_utc == _TEN
    assert "no time" in aside.error_text
    assert found(at_nine, ids[321]).status == "set_aside"
    assert value(at_nine, "select count(*) from gnomon.pending_schedules(%s, 20) where status = 'set_aside'", user) == 1
    assert value(at_nine, "select count(*) from gnomon.schedules where status = 'set_aside'") == 1
    assert value(at_nine, "select value from gnomon.queue_numbers() where name = 'set_aside'") == 1
    told = value(at_nine, "select gnomon.explain_schedule(%s)", ids[321])
    assert told["status"] == "set_aside"
    assert told["summary"][0].startswith("Set aside at 2026-12-01T10:00:00Z, when it was due at 2026-12-01T10:00:00Z")
    assert told["history"][-1]["kind"] == "set_aside"
    assert value(at_nine, "select coalesce(sum(abs(missing_count)), 0) from gnomon.ledger()") == 0
    step_to(at_nine, _TEN + timedelta(hours=1))
    assert rows(at_nine, "select * from gnomon.overdue_schedules()") == []

    # Not mended: it comes back here, and stops nobody.
    assert value(at_nine, "select gnomon.retry_set_aside()") == 1
    assert fire(at_nine) == 0
    assert one(at_nine, _ASIDE).set_aside_at_utc == _TEN + timedelta(hours=1)
    at_nine.execute(_RULE, [rule, ids[321]])
    assert value(at_nine, "select gnomon.retry_set_aside(array[%s])", ids[321]) == 1
    assert rows(at_nine, _ASIDE) == []
    assert fire(at_nine) == 1
    assert found(at_nine, ids[321]).status == "scheduled"
    assert value(at_nine, "select count(distinct schedule_id) from gnomon_data.deliveries") == 500
    history = value(at_nine, "select gnomon.explain_schedule(%s)", ids[321])["history"]
    assert [event["kind"] for event in history[1:]] == ["set_aside", "retried", "set_aside", "retried"]


def test_several_broken_ones_of_a_far_table_and_of_a_period_are_set_aside_by_the_plain_call_too(
    at_nine: psycopg.Connection,
) -> None:
    given_many(at_nine, 20, _TEN)
    broken = sorted(_daily(at_nine, user_in(at_nine, n % 3, n)) for n in range(5))
    for schedule_id in broken:
        _break(at_nine, schedule_id)
    at_nine.execute(
        "with gone as (delete from gnomon_data.timers where shard <> 0 returning *)"
        " insert into gnomon_data.timers_far select * from gone"
    )
    step_to(at_nine, _TEN)
    while fire(at_nine):
        pass
    assert [row.schedule_id for row in rows(at_nine, _ASIDE)] == broken
    assert value(at_nine, "select count(*) from gnomon_data.deliveries") == 20


def test_what_is_no_fault_of_a_row_sets_nothing_aside(at_nine: psycopg.Connection) -> None:
    user = user_in(at_nine, 7)
    _daily(at_nine, user)
    step_to(at_nine, _TEN)
    # A delivery has no partition to go to.
    at_nine.execute("alter table gnomon_data.deliveries detach partition gnomon_data.deliveries_transactional")
    with pytest.raises(psycopg.errors.CheckViolation):
        _carefully(at_nine, 1, 7)
    assert rows(at_nine, _ASIDE) == []
    at_nine.execute(
        "alter function gnomon_data.put_timers(gnomon_data.timers[], timestamptz) rename to put_timers_elsewhere"
    )
    with pytest.raises(psycopg.errors.UndefinedFunction):
        _carefully(at_nine, 1, 7)
    assert rows(at_nine, _ASIDE) == []


def test_an_edit_brings_it_back_and_a_cancel_ends_it(at_nine: psycopg.Connection) -> None:
    edited, cancelled = (_daily(at_nine, user_in(at_nine, shard)) for shard in (3, 4))
    mended = _break(at_nine, edited)
    _break(at_nine, cancelled)
    step_to(at_nine, _TEN)
    assert fire(at_nine) == 0
    assert len(rows(at_nine, _ASIDE)) == 2
    assert cancel(at_nine, cancelled).status == "cancelled"
    at_nine.execute(_RULE, [mended, edited])
    reschedule(at_nine, edited, {"params": {"drug": "Aspirin"}})
    assert rows(at_nine, _ASIDE) == []
    assert fire(at_nine) == 1
    assert value(at_nine, "select gnomon.forget_set_aside(10)") == 2
    assert value(at_nine, "select gnomon.retry_set_aside()") == 0


def test_whoever_may_read_the_view_can(at_nine: psycopg.Connection) -> None:
    """Its functions run with the rights of the reader, who has none on the tables."""
    broken = _daily(at_nine, "u_1")
    _break(at_nine, broken)
    set_clock(at_nine, _TEN)
    fire(at_nine)
    at_nine.execute("set role gnomon_reader")
    assert [row.schedule_id for row in rows(at_nine, _ASIDE)] == [broken]


def test_one_that_somebody_holds_is_not_set_aside_but_set_back(at_nine: psycopg.Connection, database_url: str) -> None:
    schedule_id = _daily(at_nine, user_in(at_nine, 7))
    _break(at_nine, schedule_id)
    step_to(at_nine, _TEN)
    with sessions(database_url, 1) as [another], another.transaction():
        another.execute("select from gnomon_data.schedules for update")
        assert _carefully(at_nine, 1, 7).set_back_count == 1
    assert rows(at_nine, _ASIDE) == []
