"""Documents that are run: against a database of their own, with a clock that stands where the text says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from tests.docs import blocks
from tests.docs.psql import psql
from tests.support.clock import set_clock
from tests.support.given import rows

TOP: Final = Path(__file__).resolve().parents[2]

_ROLES: Final = "select rolname from pg_roles where rolname !~ '^pg_'"

Runner = Callable[[str], str]


def played(document: Path, url: str, **others: Runner) -> dict[int, str]:
    """Run a document on this database; `others` run the blocks of other languages than sql. Outputs by line."""
    with psycopg.connect(url, autocommit=True) as administrator, _roles_of_its_own(administrator):

        def show(at: datetime) -> None:
            set_clock(administrator, at)
            administrator.execute("select gnomon.make_periods()")

        with psql(url) as reader:
            return blocks.play(document, {"sql": reader.run, **others}, show)


@contextmanager
def _roles_of_its_own(administrator: psycopg.Connection) -> Iterator[None]:
    """Roles belong to the server: those that a document makes go with it."""
    before = {row.rolname for row in rows(administrator, _ROLES)}
    yield
    for made in {row.rolname for row in rows(administrator, _ROLES)} - before:
        for statement in ("drop owned by {} cascade", "drop role {}"):
            administrator.execute(sql.SQL(statement).format(sql.Identifier(made)))
