"""The numbers of each lane and channel: right where they are counted, near where they are told from a sample, cheap."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import claim, fire, prove, settle, step_to, utc
from tests.sql.plans import plans_of
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, one, rows, value

NOON = utc("2026-12-10T12:00:00")
_ASK = "select * from gnomon.lane_numbers()"
_MINUTE = timedelta(minutes=1)

_WAITING = """
insert into gnomon_data.deliveries (lane, shard, id, channel, ready_at_utc, due_at_utc, schedule_id, notification_id,
    user_id, template_id, occurrence, scheduled_at_utc, accepted_at_utc, fired_at_utc, claim_id, claimed_until_utc)
select %(lane)s, n %% 64, gnomon_data.new_id((n %% 64)::smallint, %(ready)s, %(lane)s::smallint),
       %(channel)s, %(ready)s, %(ready)s, gen_random_uuid(), gen_random_uuid(), 'u' || n, 't', 1, %(ready)s, %(ready)s,
       %(ready)s,
       case when %(claimed)s then gen_random_uuid() end, case when %(claimed)s then %(ready)s end
  from generate_series(1, %(count)s) as n
"""


@pytest.fixture(autouse=True)
def at_noon(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    value(connection, "select gnomon.make_periods()")


def _given_waiting(
    connection: psycopg.Connection,
    count: int,
    *,
    since: timedelta,
    lane: int = 2,
    channel: str = "log",
    claimed: bool = False,
) -> None:
    """Deliveries by bare SQL, ready so long ago; or, `claimed`, with a worker until then."""
    connection.execute(
        "insert into gnomon_data.channels_in_use (lane, channel) select %(lane)s, %(channel)s",
        {"lane": lane, "channel": channel},
    )
    numbers = {"lane": lane, "count": count, "ready": NOON - since, "channel": channel, "claimed": claimed}
    connection.execute(_WAITING, numbers)


def _of(connection: psycopg.Connection, lane: str, channel: str = "log") -> Any:
    return one(connection, f"{_ASK} where lane = %s and channel = %s", lane, channel)


def test_nothing_is_told_of_what_was_never_used(connection: psycopg.Connection) -> None:
    assert rows(connection, _ASK) == []


def test_a_queue_is_told_from_the_first_that_waits_to_the_last_that_ended(connection: psycopg.Connection) -> None:
    for n in range(6):
        given_schedule(connection, user_id=f"u{n}", schedule_at="PT0S", lane="critical")
    given_schedule(connection, user_id="u9", schedule_at="PT0S", lane="bulk", channels=["email"])
    fire(connection)
    advance(connection, timedelta(seconds=5))
    claims = claim(connection, "critical", at_most=3)
    settle(connection, claims[:2])

    critical = _of(connection, "critical")
    assert (critical.waiting_count, critical.is_estimate, critical.in_flight_count) == (3, False, 1)
    assert critical.lag_seconds == pytest.approx(5, abs=0.01)
    assert critical.oldest_due_at_utc == NOON
    assert critical.ended_a_second == 2, "two, in what counts as a second at least"
    assert critical.drain_seconds == 1.5
    email = _of(connection, "bulk", "email")
    assert (email.waiting_count, email.in_flight_count, email.ended_a_second, email.drain_seconds) == (1, 0, 0, None)

    advance(connection, timedelta(seconds=10))
    assert _of(connection, "critical").ended_a_second == pytest.approx(0.2), "from the first of them on"
    advance(connection, _MINUTE)
    late = _of(connection, "critical")
    assert (late.ended_a_second, late.drain_seconds) == (0, None)
    assert (late.waiting_count, late.in_flight_count) == (4, 0), "an expired lease waits again"
    settle(connection, claim(connection, "critical"))
    empty = _of(connection, "critical")
    assert (empty.lag_seconds, empty.oldest_due_at_utc, empty.waiting_count, empty.drain_seconds) == (0, None, 0, 0)


def test_what_no_worker_may_take_does_not_wait(connection: psycopg.Connection) -> None:
    _given_waiting(connection, 5, since=-_MINUTE, lane=1)
    _given_waiting(connection, 5, since=timedelta(days=1), lane=1)
    connection.execute("update gnomon_data.deliveries set ready_at_utc = 'infinity' where user_id = 'u1'")
    connection.execute("update gnomon_data.deliveries set ready_at_utc = gnomon_data.never_utc() where user_id = 'u2'")
    told = _of(connection, "transactional")
    assert (told.waiting_count, told.in_flight_count, told.lag_seconds) == (3, 0, 86400)
    _given_waiting(connection, 6_400, since=-_MINUTE, lane=0, claimed=True)
    assert _of(connection, "critical").has_more_in_flight
    connection.execute("update gnomon_data.deliveries_critical set ready_at_utc = 'infinity'")
    assert not _of(connection, "critical").has_more_in_flight, "what is parked is not looked at"


def test_what_ended_is_found_on_the_day_it_was_due(connection: psycopg.Connection) -> None:
    for day in range(3):
        step_to(connection, NOON + timedelta(days=day))
        value(connection, "select gnomon.make_periods()")
        for n in range(2):
            given_schedule(connection, user_id=f"u{n}", schedule_at="PT0S", lane="bulk")
        fire(connection)
    settle(connection, claim(connection, "bulk", at_most=5))
    assert _of(connection, "bulk").ended_a_second == 3, "those of today and yesterday"
    connection.execute("delete from gnomon_data.deliveries where due_at_utc > %s", [NOON + _MINUTE])
    given_schedule(connection, user_id="u3", schedule_at="PT0S", lane="bulk")
    fire(connection)
    assert _of(connection, "bulk").ended_a_second == 3


@pytest.fixture
def waiting(connection: psycopg.Connection) -> psycopg.Connection:
    """50,000 in the bulk lane, two thirds of them for one channel; 40 more with a worker; 3,000 ended half a minute ago."""
    _given_waiting(connection, 34_000, since=_MINUTE, channel="email")
    _given_waiting(connection, 16_000, since=timedelta(seconds=50), channel="log")
    _given_waiting(connection, 40, since=-timedelta(seconds=20), channel="log", claimed=True)
    connection.execute(
        "insert into gnomon_data.delivery_log (shard, due_at_utc, id, lane, channel, schedule_id, notification_id, user_id,"
        " outcome, attempts, accepted_at_utc, fired_at_utc, settled_at_utc)"
        " select n %% 64, c.at, gen_random_uuid(), 2, 'email', gen_random_uuid(), gen_random_uuid(), 'u', 'sent', 1, c.at,"
        "        c.at, c.at - n * interval '10 ms'"
        " from generate_series(30000, 1, -1) as n, lateral (select gnomon_data.now_utc() as at) as c",
        [],
    )
    connection.execute("analyze gnomon_data.deliveries")
    return connection


def test_a_long_queue_is_told_from_a_sample(waiting: psycopg.Connection) -> None:
    email, log = _of(waiting, "bulk", "email"), _of(waiting, "bulk", "log")
    assert email.is_estimate
    assert email.waiting_count == pytest.approx(34_000, rel=0.25)
    assert log.waiting_count == pytest.approx(16_000, rel=0.35)
    assert (log.in_flight_count, log.has_more_in_flight, email.in_flight_count) == (40, False, 0)
    assert email.ended_a_second == pytest.approx(100, rel=0.05)
    assert email.drain_seconds == pytest.approx(email.waiting_count / email.ended_a_second)


def _by_lane(connection: psycopg.Connection) -> object:
    return rows(connection, _ASK)


def _for_metrics(connection: psycopg.Connection) -> object:
    return rows(connection, "select * from gnomon.queue_numbers()")


@pytest.mark.parametrize(
    ("ask", "called", "most"), [(_by_lane, "lane_numbers", 4_100), (_for_metrics, "queue_numbers", 3_500)]
)
def test_the_numbers_are_cheap_with_50_000_waiting(
    waiting: psycopg.Connection, ask: Callable[[psycopg.Connection], object], called: str, most: int
) -> None:
    ask(waiting)  # what a session reads of the catalogue once
    plans = plans_of(waiting, lambda: ask(waiting), "")
    [whole] = [plan for plan in plans if f"gnomon.{called}()" in plan.text and "as $$" not in plan.text]
    assert whole.buffers <= most
    looks = [plan for plan in plans if "looked_at" in plan.text or "delivery_log_" in plan.text]
    assert len(looks) > 2, "one a lane, and of the log"
    assert not any(plan.seq_scans_of("deliver") for plan in looks)
    assert not any("Sort" in plan.kinds for plan in looks if "looked_at" in plan.text)


def test_the_look_begins_at_the_proven_mark_unless_the_clock_went_back(connection: psycopg.Connection) -> None:
    _given_waiting(connection, 64, since=_MINUTE, lane=0)
    connection.execute("delete from gnomon_data.deliveries where user_id <> 'u7'")
    prove(connection, "deliveries")
    assert _of(connection, "critical").waiting_count == 1
    connection.execute("update gnomon_data.shard_marks set safe_at_utc = safe_at_utc + interval '30 s'")
    assert _of(connection, "critical").waiting_count == 0, "below the mark nobody looks"
    connection.execute("update gnomon_data.shard_marks set safe_at_utc = safe_at_utc + interval '1 h'")
    assert _of(connection, "critical").waiting_count == 1


def test_a_reader_may_ask_and_a_caller_may_not(connection: psycopg.Connection) -> None:
    connection.execute("set role gnomon_reader")
    assert rows(connection, _ASK) == []
    connection.execute("set role gnomon_caller")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(_ASK)


def test_the_numbers_of_the_queues_agree(connection: psycopg.Connection) -> None:
    _given_waiting(connection, 1_500, since=_MINUTE, lane=2)
    _given_waiting(connection, 7, since=-_MINUTE, lane=0, claimed=True)
    found = {(row.name, row.lane): row.value for row in rows(connection, "select * from gnomon.queue_numbers()")}
    ready = [found["deliveries_ready", lane] for lane in ("critical", "transactional", "bulk")]
    leased = [found["deliveries_leased", lane] for lane in ("critical", "transactional", "bulk")]
    assert (ready, leased) == ([0, 0, 1000], [7, 0, 0])
