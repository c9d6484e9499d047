"""The databases of a benchmark: an embedded one in a folder that goes away where the caller names none, others beside it."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from gnomon.database.call import one, quoted, rows
from gnomon.database.connecting import of_database
from gnomon.database.migrate import upgrade
from gnomon.database.pool import Pool, open_pool
from gnomon.embedded import Embedded
from gnomon.embedded.account import is_root


class DatabaseInUse(Exception):
    """The database holds schedules already, and this benchmark fires, cancels and removes whatever it finds."""

    hint = "Unset GNOMON_DATABASE_URL: the benchmark then makes a database of its own."


@contextmanager
def fresh_database() -> Iterator[str]:
    """The libpq address of a migrated database, durable as it comes. Raises what Embedded.start and upgrade raise."""
    folder = Path(tempfile.mkdtemp(prefix="gnomon-bench-")).resolve()
    try:
        if is_root():
            folder.chmod(0o755)  # the server runs as another account
        with Embedded(folder / "data") as embedded:
            upgrade(embedded.url)
            yield embedded.url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def require_empty(pool: Pool) -> None:
    """Refuse a database that somebody uses. Raises DatabaseInUse."""
    found = await one(
        pool, "select exists (select from gnomon_data.schedules) or exists (select from gnomon_data.deliveries) as is_used"
    )
    if found["is_used"]:
        raise DatabaseInUse(str(DatabaseInUse.__doc__))


@asynccontextmanager
async def another_database(pool: Pool, url: str, name: str) -> AsyncIterator[Pool]:
    """A pool on a migrated database beside the one of this address, dropped with the block."""
    async with empty_database(pool, name):
        beside = of_database(url, name)
        await asyncio.to_thread(upgrade, beside)
        async with open_pool(beside, min_size=1, max_size=4, application_name="gnomon bench") as opened:
            yield opened


@asynccontextmanager
async def empty_database(pool: Pool, name: str, *, owner: str = "default") -> AsyncIterator[None]:
    """A database of this name on the same server, anew; gone with the block, whoever is still connected."""
    drop = f"drop database if exists {quoted(name)} with (force)"
    await rows(pool, drop)
    await rows(pool, f"create database {quoted(name)} owner {owner}")
    try:
        yield
    finally:
        await rows(pool, drop)
