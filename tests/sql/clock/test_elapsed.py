"""Elapsed time: every so many seconds from an instant, whatever the clocks do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one, rows, value

_EVERY: dict[str, Any] = {"pattern": "elapsed", "every": "PT15M"}


def _compile(room: psycopg.Connection, **request: Any) -> Any:
    return one(room, "select * from gnomon_data.compile_rule(%s)", Jsonb({"recurrence": _EVERY} | request))


def _first(room: psycopg.Connection, now: str, if_past: str | None = None, **request: Any) -> Any:
    rule = _compile(room, **request).rule
    query = "select * from gnomon_data.first_occurrence(%s, null, %s::timestamptz, %s)"
    return one(room, query, Jsonb(rule), now, if_past)


def test_counts_from_the_acceptance_or_from_schedule_at(room: psycopg.Connection) -> None:
    now = datetime(2027, 3, 28, 0, 50, tzinfo=UTC)

    assert _first(room, now.isoformat()).due_at_utc == now + timedelta(minutes=15)
    assert _first(room, now.isoformat(), schedule_at="PT5M").due_at_utc == now + timedelta(minutes=5)
    ahead = _first(room, now.isoformat(), schedule_at="2027-03-28T06:00:00Z")
    assert (ahead.due_at_utc, ahead.if_past_taken) == (now.replace(hour=6, minute=0), None)
    assert ahead.anchored == {"kind": "elapsed", "step": 900, "from": "2027-03-28T06:00:00.000000Z"}


def test_what_began_in_the_past_goes_on_in_its_own_steps(room: psycopg.Connection) -> None:
    now, began = "2027-03-28T00:50:00Z", "2027-01-01T00:07:00Z"

    found = _first(room, now, schedule_at=began)
    assert (found.due_at_utc, found.if_past_taken) == (datetime(2027, 3, 28, 0, 52, tzinfo=UTC), "next")
    assert _first(room, now, "reject", schedule_at=began).fault.code == "GN023"
    assert _first(room, now, "skip", schedule_at=began).is_skipped
    fired = _first(room, now, "now", schedule_at=began)
    assert (fired.due_at_utc, fired.if_past_taken) == (datetime(2027, 3, 28, 0, 50, tzinfo=UTC), "now")


def test_steps_are_elapsed_and_one_is_strictly_later(room: psycopg.Connection) -> None:
    rule = {"kind": "elapsed", "step": 900, "from": "2027-03-14T06:45:00.500000Z", "offset": -0.5}
    query = "select due_at_utc, nominal_local, kind from gnomon_data.next_occurrence(%s, null, %s::timestamptz)"
    at = datetime(2027, 3, 14, 6, 45, tzinfo=UTC)
    for after, due in (
        (at - timedelta(days=9), at),
        (at - timedelta(microseconds=1), at),
        (at, at + timedelta(minutes=15)),
        (at + timedelta(minutes=15) - timedelta(microseconds=1), at + timedelta(minutes=15)),
        (at + timedelta(minutes=15), at + timedelta(minutes=30)),
    ):
        assert one(room, query, Jsonb(rule), after) == (due, None, None)


def test_the_next_of_millions_of_steps_is_one_division(room: psycopg.Connection) -> None:
    rule = Jsonb({"kind": "elapsed", "step": 1, "from": "1927-01-01T00:00:00.000001Z"})
    with room.transaction():
        room.execute("set local statement_timeout = '1s'")
        found = value(room, "select due_at_utc from gnomon_data.next_occurrence(%s, null, '2027-01-01T00:00:00Z')", rule)

    assert found == datetime(2027, 1, 1, 0, 0, 0, 1, tzinfo=UTC)


def test_a_preview_counts_from_where_it_looks(room: psycopg.Connection) -> None:
    query = "select * from gnomon.next_occurrences(%s, 'America/New_York', '2027-03-14T06:50:00Z', 2)"

    assert [(row.local_time.strftime("%H:%M"), row.kind) for row in rows(room, query, Jsonb(_EVERY))] == [
        ("03:05", None),
        ("03:20", None),
    ]


@pytest.mark.parametrize(
    ("request_", "code", "pointer"),
    [
        ({"recurrence": {"pattern": "elapsed"}}, "GN024", "/recurrence/every"),
        ({"recurrence": _EVERY | {"every": "PT0.5S"}}, "GN015", "/recurrence/every"),
        ({"recurrence": _EVERY | {"every": "PT0S"}}, "GN015", "/recurrence/every"),
        ({"recurrence": _EVERY | {"every": "P1M"}}, "GN024", "/recurrence/every"),
        ({"recurrence": _EVERY | {"every": "-PT1M"}}, "GN024", "/recurrence/every"),
        ({"recurrence": _EVERY | {"every": 900}}, "GN024", "/recurrence/every"),
        ({"recurrence": _EVERY | {"end_date": "2027-01-01"}}, "GN015", "/recurrence/end_date"),
        ({"recurrence": _EVERY | {"start_date": "2027-01-01"}}, "GN015", "/recurrence/start_date"),
        ({"recurrence": _EVERY | {"exclude_dates": ["2027-01-01"]}}, "GN015", "/recurrence/exclude_dates"),
        ({"schedule_at": "09:00"}, "GN015", "/schedule_at"),
        ({"schedule_at": "soon"}, "GN024", "/schedule_at"),
        ({"schedule_at": "2027-02-30T09:00:00Z"}, "GN014", "/schedule_at"),
        ({"schedule_date": "2027-01-01"}, "GN015", "/schedule_date"),
        ({"schedule_type": "user_local_time"}, "GN024", "/schedule_type"),
        ({"schedule_type": "relative", "schedule_at": "2027-01-01T00:00:00Z"}, "GN024", "/schedule_type"),
    ],
)
def test_refuses(room: psycopg.Connection, request_: dict[str, Any], code: str, pointer: str) -> None:
    compiled = _compile(room, **request_)

    assert compiled.rule is None
    assert (compiled.fault.code, compiled.fault.pointer) == (code, pointer)
