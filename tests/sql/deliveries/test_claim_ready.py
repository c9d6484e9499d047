"""The claim: what is ready, once, under a lease; and what must not be handed over any more."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import NIL, SHARDS, claim, exchange, fire, given_many, settle, step_to, utc
from tests.sql.plans import Plan, plans_of
from tests.support.clock import advance, clock, set_clock
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_NOON = utc("2026-12-01T12:00:00")
_LOOK = "select * from gnomon.next_ready('{0,1,2}', null, array(select generate_series(0, 63))::smallint[])"


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _given_ready(connection: psycopg.Connection, count: int, lane: str = "transactional") -> None:
    given_many(connection, count, clock(connection), lane=lane)
    while fire(connection, 10_000):
        pass


def test_nothing_is_handed_over_before_its_instant(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at=_NOON + timedelta(seconds=2))
    assert fire(at_noon) == 1
    step_to(at_noon, _NOON + timedelta(seconds=2) - timedelta(microseconds=1))
    assert claim(at_noon) == []
    step_to(at_noon, _NOON + timedelta(seconds=2))
    assert len(claim(at_noon)) == 1


def test_the_lease_is_told_in_a_way_that_needs_no_common_clock(at_noon: psycopg.Connection) -> None:
    _given_ready(at_noon, 1)
    [claimed] = claim(at_noon, lease_for=timedelta(seconds=45))
    assert (claimed.now_utc, claimed.claimed_until_utc, claimed.attempt) == (_NOON, _NOON + timedelta(seconds=45), 1)


@pytest.mark.parametrize("lane", ["critical", "transactional"])
def test_an_expired_lease_is_handed_over_again(at_noon: psycopg.Connection, lane: str) -> None:
    _given_ready(at_noon, 3, lane)
    first = claim(at_noon, lane)
    advance(at_noon, timedelta(seconds=30) - timedelta(microseconds=1))
    assert claim(at_noon, lane) == []
    advance(at_noon, timedelta(microseconds=1))
    second = claim(at_noon, lane)

    assert {c.delivery_id for c in second} == {c.delivery_id for c in first}
    assert {c.attempt for c in second} == {2}
    assert not {c.claim_id for c in second} & {c.claim_id for c in first}
    assert value(at_noon, "select max(first_claimed_at_utc) from gnomon_data.deliveries") == _NOON


def test_bulk_is_sent_at_most_once(at_noon: psycopg.Connection) -> None:
    _given_ready(at_noon, 3, "bulk")
    claims = claim(at_noon, "bulk")
    advance(at_noon, timedelta(seconds=31))

    assert claim(at_noon, "bulk") == []

    assert value(at_noon, "select array_agg(distinct outcome) from gnomon_data.delivery_log") == ["unknown"]
    assert settle(at_noon, claims) == 0


@pytest.mark.parametrize(("lane", "end"), [("critical", "failed"), ("transactional", "failed"), ("bulk", "dropped")])
def test_what_was_tried_and_expires_while_it_waits_is_out_of_time(at_noon: psycopg.Connection, lane: str, end: str) -> None:
    given_schedule(at_noon, schedule_at="PT0S", lane=lane, expires_in="PT1M")
    fire(at_noon)
    settle(at_noon, claim(at_noon, lane), "transient")
    advance(at_noon, timedelta(minutes=1))

    assert claim(at_noon, lane) == []

    ended = one(at_noon, "select outcome, attempts, detail from gnomon_data.delivery_log")
    assert tuple(ended) == (end, 1, "expires before the next attempt")


@pytest.mark.parametrize(("lane", "end"), [("critical", "failed"), ("bulk", "unknown")])
def test_a_lease_that_is_over_after_expires_at_may_have_been_sent(at_noon: psycopg.Connection, lane: str, end: str) -> None:
    given_schedule(at_noon, schedule_at="PT0S", lane=lane, expires_in="PT10S")
    fire(at_noon)
    claim(at_noon, lane)
    advance(at_noon, timedelta(seconds=30))

    assert claim(at_noon, lane) == []

    assert tuple(one(at_noon, "select outcome, reason from gnomon_data.delivery_log")) == (end, "unclear")


def test_a_bulk_retry_is_no_expired_lease(at_noon: psycopg.Connection) -> None:
    _given_ready(at_noon, 1, "bulk")
    settle(at_noon, claim(at_noon, "bulk"), "retry")
    advance(at_noon, timedelta(seconds=31))
    assert len(claim(at_noon, "bulk")) == 1


def test_what_has_expired_is_not_handed_over(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT0S", expires_in="PT10M")
    fire(at_noon)
    advance(at_noon, timedelta(minutes=10))

    assert claim(at_noon) == []

    ended = one(at_noon, "select outcome, attempts, first_claimed_at_utc from gnomon_data.delivery_log")
    assert ended == ("expired", 0, None)


def test_each_lane_and_channel_is_claimed_apart(at_noon: psycopg.Connection) -> None:
    for lane in ("critical", "transactional", "bulk"):
        given_schedule(at_noon, user_id=f"u_{lane}", schedule_at="PT0S", lane=lane, channels=["log", "email"])
    fire(at_noon)
    for lane in ("critical", "transactional", "bulk"):
        for channel in ("log", "email"):
            [claimed] = claim(at_noon, lane, channel)
            assert (claimed.event["subject"], claimed.event["data"]["channel"]) == (f"u_{lane}", channel)
    assert claim(at_noon, channel="sms") == []


def test_of_the_shards_asked_for_the_first_comes_first(at_noon: psycopg.Connection) -> None:
    _given_ready(at_noon, 600)
    query = "select * from gnomon.exchange_deliveries('{}', 'transactional', 'log', '{9,3}', %s, '30 s', 'test')"
    shards = "select distinct gnomon_data.shard_of_id(gnomon_data.id_of('dlv', d)) as shard from unnest(%s::text[]) as d"

    few = [row.delivery_id for row in rows(at_noon, query, 2)]
    many = [row.delivery_id for row in rows(at_noon, query, 100)]

    assert [row.shard for row in rows(at_noon, shards, few)] == [9]
    assert {row.shard for row in rows(at_noon, shards, many)} == {9, 3}


def test_above_a_bound_only(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT0S")
    fire(at_noon)
    above = (
        "select * from gnomon.exchange_deliveries('{}', 'transactional', 'log', '{51}', 9, '30 s', 'test',"
        " array[%s]::timestamptz[], array[%s]::uuid[])"
    )
    assert rows(at_noon, above, _NOON, "ffffffff-ffff-ffff-ffff-ffffffffffff") == []
    assert len(rows(at_noon, above, _NOON, NIL)) == 1


def test_many_claimers_hand_over_each_once(connection: psycopg.Connection, database_url: str) -> None:
    _given_ready(connection, 1000)

    def drain(session: psycopg.Connection) -> list[str]:
        mine: list[str] = []
        while claims := claim(session, at_most=50):
            mine += [c.delivery_id for c in claims]
        return mine

    with sessions(database_url, 4) as opened, ThreadPoolExecutor(4) as pool:
        taken = [delivery_id for part in pool.map(drain, opened) for delivery_id in part]

    assert len(taken) == len(set(taken)) == 1000


def test_a_claim_and_a_settle_in_one_exchange(at_noon: psycopg.Connection) -> None:
    _given_ready(at_noon, 5)
    claims = exchange(at_noon, [], at_most=3)
    rest = exchange(at_noon, claims, at_most=3)
    assert (len(claims), len(rest)) == (3, 2)
    assert exchange(at_noon, rest) == []
    assert value(at_noon, "select count(*) from gnomon_data.delivery_log where outcome = 'sent'") == 5


@pytest.mark.parametrize(
    ("lane", "at_most", "lease_for"),
    [
        ("urgent", 1, "30 s"),
        ("bulk", -1, "30 s"),
        ("bulk", 1001, "30 s"),
        ("bulk", 1, "0 s"),
        ("bulk", 1, "2 days"),
        (None, 1, "30 s"),
    ],
)
def test_arguments_without_sense_are_refused(untouched: psycopg.Connection, lane: Any, at_most: int, lease_for: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.claim_deliveries(%s, 'log', %s, %s, 'test')", [lane, at_most, lease_for])
    assert fault.value.sqlstate == "GN024"


@pytest.mark.parametrize(
    ("date_style", "time_zone"),
    [("SQL, DMY", "Asia/Kolkata"), ("German", "America/Sao_Paulo"), ("Postgres, MDY", "Africa/Casablanca")],
)
def test_no_setting_of_the_session_decides_an_instant(
    at_noon: psycopg.Connection, database_url: str, date_style: str, time_zone: str
) -> None:
    """IST is India's here and Israel's to the parser of PostgreSQL 17: no instant may travel as a session's text."""
    with sessions(database_url, 1) as [odd]:
        odd.execute(f"set datestyle = '{date_style}'")
        odd.execute(f"set timezone = '{time_zone}'")
        odd.execute("select gnomon.schedule_in('u_abc123', 'pill', '1 s')")
        step_to(at_noon, _NOON + timedelta(seconds=1))
        assert fire(odd, shards=[51]) == 1
        assert value(odd, "select count(*) from gnomon.claim_deliveries('transactional', 'log')") == 1

    leased = one(at_noon, "select due_at_utc, claimed_at_utc, claimed_until_utc, ready_at_utc from gnomon_data.deliveries")
    assert leased == (*([_NOON + timedelta(seconds=1)] * 2), *([_NOON + timedelta(seconds=31)] * 2))


