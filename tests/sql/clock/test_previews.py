"""The public questions of the room: resolve_local and next_occurrences."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one, rows, value

NEW_YORK = "America/New_York"
_DAILY = {"pattern": "daily", "schedule_at": "02:30"}


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _next(room: psycopg.Connection, rule: Any, after: str = "2027-03-13 00:00", at_most: int = 3) -> list[Any]:
    query = "select * from gnomon.next_occurrences(%s, %s, %s, %s)"
    return rows(room, query, Jsonb(rule), NEW_YORK, _utc(after), at_most)


def test_shows_what_the_wall_shows(room: psycopg.Connection) -> None:
    assert [(row.at_utc, row.local_time.isoformat(), row.utc_offset, row.kind) for row in _next(room, _DAILY)] == [
        (_utc("2027-03-13 07:30"), "2027-03-13T02:30:00", timedelta(hours=-5), "exact"),
        (_utc("2027-03-14 07:00"), "2027-03-14T03:00:00", timedelta(hours=-4), "gap"),
        (_utc("2027-03-15 06:30"), "2027-03-15T02:30:00", timedelta(hours=-4), "exact"),
    ]


def test_takes_what_a_request_may_say(room: psycopg.Connection) -> None:
    skipping = _DAILY | {"on_gap": "skip", "offset": "PT5M", "cron_expr": None}
    assert [row.at_utc for row in _next(room, skipping, at_most=2)] == [_utc("2027-03-13 07:35"), _utc("2027-03-15 06:35")]

    second = {"pattern": "daily", "schedule_at": "01:30", "on_overlap": "second"}
    assert _next(room, second, "2027-11-07 00:00", 1)[0].at_utc == _utc("2027-11-07 06:30")


def test_is_cut_where_the_schedule_would_end(room: psycopg.Connection) -> None:
    assert len(_next(room, _DAILY | {"end_date": "2027-03-14"}, at_most=10)) == 2
    assert len(_next(room, _DAILY | {"end_after": 5, "fired_count": 1}, at_most=10)) == 4
    assert len(_next(room, _DAILY | {"end_after": 5}, at_most=10)) == 5
    assert _next(room, _DAILY | {"end_after": 5, "fired_count": 9}, at_most=10) == []


def test_counts_from_the_first_day_it_can_fire(room: psycopg.Connection) -> None:
    every_other = _next(room, {"pattern": "weekly", "schedule_at": "09:00", "interval": 2}, "2027-03-13 15:00", 2)

    assert [row.local_time.strftime("%a %d") for row in every_other] == ["Sun 14", "Sun 28"]


def test_ten_by_default(room: psycopg.Connection) -> None:
    assert len(rows(room, "select * from gnomon.next_occurrences(%s, 'UTC', now())", Jsonb(_DAILY))) == 10


@pytest.mark.parametrize(
    ("rule", "code", "pointer"),
    [
        ([], "GN024", ""),
        ("daily", "GN024", ""),
        (None, "GN024", ""),
        ({}, "GN024", "/pattern"),
        ({"pattern": "daily"}, "GN024", "/schedule_at"),
        (_DAILY | {"schedule_at": "24:00"}, "GN013", "/schedule_at"),
        (_DAILY | {"schedule_at": 900}, "GN024", "/schedule_at"),
        (_DAILY | {"interval": 0}, "GN015", "/interval"),
        (_DAILY | {"pattern": "hourly"}, "GN015", "/pattern"),
        (_DAILY | {"timezone": "UTC"}, "GN024", "/timezone"),
        (_DAILY | {"fired_count": -1}, "GN024", "/fired_count"),
        (_DAILY | {"fired_count": "1"}, "GN024", "/fired_count"),
        (_DAILY | {"on_gap": "later"}, "GN024", "/on_gap"),
    ],
)
def test_refuses_a_rule(room: psycopg.Connection, rule: Any, code: str, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as raised:
        _next(room, rule)

    assert (raised.value.sqlstate, raised.value.diag.column_name or "") == (code, pointer)


@pytest.mark.parametrize(
    ("after", "at_most", "pointer"),
    [
        ("infinity", 1, "/after_utc"),
        ("-infinity", 1, "/after_utc"),
        ("294000-01-01", 1, "/after_utc"),
        ("4000-01-01 BC", 1, "/after_utc"),
        (None, 1, "/after_utc"),
        ("2027-01-01", 0, "/at_most"),
        ("2027-01-01", 1001, "/at_most"),
        ("2027-01-01", None, "/at_most"),
    ],
)
def test_refuses_limits(room: psycopg.Connection, after: str | None, at_most: int | None, pointer: str) -> None:
    query = "select * from gnomon.next_occurrences(%s, 'UTC', %s::text::timestamptz, %s)"
    with pytest.raises(psycopg.Error) as raised:
        rows(room, query, Jsonb(_DAILY), after, at_most)

    assert (raised.value.sqlstate, raised.value.diag.column_name) == ("GN024", pointer)


@pytest.mark.parametrize(
    ("arguments", "at_utc", "kind"),
    [
        ("'2027-03-14', '02:30', 'America/New_York'", "2027-03-14 07:00", "gap"),
        ("'2027-03-14', '02:30', 'America/New_York', on_gap => 'skip'", None, "gap"),
        ("'2027-11-07', '01:30', 'America/New_York'", "2027-11-07 05:30", "overlap"),
        ("'2027-11-07', '01:30', 'America/New_York', on_overlap => 'second'", "2027-11-07 06:30", "overlap"),
        ("'2027-07-01', '09:00:30', 'Asia/Kathmandu'", "2027-07-01 03:15:30", "exact"),
        ("'2011-12-30', '09:00', 'Pacific/Apia'", "2011-12-30 10:00", "gap"),
    ],
)
def test_resolves(room: psycopg.Connection, arguments: str, at_utc: str | None, kind: str) -> None:
    found = one(room, f"select * from gnomon.resolve_local({arguments})")

    assert (found.at_utc, found.kind) == (at_utc and _utc(at_utc), kind)


@pytest.mark.parametrize(
    ("arguments", "code", "pointer"),
    [
        ("'2027-03-14', '24:00', 'UTC'", "GN013", "/local_time"),
        ("'2027-03-14', '09:00:00.5', 'UTC'", "GN013", "/local_time"),
        ("'2027-03-14', null, 'UTC'", "GN013", "/local_time"),
        ("'infinity', '09:00', 'UTC'", "GN014", "/on_date"),
        ("'-infinity', '09:00', 'UTC'", "GN014", "/on_date"),
        ("'4000-01-01 BC', '09:00', 'UTC'", "GN014", "/on_date"),
        ("'10000-01-01', '09:00', 'UTC'", "GN014", "/on_date"),
        ("null, '09:00', 'UTC'", "GN014", "/on_date"),
        ("'2027-03-14', '09:00', 'UTC+3'", "GN010", "/timezone"),
        ("'2027-03-14', '09:00', null", "GN010", "/timezone"),
        ("'2027-03-14', '09:00', 'UTC', 'later'", "GN024", "/on_gap"),
        ("'2027-03-14', '09:00', 'UTC', null", "GN024", "/on_gap"),
        ("'2027-03-14', '09:00', 'UTC', 'skip', 'third'", "GN024", "/on_overlap"),
    ],
)
def test_refuses_to_resolve(room: psycopg.Connection, arguments: str, code: str, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as raised:
        rows(room, f"select * from gnomon.resolve_local({arguments})")

    assert (raised.value.sqlstate, raised.value.diag.column_name) == (code, pointer)


@pytest.mark.parametrize("role", ["gnomon_caller", "gnomon_reader"])
def test_callers_and_readers_may_ask(room: psycopg.Connection, role: str) -> None:
    with room.transaction():
        room.execute(f"set local role {role}")
        assert value(room, "select kind from gnomon.resolve_local('2027-03-14', '02:30', 'America/New_York')") == "gap"
        assert len(_next(room, _DAILY, at_most=1)) == 1
