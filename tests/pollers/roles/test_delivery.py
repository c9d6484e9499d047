import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.settings import Settings
from gnomon_pollers.calls import deliveries
from gnomon_pollers.calls.deliveries import Worker
from gnomon_pollers.channels.channel import Answer, Channel, Verdict
from gnomon_pollers.channels.routing import Senders
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.desk import Desk
from gnomon_pollers.lanes import LANES
from gnomon_pollers.leases import Leases
from gnomon_pollers.loop import Loop
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.roles.delivery import DeliveryRole
from gnomon_pollers.wake import Wake
from tests.pollers.test_slots import FakeChannel, Send, forever
from tests.support.clock import advance, set_clock
from tests.support.given import rows, value
from tests.support.races import sessions

pytestmark = pytest.mark.anyio

LEASE = timedelta(seconds=30)


class OneSender(Senders):
    """Sends everything by one channel."""

    def __init__(self, channel: Channel) -> None:
        """Know nothing but this channel."""
        super().__init__(Settings(), found={})
        self._channel = channel

    async def open(self, name: str) -> Channel:
        assert name
        return self._channel


class Bench:
    """A delivery role and everything around it, in this process."""

    def __init__(self, pool: Pool, metrics: Metrics, loop: Loop, channel: Channel, *, concurrency: int = 64) -> None:
        """Hold nothing yet."""
        wake = Wake()
        senders = OneSender(channel)
        self.leases = Leases(pool, "delivery", "test")
        self.desks = [
            Desk(
                lane,
                pool=pool,
                worker=Worker("test", LEASE),
                senders=senders,
                concurrency=concurrency,
                metrics=metrics,
                loop=loop,
                wake=wake,
            )
            for lane in range(len(LANES))
        ]
        self.role = DeliveryRole(pool, self.leases, metrics, desks=self.desks, channels=None, wake=wake)
        self.loop = loop
        self.wake = wake

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Bench"]:
        """Poll beside the test."""
        await self.leases.beat()
        task = asyncio.create_task(self.loop.repeat("poll", self.role.poll, self.wake))
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.role.finish(timedelta())


@pytest.fixture
def bench(pool: Pool, metrics: Metrics, loop: Loop) -> Callable[..., Bench]:
    def make(send: Send | None = None, *, timeout: float = 10, concurrency: int = 64) -> Bench:
        channel = FakeChannel(send=send, timeout=timeout)
        made = Bench(pool, metrics, loop, channel, concurrency=concurrency)
        made.channel = channel  # type: ignore[attr-defined]  # for the test to look at
        return made

    return make


def given_ready(connection: psycopg.Connection, count: int, lane: str = "transactional", **fields: Any) -> None:
    """Deliveries that are due now, of one user each."""
    connection.execute(
        "select s.schedule_id from generate_series(1, %s) as n, lateral"
        " gnomon.schedule_in('u' || n, 'pill', '0', %s::jsonb || jsonb_build_object('lane', %s::text)) as s",
        [count, json.dumps(fields), lane],
    )
    fire_all(connection)


def fire_all(connection: psycopg.Connection) -> None:
    connection.execute("select gnomon.fire_due(array(select generate_series(0, 63))::smallint[], 10000)")


