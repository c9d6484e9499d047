"""key: this thing's one current schedule, whoever upserts it, as often as he likes."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, deliver_all, fire, found, schedule_many, settle, step_to, utc
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, given_user, rows, value
from tests.support.races import in_background, is_blocked, sessions, wait_until, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")
_DAY = timedelta(days=1)
_PILL: dict[str, Any] = {
    "user_id": "u_abc123",
    "template_id": "pill",
    "schedule_at": "12:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "daily"},
    "key": "pill-17",
}


@pytest.fixture
def at_eleven(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands an hour before noon of a day whose periods exist."""
    set_clock(connection, _NOON - timedelta(hours=1))
    connection.execute("select gnomon.make_periods()")
    return connection


def test_unchanged_it_is_not_even_locked(at_eleven: psycopg.Connection, database_url: str) -> None:
    """A nightly rebuild in one long transaction must not hold what falls due meanwhile."""
    first = given_schedule(at_eleven, _PILL)
    with sessions(database_url, 1) as [caller], caller.transaction():
        [again] = schedule_many(caller, [_PILL])
        assert (again.schedule_id, again.version, again.is_duplicate) == (first.schedule_id, 1, True)
        step_to(at_eleven, _NOON)
        assert fire(at_eleven) == 1


def test_unchanged_and_overdue_it_is_left_alone(at_eleven: psycopg.Connection) -> None:
    """Pollers stopped, pills fall due, the rebuild runs twice, everything starts: each comes once."""
    pills = [_PILL | {"user_id": f"u_{n}"} for n in range(50)]
    schedule_many(at_eleven, pills)
    step_to(at_eleven, _NOON + timedelta(minutes=10))
    for _ in range(2):
        assert {(a.version, a.is_duplicate) for a in schedule_many(at_eleven, pills)} == {(1, True)}

    events = deliver_all(at_eleven)

    assert sorted(event["subject"] for event in events) == sorted(pill["user_id"] for pill in pills)


def test_a_dated_request_that_has_fired_does_not_come_again(at_eleven: psycopg.Connection) -> None:
    dated = {"schedule_at": _NOON, "key": "appointment"}
    first = given_schedule(at_eleven, dated)
    step_to(at_eleven, _NOON)
    fire(at_eleven)
    queued = given_schedule(at_eleven, dated)
    settle(at_eleven, claim(at_eleven))
    over = given_schedule(at_eleven, dated)

    assert queued == first._replace(is_duplicate=True, status="fired")
    assert (over.schedule_id, over.status, over.fire_at_utc) == (first.schedule_id, "fired", _NOON)
    assert deliver_all(at_eleven) == []


def test_after_a_cancel_it_is_a_new_one(at_eleven: psycopg.Connection) -> None:
    first = given_schedule(at_eleven, _PILL)
    cancel(at_eleven, first.schedule_id)
    second = given_schedule(at_eleven, _PILL)

    assert (second.version, second.is_duplicate) == (1, False)
    assert second.schedule_id != first.schedule_id
    step_to(at_eleven, _NOON)
    assert len(deliver_all(at_eleven)) == 1


def test_the_same_key_of_two_users_is_two_things(at_eleven: psycopg.Connection) -> None:
    mine, yours = given_schedule(at_eleven, _PILL), given_schedule(at_eleven, _PILL, user_id="u_other")
    assert mine.schedule_id != yours.schedule_id


def test_of_two_at_once_one_makes_it_and_the_other_changes_it(connection: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 2) as [first, second]:
        with first.transaction():
            made = given_schedule(first, key="k")
            with in_background(lambda: given_schedule(second, key="k", params={"n": 2})) as changed:
                wait_until_blocked(connection, second.info.backend_pid)
                first.execute("commit")
                first.execute("begin")
        assert (changed.result().schedule_id, changed.result().version) == (made.schedule_id, 2)
    assert found(connection, made.schedule_id).params == {"n": 2}


