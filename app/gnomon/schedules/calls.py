"""The SQL functions of schedules, one typed function each, under the same name.

Requests travel as JSON text and answers' params come back as such: no number of a caller's is rounded on its way.
"""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Final

import msgspec
from msgspec import UNSET

from gnomon.database.call import json_text, one, rows
from gnomon.database.pool import Pool
from gnomon.schedules.shapes import (
    Cancelled,
    Occurrence,
    PendingSchedule,
    Scheduled,
    ScheduleDetails,
    ScheduledItem,
    offset_text,
    reading_text,
)
from gnomon.schedules.told import Explained, ExtraRun

# The limit is that of this transaction alone, and is set before what is given, which depends on it, can be had.
_HURRIED: Final = """
select s.*
  from (select case when set_config('lock_timeout', '50ms', true) is not null then %s::jsonb end as given offset 0) as h
 cross join lateral"""


async def schedule(pool: Pool, request: str) -> Scheduled:
    """Schedule this JSON object."""
    return await one(pool, "select * from gnomon.schedule(%s::jsonb)", (request,), shape=Scheduled)


async def schedule_hurried(pool: Pool, request: str) -> Scheduled:
    """Schedule this JSON object unless a lock is in the way for 50 ms: then Contended."""
    return await one(pool, f"{_HURRIED} gnomon.schedule(h.given) as s", (request,), shape=Scheduled)


async def schedule_together(pool: Pool, requests: str) -> list[ScheduledItem]:
    """Schedule every item of this JSON array, one row an item in order; Contended when a lock is in the way for 50 ms."""
    sql = f"{_HURRIED} gnomon.schedule_many(h.given) as s order by s.ordinal"
    return await rows(pool, sql, (requests,), shape=_item)


async def schedule_many(pool: Pool, requests: bytes) -> list[ScheduledItem]:
    """Schedule every item of this JSON array; one row an item, in order."""
    sql = "select * from gnomon.schedule_many(%s) order by ordinal"
    return await rows(pool, sql, (json_text(requests),), shape=_item)


async def reschedule(pool: Pool, schedule_id: str, change: str, expected_version: int | None) -> Scheduled:
    """Merge this JSON object into the request (RFC 7396); None expects any version."""
    sql = "select * from gnomon.reschedule(%s, %s::jsonb, %s::int)"
    return await one(pool, sql, (schedule_id, change, expected_version), shape=Scheduled)


async def find_schedule(pool: Pool, schedule_id: str) -> ScheduleDetails:
    """Everything known of one schedule."""
    sql = """
        select schedule_id, user_id, template_id, status, fire_at_utc, time_zone, time_zone_source, local_time, channels,
               params::text as params, lane, dedup_key, key, labels, recurrence::text as recurrence, version,
               created_at_utc, fired_at_utc, gnomon.category_of(schedule_id) as category
          from gnomon.find_schedule(%s)"""
    return await one(pool, sql, (schedule_id,), shape=_details)


async def pending_schedules(
    pool: Pool, user_id: str, at_most: int, after: str | None = None
) -> list[tuple[PendingSchedule, str]]:
    """A user's pending schedules by fire_at_utc, each with the cursor that points behind it."""
    sql = "select p.*, gnomon.category_of(p.schedule_id) as category from gnomon.pending_schedules(%s, %s::int, %s) as p"
    return await rows(pool, sql, (user_id, at_most, after), shape=_pending)


async def pending_count(pool: Pool, user_id: str) -> int:
    """How many a user has pending."""
    return int((await one(pool, "select gnomon.pending_count(%s) as pending", (user_id,)))["pending"])


async def preview_schedule(pool: Pool, schedule_id: str, at_most: int) -> list[Occurrence]:
    """The next occurrences of a schedule."""
    sql = "select * from gnomon.preview_schedule(%s, %s::int)"
    return await rows(pool, sql, (schedule_id, at_most), shape=_occurrence)


async def next_occurrences(
    pool: Pool, rule: Mapping[str, Any], time_zone: str, after_utc: datetime | None, at_most: int
) -> list[Occurrence]:
    """The next occurrences of a rule, strictly later than this instant; None is now."""
    sql = """
        select o.*
          from gnomon.next_occurrences(%s::jsonb, %s, coalesce(%s::timestamptz, gnomon.clock_utc()), %s::int) as o"""
    return await rows(pool, sql, (_json(rule), time_zone, after_utc, at_most), shape=_occurrence)


async def describe_rule(pool: Pool, rule: Mapping[str, Any], time_zone: str, after_utc: datetime | None) -> str:
    """The rule in one plain sentence, as it stands when it is accepted at this instant; None is now."""
    sql = "select gnomon.describe_rule(%s::jsonb, %s, %s::timestamptz) as sentence"
    return str((await one(pool, sql, (_json(rule), time_zone, after_utc)))["sentence"])


