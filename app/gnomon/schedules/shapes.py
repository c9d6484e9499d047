"""What goes in and comes out of the schedule calls.

The answers name their fields as the SQL functions do; `rename` gives them the names of the JSON contract. Durations are
timedelta, instants aware datetimes in UTC. `ScheduleRequest` documents the request and is what the command line fills
in: the truth about requests lies in the database, which reads the JSON text itself.
"""

from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

_JSON_NAMES: Final = {
    "time_zone": "timezone",
    "time_zone_source": "timezone_source",
    "is_duplicate": "duplicate",
    "created_at_utc": "created_at",
    "fired_at_utc": "fired_at",
}

# What the database writes as one JSON value; the instants in it are RFC 3339 in UTC.
_RECURRENCE_STATE: Final[dict[str, Any]] = {
    "type": ["object", "null"],
    "properties": {
        "pattern": {"type": "string"},
        "cron_expr": {"type": ["string", "null"]},
        "end_after": {"type": ["integer", "null"]},
        "fired_count": {"type": "integer"},
        "last_fired_at": {"type": ["string", "null"], "format": "date-time"},
        "next_fire_utc": {"type": ["string", "null"], "format": "date-time"},
    },
}

UserId = Annotated[str, Meta(min_length=1, max_length=255, description="No control characters.")]
Key = Annotated[str, Meta(min_length=1, max_length=255)]
Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
Lane = Literal["critical", "transactional", "bulk"]
Misfire = Annotated[
    Literal["fire_once", "skip", "catch_up"],
    Meta(description="What becomes of occurrences that nobody fired in time, after an outage or a pause."),
]
MisfireLimit = Annotated[int, Meta(ge=1, le=100, description="catch_up: at most so many, the newest. Absent: 10.")]
MaxLateness = Annotated[
    str, Meta(description="ISO 8601 duration; what is later does not fire. Absent: PT1M with skip, else no limit.")
]


class Nth(msgspec.Struct, frozen=True, kw_only=True):
    """The nth such weekday of the month, from its end when negative."""

    weekday: Weekday
    n: Literal[1, 2, 3, 4, 5, -1, -2, -3, -4, -5]


class Recurrence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The rule of a recurrence. Times are wall readings of the zone, resolved anew for every occurrence."""

    pattern: Literal["daily", "weekly", "monthly", "yearly", "elapsed", "cron", "rrule"]
    interval: Annotated[int, Meta(ge=1, le=1000, description="Every n, counted from start_date.")] | None = None
    weekdays: Annotated[list[Weekday], Meta(description="For weekly. Absent: that of the first day.")] | None = None
    days_of_month: (
        Annotated[
            list[int], Meta(description="For monthly and yearly: 1 to 31, -1 the last. Absent: that of the first day.")
        ]
        | None
    ) = None
    nth: Annotated[Nth | list[Nth], Meta(description="For monthly and yearly, in place of days_of_month.")] | None = None
    on_missing_day: Annotated[Literal["last", "skip"], Meta(description="In a shorter month; absent: last.")] | None = None
    every: Annotated[str, Meta(description="For elapsed: ISO 8601 duration from PT1S.")] | None = None
    cron_expr: (
        Annotated[str, Meta(description="For cron: five fields or a macro, read on the clock of the zone.")] | None
    ) = None
    rrule: Annotated[str, Meta(description="For rrule: RFC 5545, such as FREQ=MONTHLY;BYDAY=2TU.")] | None = None
    start_date: Annotated[str, Meta(description="YYYY-MM-DD; absent: schedule_date. DTSTART of an rrule.")] | None = None
    end_date: Annotated[str, Meta(description="YYYY-MM-DD, the last day it may fire.")] | None = None
    end_after: Annotated[int, Meta(ge=1, description="Ends after so many fired occurrences.")] | None = None
    exclude_dates: Annotated[list[str], Meta(max_length=366, description="YYYY-MM-DD: days it leaves out.")] | None = None
    exclude_calendars: (
        Annotated[list[str], Meta(max_length=8, description="Names of calendars (PUT /v1/calendars/{name}).")] | None
    ) = None


class KeyedRequest(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What to notify of and when; user_id and key stand in the address."""

    template_id: Annotated[str, Meta(description="Alias: template.")]
    schedule_at: (
        Annotated[
            str,
            Meta(
                description="An instant (RFC 3339 with zone), a duration (PT2H, `in 2 hours`) or a local time (HH:MM[:SS]). "
                "Required, but not for elapsed, and cron must not carry it. Alias: send_at."
            ),
        ]
        | None
    ) = None
    schedule_type: Literal["absolute_utc", "relative", "user_local_time"] | None = None
    schedule_date: Annotated[str, Meta(description="YYYY-MM-DD, for a local time.")] | None = None
    timezone: Annotated[str, Meta(description="IANA name. Absent: the user's, and it follows the user.")] | None = None
    offset: Annotated[str, Meta(description="ISO 8601 duration added to the instant; may be negative.")] | None = None
    channels: Annotated[list[str], Meta(description="Absent: the category's, else the installation's.")] | None = None
    params: Annotated[dict[str, Any], Meta(description="At most 64 KB. Alias: variables.")] | None = None
    category: (
        Annotated[
            str, Meta(description="What kind it is (GET /v1/categories): lane, channels and expiry that are not said.")
        ]
        | None
    ) = None
    lane: Annotated[Lane, Meta(description="Absent: the category's, else transactional. Alias: priority.")] | None = None
    dedup_key: Annotated[Key, Meta(description="This event once. Alias: idempotency_key.")] | None = None
    recurrence: Recurrence | None = None
    window: Annotated[str, Meta(description="ISO 8601 duration over which to spread.")] | None = None
    expires_at: Annotated[str, Meta(description="Instant after which it is worthless.")] | None = None
    expires_in: Annotated[str, Meta(description="ISO 8601 duration from each occurrence's instant.")] | None = None
    if_past: Literal["next", "now", "skip", "reject"] | None = None
    on_gap: Literal["next_valid", "skip"] | None = None
    on_overlap: Literal["first", "second"] | None = None
    misfire: Misfire | None = None
    misfire_limit: MisfireLimit | None = None
    max_lateness: MaxLateness | None = None
    labels: dict[str, str] | None = None


