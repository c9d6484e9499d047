"""What fill writes is what the engine would have: found, listed, balanced, cancelled, its timers and keys in place."""

import asyncio
from typing import Any

import psycopg
import pytest

from gnomon.bench.fill import Fill, fill
from gnomon.bench.stage import DatabaseInUse, require_empty
from gnomon.database.pool import open_pool
from tests.support.given import one, rows, value

_WANTED = Fill(users=300, recurring=2, once=1, labels={"batch": "storm"})


async def _filled(url: str) -> None:
    async with open_pool(url, min_size=1, max_size=4, application_name="test") as pool:
        await require_empty(pool)
        await fill(pool, _WANTED)
        with pytest.raises(DatabaseInUse):
            await require_empty(pool)


@pytest.fixture
def filled(database_url: str, connection: psycopg.Connection) -> psycopg.Connection:
    asyncio.run(_filled(database_url))
    return connection


def test_rows_are_those_of_accepted_schedules(filled: psycopg.Connection) -> None:
    made = "from gnomon_data.schedules as s where s.user_id ~ '^filled_[0-9]+$'"
    assert value(filled, f"select count(*) {made}") == _WANTED.schedules
    assert value(filled, f"select count(*) {made} and s.shard = gnomon_data.shard_of(s.user_id)") == _WANTED.schedules
    assert value(filled, f"select count(*) {made} and gnomon_data.shard_of_id(s.id) = s.shard") == _WANTED.schedules
    assert value(filled, f"select min(s.fire_at_utc) > gnomon_data.now_utc() + interval '2 h' {made}")
    assert value(filled, "select count(*) from gnomon_data.timers_far") > 0
    faults = "select f.* from generate_series(0, 63) as n cross join lateral gnomon.ledger_faults(n::smallint, null) as f"
    assert rows(filled, faults) == []
    assert rows(filled, "select * from gnomon.ledger() where missing_count <> 0") == []
    other = "not exists (select from gnomon.find_user(s.user_id) as u where u.time_zone = s.time_zone)"
    zones = f"select count(*) {made} and s.is_recurring and {other}"
    assert value(filled, zones) == 0


def test_they_can_be_listed_repeated_and_cancelled(filled: psycopg.Connection) -> None:
    listed: list[Any] = rows(filled, "select * from gnomon.pending_schedules('filled_7')")
    assert [found.status for found in listed] == ["scheduled"] * 3
    assert sorted(found.key or "" for found in listed) == ["", "pill-0", "pill-1"]
    cancelled = one(filled, "select * from gnomon.cancel_schedule_by_key('filled_7', 'pill-1')")
    assert (cancelled.status, cancelled.was_fired) == ("cancelled", False)
    assert value(filled, "select gnomon.pending_count('filled_7')") == 2
    assert value(filled, "select count(*) from gnomon.ledger() where missing_count <> 0") == 0
    left = "select count(*) from gnomon_data.timers as t where gnomon_data.id_text('sch', t.subject_id) = %s"
    assert value(filled, left, cancelled.schedule_id) == 0
