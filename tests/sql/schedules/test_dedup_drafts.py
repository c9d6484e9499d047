"""dedup_key: this event once, whoever asks for it again, whenever, and beside whom."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import cancel, claim, fire, row_counts, schedule_many, settle, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_ORDER = {"user_id": "u_abc123", "template_id": "receipt", "schedule_at": "PT1H", "dedup_key": "order-7"}
_SCHEDULE = "select * from gnomon.schedule(%s)"


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _answer(connection: psycopg.Connection, **fields: Any) -> Any:
    return one(connection, _SCHEDULE, Jsonb(_ORDER | fields))


def test_a_repeat_answers_as_the_first_time(at_noon: psycopg.Connection) -> None:
    first = _answer(at_noon)
    advance(at_noon, timedelta(minutes=30))
    again = _answer(at_noon)

    assert again == first._replace(is_duplicate=True)
    assert value(at_noon, "select count(*) from gnomon_data.schedules") == 1


def test_the_same_request_in_other_words_is_the_same(at_noon: psycopg.Connection) -> None:
    first = _answer(at_noon, params={"a": 1, "b": 2}, channels=None)
    other = {"idempotency_key": "order-7", "template": "receipt", "send_at": "PT1H", "variables": {"b": 2, "a": 1}}
    again = one(at_noon, _SCHEDULE, Jsonb(other | {"user_id": "u_abc123", "labels": None}))
    assert (again.schedule_id, again.is_duplicate) == (first.schedule_id, True)


@pytest.mark.parametrize("other", [{"schedule_at": "PT2H"}, {"template_id": "invoice"}, {"params": {"n": 1}}])
def test_another_request_under_the_same_key_is_refused(at_noon: psycopg.Connection, other: dict[str, Any]) -> None:
    first = _answer(at_noon)
    before = row_counts(at_noon)
    with pytest.raises(psycopg.Error) as fault:
        _answer(at_noon, **other)
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN022", "/dedup_key")
    assert first.schedule_id in str(fault.value.diag.message_hint)
    assert row_counts(at_noon) == before


def test_another_users_key_is_another_event(at_noon: psycopg.Connection) -> None:
    assert not _answer(at_noon).is_duplicate
    assert not _answer(at_noon, user_id="u_other").is_duplicate


def test_it_follows_the_event_to_its_end_and_is_forgotten_48_hours_later(at_noon: psycopg.Connection) -> None:
    first = _answer(at_noon, schedule_at="PT0S")
    statuses = [first.status]
    fire(at_noon)
    claims = claim(at_noon)
    statuses.append(_answer(at_noon, schedule_at="PT0S").status)
    settle(at_noon, claims)

    # Upkeep gives the key its term once the event is over, and takes it away after that.
    assert value(at_noon, "select gnomon.forget_keys(100)") == 1
    advance(at_noon, timedelta(hours=48))
    assert value(at_noon, "select gnomon.forget_keys(100)") == 0
    statuses.append(_answer(at_noon, schedule_at="PT0S").status)
    advance(at_noon, timedelta(microseconds=1))
    assert value(at_noon, "select gnomon.forget_keys(100)") == 1

    assert statuses == ["scheduled", "fired", "fired"]
    assert _answer(at_noon, schedule_at="PT0S").schedule_id != first.schedule_id


def test_a_repeat_after_its_instant_has_passed_is_no_error(at_noon: psycopg.Connection) -> None:
    dated = {"schedule_at": "2026-12-01T12:30:00Z"}
    first = _answer(at_noon, **dated)
    advance(at_noon, timedelta(hours=5))
    assert _answer(at_noon, **dated).schedule_id == first.schedule_id


def test_created_cancelled_and_created_again_stays_cancelled(at_noon: psycopg.Connection) -> None:
    first = _answer(at_noon)
    cancel(at_noon, first.schedule_id)

    again = _answer(at_noon)

    assert (again.schedule_id, again.status, again.is_duplicate) == (first.schedule_id, "cancelled", True)
    assert value(at_noon, "select gnomon.pending_count('u_abc123')") == 0
    advance(at_noon, timedelta(hours=2))
    assert fire(at_noon) == 0


def test_created_again_while_the_cancel_is_open_waits_for_it(connection: psycopg.Connection, database_url: str) -> None:
    first = _answer(connection)
    with sessions(database_url, 2) as [canceller, creator]:
        with canceller.transaction():
            cancel(canceller, first.schedule_id)
            with in_background(lambda: _answer(creator)) as again:
                wait_until_blocked(connection, creator.info.backend_pid)
                canceller.execute("commit")
                canceller.execute("begin")
        assert (again.result().schedule_id, again.result().status) == (first.schedule_id, "cancelled")


def test_cancel_and_create_again_raced(connection: psycopg.Connection, database_url: str) -> None:
    def create(session: psycopg.Connection) -> list[Any]:
        return [one(session, _SCHEDULE, Jsonb(_ORDER | {"dedup_key": f"order-{n}"})) for n in range(40)]

    first = create(connection)
    with sessions(database_url, 2) as [canceller, creator], ThreadPoolExecutor(1) as pool:
        again = pool.submit(create, creator)
        answers = [cancel(canceller, made.schedule_id) for made in first]

        assert {answer.status for answer in answers} == {"cancelled"}
        assert [made.schedule_id for made in again.result()] == [made.schedule_id for made in first]
        assert {made.status for made in again.result()} <= {"scheduled", "cancelled"}
    assert {made.status for made in create(connection)} == {"cancelled"}
    assert value(connection, "select count(*) from gnomon_data.schedules") == 0


def test_of_two_at_once_the_second_waits_and_gets_the_answer_of_the_first(
    connection: psycopg.Connection, database_url: str
) -> None:
    with sessions(database_url, 2) as [first, second]:
        with first.transaction():
            made = _answer(first)
            with in_background(lambda: _answer(second)) as again:
                wait_until_blocked(connection, second.info.backend_pid)
                first.execute("commit")
                first.execute("begin")
        assert again.result() == made._replace(is_duplicate=True)
    assert value(connection, "select count(*) from gnomon_data.schedules") == 1


def test_when_the_first_rolls_back_the_second_makes_it(connection: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 2) as [first, second]:
        with first.transaction(force_rollback=True):
            made = _answer(first)
            with in_background(lambda: _answer(second)) as again:
                wait_until_blocked(connection, second.info.backend_pid)
                first.execute("rollback")
                first.execute("begin")
        assert (again.result().is_duplicate, again.result().status) == (False, "scheduled")
        assert again.result().schedule_id != made.schedule_id
    assert value(connection, "select count(*) from gnomon_data.timers") == 1


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_under_an_old_snapshot_it_is_an_honest_40001_and_never_two(
    connection: psycopg.Connection, database_url: str, level: str
) -> None:
    with sessions(database_url, 1) as [caller]:
        caller.execute(f"begin isolation level {level}")
        caller.execute("select count(*) from gnomon_data.schedule_keys")
        first = _answer(connection)
        with pytest.raises(psycopg.errors.SerializationFailure):
            _answer(caller)
        caller.execute("rollback")
        assert _answer(caller).schedule_id == first.schedule_id
    assert value(connection, "select count(*) from gnomon_data.schedules") == 1


def test_in_one_transaction_a_repeat_sees_the_first(connection: psycopg.Connection) -> None:
    for level in ("read committed", "repeatable read"):
        connection.execute(f"begin isolation level {level}")
        first = _answer(connection, dedup_key=level)
        assert _answer(connection, dedup_key=level).schedule_id == first.schedule_id
        connection.execute("commit")


def test_two_batches_in_opposite_order_do_not_deadlock(connection: psycopg.Connection, database_url: str) -> None:
    batch = [_ORDER | {"user_id": f"u_{n % 7}", "dedup_key": f"order-{n}"} for n in range(300)]
    with sessions(database_url, 2) as opened, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(schedule_many, opened, [batch, batch[::-1]]))

    assert [a.schedule_id for a in answers[0]] == [a.schedule_id for a in answers[1][::-1]]
    assert sum(a.is_duplicate for a in answers[0] + answers[1]) == 300
    assert value(connection, "select count(*) from gnomon_data.schedules") == 300


def test_within_a_batch_the_first_counts(connection: psycopg.Connection) -> None:
    answers = schedule_many(connection, [_ORDER, _ORDER, _ORDER | {"template_id": "invoice"}, _ORDER])

    assert [(a.is_duplicate, a.error_code) for a in answers] == [(False, None), (True, None), (None, "GN022"), (True, None)]
    assert {a.schedule_id for a in answers} == {answers[0].schedule_id, None}
    assert {a.status for a in answers if a.error_code is None} == {"scheduled"}
    assert len(rows(connection, "select from gnomon_data.timers")) == 1


def test_what_was_refused_keeps_no_key(connection: psycopg.Connection) -> None:
    past = _ORDER | {"schedule_at": "2020-01-01T00:00:00Z"}
    [refused] = schedule_many(connection, [past])
    assert refused.error_code == "GN023"
    assert value(connection, "select count(*) from gnomon_data.schedule_keys") == 0
    assert not _answer(connection).is_duplicate


def test_a_skipped_event_is_remembered_too(at_noon: psycopg.Connection) -> None:
    past = {"schedule_at": "2020-01-01T00:00:00Z", "if_past": "skip"}
    first = _answer(at_noon, **past)
    again = _answer(at_noon, **past)
    assert (first.status, again.status, again.is_duplicate) == ("skipped", "skipped", True)
    assert again.schedule_id == first.schedule_id


def test_together_with_a_key_the_event_is_the_keys_schedule(at_noon: psycopg.Connection) -> None:
    keyed = given_schedule(at_noon, schedule_at="PT1H", key="pill-17")
    changed = given_schedule(at_noon, schedule_at="PT2H", key="pill-17", dedup_key="edit-1")
    again = given_schedule(at_noon, schedule_at="PT2H", key="pill-17", dedup_key="edit-1")

    assert changed.schedule_id == keyed.schedule_id
    assert (again.schedule_id, again.is_duplicate, again.version) == (keyed.schedule_id, True, changed.version)
