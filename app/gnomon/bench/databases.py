"""Databases of their own on one server, so that every side does the same work beside the same disk, and none sees another.

Where the server is reached by a socket of the file system, everybody, ourselves too, goes by its loopback port: some peers
know no sockets, and a socket is a little faster.
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import quote, urlsplit

from gnomon.bench.benchmark import Run
from gnomon.bench.calm import checkpoint
from gnomon.bench.stage import empty_database
from gnomon.database.call import one, quoted, rows
from gnomon.database.pool import Pool

_LOOPBACK: Final = "127.0.0.1"
_HERE: Final = """
select current_setting('port') as port, pg_backend_pid() as pid, rolsuper as is_super
  from pg_roles where rolname = current_user
"""
_MUST_BE_ON: Final = ("fsync", "synchronous_commit", "full_page_writes")


class NotDurable(RuntimeError):
    """The server forgets what it confirmed, so nothing measured on it would count."""

    hint = "switch fsync, synchronous_commit and full_page_writes on"


class Databases:
    """The server of a run, for databases that last as long as a block."""

    def __init__(self, pool: Pool, address: str, account: str) -> None:
        """Use `databases_of`."""
        self._pool = pool
        self._address = address
        self._account = account

    @asynccontextmanager
    async def fresh(self, name: str) -> AsyncIterator[str]:
        """The libpq address of an empty database, gone with the block; what others left to be written is written before."""
        database = f"gnomon_bench_{name}"
        await checkpoint(self._pool)
        async with empty_database(self._pool, database, owner=quoted(self._account)):
            yield self._address.format(database=database)


@asynccontextmanager
async def databases_of(run: Run) -> AsyncIterator[Databases]:
    """Databases beside that of the run. Raises NotDurable."""
    for name in _MUST_BE_ON:
        if (await one(run.pool, "select current_setting(%s) as setting", (name,)))["setting"] != "on":
            raise NotDurable(f"{name} is off on this server")
    here = await one(run.pool, _HERE)
    parts = urlsplit(run.url)
    if parts.hostname:
        account = (await one(run.pool, "select current_user as name"))["name"]
        yield Databases(run.pool, parts._replace(path="/{database}").geturl(), account)
        return
    account, password = f"gnomon_bench_{secrets.token_hex(4)}", secrets.token_hex(16)
    rights = "superuser login" if here["is_super"] else "login"
    await rows(run.pool, f"create role {quoted(account)} {rights} password '{password}'")
    try:
        address = f"postgresql://{quote(account)}:{password}@{_LOOPBACK}:{here['port']}/{{database}}"
        yield Databases(run.pool, address, account)
    finally:
        await rows(run.pool, f"drop role if exists {quoted(account)}")
