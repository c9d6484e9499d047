"""The SQL functions of a retime, one typed function each, under the same name; and the sessions of the server."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon.retiming.plan import Move


class Piece(NamedTuple):
    """What one batch did."""

    moved_count: int
    passed_by_count: int
    walked: float | None
    """How far the walk has come, 0 to 1; None while another call is at it."""
    is_done: bool


async def zone_drift(pool: Pool) -> list[str]:
    """The zones that changed, as far as the server still knows them."""
    found = await rows(pool, "select time_zone from gnomon.zone_drift() where offset_now is not null")
    return [row["time_zone"] for row in found]


async def zones_in_use(pool: Pool) -> list[str]:
    """Every zone that the server knows and a pending schedule reads."""
    found = await rows(
        pool,
        "with clock as (select gnomon.clock_utc() as now_utc), known as (select array_agg(r.time_zone) as names"
        " from clock as c, gnomon.zone_rules(c.now_utc, c.now_utc + interval '1 hour') as r)"
        " select u.time_zone from known as k, gnomon.pending_by_zone(k.names) as u order by 1",
    )
    return [row["time_zone"] for row in found]


async def retime_plan(pool: Pool, at_most: int, time_zones: Sequence[str]) -> list[Move]:
    """The first schedules that move."""
    return await rows(
        pool,
        "select * from gnomon.retime_plan(at_most => %s, time_zones => %s)",
        [at_most, list(time_zones)],
        shape=Move,
    )


async def retime_apply(pool: Pool, at_most: int, time_zones: Sequence[str]) -> Piece:
    """Move the next batch."""
    return await one(pool, "select * from gnomon.retime_apply(%s, %s)", [at_most, list(time_zones)], shape=Piece)


async def renew_sessions(pool: Pool) -> datetime:
    """Ask every process to make its sessions anew; the instant before which the old ones began."""
    found: datetime = (await one(pool, "select gnomon.renew_sessions(), clock_timestamp() as at_utc"))["at_utc"]
    return found


async def sessions_before(pool: Pool, at_utc: datetime) -> list[str]:
    """Names of the sessions of this database that began before an instant and may compute something.

    A session that only listens computes nothing. Sessions of other logins can be seen with pg_read_all_stats only.
    """
    found = await rows(
        pool,
        "select distinct coalesce(nullif(application_name, ''), 'pid ' || pid) as name from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
        " and backend_start < %s and query not ilike 'listen %%' and query not like '%%pg_notify($1%%' order by 1",
        [at_utc],
    )
    return [row["name"] for row in found]
