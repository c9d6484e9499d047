"""Documents that are run: against a database of their own, with a clock that stands where the text says."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from tests.docs import blocks
from tests.docs.psql import psql
from tests.docs.shell import shell
from tests.support.clock import set_clock
from tests.support.given import rows

TOP: Final = Path(__file__).resolve().parents[2]

_ROLES: Final = "select rolname from pg_roles where rolname !~ '^pg_'"


def played(document: Path, url: str) -> dict[int, str]:
    """Run a document on this database; the outputs by the line of their block."""
    with psycopg.connect(url, autocommit=True) as administrator, _roles_of_its_own(administrator):

        def show(at: datetime) -> None:
            set_clock(administrator, at)
            administrator.execute("select gnomon.make_periods()")

        with psql(url) as reader, shell(url) as terminal:
            return blocks.play(document, {"sql": reader.run, "sh": terminal.run}, show)


@contextmanager
def _roles_of_its_own(administrator: psycopg.Connection) -> Iterator[None]:
    """Roles belong to the server: those that a document makes go with it."""
    before = {row.rolname for row in rows(administrator, _ROLES)}
    yield
    for made in {row.rolname for row in rows(administrator, _ROLES)} - before:
        for statement in ("drop owned by {} cascade", "drop role {}"):
            administrator.execute(sql.SQL(statement).format(sql.Identifier(made)))
