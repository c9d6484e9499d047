"""What the words of a request become, and what each wrong one is told."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one

_DAILY = {"pattern": "daily"}
_WEEKLY = {"pattern": "weekly"}


def _compile(room: psycopg.Connection, request: Any) -> Any:
    return one(room, "select * from gnomon_data.compile_rule(%s)", Jsonb(request))


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        ({"schedule_at": "2027-03-28T11:00:00.5+02:00"}, {"kind": "instant", "at": "2027-03-28T09:00:00.500000Z"}),
        ({"schedule_at": "PT2H"}, {"kind": "relative", "in": 7200}),
        ({"schedule_at": "in 1 minute 1 second", "offset": "-PT1.5S"}, {"kind": "relative", "in": 61, "offset": -1.5}),
        ({"schedule_at": "09:00"}, {"kind": "time", "time": "09:00:00"}),
        (
            {"schedule_at": "09:00:30", "schedule_date": "2024-02-29"},
            {"kind": "once", "time": "09:00:30", "date": "2024-02-29"},
        ),
        ({"schedule_at": "09:00", "schedule_type": "user_local_time"}, {"kind": "time", "time": "09:00:00"}),
        ({"schedule_at": "P1D", "schedule_type": "relative"}, {"kind": "relative", "in": 86400}),
        ({"schedule_at": "09:00", "offset": "PT5M"}, {"kind": "time", "time": "09:00:00", "offset": 300}),
        ({"schedule_at": "09:00", "offset": "PT0S"}, {"kind": "time", "time": "09:00:00"}),
        (
            {"schedule_at": "09:00", "on_gap": "skip", "on_overlap": "second"},
            {"kind": "time", "time": "09:00:00", "gap": "skip", "overlap": "second"},
        ),
        ({"schedule_at": "09:00", "on_gap": "next_valid", "on_overlap": "first"}, {"kind": "time", "time": "09:00:00"}),
        # an instant has no reading that a policy could apply to
        (
            {"schedule_at": "2027-03-28T09:00:00Z", "on_gap": "skip"},
            {"kind": "instant", "at": "2027-03-28T09:00:00.000000Z"},
        ),
        ({"schedule_at": "09:00", "recurrence": _DAILY}, {"kind": "daily", "time": "09:00:00"}),
        ({"schedule_at": "09:00", "recurrence": _DAILY | {"interval": 1}}, {"kind": "daily", "time": "09:00:00"}),
        (
            {"schedule_at": "09:00", "recurrence": _DAILY | {"interval": 3}},
            {"kind": "daily", "time": "09:00:00", "every": 3},
        ),
        (
            {
                "schedule_at": "09:00",
                "recurrence": _DAILY | {"interval": 3, "start_date": "2024-02-29", "end_date": "2024-02-29"},
            },
            {
                "kind": "daily",
                "time": "09:00:00",
                "every": 3,
                "anchor": "2024-02-29",
                "start": "2024-02-29",
                "end": "2024-02-29",
            },
        ),
        (
            {"schedule_at": "09:00", "schedule_date": "2026-07-01", "recurrence": _WEEKLY},
            {"kind": "weekly", "time": "09:00:00", "days": "0010000", "start": "2026-07-01"},
        ),
        (
            {"schedule_at": "09:00", "schedule_date": "2026-07-01", "recurrence": _DAILY | {"start_date": "2026-07-01"}},
            {"kind": "daily", "time": "09:00:00", "start": "2026-07-01"},
        ),
        ({"schedule_at": "09:00", "recurrence": _WEEKLY}, {"kind": "weekly", "time": "09:00:00"}),
        (
            {"schedule_at": "09:00", "recurrence": _WEEKLY | {"weekdays": ["SUN", "MON", "SUN"], "end_after": 90}},
            {"kind": "weekly", "time": "09:00:00", "days": "1000001", "end_after": 90},
        ),
        # null means absent, also in here
        (
            {
                "schedule_at": "09:00",
                "recurrence": _DAILY | {"cron_expr": None, "nth": None, "weekdays": None, "start_date": None},
            },
            {"kind": "daily", "time": "09:00:00"},
        ),
    ],
)
def test_compiles(room: psycopg.Connection, request_: dict[str, Any], rule: dict[str, Any]) -> None:
    compiled = _compile(room, request_)

    assert (compiled.rule, compiled.fault) == (rule, None)


@pytest.mark.parametrize(
    ("request_", "code", "pointer"),
    [
        ({}, "GN024", "/schedule_at"),
        ({"schedule_at": "24:00"}, "GN013", "/schedule_at"),
        ({"schedule_at": "9:00"}, "GN013", "/schedule_at"),
        ({"schedule_at": "0900"}, "GN013", "/schedule_at"),
        ({"schedule_at": "9am"}, "GN013", "/schedule_at"),
        ({"schedule_at": "10 am"}, "GN013", "/schedule_at"),
        ({"schedule_at": "09:00:00.5"}, "GN013", "/schedule_at"),
        ({"schedule_at": "09:00+02:00"}, "GN013", "/schedule_at"),
        ({"schedule_at": "noon"}, "GN024", "/schedule_at"),
        ({"schedule_at": "noon", "schedule_type": "user_local_time"}, "GN013", "/schedule_at"),
        ({"schedule_at": "infinity"}, "GN024", "/schedule_at"),
        ({"schedule_at": "now"}, "GN024", "/schedule_at"),
        ({"schedule_at": ""}, "GN024", "/schedule_at"),
        ({"schedule_at": "2027-03-28T09:00:00"}, "GN024", "/schedule_at"),
        ({"schedule_at": "2027-03-28"}, "GN024", "/schedule_at"),
        ({"schedule_at": "2027-02-29T09:00:00Z"}, "GN014", "/schedule_at"),
        ({"schedule_at": "P1M"}, "GN024", "/schedule_at"),
        ({"schedule_at": "in 2 months"}, "GN024", "/schedule_at"),
        ({"schedule_at": "-PT5M"}, "GN024", "/schedule_at"),
        # what is no text
        ({"schedule_at": 900}, "GN024", "/schedule_at"),
        ({"schedule_at": True}, "GN024", "/schedule_at"),
        ({"schedule_at": ["09:00"]}, "GN024", "/schedule_at"),
        ({"schedule_at": {"time": "09:00"}}, "GN024", "/schedule_at"),
        ({"schedule_at": "09:00", "schedule_date": 20240301}, "GN024", "/schedule_date"),
        ({"schedule_at": "09:00", "offset": 5}, "GN024", "/offset"),
        ({"schedule_at": "09:00", "on_gap": False}, "GN024", "/on_gap"),
        ({"schedule_at": "09:00", "on_overlap": []}, "GN024", "/on_overlap"),
        ({"schedule_at": "09:00", "schedule_type": 1}, "GN024", "/schedule_type"),
        ({"schedule_at": "09:00", "recurrence": "daily"}, "GN024", "/recurrence"),
        ({"schedule_at": "09:00", "recurrence": [_DAILY]}, "GN024", "/recurrence"),
        # words that are none
        ({"schedule_at": "09:00", "schedule_type": "local"}, "GN024", "/schedule_type"),
        ({"schedule_at": "09:00", "on_gap": "shift"}, "GN024", "/on_gap"),
        ({"schedule_at": "09:00", "on_overlap": "both"}, "GN024", "/on_overlap"),
        ({"schedule_at": "09:00", "offset": "P1M"}, "GN024", "/offset"),
        ({"schedule_at": "09:00", "offset": "soon"}, "GN024", "/offset"),
        # a type that contradicts the form
        ({"schedule_at": "09:00", "schedule_type": "absolute_utc"}, "GN024", "/schedule_type"),
        ({"schedule_at": "09:00", "schedule_type": "relative"}, "GN024", "/schedule_type"),
        ({"schedule_at": "PT2H", "schedule_type": "user_local_time"}, "GN024", "/schedule_type"),
        ({"schedule_at": "2027-03-28T09:00:00Z", "schedule_type": "user_local_time"}, "GN024", "/schedule_type"),
        ({"schedule_at": "09:00", "schedule_type": "relative", "recurrence": _DAILY}, "GN024", "/schedule_type"),
        # dates
        ({"schedule_at": "09:00", "schedule_date": "2023-02-29"}, "GN014", "/schedule_date"),
        ({"schedule_at": "09:00", "schedule_date": "tomorrow"}, "GN014", "/schedule_date"),
        ({"schedule_at": "09:00", "schedule_date": ""}, "GN014", "/schedule_date"),
        ({"schedule_at": "PT2H", "schedule_date": "2027-03-28"}, "GN024", "/schedule_date"),
        ({"schedule_at": "2027-03-28T09:00:00Z", "schedule_date": "2027-03-28"}, "GN024", "/schedule_date"),
        ({"schedule_at": "09:00", "schedule_date": "2023-02-29", "recurrence": _DAILY}, "GN014", "/schedule_date"),
    ],
)
def test_refuses(room: psycopg.Connection, request_: dict[str, Any], code: str, pointer: str) -> None:
    compiled = _compile(room, request_)

    assert compiled.rule is None
    assert (compiled.fault.code, compiled.fault.pointer) == (code, pointer)
    assert compiled.fault.message.startswith(pointer[1:])


@pytest.mark.parametrize(
    ("recurrence", "code", "field"),
    [
        ({}, "GN024", "pattern"),
        ({"pattern": None}, "GN024", "pattern"),
        ({"pattern": 1}, "GN024", "pattern"),
        ({"pattern": "hourly"}, "GN015", "pattern"),
        ({"pattern": "Daily"}, "GN015", "pattern"),
        (_DAILY | {"cron_expr": "0 9 * * *"}, "GN015", "cron_expr"),
        (_DAILY | {"days_of_month": [1]}, "GN015", "days_of_month"),
        (_DAILY | {"nth": {"weekday": "MON", "n": 1}}, "GN015", "nth"),
        (_DAILY | {"on_missing_day": "last"}, "GN015", "on_missing_day"),
        (_DAILY | {"every": "PT15M"}, "GN015", "every"),
        (_DAILY | {"rrule": "FREQ=DAILY"}, "GN015", "rrule"),
        (_DAILY | {"until": "2027-01-01"}, "GN024", "until"),
        (_DAILY | {"Interval": 2}, "GN024", "Interval"),
        (_DAILY | {"interval": 0}, "GN015", "interval"),
        (_DAILY | {"interval": -1}, "GN015", "interval"),
        (_DAILY | {"interval": 1.5}, "GN015", "interval"),
        (_DAILY | {"interval": 1001}, "GN015", "interval"),
        (_DAILY | {"interval": "2"}, "GN024", "interval"),
        (_DAILY | {"interval": True}, "GN024", "interval"),
        (_DAILY | {"end_after": 0}, "GN015", "end_after"),
        (_DAILY | {"end_after": 1e300}, "GN015", "end_after"),
        (_DAILY | {"end_after": "90"}, "GN024", "end_after"),
        (_DAILY | {"start_date": "2023-02-29"}, "GN014", "start_date"),
        (_DAILY | {"start_date": 20230228}, "GN024", "start_date"),
        (_DAILY | {"end_date": "2023-02-29"}, "GN014", "end_date"),
        (_DAILY | {"start_date": "2026-07-02", "end_date": "2026-07-01"}, "GN012", "end_date"),
        (_DAILY | {"weekdays": ["MON"]}, "GN015", "weekdays"),
        (_WEEKLY | {"weekdays": []}, "GN015", "weekdays"),
        (_WEEKLY | {"weekdays": "MON"}, "GN024", "weekdays"),
        (_WEEKLY | {"weekdays": {"MON": True}}, "GN024", "weekdays"),
        (_WEEKLY | {"weekdays": ["MON", 2]}, "GN024", "weekdays/1"),
        (_WEEKLY | {"weekdays": [None]}, "GN024", "weekdays/0"),
        (_WEEKLY | {"weekdays": ["FUNDAY"]}, "GN015", "weekdays/0"),
        (_WEEKLY | {"weekdays": ["MON", "monday"]}, "GN015", "weekdays/1"),
    ],
)
def test_refuses_recurrences(room: psycopg.Connection, recurrence: dict[str, Any], code: str, field: str) -> None:
    compiled = _compile(room, {"schedule_at": "09:00", "recurrence": recurrence})

    assert compiled.rule is None
    assert (compiled.fault.code, compiled.fault.pointer) == (code, f"/recurrence/{field}")
    assert compiled.fault.message.startswith(f"recurrence.{field.replace('/', '.')} ")


@pytest.mark.parametrize("schedule_at", ["24:00", "noon", "", "2027-03-28T09:00:00Z", "PT2H"])
def test_a_recurrence_fires_at_a_local_time(room: psycopg.Connection, schedule_at: str) -> None:
    assert _compile(room, {"schedule_at": schedule_at, "recurrence": _DAILY}).fault.code == "GN013"
    assert _compile(room, {"recurrence": _DAILY}).fault.code == "GN024"


def test_two_first_days_that_differ(room: psycopg.Connection) -> None:
    fault = _compile(
        room,
        {"schedule_at": "09:00", "schedule_date": "2026-07-01", "recurrence": _DAILY | {"start_date": "2026-07-02"}},
    ).fault

    assert (fault.code, fault.pointer) == ("GN015", "/recurrence/start_date")
    assert "2026-07-01" in fault.message


def test_says_which_pattern_a_field_goes_with(room: psycopg.Connection) -> None:
    fault = _compile(room, {"schedule_at": "09:00", "recurrence": _WEEKLY | {"days_of_month": [1]}}).fault

    assert fault.message == "recurrence.days_of_month goes with pattern monthly or yearly, not weekly"


@pytest.mark.parametrize(
    ("schedule_at", "hint"),
    [
        (
            "2027-03-28T09:00:00",
            "append Z or an offset: 2027-03-28T09:00:00Z; for a local time give HH:MM and schedule_date",
        ),
        ("9:00", "two digits each: 09:00"),
        ("24:00", "the end of a day is 00:00 of the next day"),
        ("P1M", "months and years have no fixed length: give weeks or days, or an instant"),
        ("in 2 months", "months and years have no fixed length: give weeks or days, or an instant"),
    ],
)
def test_hints_say_what_to_write(room: psycopg.Connection, schedule_at: str, hint: str) -> None:
    assert _compile(room, {"schedule_at": schedule_at}).fault.hint == hint


def test_long_and_odd_texts_are_shown_short(room: psycopg.Connection) -> None:
    for text in ("9" * 100_000, "%s %L \\ \" ' \n", "\u202e\u0000".replace("\u0000", "")):
        fault = _compile(room, {"schedule_at": text, "recurrence": _DAILY | {"weekdays": [text]}}).fault
        assert len(fault.message) < 400
        fault = _compile(room, {"schedule_at": "09:00", "recurrence": _DAILY | {text: 1}}).fault
        assert fault.code == "GN024"
        assert len(fault.message + fault.hint) < 400


def test_the_founding_request(room: psycopg.Connection) -> None:
    request = json.loads(Path(__file__).with_name("founding_request.json").read_text(encoding="ascii"))

    rule = _compile(room, request).rule

    assert rule == {"kind": "daily", "time": "09:00:00", "start": "2024-03-15", "end_after": 90}
    first = one(
        room,
        "select * from gnomon_data.first_occurrence(%s, 'America/New_York', '2024-03-14T10:00:00Z', null)",
        Jsonb(rule),
    )
    assert first.due_at_utc.isoformat().startswith("2024-03-15T18:45:00+05:45")
    assert first.if_past_taken is None
