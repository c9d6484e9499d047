"""What pollers, workers and callers do, as one call each, for tests of the SQL; and ways to count and to make many rows."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.support.clock import advance, clock
from tests.support.given import one, rows, value
from tests.support.races import wait_until

SHARDS: Final = list(range(64))
NIL: Final = "00000000-0000-0000-0000-000000000000"

FIRE_AHEAD: Final = timedelta(seconds=2)

_TABLES: Final = """
select c.relname as name from pg_class as c
 where c.relnamespace = 'gnomon_data'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
 order by 1
"""


def utc(text: str) -> datetime:
    """An instant written without its zone, which is UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def user_in(connection: psycopg.Connection, shard: int, number: int = 0) -> str:
    """A user who lives in a shard, the number-th found."""
    found = value(
        connection,
        "select 'user-' || n from generate_series(1, 100000) as n where gnomon_data.shard_of('user-' || n) = %s"
        " offset %s limit 1",
        shard,
        number,
    )
    return str(found)


def fire(connection: psycopg.Connection, at_most: int = 500, shards: Iterable[int] = SHARDS) -> int:
    """Fire what is due within the look-ahead, once; how many."""
    return int(one(connection, "select * from gnomon.fire_due(%s::smallint[], %s)", list(shards), at_most).fired_count)


def fire_slice(connection: psycopg.Connection, lane: int, shards: list[int], each: int = 62) -> Any:
    """The call of a poller without memory: everything due in a lane and the shards of one slice."""
    return one(
        connection,
        "select * from gnomon.fire_slice(%s::smallint, %s::smallint[], array_fill('-infinity'::timestamptz, array[%s]),"
        " array_fill(%s::uuid, array[%s]), %s)",
        *(lane, shards, len(shards), NIL, len(shards), each),
    )


def prove(connection: psycopg.Connection, *planes: str) -> None:
    """Move the safe marks of these planes to what is proven now, as a poller does once in a while."""
    proof = one(connection, "select * from gnomon.begin_proof()")
    query = "select bool_and(gnomon.prove_marks(p, %s::smallint[], %s, %s)) from unnest(%s::text[]) as p"
    wait_until(lambda: value(connection, query, SHARDS, *proof, list(planes)), "what was open is over")


def claim(
    connection: psycopg.Connection,
    lane: str = "transactional",
    channel: str = "log",
    at_most: int = 100,
    lease_for: timedelta = timedelta(seconds=30),
) -> list[Any]:
    """Take over what is ready."""
    return rows(
        connection, "select * from gnomon.claim_deliveries(%s, %s, %s, %s, 'test')", lane, channel, at_most, lease_for
    )


def settle(connection: psycopg.Connection, claims: Iterable[Any], outcome: str = "sent", **more: Any) -> int:
    """Settle claims with one outcome; how many still were the caller's."""
    outcomes = [{"delivery_id": c.delivery_id, "claim_id": str(c.claim_id), "outcome": outcome} | more for c in claims]
    return int(value(connection, "select gnomon.settle_deliveries(%s)", Jsonb(outcomes)))


def exchange(connection: psycopg.Connection, claims: Iterable[Any], outcome: str = "sent", at_most: int = 0) -> list[Any]:
    """The call of our workers, in the transactional lane: settle, and take over what is ready."""
    outcomes = [{"delivery_id": c.delivery_id, "claim_id": str(c.claim_id), "outcome": outcome} for c in claims]
    return rows(
        connection,
        "select * from gnomon.exchange_deliveries(array(select o from jsonb_populate_recordset("
        "null::gnomon.delivery_outcome, %s) as o), 'transactional', 'log', %s::smallint[], %s, '30 s', 'test')",
        *(Jsonb(outcomes), SHARDS, at_most),
    )


def cancel(connection: psycopg.Connection, schedule_id: str) -> Any:
    """Cancel a schedule."""
    return one(connection, "select * from gnomon.cancel_schedule(%s)", schedule_id)


def reschedule(connection: psycopg.Connection, schedule_id: str, change: dict[str, Any], version: int | None = None) -> Any:
    """Change a schedule by a merge."""
    return one(connection, "select * from gnomon.reschedule(%s, %s, %s)", schedule_id, Jsonb(change), version)


def found(connection: psycopg.Connection, schedule_id: str) -> Any:
    """Everything told of a schedule."""
    return one(connection, "select * from gnomon.find_schedule(%s)", schedule_id)


def schedule_many(connection: psycopg.Connection, requests: list[Any]) -> list[Any]:
    """Schedule a batch; one answer an item."""
    return rows(connection, "select * from gnomon.schedule_many(%s)", Jsonb(requests))


def step_to(connection: psycopg.Connection, at: datetime) -> None:
    """Move the clock of the test to an instant."""
    advance(connection, at - clock(connection))


def deliver_all(connection: psycopg.Connection, lane: str = "transactional", channel: str = "log") -> list[Any]:
    """Fire, claim and settle until nothing is left; the events in the order in which they were handed over."""
    events: list[Any] = []
    while True:
        fired = fire(connection)
        claims = claim(connection, lane, channel)
        if not fired and not claims:
            return events
        events += [c.event for c in claims]
        settle(connection, claims)


def row_counts(connection: psycopg.Connection) -> dict[str, int]:
    """How many rows each table of gnomon_data has."""
    return {
        table.name: int(value(connection, f"select count(*) from gnomon_data.{table.name}"))
        for table in rows(connection, _TABLES)
    }


def ledger(connection: psycopg.Connection, schedule_id: str | None = None) -> list[str]:
    """The outcomes in the ledger, of one schedule or of all, the oldest first."""
    of_one = "where schedule_id = gnomon_data.id_of('sch', %s)" if schedule_id else ""
    query = f"select outcome from gnomon_data.occurrence_log {of_one} order by logged_at_utc, outcome"
    return [row.outcome for row in rows(connection, query, *([schedule_id] if schedule_id else []))]


def given_many(
    connection: psycopg.Connection, count: int, at: datetime, *, lane: str = "transactional", users: str = "many-"
) -> None:
    """Make one-shots with their timers, set-based, all due at one instant: a user each, spread over all shards."""
    connection.execute(
        """
        with made as materialized (
            select u.user_id, h.shard, gnomon_data.new_id(h.shard, gnomon_data.now_utc()) as id
              from (select %(users)s::text || n as user_id from generate_series(1, %(count)s) as n) as u
             cross join lateral (select gnomon_data.shard_of(u.user_id) as shard offset 0) as h
        ), written as (
            insert into gnomon_data.schedules (shard, id, is_recurring, user_id, template_id, lane, when_words, rule,
                due_at_utc, fire_at_utc, stamp, accepted_at_utc)
            select m.shard, m.id, false, m.user_id, 'many', gnomon_data.lane_of(%(lane)s), '{}', '{"kind": "instant"}',
                   %(at)s, %(at)s, 1, gnomon_data.now_utc() from made as m
        )
        insert into gnomon_data.timers (fire_at_utc, wanted_at_utc, stamp, subject_id, shard, lane, kind)
        select %(at)s, %(at)s, 1, m.id, m.shard, gnomon_data.lane_of(%(lane)s), 1 from made as m
        """,
        {"users": users, "count": count, "at": at, "lane": lane},
    )


def sweep(connection: psycopg.Connection, at_most: int = 200) -> int:
    """Sweep mass operations until there is nothing to do for now; how many pieces."""
    pieces = 0
    while value(connection, "select gnomon.sweep_operations(%s)", at_most):
        pieces += 1
    return pieces
