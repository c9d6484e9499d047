"""Every revision can be taken back, leads to the same again, and keeps what was promised to those who call.

One walk, looked at three times: base, up, down, up again, and on to the next.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import psycopg
import pytest

from gnomon.database import catalogue, migrate
from gnomon.files import migrations_folder
from tests.migrations.conftest import ALL
from tests.support.cluster import Server
from tests.support.given import rows

#: What a caller of the version before leans on: arguments by name and place, and the columns of what is answered.
_PROMISES: Final = """
select p.oid::regproc::text as name,
       pg_get_function_arguments(p.oid) as taken,
       coalesce((select array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
                   from pg_attribute as a join pg_class as c on c.oid = a.attrelid
                  where c.reltype = p.prorettype and a.attnum > 0 and not a.attisdropped),
                array[pg_get_function_result(p.oid)]) as answered
  from pg_proc as p where p.pronamespace = 'gnomon'::regnamespace
union all
select c.oid::regclass::text, 'a view',
       array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid
 where c.relnamespace = 'gnomon'::regnamespace and c.relkind = 'v' and a.attnum > 0 group by c.oid
"""

_VIEW: Final = "a view"

Described = dict[str, str]
Promises = dict[str, tuple[str, list[str]]]


@dataclass(frozen=True)
class Stair:
    """One revision on the walk."""

    revision: str
    below: Described
    there: Described
    taken_back: Described
    there_again: Described
    promised: Promises


@pytest.fixture(scope="module")
def stairs(server: Server) -> Iterator[list[Stair]]:
    with server.database() as url, psycopg.connect(url, autocommit=True) as connection:
        walked: list[Stair] = []
        migrate.upgrade(url, ALL[0])
        migrate.downgrade(url, "base")
        earlier, below = "base", catalogue.describe(connection)
        for revision in ALL:
            migrate.upgrade(url, revision)
            there = catalogue.describe(connection)
            migrate.downgrade(url, earlier)
            taken_back = catalogue.describe(connection)
            migrate.upgrade(url, revision)
            walked.append(Stair(revision, below, there, taken_back, catalogue.describe(connection), promises(connection)))
            earlier, below = revision, there
        yield walked


def promises(connection: psycopg.Connection) -> Promises:
    return {row.name: (row.taken, row.answered) for row in rows(connection, _PROMISES)}


def different(expected: Described, found: Described) -> list[str]:
    return sorted(name for name in {*expected, *found} if expected.get(name) != found.get(name))


def test_every_revision_changes_something(stairs: list[Stair]) -> None:
    assert [stair.revision for stair in stairs if stair.below == stair.there] == []


def test_every_revision_is_taken_back_whole(stairs: list[Stair]) -> None:
    assert {stair.revision: different(stair.below, stair.taken_back) for stair in stairs} == {one: [] for one in ALL}


def test_every_revision_leads_to_the_same_again(stairs: list[Stair]) -> None:
    assert {stair.revision: different(stair.there, stair.there_again) for stair in stairs} == {one: [] for one in ALL}


def test_those_who_call_as_before_are_answered_as_before(stairs: list[Stair]) -> None:
    """Routines answer exactly the same columns, into fixed shapes and prepared statements; a view may get more at its end.

    What up.sql drops by name has been replaced long enough.
    """
    for earlier, later in pairwise(stairs):
        steps = next(Path(migrations_folder(), "versions").glob(f"{later.revision}_*/up.sql")).read_text()
        for name, (taken, answered) in earlier.promised.items():
            if name in later.promised:
                now_taken, now_answered = later.promised[name]
                kept = now_answered[: len(answered)] if taken == _VIEW else now_answered
                assert (now_taken, kept) == (taken, answered), name
            else:
                assert f"drop routine {name}" in steps, name
