"""A server that waits for its disk, for what is to outlive a crash; one for all journeys that ask for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg import sql

from gnomon.database import fresh
from gnomon.embedded import Embedded


@dataclass(frozen=True)
class Durable:
    """The server; its own database holds today's `sql/` and nothing else, and nobody is to connect to it."""

    server: Embedded
    _numbers: Iterator[int] = field(default_factory=count)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The name of a database with everything loaded."""
        name = f"journey{next(self._numbers)}"
        with psycopg.connect(
            psycopg.conninfo.make_conninfo(self.server.url, dbname="postgres"), autocommit=True
        ) as connection:
            make = sql.SQL("create database {} template gnomon strategy file_copy")
            connection.execute(make.format(sql.Identifier(name)))
        yield name


@contextmanager
def running_durable() -> Iterator[Durable]:
    """The server, started for the block."""
    with TemporaryDirectory(prefix="gnomon-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)  # the server's account enters it too
        with Embedded(folder / "data") as server:
            fresh.load(server.url)
            yield Durable(server)