def test_what_waited_for_a_cancel_takes_the_key_anew(connection: psycopg.Connection, database_url: str) -> None:
    """Or the next upsert finds no key and makes a second schedule for one thing."""
    first = given_schedule(connection, key="k")
    with sessions(database_url, 2) as [canceller, creator]:
        with canceller.transaction():
            cancel(canceller, first.schedule_id)
            with in_background(lambda: given_schedule(creator, key="k", params={"n": 2})) as made:
                wait_until_blocked(connection, creator.info.backend_pid)
                canceller.execute("commit")
                canceller.execute("begin")
        second = made.result()
    third = given_schedule(connection, key="k", params={"n": 3})

    assert second.schedule_id != first.schedule_id
    assert (third.schedule_id, third.version) == (second.schedule_id, 2)


def test_upserts_and_cancels_of_one_key_raced_leave_at_most_one(connection: psycopg.Connection, database_url: str) -> None:
    def upsert(session: psycopg.Connection, start: int) -> None:
        for n in range(start, start + 40):
            given_schedule(session, key="k", params={"n": n})

    def remove(session: psycopg.Connection) -> None:
        for _ in range(40):
            for row in rows(session, "select schedule_id from gnomon.schedules"):
                cancel(session, row.schedule_id)

    with sessions(database_url, 3) as opened, ThreadPoolExecutor(3) as pool:
        running = [pool.submit(upsert, opened[0], 0), pool.submit(upsert, opened[1], 100), pool.submit(remove, opened[2])]
        for future in running:
            future.result()

    assert value(connection, "select count(*) from gnomon_data.schedules") <= 1
    pointing = "select count(*) from gnomon_data.schedule_keys as k join gnomon_data.schedules as s on s.id = k.schedule_id"
    assert value(connection, pointing) == value(connection, "select count(*) from gnomon_data.schedules")


def test_batches_that_wait_beside_a_cancel_do_not_deadlock(connection: psycopg.Connection, database_url: str) -> None:
    """One has taken a free key and waits for another's; what it found taken is cancelled, and taken by who wants its own."""
    ordered = "select k from unnest(array['a', 'b', 'c']) as k order by gnomon_data.key_hash('u_abc123', k)"
    low, middle, top = (row.k for row in rows(connection, ordered))
    old_id = given_schedule(connection, key=low).schedule_id

    with sessions(database_url, 4) as [holder, first, second, canceller], ThreadPoolExecutor(3) as pool:
        holder.execute("begin")
        given_schedule(holder, key=top)
        running: list[Future[Any]] = [
            pool.submit(schedule_many, first, [_PILL | {"key": key} for key in (low, middle, top)])
        ]
        wait_until_blocked(connection, first.info.backend_pid)
        running.append(pool.submit(cancel, canceller, old_id))
        wait_until(
            lambda: running[-1].done() or is_blocked(connection, canceller.info.backend_pid), "it is cancelled, or waits"
        )
        running.append(
            pool.submit(schedule_many, second, [_PILL | {"key": key, "params": {"n": 2}} for key in (low, middle)])
        )
        wait_until_blocked(connection, second.info.backend_pid)
        holder.execute("rollback")
        for future in running:
            future.result()

    pointing = "select count(*) from gnomon_data.schedule_keys as k join gnomon_data.schedules as s on s.id = k.schedule_id"
    assert value(connection, pointing) == value(connection, "select count(*) from gnomon_data.schedules") >= 2


def test_a_rebuild_and_a_move_of_the_same_user_do_not_deadlock(connection: psycopg.Connection, database_url: str) -> None:
    """Both lock the keys before the schedules, in the same order."""
    given_user(connection)
    pills = [_PILL | {"key": f"pill-{n}", "timezone": None} for n in range(60)]
    schedule_many(connection, pills)

    def rebuild(session: psycopg.Connection) -> None:
        for n in range(6):
            schedule_many(session, [pill | {"params": {"n": n}} for pill in pills])

    def move(session: psycopg.Connection) -> None:
        for zone in ("America/New_York", "Asia/Tokyo", "Europe/Berlin") * 4:
            session.execute("select gnomon.move_user('u_abc123', %s)", [zone])

    with sessions(database_url, 2) as opened, ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(rebuild, opened[0]), pool.submit(move, opened[1])]:
            future.result()

    zones = rows(connection, "select time_zone, count(*)::int from gnomon_data.schedules group by 1")
    assert zones == [("Europe/Berlin", 60)]


