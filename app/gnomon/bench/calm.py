"""What is done before and between measurements, so that each round begins alike."""

from collections.abc import Iterable
from typing import Any, Final

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool, connection_of

FILLED: Final = ("users", "schedules", "schedule_keys", "timers", "timers_far")
"""Tables that hold what is pending."""
WORKED: Final = (*FILLED, "deliveries", "acceptances", "channels_in_use")
"""And those through which it passes."""

_TIMES: Final = 3

_MAY_CHECKPOINT: Final = """
select pg_has_role('pg_checkpoint', 'usage') or r.rolsuper as may
  from pg_catalog.pg_roles as r where r.rolname = current_user"""
_DEAD: Final = """
select coalesce(sum(s.n_dead_tup), 0)::float8 as dead
  from pg_catalog.pg_stat_user_tables as s
 where s.schemaname = 'gnomon_data' and s.relname ~ ('^(' || %s || ')')"""


async def vacuum(pool: Pool, tables: Iterable[str] = FILLED) -> None:
    """Vacuum and analyze, as a database that has grown over weeks has long been: autovacuum then finds nothing to do."""
    for table in tables:
        await rows(pool, f"vacuum (analyze) gnomon_data.{table}")


async def checkpoint(pool: Pool) -> None:
    """Ask for a checkpoint, where this account may: rounds then write whole pages alike."""
    if (await one(pool, _MAY_CHECKPOINT))["may"]:
        await rows(pool, "checkpoint")


async def dead_rows(pool: Pool, tables: Iterable[str] = ("timers", "schedules", "deliveries")) -> float:
    """Dead rows in these tables and their partitions, as the statistics have it."""
    found = await one(pool, _DEAD, ["|".join(tables)])
    return float(found["dead"])


async def buffers(pool: Pool, statement: str, parameters: list[Any]) -> float:
    """How many buffers a statement touches, found or read, once the session has done it before: the fewest of some times."""
    least = float("inf")
    async with connection_of(pool) as connection:
        for _ in range(_TIMES):
            found = await (
                await connection.execute(f"explain (analyze, buffers, format json) {statement}".encode(), parameters)
            ).fetchone()
            assert found is not None
            plan = found[0][0]["Plan"]
            least = min(least, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
    return least