def test_a_period_is_made_alike_in_every_session(at_noon: psycopg.Connection) -> None:
    for setting in ("set datestyle = 'SQL, DMY'", "set timezone = 'Asia/Kolkata'"):
        at_noon.execute(setting)
    at_noon.execute("select gnomon_data.make_period('events', '2027-03-05')")
    for setting in ("set datestyle = 'ISO'", "set timezone = 'UTC'"):
        at_noon.execute(setting)
    bounds = "select pg_get_expr(relpartbound, oid) from pg_class where relname = 'events_20270305'"
    assert value(at_noon, bounds) == "FOR VALUES FROM ('2027-03-05 00:00:00+00') TO ('2027-03-06 00:00:00+00')"


def test_a_look_names_each_place_once_and_the_next_instant(at_noon: psycopg.Connection) -> None:
    given_schedule(at_noon, schedule_at="PT0S", user_id="u_now")
    given_schedule(at_noon, schedule_at="PT1S", user_id="u_then", channels=["email"])
    fire(at_noon)

    found = rows(at_noon, _LOOK)

    [ready] = [row for row in found if row.lane is not None]
    [announced] = [row for row in found if row.lane is None]
    assert (ready.lane, ready.channel, ready.first_at_utc) == (1, "log", _NOON)
    assert announced.first_at_utc == _NOON + timedelta(seconds=1)