class ScheduleRequest(KeyedRequest, frozen=True, omit_defaults=True, kw_only=True):
    """What to notify of, whom, and when. null means absent; a field that is not listed here is refused."""

    user_id: UserId
    key: Annotated[Key, Meta(description="The user's one schedule of this name.")] | None = None


class Scheduled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=_JSON_NAMES):
    """The answer to an accepted request; `fire_at_utc` is the instant of hand-over, after offset and window."""

    schedule_id: str
    fire_at_utc: datetime | None
    status: str
    time_zone: str | None
    time_zone_source: str | None
    resolution: str | None
    if_past: str | None
    version: int
    warnings: list[str]
    is_duplicate: bool = False


class ScheduledItem(msgspec.Struct, frozen=True, kw_only=True):
    """One row of gnomon.schedule_many: the answer to the item, or what is wrong with it."""

    ordinal: int
    scheduled: Scheduled | None
    error_code: str | None = None
    error_detail: str | None = None
    error_hint: str | None = None
    error_pointer: str | None = None


class ScheduleDetails(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """Everything known of one schedule; `recurrence` counts what has fired and tells what comes next."""

    schedule_id: str
    user_id: str
    template_id: str
    status: str
    fire_at_utc: datetime | None
    time_zone: str | None
    time_zone_source: str | None
    local_time: str | None
    channels: list[str] | None
    params: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
    lane: str
    dedup_key: str | None
    key: str | None
    labels: dict[str, str] | None
    recurrence: Annotated[msgspec.Raw, Meta(extra_json_schema=_RECURRENCE_STATE)]
    version: int | None
    created_at_utc: datetime | None
    fired_at_utc: datetime | None
    category: Annotated[str | None, Meta(description="null too once its last delivery is settled.")]


class PendingSchedule(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """One schedule that will fire; `recurrence` is its pattern, null for a one-shot."""

    schedule_id: str
    template_id: str
    fire_at_utc: datetime
    recurrence: str | None
    key: str | None
    lane: str
    time_zone: str | None
    status: str
    version: int
    category: str | None


class PendingPage(msgspec.Struct, frozen=True, kw_only=True):
    """Schedules by fire_at_utc; `next` is the `after` of the page behind this one, null at the end."""

    schedules: list[PendingSchedule]
    total_pending: int
    next: str | None


class Cancelled(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """`was_fired` speaks of the current occurrence; the last three fields are there once it was handed over."""

    schedule_id: str
    status: str
    was_fired: bool
    fired_count: int
    fired_at_utc: datetime | UnsetType | None = UNSET
    handed_over_count: int | UnsetType = UNSET
    stopped_count: int | UnsetType = UNSET


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """One instant: what the clock on the wall reads then, its offset from UTC, and exact, gap or overlap."""

    at_utc: datetime
    local_time: str
    utc_offset: str
    kind: str


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The rule in a plain sentence, null when it is over, and the next occurrences; fewer than asked for when it ends."""

    sentence: str | None
    occurrences: list[Occurrence]


class PreviewRequest(msgspec.Struct, frozen=True, kw_only=True, rename={"after": "from"}, forbid_unknown_fields=True):
    """A rule to look at before anything is scheduled."""

    timezone: Annotated[str, Meta(description="IANA name.")]
    recurrence: Annotated[dict[str, Any], Meta(description="As in a schedule request.")]
    schedule_at: (
        Annotated[str, Meta(description="HH:MM[:SS]; for elapsed when it begins, if at all; not for cron.")] | None
    ) = None
    offset: Annotated[str, Meta(description="ISO 8601 duration added to the instant; may be negative.")] | None = None
    on_gap: str | None = None
    on_overlap: str | None = None
    after: Annotated[datetime, Meta(tz=True, description="Only occurrences later than this; absent: now.")] | None = None
    n: Annotated[int, Meta(ge=1, le=100)] = 10


def reading_text(reading: datetime) -> str:
    """A wall reading as the contract writes it: seconds only when there are any."""
    return reading.isoformat(timespec="seconds" if reading.second else "minutes")


def offset_text(offset: timedelta) -> str:
    """An offset from UTC as +HH:MM."""
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
