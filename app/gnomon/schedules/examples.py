"""Examples for /schema; a test sends every request of them and compares the answers' fields."""

from typing import Any, Final

ONCE: Final = {
    "user_id": "u_abc123",
    "template_id": "appointment",
    "schedule_at": "PT2H",
    "params": {"doctor": "Dr. Meyer"},
    "dedup_key": "appointment:8812",
}

PILL: Final = {
    "user_id": "u_abc123",
    "template_id": "pill",
    "schedule_at": "18:00",
    "timezone": "Europe/Berlin",
    "offset": "PT5M",
    "recurrence": {"pattern": "daily"},
    "key": "pill-17",
}

WEEKLY: Final = {
    "user_id": "u_abc123",
    "template_id": "weekly_report",
    "schedule_at": "09:00",
    "timezone": "America/New_York",
    "channels": ["email"],
    "recurrence": {"pattern": "weekly", "weekdays": ["MON", "THU"], "end_after": 90},
    "dedup_key": "weekly_report:u_abc123",
}

CRON: Final = {
    "user_id": "u_abc123",
    "template_id": "stand_up",
    "timezone": "Europe/Berlin",
    "recurrence": {"pattern": "cron", "cron_expr": "0 9 * * MON-FRI"},
    "key": "stand-up",
}

MONTHLY: Final = {
    "user_id": "u_abc123",
    "template_id": "invoice",
    "schedule_at": "09:00",
    "timezone": "Europe/Berlin",
    "recurrence": {"pattern": "monthly", "days_of_month": [-1], "exclude_dates": ["2026-12-31"]},
}

RRULE: Final = {
    "user_id": "u_abc123",
    "template_id": "meeting",
    "schedule_at": "10:00",
    "timezone": "Europe/Berlin",
    "recurrence": {"pattern": "rrule", "rrule": "FREQ=MONTHLY;BYDAY=2TU", "start_date": "2026-12-01"},
}

ELAPSED: Final = {
    "user_id": "u_abc123",
    "template_id": "check",
    "recurrence": {"pattern": "elapsed", "every": "PT15M", "end_after": 96},
}

SCHEDULED: Final[dict[str, Any]] = {
    "schedule_id": "sch_01M3X2Q9T5000V8ZK3W7R1QH4C",
    "fire_at_utc": "2026-10-25T17:05:00Z",
    "status": "scheduled",
    "timezone": "Europe/Berlin",
    "timezone_source": "request",
    "resolution": "exact",
    "if_past": None,
    "version": 1,
    "warnings": [],
}

DETAILS: Final = {
    "schedule_id": SCHEDULED["schedule_id"],
    "user_id": "u_abc123",
    "template_id": "pill",
    "status": "scheduled",
    "fire_at_utc": "2026-10-25T17:05:00Z",
    "timezone": "Europe/Berlin",
    "timezone_source": "request",
    "local_time": "18:00",
    "channels": None,
    "params": {},
    "lane": "transactional",
    "dedup_key": None,
    "key": "pill-17",
    "labels": None,
    "recurrence": {
        "pattern": "daily",
        "cron_expr": None,
        "end_after": None,
        "fired_count": 44,
        "last_fired_at": "2026-10-24T16:05:00Z",
        "next_fire_utc": "2026-10-25T17:05:00Z",
    },
    "version": 1,
    "created_at": "2026-09-10T08:12:45.120934Z",
    "fired_at": None,
    "category": "reminder",
}

PENDING: Final = {
    "schedules": [
        {
            "schedule_id": SCHEDULED["schedule_id"],
            "template_id": "pill",
            "fire_at_utc": "2026-10-25T17:05:00Z",
            "recurrence": "daily",
            "key": "pill-17",
            "lane": "transactional",
            "timezone": "Europe/Berlin",
            "status": "scheduled",
            "version": 1,
            "category": "reminder",
        }
    ],
    "total_pending": 1,
    "next": None,
}

CANCELLED: Final = {
    "schedule_id": SCHEDULED["schedule_id"],
    "status": "cancelled",
    "was_fired": False,
    "fired_count": 44,
}

PREVIEW_REQUEST: Final = {
    "schedule_at": "02:30",
    "timezone": "America/New_York",
    "recurrence": {"pattern": "daily"},
    "from": "2027-03-13T05:00:00Z",
    "n": 2,
}

PREVIEW: Final = {
    "sentence": "every day at 02:30, America/New_York",
    "occurrences": [
        {
            "at_utc": "2027-03-13T07:30:00Z",
            "local_time": "2027-03-13T02:30",
            "utc_offset": "-05:00",
            "kind": "exact",
        },
        {
            "at_utc": "2027-03-14T07:00:00Z",
            "local_time": "2027-03-14T03:00",
            "utc_offset": "-04:00",
            "kind": "gap",
        },
    ],
}

EXTRA_RUN: Final = {
    "schedule_id": SCHEDULED["schedule_id"],
    "notification_id": "ntf_01M5QAH0Z0E0STSKJNMZQDZY80",
    "fire_at_utc": "2026-10-24T16:05:00Z",
    "delivery_count": 1,
}

EXPLAINED: Final = {
    "schedule_id": SCHEDULED["schedule_id"],
    "status": "scheduled",
    "summary": [
        "Every day at 18:00, 5 minutes later, Europe/Berlin.",
        "Europe/Berlin, where the user lives: it follows when the user moves.",
        "Next is 2026-10-25T17:05:00Z, 2026-10-25T18:05 there.",
    ],
    "version": 1,
    "fired_count": 44,
    "category": "reminder",
    "rule": {"sentence": "every day at 18:00, 5 minutes later, Europe/Berlin", "request": {"schedule_at": "18:00"}},
    "zone": {"timezone": "Europe/Berlin", "source": "user", "why": "Europe/Berlin, where the user lives."},
    "next": {"due_at": "2026-10-25T17:05:00Z", "reading": "2026-10-25T18:00", "offset_in_force": "+01:00", "kind": "exact"},
    "misfire": {"policy": "fire_once", "missed_count": 0, "past": []},
    "history": [{"at": "2026-09-10T08:12:45Z", "version": 1, "kind": "accepted", "what": "Accepted."}],
    "ledger": [],
    "deliveries": [],
}