def _given_50_000(connection: psycopg.Connection, ready_in: timedelta = timedelta()) -> None:
    connection.execute(
        """
        insert into gnomon_data.deliveries (lane, shard, id, channel, ready_at_utc, due_at_utc, schedule_id, notification_id,
            user_id, template_id, occurrence, scheduled_at_utc, accepted_at_utc, fired_at_utc)
        select 1, n %% 64, gnomon_data.new_id((n %% 64)::smallint, c.now_utc, 1::smallint), 'log', c.now_utc + %s, c.now_utc,
               gen_random_uuid(), gen_random_uuid(), 'u' || n, 'pill', 1, c.now_utc, c.now_utc, c.now_utc
          from generate_series(1, 50000) as n cross join (select gnomon_data.now_utc() as now_utc) as c
        """,
        [ready_in],
    )
    connection.execute("insert into gnomon_data.channels_in_use (lane, channel) values (1, 'log')")


@pytest.fixture(params=["analyzed and planned when it was empty", "never analyzed", "analyzed full"])
def waiting(connection: psycopg.Connection, request: pytest.FixtureRequest) -> psycopg.Connection:
    """50,000 ready deliveries, in a table that the planner knows well or wrongly."""
    if request.param == "analyzed and planned when it was empty":
        connection.execute("analyze")
        for _ in range(7):
            given_schedule(connection, schedule_at="PT0S")
            fire(connection)
            settle(connection, claim(connection))
    _given_50_000(connection)
    if request.param == "analyzed full":
        connection.execute("analyze")
    return connection


