"""The pool over lost connections and a server that goes and comes."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from gnomon.database.call import rows
from gnomon.database.pool import Pool, open_pool
from gnomon.embedded import Embedded
from gnomon.errors import DatabaseUnavailable

pytestmark = pytest.mark.anyio

OTHERS = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'test'"
#: Seconds within which a pool must be itself again once the server is.
SOON = 3


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    async with open_pool(database_url, min_size=4, max_size=4, application_name="test") as opened:
        await asyncio.gather(*(rows(opened, "select pg_sleep(0.05)") for _ in range(4)))
        yield opened


async def test_dead_connections_are_not_lent(pool: Pool, connection: psycopg.Connection) -> None:
    connection.execute(OTHERS)
    begun = time.monotonic()
    for _ in range(8):
        await rows(pool, "select 1")
    assert time.monotonic() - begun < 1


async def test_a_call_that_loses_its_connection_says_so_and_the_next_works(
    pool: Pool, connection: psycopg.Connection
) -> None:
    sleeping = asyncio.create_task(rows(pool, "select pg_sleep(20)"))
    await asyncio.sleep(0.1)
    connection.execute(OTHERS)
    with pytest.raises(DatabaseUnavailable) as lost:
        await sleeping
    assert "may have been done" in lost.value.hint
    await rows(pool, "select 1")


async def test_waiting_for_a_connection_ends(database_url: str) -> None:
    wait = timedelta(milliseconds=100)
    async with open_pool(database_url, min_size=1, max_size=1, application_name="test", wait=wait) as pool:
        sleeping = asyncio.create_task(rows(pool, "select pg_sleep(0.5)"))
        await asyncio.sleep(0.2)
        with pytest.raises(DatabaseUnavailable):
            await rows(pool, "select 1")
        await sleeping


@pytest.fixture
def own_server(open_folder: Path) -> Iterator[Embedded]:
    """A server that a test may stop and crash."""
    server = Embedded(open_folder / "data", {"shared_buffers": "16MB"}, is_durable=False)
    yield server
    server.stop()


async def test_it_outlives_restarts_and_crashes_of_the_server(own_server: Embedded) -> None:
    await asyncio.to_thread(own_server.start)
    url = own_server.url
    await asyncio.to_thread(own_server.stop)
    wait = timedelta(seconds=1)
    async with open_pool(url, min_size=2, max_size=2, application_name="test", wait=wait) as pool:
        with pytest.raises(DatabaseUnavailable):
            await rows(pool, "select 1")

        await asyncio.to_thread(own_server.start)
        await answered_soon(pool)

        await asyncio.to_thread(own_server.stop)
        with pytest.raises(DatabaseUnavailable):
            await rows(pool, "select 1")
        await asyncio.to_thread(own_server.start)
        await answered_soon(pool)

        await asyncio.to_thread(own_server.restart, "immediate")
        await answered_soon(pool)


async def answered_soon(pool: Pool) -> None:
    begun = time.monotonic()
    while True:
        try:
            await rows(pool, "select 1")
        except DatabaseUnavailable:
            assert time.monotonic() - begun < SOON
        else:
            return
