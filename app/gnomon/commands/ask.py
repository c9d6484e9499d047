"""What the commands that make one call share: the database they ask, and how they show an answer as JSON."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from gnomon.database.call import one
from gnomon.database.pool import Pool, open_pool
from gnomon.embedded import database_for
from gnomon.settings import Settings, read_settings

Answer = TypeVar("Answer")


class DatabaseNotMigrated(Exception):
    """The database holds no schema of Gnomon's."""

    hint = "Run `gnomon migrate` first."


def ask(call: Callable[[Pool], Awaitable[Answer]]) -> Answer:
    """Make one call on the database of the settings. Raises what the call raises."""

    async def asked(url: str) -> Answer:
        async with _small_pool(url) as pool:
            return await call(pool)

    with ready_database(read_settings()) as url:
        return asyncio.run(asked(url))


@contextmanager
def ready_database(settings: Settings) -> Iterator[str]:
    """The address of the database, known to answer and to hold our schema; the embedded one is migrated when new.

    Raises DatabaseNotMigrated for a server of the user's: whose schema changes there, and when, is not ours to decide.
    """
    with database_for(settings) as url:
        if not asyncio.run(_is_migrated(url)):
            if settings.database_url is not None:
                raise DatabaseNotMigrated(str(DatabaseNotMigrated.__doc__))
            from gnomon.database.migrate import upgrade

            upgrade(url)
        yield url


def show_json(body: msgspec.Struct) -> None:
    """Print the same JSON that the HTTP call answers."""
    sys.stdout.write(msgspec.json.encode(body).decode() + "\n")


async def _is_migrated(url: str) -> bool:
    async with _small_pool(url) as pool:
        found = await one(pool, "select to_regprocedure('gnomon.schema_revision()') is not null as is_there")
        return bool(found["is_there"])


def _small_pool(url: str) -> Pool:
    return open_pool(url, min_size=1, max_size=1, application_name="gnomon")
