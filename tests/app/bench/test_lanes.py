"""The lanes benchmark counts what is lost or comes twice, and its wave is made of rows as the engine writes them."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from gnomon.bench.benchmarks.lanes import Given, judged
from gnomon.bench.wave import Wave, make_wave
from gnomon.database.pool import open_pool
from gnomon.demo.receipts import Receipt
from tests.sql.acts import claim, fire, settle, step_to
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, value
from tests.support.races import wait_until

AT = datetime(2026, 12, 10, 12, tzinfo=UTC)
_COUNT = 300


def _receipt(schedule_id: str, late: timedelta) -> Receipt:
    return Receipt(
        delivery_id="d", schedule_id=schedule_id, occurrence=1, channel="webhook", due_at=AT, received_at=AT + late
    )


def test_the_receivers_file_decides() -> None:
    given = Given(AT, {"critical": frozenset("abcd"), "transactional": frozenset("x")})
    came = [("a", 10), ("b", 20), ("b", 30), ("c", -5), ("x", 40), ("bulk", 50), ("more", 2_000)]
    found = judged(given, [_receipt(name, timedelta(milliseconds=late)) for name, late in came])
    critical = {what: found[f"critical {what}"] for what in ("lost", "twice", "last_ms", "first_ms")}
    assert critical == {"lost": 1, "twice": 1, "last_ms": 30, "first_ms": -5}
    assert (found["transactional lost"], found["transactional twice"], found["bulk a second"]) == (0, 0, 1)
    with pytest.raises(ValueError, match="nothing came"):
        judged(given, [_receipt("a", timedelta())])


def test_a_wave_is_as_the_engine_writes_it(connection: psycopg.Connection, database_url: str) -> None:
    set_clock(connection, AT - timedelta(hours=1))
    value(connection, "select gnomon.make_periods()")

    async def make() -> None:
        async with open_pool(database_url, min_size=1, max_size=2, application_name="test") as pool:
            await make_wave(pool, Wave(AT, _COUNT))

    asyncio.run(make())
    given_schedule(connection, user_id="real", schedule_at=AT, lane="bulk", channels=["webhook"], template_id="wave")
    assert value(connection, "select count(*) from gnomon_data.timers where fire_at_utc = %s and lane = 2", AT) == _COUNT + 1
    assert value(connection, "select sum(missing_count) from gnomon.ledger()") == 0
    copied = one(connection, f"select {_OF_IDS} where d.user_id = 'wave_7'")
    assert (copied.due, copied.shard, copied.lane) == (AT, copied.expected, 2)

    step_to(connection, AT)
    while fire(connection):
        pass
    assert value(connection, "select count(*) from gnomon_data.deliveries_bulk") == 2 * _COUNT + 1
    rows = [_row(connection, "user_id = 'real'"), _row(connection, "user_id = 'wave_7' and accepted_at_utc = due_at_utc")]
    [real, written] = rows
    assert {name for name in real if (real[name] is None) != (written[name] is None)} == set()
    wait_until(
        lambda: settle(connection, claim(connection, "bulk", "webhook", at_most=500)) == 0, "all of it is handed over"
    )
    assert value(connection, "select count(*) from gnomon_data.delivery_log where outcome = 'sent'") == 2 * _COUNT + 1


_OF_IDS = """
gnomon_data.at_of_id(d.id) as due, gnomon_data.shard_of_id(d.id) as shard, gnomon_data.lane_of_id(d.id) as lane,
gnomon_data.shard_of(d.user_id) as expected from gnomon_data.deliveries as d"""


def _row(connection: psycopg.Connection, condition: str) -> dict[str, Any]:
    found: dict[str, Any] = value(connection, f"select to_jsonb(d) from gnomon_data.deliveries as d where {condition}")
    return found
