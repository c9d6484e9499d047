from datetime import timedelta

import psycopg
import pytest

from gnomon.database.pool import Pool
from gnomon_pollers import leases as module
from gnomon_pollers.leases import Leases, delivery_group
from tests.support.clock import advance, set_clock
from tests.support.given import value

pytestmark = pytest.mark.anyio


async def test_one_holds_all_and_two_share(pool: Pool) -> None:
    one, two = Leases(pool, "due", "one"), Leases(pool, "due", "two")
    wait = await one.beat()
    assert timedelta(seconds=0.5) < wait <= timedelta(seconds=1)
    assert one.held == tuple(range(64))
    assert one.take_gained() == set(range(64))
    await two.beat()
    await one.beat()
    await two.beat()
    assert len(one.held) == len(two.held) == 32
    assert not set(one.held) & set(two.held)
    assert one.take_gained() == set()
    assert two.take_gained() == set(two.held)


async def test_who_leaves_frees_all_at_once(pool: Pool) -> None:
    one, two = Leases(pool, "due", "one"), Leases(pool, "due", "two")
    await one.beat()
    await two.beat()
    await one.leave()
    assert one.held == ()
    await two.beat()
    assert len(two.held) == 64


async def test_a_silent_owner_is_followed_after_three_seconds(pool: Pool, connection: psycopg.Connection) -> None:
    one, two = Leases(pool, "upkeep", "one"), Leases(pool, "upkeep", "two")
    await one.beat()
    await two.beat()
    assert (one.held, two.held) == ((0,), ())
    now = value(connection, "select clock_timestamp()")
    set_clock(connection, now, frozen=False)
    advance(connection, timedelta(seconds=4))
    await two.beat()
    assert two.held == (0,)


async def test_after_a_silence_of_its_own_a_process_holds_nothing_and_then_trusts_nothing(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = Leases(pool, "due", "one")
    now = timedelta(hours=1)
    monkeypatch.setattr(module, "steady", lambda: now)
    await leases.beat()
    leases.take_gained()
    now += timedelta(seconds=3)
    assert leases.held == ()
    await leases.beat()
    assert len(leases.held) == 64
    assert leases.take_gained() == set(range(64)), "others may have had them meanwhile"


async def test_workers_of_other_lanes_or_channels_share_nothing(pool: Pool) -> None:
    one = Leases(pool, delivery_group(["critical"], None), "one")
    two = Leases(pool, delivery_group(["critical", "bulk"], None), "two")
    await one.beat()
    await two.beat()
    await one.beat()
    assert len(one.held) == len(two.held) == 64
    assert delivery_group(["bulk"], ["log", "email"]) == delivery_group(["bulk"], ["email", "log"])
    assert delivery_group(["bulk"], None) != delivery_group(["bulk"], ["log"])
