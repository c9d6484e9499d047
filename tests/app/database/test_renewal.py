"""Sessions made anew when the database asks for it, and only then."""

import asyncio

import psycopg
import pytest

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool, open_pool
from gnomon.database.renewal import Renewal

pytestmark = pytest.mark.anyio

PIDS = "select pid from pg_stat_activity where application_name = 'renewal'"


async def _all_at_work(pool: Pool) -> None:
    await asyncio.gather(*(rows(pool, "select pg_sleep(0.05)") for _ in range(3)))


async def test_old_sessions_go_and_busy_ones_end_their_work(database_url: str, connection: psycopg.Connection) -> None:
    async with open_pool(database_url, min_size=3, max_size=3, application_name="renewal") as pool:
        renewal = Renewal(pool)
        await renewal.look()
        await _all_at_work(pool)
        before = set(connection.execute(PIDS).fetchall())
        assert len(before) == 3

        await renewal.look()
        assert set(connection.execute(PIDS).fetchall()) == before

        busy = asyncio.create_task(one(pool, "select 1 as answer from pg_sleep(0.3)"))
        await asyncio.sleep(0.05)
        connection.execute("select gnomon.renew_sessions()")
        await renewal.look()
        assert (await busy)["answer"] == 1
        await _all_at_work(pool)
        assert not before & set(connection.execute(PIDS).fetchall())