def test_within_a_batch_the_last_counts_and_the_others_tell_it(at_eleven: psycopg.Connection) -> None:
    answers = schedule_many(at_eleven, [_PILL, _PILL | {"schedule_at": "13:00"}, _PILL | {"schedule_at": "14:00"}])

    assert {(a.schedule_id, a.fire_at_utc) for a in answers} == {(answers[2].schedule_id, _NOON + timedelta(hours=2))}
    assert [a.is_duplicate for a in answers] == [True, True, False]
    assert value(at_eleven, "select count(*) from gnomon_data.timers") == 1


@pytest.mark.parametrize(
    "wrong", [{"schedule_at": "2020-01-01T00:00:00Z", "recurrence": None, "timezone": None}, {"schedule_at": "24:00"}]
)
def test_within_a_batch_a_refused_last_one_spoils_none_before_it(
    at_eleven: psycopg.Connection, wrong: dict[str, Any]
) -> None:
    good, bad = schedule_many(at_eleven, [_PILL, _PILL | wrong])

    assert (good.error_code, good.status, good.is_duplicate) == (None, "scheduled", False)
    assert bad.error_code in {"GN023", "GN013"}
    step_to(at_eleven, _NOON)
    assert len(deliver_all(at_eleven)) == 1


def test_within_a_batch_a_refused_first_one_spoils_none_after_it(at_eleven: psycopg.Connection) -> None:
    wrong = {"schedule_at": "2020-01-01T00:00:00Z", "recurrence": None, "timezone": None}
    bad, good = schedule_many(at_eleven, [_PILL | wrong, _PILL])
    assert (bad.error_code, good.error_code, good.status) == ("GN023", None, "scheduled")


def test_skipped_by_its_words_it_takes_the_place_of_what_was_there(at_eleven: psycopg.Connection) -> None:
    first = given_schedule(at_eleven, _PILL)
    skipped = given_schedule(at_eleven, key="pill-17", schedule_at="2020-01-01T00:00:00Z", if_past="skip")

    assert skipped.status == "skipped"
    assert found(at_eleven, first.schedule_id).status == "cancelled"
    advance(at_eleven, _DAY)
    assert deliver_all(at_eleven) == []


def test_upkeep_forgets_a_key_48_hours_after_its_schedule_is_gone_and_never_before(at_eleven: psycopg.Connection) -> None:
    given_schedule(at_eleven, _PILL)
    given_schedule(at_eleven, schedule_at=_NOON, key="once")
    step_to(at_eleven, _NOON)
    fire(at_eleven)
    assert value(at_eleven, "select gnomon.forget_keys(100)") == 0

    settle(at_eleven, claim(at_eleven))
    settle(at_eleven, claim(at_eleven))
    for wait, left in [(timedelta(hours=47), 2), (timedelta(hours=2), 2), (timedelta(), 1)]:
        at_eleven.execute("select gnomon.forget_keys(100)")
        assert value(at_eleven, "select count(*) from gnomon_data.schedule_keys") == left
        advance(at_eleven, wait)
    assert given_schedule(at_eleven, _PILL).is_duplicate


def test_a_completed_course_is_not_started_anew_by_the_same_request(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T08:59:59"))
    course = {
        "user_id": "u",
        "template_id": "pill",
        "schedule_at": "09:00",
        "timezone": "UTC",
        "recurrence": {"pattern": "daily", "end_after": 1},
        "key": "pill-1",
    }
    first = given_schedule(connection, course)
    step_to(connection, utc("2026-12-01T09:00:00"))
    assert len(deliver_all(connection)) == 1
    value(connection, "select gnomon.forget_keys(100)")
    again = given_schedule(connection, course)
    assert (again.schedule_id, again.status, again.is_duplicate) == (first.schedule_id, "completed", True)
    longer = given_schedule(connection, course, recurrence={"pattern": "daily", "end_after": 2})
    assert (longer.status, longer.fire_at_utc) == ("scheduled", utc("2026-12-02T09:00:00"))
