"""What the doctor asks: public SQL functions under their own names, and the server's own views."""

from datetime import datetime, timedelta
from typing import NamedTuple

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool


class Process(NamedTuple):
    """A sign of life of a process in one lease group."""

    lease_group: str
    process_name: str
    beat_at_utc: datetime
    is_alive: bool
    shard_count: int


class PeriodAhead(NamedTuple):
    """Until when partitions of a table exist."""

    parent_table: str
    until_utc: datetime


class Overdue(NamedTuple):
    """What waits longest in a plane and lane."""

    plane: str
    lane: str
    since_utc: datetime


class ZoneDrift(NamedTuple):
    """A zone whose rules are no longer those that pending schedules were computed by."""

    time_zone: str
    differs_from_utc: datetime
    offset_before: timedelta
    offset_now: timedelta | None
    taken_at_utc: datetime
    taken_from: str


class ZoneRules(NamedTuple):
    """The rules of a zone over a stretch of time."""

    time_zone: str
    first_offset: timedelta
    changes_at_utc: list[datetime]
    offsets: list[timedelta]


class ZoneSource(NamedTuple):
    """Which zone data fingerprints were taken from."""

    taken_from: str
    zone_count: int
    taken_at_utc: datetime
    until_utc: datetime


async def clock_utc(pool: Pool) -> datetime:
    """The database's clock."""
    at_utc: datetime = (await one(pool, "select gnomon.clock_utc() as at_utc"))["at_utc"]
    return at_utc


async def schema_revision(pool: Pool) -> str | None:
    """The revision of the schema; None when nobody has migrated."""
    there = "select to_regprocedure('gnomon.schema_revision()') is not null as is_there"
    if not (await one(pool, there))["is_there"]:
        return None
    found: str | None = (await one(pool, "select gnomon.schema_revision() as revision"))["revision"]
    return found


async def roles(pool: Pool, names: list[str]) -> dict[str, bool]:
    """Those of these roles that exist, and whether this login has their rights."""
    found = await rows(
        pool, "select rolname::text as role, pg_has_role(oid, 'usage') as has from pg_roles where rolname = any(%s)", [names]
    )
    return {row["role"]: row["has"] for row in found}


async def settings(pool: Pool, names: list[str]) -> dict[str, str]:
    """Settings of the server, as this session sees them; unknown ones are left out."""
    found = await rows(
        pool,
        "select n.name, current_setting(n.name, true) as value from unnest(%s::text[]) as n (name)"
        " where current_setting(n.name, true) is not null",
        [names],
    )
    return {row["name"]: row["value"] for row in found}


async def session_count(pool: Pool) -> int:
    """Sessions of clients on the whole server."""
    query = (
        "select count(*) as sessions from pg_stat_activity where coalesce(backend_type, 'client backend') = 'client backend'"
    )
    return int((await one(pool, query))["sessions"])


async def known_processes(pool: Pool) -> list[Process]:
    """Pollers and workers of the last 24 hours."""
    return await rows(pool, "select * from gnomon.known_processes()", shape=Process)


async def periods_ahead(pool: Pool) -> list[PeriodAhead]:
    """How far partitions by time reach."""
    return await rows(pool, "select * from gnomon.periods_ahead()", shape=PeriodAhead)


async def oldest_overdue(pool: Pool) -> list[Overdue]:
    """What waits longest."""
    return await rows(pool, "select * from gnomon.oldest_overdue()", shape=Overdue)


async def zone_drift(pool: Pool) -> list[ZoneDrift]:
    """Zones with other rules than before, as this session knows them."""
    return await rows(pool, "select * from gnomon.zone_drift()", shape=ZoneDrift)


async def zone_rules(pool: Pool, from_utc: datetime, until_utc: datetime) -> list[ZoneRules]:
    """The server's rules of every zone."""
    return await rows(pool, "select * from gnomon.zone_rules(%s, %s)", [from_utc, until_utc], shape=ZoneRules)


async def zone_sources(pool: Pool) -> list[ZoneSource]:
    """Where the fingerprints were taken from."""
    return await rows(pool, "select * from gnomon.zone_sources()", shape=ZoneSource)


async def pending_by_zone(pool: Pool, time_zones: list[str]) -> dict[str, int]:
    """How many pending schedules read a zone's clock."""
    found = await rows(pool, "select * from gnomon.pending_by_zone(%s)", [time_zones])
    return {row["time_zone"]: row["pending_count"] for row in found}
