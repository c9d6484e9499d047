"""Fire, claim and settle touch their own rows only, whatever the statistics say.

A table that is analyzed while it holds no visible row counts as empty from then on, of whatever size it becomes: after a
quiet night, or because a large transaction was open. Then walking an index once for each row seems as good as looking each
row up, and 500 of 20,000 took seconds.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import SHARDS, claim, deliver_all, fire, fire_slice, given_many, settle, utc
from tests.sql.plans import plans_of
from tests.support.clock import advance, set_clock
from tests.support.given import rows, value

_HERD = 8_000
_TEN = utc("2026-12-01T10:00:00")

# A statement looks at each of its rows a few times; at each of the others it may not even look once.
_LOOKS = 10

_EMPTY = """
select count(*) as count from pg_class
 where relnamespace = 'gnomon_data'::regnamespace and relkind = 'r' and reltuples = 0 and relpages > 0
   and relname ~ '^(schedules_once_|deliveries_transactional)'
"""


@pytest.fixture
def deceived(connection: psycopg.Connection) -> psycopg.Connection:
    """Schedules and deliveries that were analyzed after a herd had gone, and hold another one since, two of each user."""
    set_clock(connection, _TEN)
    connection.execute("select gnomon.make_periods()")
    given_many(connection, 2_000, _TEN)
    deliver_all(connection)
    for table in ("schedules", "deliveries", "timers"):
        connection.execute(f"analyze gnomon_data.{table}")
    assert rows(connection, _EMPTY)[0].count == 9, "large, and said to be empty"
    advance(connection, timedelta(minutes=1))
    for second in range(2):  # the second of each user waits behind the first
        given_many(connection, _HERD // 2, _TEN + timedelta(minutes=1, seconds=second), users="more-")
    return connection


def _most_handled(connection: psycopg.Connection, run: Callable[[], object]) -> tuple[int, str]:
    """The most rows that one node of a plan has produced or thrown away, and what it was."""
    handled = [
        (_rows_of(node), f"{node['Node Type']} in {plan.text.strip()[:60]}")
        for plan in plans_of(connection, run, "")
        for node in plan.nodes
    ]
    return max(handled)


def _rows_of(node: dict[str, Any]) -> int:
    kinds = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck")
    return int(node.get("Actual Loops", 0) * sum(node.get(kind, 0) for kind in kinds))


def test_a_fire_handles_its_own_rows(deceived: psycopg.Connection) -> None:
    fire_slice(deceived, 1, SHARDS[8:16])  # the plans that a session keeps are made with the same statistics
    most, where = _most_handled(deceived, lambda: fire_slice(deceived, 1, SHARDS[8:16]))
    assert most <= _LOOKS * 8 * 62, where


def test_claims_and_what_becomes_of_them_handle_their_own_rows(deceived: psycopg.Connection) -> None:
    while fire(deceived, 10_000):
        pass
    batches = [claim(deceived, at_most=500) for _ in range(3)]
    for act in (
        lambda: claim(deceived, at_most=500),
        lambda: settle(deceived, batches[0]),
        lambda: settle(deceived, batches[1], "retry"),
        lambda: _release(deceived, batches[2]),
    ):
        most, where = _most_handled(deceived, act)
        assert most <= _LOOKS * 500, where


def _release(connection: psycopg.Connection, claims: list[Any]) -> int:
    ids = [[c.delivery_id for c in claims], [c.claim_id for c in claims]]
    return int(value(connection, "select gnomon.release_deliveries('transactional', %s, %s)", *ids))
