"""Order by parking: one user's deliveries of a channel, one after the other, and none waits for ever."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import monotonic
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, settle, step_to, user_in, utc
from tests.sql.beside import beside
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_NOON = utc("2026-12-01T12:00:00")


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _given_due(connection: psycopg.Connection, *keys: str, **fields: Any) -> dict[str, str]:
    """Fired and waiting, a millisecond apart, each known by its key; their schedule ids."""
    ids = {}
    for key in keys:
        ids[key] = given_schedule(connection, schedule_at="PT0S", key=key, **fields).schedule_id
        advance(connection, timedelta(milliseconds=1))
    fire(connection)
    return ids


def _parked(connection: psycopg.Connection) -> list[str]:
    query = "select key from gnomon_data.deliveries where ready_at_utc = 'infinity' order by due_at_utc"
    return [row.key for row in rows(connection, query)]


def _keys(claims: list[Any]) -> list[str]:
    return [c.event["data"]["key"] for c in claims]


def test_each_waits_for_the_one_before(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a", "b", "c")
    assert _parked(at_noon) == ["b", "c"]

    for key in "abc":
        claims = claim(at_noon)
        assert _keys(claims) == [key]
        assert claim(at_noon) == []
        settle(at_noon, claims)


def test_what_is_fired_later_waits_too(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a")
    claims = claim(at_noon)
    _given_due(at_noon, "b")
    assert _parked(at_noon) == ["b"]

    settle(at_noon, claims)
    assert _keys(claim(at_noon)) == ["b"]


def test_what_was_fired_first_but_is_due_later_lets_the_earlier_one_pass(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT2S", key="later")
    fire(at_noon)
    given_schedule(at_noon, schedule_at="PT1S", key="earlier")
    fire(at_noon)
    assert _parked(at_noon) == ["later"]

    advance(at_noon, timedelta(seconds=1))
    settle(at_noon, claim(at_noon), "retry", retry_after="PT5S")
    advance(at_noon, timedelta(seconds=4))
    assert claim(at_noon) == []
    advance(at_noon, timedelta(seconds=3))
    claims = claim(at_noon)
    assert _keys(claims) == ["earlier"]
    settle(at_noon, claims)
    assert _keys(claim(at_noon)) == ["later"]


def test_what_a_worker_has_is_not_taken_back_by_an_earlier_one(at_noon: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 1) as [caller], caller.transaction():
        given_schedule(caller, schedule_at="PT0.5S", key="earlier, committed late")
        given_schedule(at_noon, schedule_at="PT1S", key="later")
        fire(at_noon)
        advance(at_noon, timedelta(seconds=1))
        claims = claim(at_noon)
    fire(at_noon)

    assert _parked(at_noon) == []
    assert _keys(claim(at_noon)) == ["earlier, committed late"]
    assert settle(at_noon, claims) == 1


def test_an_earlier_one_does_not_wait_for_a_caller_who_holds_the_later(
    at_noon: psycopg.Connection, database_url: str
) -> None:
    later = given_schedule(at_noon, schedule_at="PT2S", key="later").schedule_id
    fire(at_noon)
    with sessions(database_url, 1) as [caller], caller.transaction():
        cancel(caller, later)
        given_schedule(at_noon, schedule_at="PT1S", key="earlier")
        fire(at_noon)
        advance(at_noon, timedelta(seconds=1))
        assert _keys(claim(at_noon)) == ["earlier"]


def test_users_channels_and_other_lanes_do_not_wait_for_each_other(at_noon: psycopg.Connection) -> None:
    for lane in ("critical", "bulk"):
        _given_due(at_noon, "a", "b", lane=lane)
        assert len(claim(at_noon, lane)) == 2
    _given_due(at_noon, "c", channels=["log", "email"])
    _given_due(at_noon, "d", user_id="u_other")
    assert sorted(_keys(claim(at_noon) + claim(at_noon, channel="email"))) == ["c", "c", "d"]


def test_a_short_retry_keeps_its_place(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a", "b")
    settle(at_noon, claim(at_noon), "throttled", retry_after="PT47S")

    assert claim(at_noon) == []
    advance(at_noon, timedelta(seconds=60))
    assert _keys(claim(at_noon)) == ["a"]


def test_a_retry_of_more_than_a_minute_gives_way(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a", "b", "c")
    settle(at_noon, claim(at_noon), "retry", retry_after="PT61S")

    claims = claim(at_noon)
    assert _keys(claims) == ["b"]
    settle(at_noon, claims)
    settle(at_noon, claim(at_noon))
    # It comes back, and has held up nobody.
    advance(at_noon, timedelta(seconds=77))
    assert _keys(claim(at_noon)) == ["a"]


def test_what_is_unauthorised_keeps_its_place(at_noon: psycopg.Connection) -> None:
    """What follows would be refused as well, and when the operator has mended it they go in their order."""
    _given_due(at_noon, "a", "b")
    settle(at_noon, claim(at_noon), "unauthorised")

    assert claim(at_noon) == []
    advance(at_noon, timedelta(minutes=2))
    assert _keys(claim(at_noon)) == ["a"]


@pytest.mark.parametrize("outcome", ["sent", "failed", "gone", "refused"])
def test_every_end_lets_the_next_go(at_noon: psycopg.Connection, outcome: str) -> None:
    _given_due(at_noon, "a", "b")
    settle(at_noon, claim(at_noon), outcome)
    assert _keys(claim(at_noon)) == ["b"]


def test_an_expired_one_lets_the_next_go(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a", expires_in="PT1M")
    _given_due(at_noon, "b")
    advance(at_noon, timedelta(minutes=2))

    assert claim(at_noon) == []
    assert _keys(claim(at_noon)) == ["b"]
    assert value(at_noon, "select outcome from gnomon_data.delivery_log") == "expired"


def test_a_cancel_of_the_first_lets_the_next_go(at_noon: psycopg.Connection) -> None:
    ids = _given_due(at_noon, "a", "b", "c")
    cancel(at_noon, ids["a"])
    assert _parked(at_noon) == ["c"]
    assert _keys(claim(at_noon)) == ["b"]


def test_a_cancel_in_the_middle_leaves_the_rest_in_order(at_noon: psycopg.Connection) -> None:
    ids = _given_due(at_noon, "a", "b", "c")
    cancel(at_noon, ids["b"])
    assert _parked(at_noon) == ["c"]

    settle(at_noon, claim(at_noon))
    assert _keys(claim(at_noon)) == ["c"]


def test_one_stopped_in_flight_still_stands_before_the_next(at_noon: psycopg.Connection) -> None:
    ids = _given_due(at_noon, "a", "b")
    claims = claim(at_noon)
    cancel(at_noon, ids["a"])
    assert claim(at_noon) == []

    # Its worker died: the lease ends, and so does the delivery.
    advance(at_noon, timedelta(seconds=31))
    assert claim(at_noon) == []
    assert _keys(claim(at_noon)) == ["b"]
    assert settle(at_noon, claims) == 0


def test_a_fire_that_parks_behind_one_that_gives_way_at_that_moment(
    connection: psycopg.Connection, database_url: str
) -> None:
    given_schedule(connection, schedule_at="PT0S", key="a")
    fire(connection)
    claims = claim(connection)
    given_schedule(connection, schedule_at="PT0S", key="b")

    with sessions(database_url, 2) as [poller, worker]:
        with poller.transaction():
            assert fire(poller) == 1
            with in_background(lambda: settle(worker, claims, "retry", retry_after="PT10M")) as settled:
                wait_until_blocked(connection, worker.info.backend_pid)
                poller.execute("commit")
                poller.execute("begin")
        assert settled.result() == 1

    assert _keys(claim(connection)) == ["b"]


def test_a_fire_that_parks_behind_one_that_is_settled_at_that_moment(
    connection: psycopg.Connection, database_url: str
) -> None:
    given_schedule(connection, schedule_at="PT0S", key="a")
    fire(connection)
    claims = claim(connection)
    given_schedule(connection, schedule_at="PT0S", key="b")

    with sessions(database_url, 2) as [poller, worker]:
        with poller.transaction():
            fire(poller)
            with in_background(lambda: settle(worker, claims)):
                wait_until_blocked(connection, worker.info.backend_pid)
                poller.execute("commit")
                poller.execute("begin")
        claims = claim(connection)
        with worker.transaction():
            settle(worker, claims)
            # The other way round: the settle is open, and the fire neither waits for it nor parks behind it.
            given_schedule(connection, schedule_at="PT0S", key="c")
            assert fire(connection) == 1

    assert _keys(claim(connection)) == ["c"]


def test_a_consumer_that_claimed_and_settled_and_stays_open_stops_no_fire(
    connection: psycopg.Connection, database_url: str
) -> None:
    """PostgreSQL waits there in spite of SKIP LOCKED."""
    given_schedule(connection, schedule_at="PT0S", key="a")
    fire(connection)
    given_schedule(connection, schedule_at="PT0S", key="b")
    given_schedule(connection, schedule_at="PT0S", key="c", user_id="u_other")

    with sessions(database_url, 1) as [consumer], consumer.transaction():
        settle(consumer, claim(consumer))
        began = monotonic()
        assert fire(connection) == 2
        assert monotonic() - began < 1
        assert _keys(claim(connection)) == ["c"]

    connection.execute("select gnomon.release_parked(100)")
    assert _keys(claim(connection)) == ["b"]


def test_what_an_open_cancel_kept_from_being_released_is_found_by_upkeep(
    connection: psycopg.Connection, database_url: str
) -> None:
    ids = {key: given_schedule(connection, schedule_at="PT0S", key=key).schedule_id for key in "ab"}
    fire(connection)

    with sessions(database_url, 1) as [caller], caller.transaction(force_rollback=True):
        cancel(caller, ids["b"])
        connection.execute("set lock_timeout = '1ms'")
        assert settle(connection, claim(connection)) == 1
    assert _parked(connection) == ["b"]

    assert value(connection, "select gnomon.release_parked(100)") == 1
    assert _keys(claim(connection)) == ["b"]


def test_upkeep_releases_nothing_that_rightly_waits(at_noon: psycopg.Connection) -> None:
    _given_due(at_noon, "a", "b", "c")
    assert value(at_noon, "select gnomon.release_parked(100)") == 0
    claims = claim(at_noon)
    assert value(at_noon, "select gnomon.release_parked(100)") == 0
    settle(at_noon, claims)
    assert value(at_noon, "select gnomon.release_parked(100)") == 0


def test_a_released_one_that_is_not_due_yet_keeps_its_instant(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at=_NOON + timedelta(seconds=1), key="a")
    later = given_schedule(at_noon, schedule_at=_NOON + timedelta(seconds=2), key="b")
    fire(at_noon)

    step_to(at_noon, _NOON + timedelta(seconds=1))
    settle(at_noon, claim(at_noon))
    assert claim(at_noon) == []
    step_to(at_noon, later.fire_at_utc)
    assert _keys(claim(at_noon)) == ["b"]


def test_in_order_under_load_and_none_is_left(connection: psycopg.Connection, database_url: str) -> None:
    """One poller a shard, as leases have it; several consumers without any; a fifth of all attempts fail."""
    connection.execute(
        "create or replace function gnomon_data.retry_wait(lane smallint, attempt int, reason text, retry_after interval)"
        " returns interval language sql volatile as $$ select interval '3 ms' $$"
    )
    users = {shard: [user_in(connection, shard, number) for number in range(3)] for shard in (7, 40)}

    def produce(session: psycopg.Connection, shard: int) -> int:
        chance = random.Random(shard)  # noqa: S311  # cases, not secrets
        for _ in range(45):
            with session.transaction():
                for user_id in chance.sample(users[shard], 2) * 2:
                    given_schedule(session, user_id=user_id, schedule_at="PT0S")
            fire(session, shards=[shard])
        return 45 * 4

    def consume(session: psycopg.Connection) -> None:
        for claimed in claim(session, at_most=5):
            # The sixteenth attempt would be the last.
            fails = claimed.attempt < 7 and random.random() < 0.2  # noqa: S311  # cases, not secrets
            settle(session, [claimed], "retry" if fails else "sent")

    with beside(database_url, consume, consume, consume) as roles:
        with sessions(database_url, 2) as opened, ThreadPoolExecutor(2) as pool:
            total = sum(pool.map(produce, opened, users))
        sent = "select count(*) from gnomon_data.delivery_log where outcome = 'sent'"
        roles.wait_until(lambda: value(connection, sent) == total, "none is parked for ever")

    out_of_order = """
        select count(*) from (
            select due_at_utc, lag(due_at_utc) over (partition by user_id order by settled_at_utc) as before
              from gnomon_data.delivery_log) as l
         where before > due_at_utc
    """
    assert value(connection, out_of_order) == 0
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 0


def test_one_that_waits_for_nothing_is_found_behind_many_that_rightly_wait(at_noon: psycopg.Connection) -> None:
    first, second = user_in(at_noon, 5, 0), user_in(at_noon, 5, 1)
    _given_due(at_noon, *"abcdefghij", user_id=first)
    _given_due(at_noon, "late", user_id=second)
    at_noon.execute("update gnomon_data.deliveries set ready_at_utc = 'infinity' where key = 'late'")
    assert [value(at_noon, "select gnomon.release_parked(4)") for _ in range(3)] == [0, 0, 1]
    assert _parked(at_noon) == list("bcdefghij")
    # And from the start again.
    at_noon.execute("delete from gnomon_data.deliveries where key = 'a'")
    assert sum(value(at_noon, "select gnomon.release_parked(4)") for _ in range(3)) == 1
    assert _parked(at_noon) == list("cdefghij")
