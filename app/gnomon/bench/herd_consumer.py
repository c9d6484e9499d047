"""A consumer of the herd, as a caller's own program would be: each delivery a row in the caller's table, exactly once.

    begin; claim a batch; settle it; insert its rows; commit;

by the SQL API alone. The rows are inserted last, so that the instant they bear is that of the commit as nearly as a peer's
single insert is. Between two batches it asks when the next delivery is ready, and sleeps until then.

The one argument is a JSON object, see Wanted. It prints `ready` and goes on until SIGTERM.
"""

import asyncio
import sys
from datetime import timedelta
from typing import Any, Final

import msgspec
import uvloop

from gnomon.database.call import one
from gnomon.database.pool import Connection, Pool, connection_of, open_pool

_BATCH: Final = 500
_CLAIM: Final = """
select c.delivery_id, c.claim_id, (c.event -> 'data' -> 'params' ->> 'number')::int, (c.event -> 'data' ->> 'due_at')
  from gnomon.claim_deliveries('transactional', 'inbox', %s) as c
"""
_SETTLE: Final = """
select count(*) from gnomon.exchange_deliveries(
    array(select row(o.delivery_id, o.claim_id, 'sent', null, null, null)::gnomon.delivery_outcome
            from unnest(%s::text[], %s::uuid[]) as o (delivery_id, claim_id)),
    'transactional', 'inbox', '{}', 0, interval '30 s', 'herd')
"""
_INSERT: Final = "insert into herd_rows (id, due_at) select * from unnest(%s::int[], %s::timestamptz[])"
_NEXT: Final = """
select extract(epoch from min(r.first_at_utc) - min(r.now_utc))::float8 as seconds
  from gnomon.next_ready('{0}', '{inbox}', array(select n::smallint from generate_series(0, 63) as n)) as r
"""
_LONGEST_REST: Final = timedelta(milliseconds=100)
"""What is fired only now has not been seen when the sleep began."""


class Wanted(msgspec.Struct, frozen=True):
    """Where, and with how many sessions beside each other."""

    url: str
    sessions: int


async def _consume(pool: Pool) -> None:
    while True:
        async with connection_of(pool) as connection:
            taken = await _batch(connection)
        if not taken:
            left = (await one(pool, _NEXT))["seconds"]
            longest = _LONGEST_REST.total_seconds()
            await asyncio.sleep(longest if left is None else min(max(left, 0), longest))


async def _batch(connection: Connection) -> int:
    async with connection.transaction():
        claimed: list[tuple[Any, ...]] = await (await connection.execute(_CLAIM, (_BATCH,))).fetchall()
        if claimed:
            deliveries, claims, numbers, dues = map(list, zip(*claimed, strict=True))
            await connection.execute(_SETTLE, (deliveries, claims))
            await connection.execute(_INSERT, (numbers, dues))
    return len(claimed)


async def _run(wanted: Wanted) -> None:
    size = wanted.sessions
    async with open_pool(wanted.url, min_size=size, max_size=size, application_name="herd consumer") as pool:
        await pool.wait()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        async with asyncio.TaskGroup() as sessions:
            for _ in range(size):
                sessions.create_task(_consume(pool))


if __name__ == "__main__":
    uvloop.run(_run(msgspec.json.decode(sys.argv[1], type=Wanted)))