async def describe_schedule(pool: Pool, schedule_id: str) -> str | None:
    """When a schedule fires, in one plain sentence; None when it is over."""
    found: str | None = (await one(pool, "select gnomon.describe_schedule(%s) as sentence", (schedule_id,)))["sentence"]
    return found


async def resolve_local(pool: Pool, on_date: date, local_time: time, time_zone: str) -> datetime:
    """The first instant at which the zone's clock reads this or later."""
    sql = "select at_utc from gnomon.resolve_local(%s::date, %s::time, %s)"
    found: datetime = (await one(pool, sql, (on_date, local_time, time_zone)))["at_utc"]
    return found


async def cancel_schedule(pool: Pool, schedule_id: str) -> Cancelled:
    """Cancel: once this answered `cancelled`, nothing of the schedule is ever handed over."""
    return await one(pool, "select * from gnomon.cancel_schedule(%s)", (schedule_id,), shape=_cancelled)


async def pause_schedule(pool: Pool, schedule_id: str, expected_version: int | None = None) -> Scheduled:
    """Pause: nothing of the schedule fires until it is resumed; None expects any version."""
    sql = "select * from gnomon.pause_schedule(%s, %s::int)"
    return await one(pool, sql, (schedule_id, expected_version), shape=Scheduled)


async def resume_schedule(pool: Pool, schedule_id: str, expected_version: int | None = None) -> Scheduled:
    """Let a paused schedule go on; what became overdue is a misfire."""
    sql = "select * from gnomon.resume_schedule(%s, %s::int)"
    return await one(pool, sql, (schedule_id, expected_version), shape=Scheduled)


async def run_schedule(pool: Pool, schedule_id: str, expected_version: int | None = None) -> ExtraRun:
    """Fire an extra notification now, beside the series."""
    sql = "select * from gnomon.run_schedule(%s, %s::int)"
    return await one(pool, sql, (schedule_id, expected_version), shape=ExtraRun)


async def explain_schedule(pool: Pool, schedule_id: str) -> Explained:
    """Every decision that was taken for a schedule."""
    sql = """
        select e ->> 'schedule_id' as schedule_id, e ->> 'status' as status,
               array(select jsonb_array_elements_text(e -> 'summary')) as summary, e ->> 'category' as category,
               (e -> 'version')::text as version,
               (e -> 'fired_count')::text as fired_count, (e -> 'rule')::text as rule, (e -> 'zone')::text as zone,
               (e -> 'next')::text as next, (e -> 'misfire')::text as misfire, (e -> 'history')::text as history,
               (e -> 'ledger')::text as ledger, (e -> 'deliveries')::text as deliveries
          from gnomon.explain_schedule(%s) as e"""
    return await one(pool, sql, (schedule_id,), shape=_explained)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _item(ordinal: int, **columns: Any) -> ScheduledItem:  # noqa: ANN401  # the columns of the row
    errors = {name: columns.pop(name) for name in tuple(columns) if name.startswith("error_")}
    scheduled = None if errors["error_code"] else Scheduled(**columns)
    return ScheduledItem(ordinal=ordinal, scheduled=scheduled, **errors)


def _details(*, params: str | None, recurrence: str | None, **columns: Any) -> ScheduleDetails:  # noqa: ANN401  # the columns of the row
    return ScheduleDetails(params=_raw(params), recurrence=_raw(recurrence), **columns)


def _explained(*, schedule_id: str, status: str, summary: list[str], category: str | None, **parts: str | None) -> Explained:
    raw = {name: _raw(text) for name, text in parts.items()}
    return Explained(schedule_id=schedule_id, status=status, summary=summary, category=category, **raw)


def _raw(text: str | None) -> msgspec.Raw:
    return msgspec.Raw((text or "null").encode())


def _pending(*, cursor: str, **columns: Any) -> tuple[PendingSchedule, str]:  # noqa: ANN401  # the columns of the row
    return PendingSchedule(**columns), cursor


def _occurrence(*, at_utc: datetime, local_time: datetime, utc_offset: timedelta, kind: str) -> Occurrence:
    return Occurrence(
        at_utc=at_utc, local_time=reading_text(local_time), utc_offset=offset_text(utc_offset), kind=kind or "exact"
    )


def _cancelled(*, was_fired: bool, **columns: Any) -> Cancelled:  # noqa: ANN401  # the columns of the row
    if not was_fired:
        columns |= dict.fromkeys(("fired_at_utc", "handed_over_count", "stopped_count"), UNSET)
    return Cancelled(was_fired=was_fired, **columns)
