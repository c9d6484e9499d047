"""Partitions by time that lie behind: detached, read again, dropped; and parents analyzed, which autovacuum never does.

    attached -- DETACH CONCURRENTLY --> pending --> detached -- read again --> empty -- dropped
                                          | (interrupted)
                                          '-- FINALIZE by whoever comes next

DETACH CONCURRENTLY cannot run inside a transaction, so it is issued from here. It waits until every transaction that may
write into the period is over, and blocks nobody. What such a transaction left in it is inserted anew before the drop.
"""

from collections.abc import Awaitable
from datetime import timedelta
from typing import Final

from gnomon.database.call import rows
from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger
from gnomon_pollers.calls import upkeep
from gnomon_pollers.claims import steady

_NOT_ALLOWED: Final = "42501"

_ANALYZE_EVERY: Final = timedelta(hours=20)
"""Nightly, whichever process has the lease by then: the server remembers when it was done last."""

_SAID_AGAIN_AFTER: Final = timedelta(hours=1)

_PENDING: Final = """
select p.relname as parent_table, c.relname as period_table
  from pg_catalog.pg_inherits as i
  join pg_catalog.pg_class as c on c.oid = i.inhrelid
  join pg_catalog.pg_class as p on p.oid = i.inhparent
 where i.inhdetachpending and p.relnamespace = 'gnomon_data'::regnamespace
"""

_ATTACHED: Final = """
select c.relname as period_table
  from pg_catalog.pg_inherits as i join pg_catalog.pg_class as c on c.oid = i.inhrelid
 where c.relnamespace = 'gnomon_data'::regnamespace
"""

_PARENTS: Final = """
select c.relname as parent_table
  from pg_catalog.pg_class as c
  left join pg_catalog.pg_stat_all_tables as s on s.relid = c.oid
 where c.relnamespace = 'gnomon_data'::regnamespace and c.relkind = 'p' and not c.relispartition
   and coalesce(s.last_analyze, '-infinity') < gnomon.clock_utc() - %s::interval
"""

_log: Final = logger(__name__)


class Periods:
    """Looks after the partitions that make_periods made; the login needs the rights of the tables' owner."""

    def __init__(self, pool: Pool) -> None:
        """Begin with nothing said about missing rights."""
        self._pool = pool
        self._said_at: timedelta | None = None

    async def take_away(self) -> None:
        """Detach, read again and drop what is behind; one that cannot be taken away does not keep the others."""
        for pending in await rows(self._pool, _PENDING):
            await self._attempt(upkeep.finalize_period(self._pool, pending["parent_table"], pending["period_table"]))
        attached = {row["period_table"] for row in await rows(self._pool, _ATTACHED)}
        for behind in await upkeep.periods_behind(self._pool):
            if behind.is_droppable:
                await self._attempt(self._take_one_away(behind, attached))

    async def analyze_parents(self) -> None:
        """Analyze the partitioned tables that were not for most of a day."""
        for parent in await rows(self._pool, _PARENTS, [_ANALYZE_EVERY]):
            await self._attempt(upkeep.analyze(self._pool, parent["parent_table"]))

    async def _take_one_away(self, behind: upkeep.PeriodBehind, attached: set[str]) -> None:
        if behind.period_table in attached:
            await upkeep.leave_period(self._pool, behind.period_table)
            await upkeep.detach_period(self._pool, behind.parent_table, behind.period_table)
        while left_over_count := await upkeep.reread_period(self._pool, behind.period_table):
            _log.info("left in a period, inserted anew", period=behind.period_table, count=left_over_count)
        await upkeep.drop_period(self._pool, behind.period_table)
        _log.info("period dropped", period=behind.period_table)

    async def _attempt(self, work: Awaitable[None]) -> None:
        try:
            await work
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001  # whatever it is, the other periods can do nothing for it
            if getattr(fault, "sqlstate", None) != _NOT_ALLOWED:
                _log.exception("a period or parent could not be worked on")
            elif self._said_at is None or steady() - self._said_at >= _SAID_AGAIN_AFTER:
                self._said_at = steady()
                hint = "grant this login the role that owns the tables of gnomon_data; until then periods only grow"
                _log.warning("not allowed to detach, drop or analyze", reason=str(fault), hint=hint)