async def until(is_so: Callable[[], object], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110  # what is waited for is in the database
            await asyncio.sleep(0.005)


def ends(connection: psycopg.Connection) -> dict[str, int]:
    found = rows(connection, "select outcome, count(*)::int as count from gnomon_data.delivery_log group by 1")
    return {row.outcome: row.count for row in found}


async def test_what_is_ready_is_sent_and_settled(bench: Callable[..., Any], connection: psycopg.Connection) -> None:
    given_ready(connection, 300)
    async with bench().running() as running:
        await until(lambda: ends(connection) == {"sent": 300})
    assert len(set(running.channel.sent)) == len(running.channel.sent) == 300


async def test_nothing_is_sent_before_it_is_due(bench: Callable[..., Any], connection: psycopg.Connection) -> None:
    connection.execute("select * from gnomon.schedule_in('u1', 'pill', '300 ms')")
    fire_all(connection)
    early: list[timedelta] = []

    async def noted(claim: Claim) -> Answer:
        claim.begin()
        early.append(claim.due_at_utc - value(connection, "select clock_timestamp()"))
        return Answer(Verdict.SENT)

    async with bench(noted).running():
        await until(lambda: early)
    assert timedelta(milliseconds=-100) < early[0] <= timedelta(milliseconds=1), "to the millisecond in which its id begins"


@pytest.mark.alone
async def test_the_outcome_of_a_single_delivery_is_settled_within_100_ms(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async with bench().running():
        await asyncio.sleep(0.1)
        given_ready(connection, 1)
        await until(lambda: ends(connection))
    took = value(connection, "select settled_at_utc - claimed_at_utc from gnomon_data.delivery_log")
    assert took < timedelta(milliseconds=100)


async def test_outcomes_are_settled_while_another_send_of_the_lane_hangs(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def one_hangs(claim: Claim) -> Answer:
        return await forever(claim) if json.loads(claim.event)["data"]["user_id"] == "u1" else Answer(Verdict.SENT)

    given_ready(connection, 20)
    async with bench(one_hangs).running():
        await until(lambda: ends(connection) == {"sent": 19}, 2)


async def test_a_lane_whose_receiver_hangs_holds_up_no_other(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def bulk_hangs(claim: Claim) -> Answer:
        return await forever(claim) if claim.lane == "bulk" else Answer(Verdict.SENT)

    given_ready(connection, 200, "bulk")
    async with bench(bulk_hangs).running() as running:
        await until(lambda: len(running.channel.sent) >= 64)
        given_ready(connection, 10, "critical")
        await until(lambda: ends(connection).get("sent") == 10, 2)
        claimed = value(connection, "select count(*) from gnomon_data.deliveries where lane = 2 and claim_id is not null")
        assert claimed == 64, "no more than is being sent"


async def test_a_channel_that_hangs_beside_one_with_room_makes_nobody_spin(
    bench: Callable[..., Any], connection: psycopg.Connection, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def push_hangs(claim: Claim) -> Answer:
        return await forever(claim) if claim.channel == "push" else Answer(Verdict.SENT)

    # Each channel a sender of its own.
    monkeypatch.setattr(OneSender, "name_for", lambda _self, channel: channel)
    given_ready(connection, 20, "critical", channels=["push"])
    given_ready(connection, 5, "critical", channels=["email"])
    async with bench(push_hangs, concurrency=4).running():
        await until(lambda: ends(connection) == {"sent": 5})
        looks = "gnomon_polls_total"
        before = float(metrics._registry.get_sample_value(looks, {"role": "delivery"}) or 0)
        await asyncio.sleep(0.5)
        after = float(metrics._registry.get_sample_value(looks, {"role": "delivery"}) or 0)
    assert after - before <= 20, "a spin would be hundreds"


async def test_no_more_is_claimed_than_is_sent_in_about_a_second(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def slow(claim: Claim) -> Answer:
        claim.begin()
        await asyncio.sleep(0.1)
        return Answer(Verdict.SENT)

    given_ready(connection, 400, "bulk")
    most = 0
    async with bench(slow, concurrency=4).running():
        for _ in range(20):
            await asyncio.sleep(0.05)
            held = value(connection, "select count(*) from gnomon_data.deliveries where claim_id is not null")
            most = max(most, held)
    assert 4 <= most <= 80, "four at a time, ten a second each, and what was sent and not yet settled"


async def test_the_order_of_one_user_is_kept_in_the_transactional_lane(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    for number in range(30):
        options = json.dumps({"params": {"n": number}})
        connection.execute("select * from gnomon.schedule_in('u1', 'pill', '0', %s)", [options])
    fire_all(connection)
    order: list[int] = []

    async def noted(claim: Claim) -> Answer:
        claim.begin()
        await asyncio.sleep(0.002)
        order.append(json.loads(claim.event)["data"]["params"]["n"])
        return Answer(Verdict.SENT)

    async with bench(noted).running():
        await until(lambda: len(order) == 30)
    assert order == list(range(30))


async def test_an_unclear_end_is_tried_again_but_not_in_bulk(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def breaks(claim: Claim) -> Answer:
        claim.begin()
        raise ConnectionResetError("gone")

    given_ready(connection, 3, "bulk")
    given_ready(connection, 3, "critical")
    async with bench(breaks).running():
        await until(lambda: ends(connection) == {"unknown": 3})
        retried = "select count(*) from gnomon_data.events where kind = 'retry'"
        await until(lambda: value(connection, retried) >= 3)
    assert value(connection, "select count(*) from gnomon_data.deliveries where lane = 0") == 3


async def test_who_asks_for_quiet_has_it_and_nobody_holds_what_he_may_not_send(
    bench: Callable[..., Any], connection: psycopg.Connection, metrics: Metrics
) -> None:
    """Only what was under way has met the 429; critical has its tries; the others cost no attempt."""
    tried: list[str] = []

    async def asks_for_quiet(claim: Claim) -> Answer:
        claim.begin()
        tried.append(claim.lane)
        if claim.lane == "critical":
            return Answer(Verdict.SENT)
        await asyncio.sleep(0.01)
        return Answer(Verdict.THROTTLED, detail="HTTP 429", retry_after=timedelta(minutes=1))

    given_ready(connection, 200, "bulk")
    given_ready(connection, 20, "transactional")
    untried = "select count(*) from gnomon_data.deliveries where attempt = 0 and claim_id is null and ready_at_utc <= now()"
    held = "select count(*) from gnomon_data.deliveries where claim_id is not null"
    async with bench(asks_for_quiet, concurrency=4).running():
        await until(lambda: tried and value(connection, held) == 0)
        given_ready(connection, 10, "critical")
        await until(lambda: ends(connection) == {"sent": 10})
        looks = float(metrics._registry.get_sample_value("gnomon_polls_total", {"role": "delivery"}) or 0)
        await asyncio.sleep(0.5)
        looks = float(metrics._registry.get_sample_value("gnomon_polls_total", {"role": "delivery"}) or 0) - looks
        assert value(connection, held) == 0
    others = len([lane for lane in tried if lane != "critical"])
    assert others <= 8, "what was under way in two lanes"
    assert value(connection, untried) == 220 - others
    assert looks <= 14, "a spin would be hundreds"


async def test_after_the_quiet_one_is_claimed_and_tried_and_then_all(
    bench: Callable[..., Any], connection: psycopg.Connection, metrics: Metrics
) -> None:
    is_probed = asyncio.Event()
    tried: list[str] = []

    async def quiet_for_a_while(claim: Claim) -> Answer:
        claim.begin()
        tried.append(claim.delivery_id)
        if len(tried) == 1:
            return Answer(Verdict.THROTTLED, retry_after=timedelta(milliseconds=400))
        if len(tried) > 8:
            await is_probed.wait()
        return Answer(Verdict.SENT)

    given_ready(connection, 40, "bulk")
    async with bench(quiet_for_a_while, concurrency=8).running():
        await until(lambda: len(tried) == 9)
        assert ends(connection) == {"sent": 7}
        await asyncio.sleep(0.3)
        assert len(tried) == 9
        is_probed.set()
        await until(lambda: ends(connection).get("sent", 0) >= 39)
    assert metrics._registry.get_sample_value("gnomon_released_total", {"lane": "bulk"}) is None, "claimed for nothing"


async def test_what_the_operator_must_mend_uses_up_no_attempt_and_is_tried_again_slowly(
    bench: Callable[..., Any], connection: psycopg.Connection, metrics: Metrics
) -> None:
    """Also critical: it would be refused like all others."""

    async def refused(claim: Claim) -> Answer:
        claim.begin()
        return Answer(Verdict.UNAUTHORISED, detail="HTTP 401")

    for lane in LANES:
        given_ready(connection, 20, lane)
    with capture_logs() as logs:
        async with bench(refused, concurrency=4).running() as running:
            await until(lambda: running.channel.sent)
            await asyncio.sleep(0.5)
    assert len(running.channel.sent) <= 12, "what was under way"
    assert value(connection, "select count(*) from gnomon_data.deliveries where attempt = 0 and claim_id is null") == 60
    assert [log["event"] for log in logs].count("a receiver does not accept our credentials") == 1
    assert 'outcome="unauthorised"' in metrics.text().decode()


async def test_a_cancelled_delivery_that_waits_for_its_turn_is_not_sent(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    gate = asyncio.Event()

    async def gated(claim: Claim) -> Answer:
        claim.begin()
        await gate.wait()
        return Answer(Verdict.SENT)

    async def at_once(_claim: Claim) -> Answer:
        return Answer(Verdict.SENT)

    given_ready(connection, 20, "critical")
    made = bench(at_once, concurrency=1)
    async with made.running():
        await until(lambda: ends(connection) == {"sent": 20})
        made.channel._send = gated
        given_ready(connection, 5, "critical")
        claimed = "select count(*) from gnomon_data.deliveries where claim_id is not null"
        await until(lambda: value(connection, claimed) == 5)
        waiting = rows(
            connection,
            "select gnomon_data.id_text('dlv', id) as id, gnomon_data.id_text('sch', schedule_id) as schedule from"
            " gnomon_data.deliveries order by id desc limit 1",
        )[0]
        answer = rows(connection, "select * from gnomon.cancel_schedule(%s)", waiting.schedule)[0]
        assert (answer.was_fired, answer.stopped_count) == (True, 1)
        made.role.stopped(waiting.id)
        await until(lambda: ends(connection) == {"sent": 20, "cancelled": 1})
        gate.set()
        await until(lambda: ends(connection) == {"sent": 24, "cancelled": 1})
    assert waiting.id not in made.channel.sent


async def test_at_the_end_running_sends_may_finish_and_the_rest_goes_back_untried(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def slow(claim: Claim) -> Answer:
        claim.begin()
        await asyncio.sleep(0.2)
        return Answer(Verdict.SENT)

    async def at_once(_claim: Claim) -> Answer:
        return Answer(Verdict.SENT)

    given_ready(connection, 40, "critical")
    made = bench(at_once, concurrency=2)
    async with made.running():
        await until(lambda: ends(connection) == {"sent": 40})
        made.channel._send = slow
        given_ready(connection, 20, "critical")
        claimed = "select count(*) from gnomon_data.deliveries where claim_id is not null"
        await until(lambda: value(connection, claimed) == 20 and len(made.channel.sent) >= 42)
        began = steady()
        await made.role.finish(timedelta(seconds=5))
        assert steady() - began < timedelta(seconds=2)
    sent = ends(connection)["sent"]
    assert 42 <= sent <= 44
    left = rows(
        connection, "select attempt, claim_id, ready_at_utc <= clock_timestamp() as is_ready from gnomon_data.deliveries"
    )
    assert {(row.attempt, row.claim_id, row.is_ready) for row in left} == {(0, None, True)}
    assert len(left) == 60 - sent


async def test_at_the_end_a_hanging_send_is_cut_at_the_limit(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    given_ready(connection, 3, "critical")
    given_ready(connection, 3, "bulk")
    made = bench(forever)
    async with made.running():
        await until(lambda: len(made.channel.sent) == 6)
        began = steady()
        await made.role.finish(timedelta(milliseconds=300))
        assert timedelta(milliseconds=250) < steady() - began < timedelta(seconds=2)
    assert ends(connection) == {"unknown": 3}
    assert value(connection, "select count(*) from gnomon_data.events where kind = 'retry'") == 3


async def test_a_callers_open_cancel_of_one_in_flight_holds_up_no_other(
    bench: Callable[..., Any], connection: psycopg.Connection, database_url: str
) -> None:
    is_open = False

    async def until_open(claim: Claim) -> Answer:
        claim.begin()
        await until(lambda: is_open)
        return Answer(Verdict.SENT)

    given_ready(connection, 2)
    with sessions(database_url, 1, autocommit=False) as [caller]:
        async with bench(until_open).running() as running:
            await until(lambda: len(running.channel.sent) == 2)
            in_flight = "select gnomon_data.id_text('sch', schedule_id) from gnomon_data.deliveries limit 1"
            caller.execute(f"select gnomon.cancel_schedule(({in_flight}))")
            is_open = True
            await until(lambda: ends(connection) == {"sent": 1})
            given_ready(connection, 3)
            await until(lambda: ends(connection) == {"sent": 4})
            caller.rollback()
            await until(lambda: ends(connection) == {"sent": 5})


async def test_outcomes_survive_an_outage_and_are_settled_after_it(
    bench: Callable[..., Any], connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = deliveries.exchange_deliveries
    is_away = False

    async def sometimes(*rest: Any) -> deliveries.Exchanged:
        if is_away:
            raise DatabaseUnavailable("gone")
        return await real(*rest)

    async def until_away(claim: Claim) -> Answer:
        claim.begin()
        await until(lambda: is_away)
        return Answer(Verdict.SENT)

    monkeypatch.setattr(deliveries, "exchange_deliveries", sometimes)
    given_ready(connection, 5)
    with capture_logs() as logs:
        async with bench(until_away).running() as running:
            await until(lambda: len(running.channel.sent) == 5)
            is_away = True
            await asyncio.sleep(0.5)
            assert ends(connection) == {}
            is_away = False
            await until(lambda: ends(connection) == {"sent": 5})
    said = [log["event"] for log in logs if "database" in log["event"]]
    assert said[0] == "the database is away"
    assert len(said) <= 4, "once when it begins and once when it is over"


async def test_one_outcome_that_cannot_be_settled_keeps_back_no_other(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def one_is_odd(claim: Claim) -> Answer:
        claim.begin()
        if json.loads(claim.event)["data"]["user_id"] == "u1":
            # A channel that answers what there is not: the database refuses the whole batch.
            claim.claim_id = "not a uuid"
        return Answer(Verdict.SENT)

    given_ready(connection, 10, "critical")
    with capture_logs() as logs:
        async with bench(one_is_odd).running():
            await until(lambda: ends(connection) == {"sent": 9})
    assert [log["event"] for log in logs].count("an outcome cannot be settled") == 1


async def test_one_that_cannot_be_handed_over_or_settled_is_set_aside_and_keeps_back_no_other(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    given_ready(connection, 20, "critical")
    connection.execute("update gnomon_data.deliveries set attempt = 2147483647 where user_id = 'u3'")
    connection.execute("alter table gnomon_data.delivery_log add constraint not_u5 check (user_id <> 'u5') not valid")
    tried: list[str] = []

    async def counted(claim: Claim) -> Answer:
        tried.append(claim.delivery_id)
        claim.begin()
        return Answer(Verdict.SENT)

    with capture_logs() as logs:
        async with bench(counted).running():
            await until(lambda: ends(connection) == {"sent": 18})
            await until(lambda: value(connection, "select count(*) from gnomon.set_aside") == 2)
    assert len(tried) == len(set(tried)) == 19
    aside = rows(connection, "select user_id, error_code from gnomon.set_aside order by 1")
    assert [(row.user_id, row.error_code) for row in aside] == [("u3", "22003"), ("u5", "23514")]
    assert [log["event"] for log in logs].count("an outcome cannot be settled") == 1


async def test_a_claim_that_passed_to_somebody_else_settles_nothing(
    bench: Callable[..., Any], connection: psycopg.Connection
) -> None:
    async def taken_over(claim: Claim) -> Answer:
        claim.begin()
        connection.execute("update gnomon_data.deliveries set claim_id = gen_random_uuid()")
        return Answer(Verdict.SENT)

    given_ready(connection, 1)
    async with bench(taken_over).running() as running:
        await until(lambda: running.channel.sent)
        await asyncio.sleep(0.2)
    assert ends(connection) == {}


async def test_a_delivery_that_commits_late_is_found_by_the_sweep(
    bench: Callable[..., Any], connection: psycopg.Connection, database_url: str
) -> None:
    set_clock(connection, value(connection, "select clock_timestamp()"), frozen=False)
    given_ready(connection, 64)
    made = bench()
    async with made.running():
        await until(lambda: ends(connection) == {"sent": 64})
        with sessions(database_url, 1, autocommit=False) as [firer]:
            connection.execute("select * from gnomon.schedule_in('u1', 'pill', '0')")
            fire_all(firer)
            advance(connection, timedelta(seconds=30))
            await asyncio.sleep(0.3)
            firer.commit()
        await asyncio.sleep(0.3)
        assert ends(connection) == {"sent": 64}, "it lies below the fast bound"
        await made.leases.beat()
        await made.role.sweep()
        await until(lambda: ends(connection) == {"sent": 65})


async def test_lateness_and_outcomes_are_counted(
    bench: Callable[..., Any], connection: psycopg.Connection, metrics: Metrics
) -> None:
    given_ready(connection, 4, "critical")
    async with bench().running():
        await until(lambda: ends(connection) == {"sent": 4})
    text = metrics.text().decode()
    assert 'gnomon_attempts_total{channel="log",lane="critical",outcome="sent"} 4.0' in text
    assert 'gnomon_claims_total{channel="log",lane="critical"} 4.0' in text
    assert 'gnomon_lateness_seconds_count{lane="critical"} 4.0' in text
