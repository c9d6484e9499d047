"""Schedules that the engine accepted, as COPY has them: what fill multiplies."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool, connection_of

ZONES: Final = (
    "Africa/Cairo",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "America/Bogota",
    "America/Chicago",
    "America/Los_Angeles",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Bangkok",
    "Asia/Dubai",
    "Asia/Jakarta",
    "Asia/Kolkata",
    "Asia/Manila",
    "Asia/Shanghai",
    "Asia/Tashkent",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Madrid",
    "Europe/Paris",
    "Europe/Warsaw",
    "Pacific/Auckland",
)

_READINGS: Final = 200
"""Times of day, each in every zone, at most."""
_INSTANTS: Final = 5_000
"""Of one-shots, at most."""
_DAYS: Final = 30
_CALL: Final = 500

_SCHEDULE: Final = "select error_code, error_detail from gnomon.schedule_many(%s::jsonb) where error_code is not null"
_COLUMNS: Final = """
select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_catalog.pg_attribute as a
 where a.attrelid = 'gnomon_data.schedules'::regclass and a.attnum > 0 and not a.attisdropped
   and a.attname not in ('shard', 'id', 'user_id', 'key')"""
# What is due too soon is not multiplied. The last column is behind those of the row.
_READ: Final = """
copy (select s.time_zone, s.is_recurring, s.fire_at_utc, s.stamp, s.lane, s.fire_at_utc < h.near_until_utc,
             (select k.request_hash from gnomon_data.schedule_keys as k
               where k.shard = s.shard and k.kind = 1 and k.schedule_id = s.id), {columns}
        from gnomon_data.schedules as s cross join gnomon_data.horizon as h
       where s.user_id = any ('{users}') and s.fire_at_utc > '{after}' order by s.id) to stdout"""


class PatternRefused(RuntimeError):
    """The engine did not accept a pattern."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pending schedule, its texts as COPY writes them."""

    time_zone: bytes
    is_recurring: bool
    fire_at: bytes
    stamp: bytes
    lane: bytes
    is_near: bool
    request_hash: bytes
    rest: bytes
    """All of its columns but shard, id, user and key, in the order of `columns`."""
    columns: str


async def make_patterns(
    pool: Pool, prefix: str, *, recurring: int, once: int, labels: Mapping[str, str] | None, quiet: timedelta
) -> list[Pattern]:
    """Schedule them, and read back those that are due later than `quiet`: fewer where fewer rows are made of them.

    Raises PatternRefused.
    """
    chance = random.Random(prefix)  # noqa: S311  # times of day, no secrets
    clock: datetime = (await one(pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    # Ids that no user has whom fill makes.
    users = [f"{prefix}_{zone.replace('/', '-')}" for zone in ZONES]
    zoned = [{"user_id": user, "time_zone": zone} for user, zone in zip(users, ZONES, strict=True)]
    await rows(pool, "select from gnomon.set_users(%s::jsonb)", [_json(zoned)])
    more = {"template_id": "filled", "channels": ["log"]} | ({"labels": labels} if labels else {})
    requests: list[dict[str, Any]] = []
    for number in range(min(_INSTANTS, once)):
        due = clock + quiet + timedelta(seconds=60 + chance.random() * 86_400 * _DAYS)
        requests.append(
            more | {"user_id": users[number % len(users)], "schedule_at": due.isoformat(timespec="milliseconds")}
        )
    # Evenly over the day, so that in no zone all of them are due too soon.
    readings = min(_READINGS, 8 + recurring // 1000) if recurring else 0
    for place in range(readings):
        minute = place * 1440 // readings
        reading = f"{minute // 60:02}:{minute % 60:02}"
        daily = {"schedule_at": reading, "recurrence": {"pattern": "daily"}, "key": f"pattern-{place}"}
        requests += [more | daily | {"user_id": user} for user in users]
    for first in range(0, len(requests), _CALL):
        refused = await rows(pool, _SCHEDULE, [_json(requests[first : first + _CALL])])
        if refused:
            raise PatternRefused(f"{refused[0]['error_code']} {refused[0]['error_detail']}")
    found = await read_patterns(pool, users, clock + quiet)
    # A pattern that is due soon would fire in the middle of a measurement.
    soon = "select gnomon.cancel_schedule(gnomon_data.id_text('sch', s.id)) from gnomon_data.schedules as s where {}"
    await rows(pool, soon.format("s.user_id = any (%s) and s.fire_at_utc <= %s"), [users, clock + quiet])
    return found


async def read_patterns(pool: Pool, users: Sequence[str], after: datetime) -> list[Pattern]:
    """The pending schedules of these users that are due later than an instant."""
    columns = str((await one(pool, _COLUMNS))["columns"])
    statement = _READ.format(columns=columns, users="{" + ",".join(users) + "}", after=after.isoformat())
    text = bytearray()
    async with connection_of(pool) as connection, connection.cursor() as cursor, cursor.copy(statement) as copy:
        async for part in copy:
            text += part
    return [_pattern(line, columns) for line in bytes(text).splitlines()]


def _pattern(line: bytes, columns: str) -> Pattern:
    zone, is_recurring, fire_at, stamp, lane, is_near, request_hash, rest = line.split(b"\t", 7)
    return Pattern(zone, is_recurring == b"t", fire_at, stamp, lane, is_near == b"t", request_hash, rest, columns)


def _json(given: object) -> str:
    return msgspec.json.encode(given).decode()