def _reads_by_index(plan: Plan) -> bool:
    bad = {"Sort", "Incremental Sort", "Bitmap Heap Scan"} & plan.kinds
    return not bad and not plan.seq_scans_of("deliveries") and bool(plan.indexes_of("deliveries"))


def test_plans_with_50_000_waiting(waiting: psycopg.Connection) -> None:
    [looked] = plans_of(waiting, lambda: rows(waiting, _LOOK), "firsts as materialized")
    assert _reads_by_index(looked)
    assert looked.buffers <= 8 * 64

    [locked] = plans_of(waiting, lambda: claim(waiting, at_most=500), "for no key update")
    assert _reads_by_index(locked)
    assert locked.buffers <= 12 * 500

    # Four indexes take a new entry each, at three pages; nothing is searched.
    claims: list[Any] = []
    [handed_over] = plans_of(waiting, lambda: claims.extend(claim(waiting, at_most=500)), "handed_over as")
    assert "Seq Scan" not in handed_over.kinds
    assert len(claims) == 500
    assert handed_over.buffers <= 18 * 500

    # By the primary key: by any other index that begins with the shard it would read the shard's part of it, a row.
    for plan in plans_of(waiting, lambda: settle(waiting, claims), "gnomon_data.deliveries as"):
        assert not plan.seq_scans_of("deliveries")
        assert plan.buffers <= 10 * 500


def test_an_idle_look_reads_a_few_pages_a_shard(connection: psycopg.Connection) -> None:
    _given_50_000(connection, timedelta(hours=1))
    [looked] = plans_of(connection, lambda: rows(connection, _LOOK), "firsts as materialized")
    assert _reads_by_index(looked)
    assert looked.buffers <= 8 * 64
    assert claim(connection) == []


def test_all_shards_are_served(connection: psycopg.Connection) -> None:
    _given_ready(connection, 640)
    while claim(connection, at_most=37):
        pass
    assert value(connection, "select count(distinct shard) from gnomon_data.deliveries where claim_id is not null") == len(
        SHARDS
    )


def test_a_look_ends_before_the_leases_that_dead_claims_leave_behind(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at="PT0S")
    fire(connection)
    [looked] = plans_of(connection, lambda: rows(connection, _LOOK), "firsts as materialized")
    conditions = [node["Index Cond"] for node in looked.nodes if node.get("Alias", "").startswith("i")]
    assert conditions
    assert all("ready_at_utc <= '" in condition for condition in conditions)


def test_a_look_tells_the_next_instant_a_second_ahead_at_most(at_noon: psycopg.Connection) -> None:
    def told() -> Any:
        return value(at_noon, f"select first_at_utc from ({_LOOK}) as l where shard is null")

    given_schedule(at_noon, schedule_at=_NOON + timedelta(seconds=2))
    fire(at_noon)
    assert told() == _NOON + timedelta(seconds=1)
    step_to(at_noon, _NOON + timedelta(seconds=1.5))
    assert told() == _NOON + timedelta(seconds=2)
