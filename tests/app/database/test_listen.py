"""Hints: heard, and heard again after the connection is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta

import psycopg
import pytest

from gnomon.database.listen import Hint, Listener

pytestmark = pytest.mark.anyio

LISTENERS = "from pg_stat_activity where application_name = 'ears' and datname = current_database()"
OFTEN = timedelta(milliseconds=100)


@asynccontextmanager
async def heard(listener: Listener) -> AsyncIterator[asyncio.Queue[Hint]]:
    """Iterate the hints beside the test."""
    queue: asyncio.Queue[Hint] = asyncio.Queue()

    async def listen() -> None:
        async with aclosing(listener.hints()) as hints:
            async for hint in hints:
                queue.put_nowait(hint)

    task = asyncio.create_task(listen())
    try:
        yield queue
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def hearing(listener: Listener) -> None:
    await until(lambda: listener.is_hearing)


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110  # what the server does has no event here
            await asyncio.sleep(0.01)


async def test_hints_are_heard_in_order_while_it_probes(database_url: str, connection: psycopg.Connection) -> None:
    listener = Listener(database_url, ["gnomon_due", "gnomon_ready"], application_name="ears", probe_every=OFTEN * 5)
    async with heard(listener) as queue:
        await hearing(listener)
        sent = [Hint("gnomon_due" if n % 2 else "gnomon_ready", str(n)) for n in range(40)]
        for hint in sent:
            connection.execute("select pg_notify(%s, %s)", hint)
            await asyncio.sleep(0.02)
        async with asyncio.timeout(5):
            assert [await queue.get() for _ in sent] == sent


async def test_it_hears_again_after_its_connection_is_lost(database_url: str, connection: psycopg.Connection) -> None:
    listener = Listener(database_url, ["gnomon_due"], application_name="ears", probe_every=OFTEN)
    async with heard(listener) as queue:
        await hearing(listener)
        connection.execute(f"select pg_terminate_backend(pid, 5000) {LISTENERS}".encode())
        await asyncio.sleep(0.05)
        await hearing(listener)
        connection.execute("notify gnomon_due, 'again'")
        async with asyncio.timeout(5):
            assert await queue.get() == Hint("gnomon_due", "again")


async def test_a_connection_that_hears_nothing_is_given_up(database_url: str, connection: psycopg.Connection) -> None:
    """As behind a transaction pooler, where LISTEN is lost and the connection looks well."""
    listener = Listener(database_url, [], application_name="ears", probe_every=OFTEN)
    listener._channels = ("gnomon_elsewhere",)
    seen: set[int] = set()
    async with heard(listener), asyncio.timeout(10):
        while len(seen) < 2:
            seen |= {pid for (pid,) in connection.execute(f"select pid {LISTENERS}".encode())}
            await asyncio.sleep(0.02)
    assert not listener.is_hearing


async def test_closing_it_ends_its_connection(database_url: str, connection: psycopg.Connection) -> None:
    listener = Listener(database_url, ["gnomon_due"], application_name="ears", probe_every=OFTEN)
    async with heard(listener):
        await hearing(listener)
    await until(lambda: connection.execute(f"select 1 {LISTENERS}".encode()).rowcount == 0)
