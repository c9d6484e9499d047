"""What the doctor asks: public SQL functions under their own names, and the server's own views."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
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


class SetAside(NamedTuple):
    """A schedule or delivery that raised an error and is kept out of the way."""

    what: str
    schedule_id: str
    delivery_id: str | None
    lane: str
    due_at_utc: datetime
    error_code: str
    error_text: str


class Unauthorised(NamedTuple):
    """A channel whose receiver did not accept our credentials."""

    channel: str
    since_utc: datetime
    last_at_utc: datetime
    detail: str | None


class ShardBalance(NamedTuple):
    """By how much the ledger of a shard was off, when it was last looked at."""

    shard: int
    checked_at_utc: datetime
    missing_count: int


class DayBalance(NamedTuple):
    """One day of a shard in the ledger: accepted = pending + ended + missing."""

    shard: int
    accepted_on: date
    accepted_count: int
    pending_count: int
    ended_count: int
    missing_count: int


class LedgerFault(NamedTuple):
    """What is gone, of which schedule, and the instant it is about."""

    what: str
    schedule_id: str
    at_utc: datetime


class HorizonHolder(NamedTuple):
    """Who keeps dead rows from being cleared away; `held_for` is None where the server does not tell."""

    kind: str
    pid: int | None
    user_name: str | None
    application: str | None
    state: str
    held_for: timedelta | None
    xid_age: int | None


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


async def periods_ready(pool: Pool) -> int:
    """How many days beyond today have their partitions."""
    return int((await one(pool, "select gnomon.periods_ready() as ready"))["ready"])


async def set_aside(pool: Pool, at_most: int) -> list[SetAside]:
    """What was set aside, the longest due first."""
    return await rows(
        pool,
        "select what, schedule_id, delivery_id, lane, due_at_utc, error_code, error_text from gnomon.set_aside"
        " order by due_at_utc limit %s",
        [at_most],
        shape=SetAside,
    )


async def unauthorised_channels(pool: Pool) -> list[Unauthorised]:
    """Channels whose receiver did not accept our credentials within the last five minutes."""
    return await rows(pool, "select * from gnomon.unauthorised_channels()", shape=Unauthorised)


async def ledger_checks(pool: Pool) -> list[ShardBalance]:
    """What upkeep found when it balanced each shard last."""
    return await rows(pool, "select * from gnomon.ledger_checks()", shape=ShardBalance)


async def ledger(pool: Pool, shards: Sequence[int]) -> list[DayBalance]:
    """The days of these shards in the ledger."""
    return await rows(pool, "select * from gnomon.ledger(%s::smallint[])", [list(shards)], shape=DayBalance)


async def ledger_faults(pool: Pool, shard: int, look_at: int, at_most: int) -> list[LedgerFault]:
    """What is missing in a shard, among so many rows of each kind."""
    sql = "select * from gnomon.ledger_faults(%s::smallint, %s, %s)"
    return await rows(pool, sql, [shard, look_at, at_most], shape=LedgerFault)


async def horizon_holders(pool: Pool) -> list[HorizonHolder]:
    """Who holds the horizon, the longest first."""
    return await rows(pool, "select * from gnomon.horizon_holders()", shape=HorizonHolder)


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
