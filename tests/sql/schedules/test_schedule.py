"""One schedule: its short forms, what it answers, what it refuses, and what it leaves behind."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, fire, found, row_counts, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, value

_NOON = utc("2026-12-01T12:00:00")
_BASE = {"user_id": "u_abc123", "template_id": "pill", "schedule_at": "PT1H"}
_LOCAL = {"schedule_at": "18:00", "timezone": "Europe/Berlin"}
_DAILY_SINCE_NOVEMBER = {
    "schedule_at": "11:00",
    "timezone": "UTC",
    "recurrence": {"pattern": "daily", "start_date": "2026-11-01"},
}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _fault(connection: psycopg.Connection, query: str, *parameters: object) -> tuple[str | None, str | None]:
    with pytest.raises(psycopg.Error) as fault:
        connection.execute(query, parameters)
    diag = fault.value.diag
    if (fault.value.sqlstate or "").startswith("GN"):
        assert diag.message_primary
    return fault.value.sqlstate, diag.column_name


def test_a_rollback_leaves_no_row_anywhere(connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    with connection.transaction(force_rollback=True):
        for fields in (
            {"key": "k", "dedup_key": "d", "params": {"text": "x" * 5000}, "labels": {"course": "7"}},
            {"schedule_at": "2030-01-01T00:00:00Z"},
            {"schedule_at": "2020-01-01T00:00:00Z", "if_past": "skip", "key": "past"},
        ):
            given_schedule(connection, fields)
        connection.execute("select * from gnomon.schedule_in('u_abc123', 'pill', '5 minutes')")
        assert row_counts(connection) != before
    assert row_counts(connection) == before


def test_with_commit_it_fires(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute("select * from gnomon.schedule_in('u_abc123', 'pill', '0')")
    assert fire(connection) == 1
    assert [c.event["subject"] for c in claim(connection)] == ["u_abc123"]


def test_the_short_forms_say_the_same_as_the_request(at_noon: psycopg.Connection) -> None:
    given_user(at_noon)
    at = one(at_noon, "select * from gnomon.schedule_at('u_abc123', 'pill', %s)", _NOON + timedelta(hours=5))
    after = one(at_noon, "select * from gnomon.schedule_in('u_abc123', 'pill', '5 hours')")
    local = one(at_noon, "select * from gnomon.schedule_local('u_abc123', 'pill', '18:00')")
    pinned = one(
        at_noon, "select * from gnomon.schedule_local('u_abc123', 'pill', '12:00', '2026-12-01', 'America/New_York')"
    )

    assert {at.fire_at_utc, after.fire_at_utc, local.fire_at_utc, pinned.fire_at_utc} == {_NOON + timedelta(hours=5)}
    sources = [answer.time_zone_source for answer in (at, after, local, pinned)]
    assert sources == [None, None, "user", "request"]


def test_options_are_the_other_fields_of_the_request(at_noon: psycopg.Connection) -> None:
    options = Jsonb({"recurrence": {"pattern": "daily"}, "params": {"n": 1}, "lane": "bulk", "offset": "PT5M"})
    made = one(at_noon, "select * from gnomon.schedule_local('u_abc123', 'pill', '18:00', null, 'UTC', %s)", options)
    told = found(at_noon, made.schedule_id)
    assert (told.lane, told.params, told.recurrence["pattern"]) == ("bulk", {"n": 1}, "daily")
    assert made.fire_at_utc == _NOON + timedelta(hours=6, minutes=5)


@pytest.mark.parametrize(
    ("call", "parameters", "code", "pointer"),
    [
        ("schedule_at('u', 't', 'infinity')", [], "GN024", "/schedule_at"),
        ("schedule_at('u', 't', '-infinity')", [], "GN024", "/schedule_at"),
        ("schedule_at('u', 't', null)", [], "GN024", "/schedule_at"),
        ("schedule_at('u', 't', '2100-01-01Z')", [], "GN024", "/schedule_at"),
        ("schedule_in('u', 't', '1 month')", [], "GN024", "/schedule_at"),
        ("schedule_in('u', 't', '1 year -1 day')", [], "GN024", "/schedule_at"),
        ("schedule_in('u', 't', 'infinity')", [], "GN024", "/schedule_at"),
        ("schedule_in('u', 't', '-1 second')", [], "GN024", "/schedule_at"),
        ("schedule_in('u', 't', null)", [], "GN024", "/schedule_at"),
        ("schedule_local('u', 't', '24:00')", [], "GN013", "/schedule_at"),
        ("schedule_local('u', 't', '18:00:00.5')", [], "GN013", "/schedule_at"),
        ("schedule_local('u', 't', null, null, 'UTC')", [], "GN024", "/schedule_at"),
        ("schedule_local('u', 't', '18:00', 'infinity')", [], "GN014", "/schedule_date"),
        ("schedule_local('u', 't', '18:00', '0044-03-15 BC')", [], "GN014", "/schedule_date"),
        ("schedule_local('u', 't', '18:00')", [], "GN026", "/timezone"),
        ("schedule_in('u', 't', '1 h', '[]')", [], "GN024", None),
        ("schedule_in('u', 't', '1 h', '{\"user_id\": \"v\"}')", [], "GN024", "/user_id"),
        ("schedule_in('u', 't', '1 h', '{\"send_at\": \"PT1H\"}')", [], "GN024", "/send_at"),
        ("schedule_in('u', 't', '1 h', '{\"template\": \"x\"}')", [], "GN024", "/template"),
        ("schedule_in(null, 't', '1 h')", [], "GN024", "/user_id"),
        ("schedule_in('u', null, '1 h')", [], "GN024", "/template_id"),
        ("schedule(null)", [], "GN024", None),
    ],
)
def test_arguments_without_sense_are_refused_and_nothing_written(
    untouched: psycopg.Connection, call: str, parameters: list[Any], code: str, pointer: str | None
) -> None:
    before = row_counts(untouched)
    told = _fault(untouched, f"select gnomon.{call}", *parameters)
    assert (told[0], told[1] or None) == (code, pointer)
    assert row_counts(untouched) == before


@pytest.mark.parametrize(
    ("fields", "code", "pointer"),
    [
        (_LOCAL | {"timezone": "europe/berlin"}, "GN010", "/timezone"),
        (_LOCAL | {"timezone": "UTC+3"}, "GN010", "/timezone"),
        (_LOCAL | {"timezone": "EST"}, "GN010", "/timezone"),
        (_LOCAL | {"timezone": ""}, "GN010", "/timezone"),
        (_LOCAL | {"timezone": "posix/Europe/Berlin"}, "GN010", "/timezone"),
        (_LOCAL | {"schedule_at": "24:00"}, "GN013", "/schedule_at"),
        (_LOCAL | {"schedule_at": "9:00"}, "GN013", "/schedule_at"),
        (_LOCAL | {"schedule_date": "2027-02-30"}, "GN014", "/schedule_date"),
        (_LOCAL | {"schedule_date": "tomorrow"}, "GN014", "/schedule_date"),
        ({"schedule_at": "18:00"}, "GN026", "/timezone"),
        ({"schedule_at": "2027-01-01T00:00:00"}, "GN024", "/schedule_at"),
        ({"schedule_at": "2027-02-30T00:00:00Z"}, "GN014", "/schedule_at"),
        ({"schedule_at": "2047-01-01T00:00:00Z"}, "GN024", "/schedule_at"),
        ({"schedule_at": "infinity"}, "GN024", "/schedule_at"),
        ({"schedule_at": "epoch"}, "GN024", "/schedule_at"),
        ({"schedule_at": "P1M"}, "GN024", "/schedule_at"),
        ({"schedule_at": 5}, "GN024", "/schedule_at"),
        ({"schedule_at": None}, "GN024", "/schedule_at"),
        ({"schedule_at": "2020-01-01T00:00:00Z"}, "GN023", "/schedule_at"),
        ({"schedule_type": "absolute_utc"}, "GN024", "/schedule_type"),
        ({"schedule_type": "sometimes"}, "GN024", "/schedule_type"),
        ({"offset": "P1M"}, "GN024", "/offset"),
        ({"user_id": ""}, "GN024", "/user_id"),
        ({"user_id": "u" * 256}, "GN024", "/user_id"),
        ({"user_id": "u\n"}, "GN024", "/user_id"),
        ({"user_id": 7}, "GN024", "/user_id"),
        ({"user_id": None}, "GN024", "/user_id"),
        ({"template_id": None}, "GN024", "/template_id"),
        ({"key": "k" * 256}, "GN024", "/key"),
        ({"key": ""}, "GN024", "/key"),
        ({"dedup_key": "d" * 256}, "GN024", "/dedup_key"),
        ({"dedup_key": "d\x7f"}, "GN024", "/dedup_key"),
        ({"params": {"text": "x" * 65_536}}, "GN024", "/params"),
        ({"params": []}, "GN024", "/params"),
        ({"params": "x"}, "GN024", "/params"),
        ({"labels": {"a": 1}}, "GN024", "/labels/a"),
        ({"labels": {"": "x"}}, "GN024", "/labels/"),
        ({"labels": {str(n): "x" for n in range(17)}}, "GN024", "/labels"),
        ({"channels": []}, "GN024", "/channels"),
        ({"channels": "push"}, "GN024", "/channels"),
        ({"channels": ["push", "push"]}, "GN024", "/channels"),
        ({"channels": ["push", "pigeon"]}, "GN027", "/channels/1"),
        ({"channels": ["push", 7]}, "GN024", "/channels/1"),
        ({"lane": "urgent"}, "GN024", "/lane"),
        ({"priority": "urgent"}, "GN024", "/lane"),
        ({"if_past": "never"}, "GN024", "/if_past"),
        ({"if_past": "next"}, "GN024", "/if_past"),
        ({"on_gap": "x"}, "GN024", "/on_gap"),
        ({"on_overlap": "third"}, "GN024", "/on_overlap"),
        ({"misfire": "always"}, "GN024", "/misfire"),
        ({"window": "-PT1H"}, "GN024", "/window"),
        ({"window": "PT25H"}, "GN024", "/window"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "GN024", "/expires_at"),
        ({"expires_at": "2030-01-01T00:00:00"}, "GN024", "/expires_at"),
        ({"expires_in": "PT0S"}, "GN024", "/expires_in"),
        ({"expires_in": "PT1H", "expires_at": "2030-01-01T00:00:00Z"}, "GN024", "/expires_in"),
        ({"colour": "red"}, "GN024", "/colour"),
        ({"template": "other"}, "GN024", "/template_id"),
        ({"recurrence": "daily"}, "GN024", "/recurrence"),
        (_LOCAL | {"recurrence": {}}, "GN024", "/recurrence/pattern"),
        (_LOCAL | {"recurrence": {"pattern": "hourly"}}, "GN015", "/recurrence/pattern"),
        (_LOCAL | {"recurrence": {"pattern": "daily", "interval": 0}}, "GN015", "/recurrence/interval"),
        (_LOCAL | {"recurrence": {"pattern": "daily", "end_after": 0}}, "GN015", "/recurrence/end_after"),
        (_LOCAL | {"recurrence": {"pattern": "daily", "end_date": "2020-01-01"}}, "GN012", "/recurrence/end_date"),
        (_LOCAL | {"recurrence": {"pattern": "weekly", "weekdays": ["MONDAY"]}}, "GN015", None),
        (_LOCAL | {"recurrence": {"pattern": "daily"}, "expires_at": "2030-01-01T00:00:00Z"}, "GN024", "/expires_at"),
    ],
)
def test_a_bad_request_is_refused_and_nothing_written(
    untouched: psycopg.Connection, fields: dict[str, Any], code: str, pointer: str | None
) -> None:
    before = row_counts(untouched)
    told = _fault(untouched, "select gnomon.schedule(%s)", Jsonb(_BASE | fields))
    assert told[0] == code
    assert pointer is None or told[1] == pointer
    assert row_counts(untouched) == before


def test_a_nul_character_cannot_even_be_written_as_jsonb(untouched: psycopg.Connection) -> None:
    assert _fault(untouched, """select gnomon.schedule('{"user_id": "u\\u0000"}')""")[0] == "22P05"


def test_a_near_miss_of_a_zone_is_named(untouched: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as fault:
        given_schedule(untouched, _LOCAL, timezone="europe/berlin")
    assert "Europe/Berlin" in str(fault.value.diag.message_hint)


@pytest.mark.parametrize(
    ("fields", "status", "if_past", "fire_at"),
    [
        # An instant up to five minutes past is a slow request.
        ({"schedule_at": "2026-12-01T11:55:00Z"}, "scheduled", "now", _NOON),
        ({"schedule_at": "2026-11-01T00:00:00Z", "if_past": "now"}, "scheduled", "now", _NOON),
        ({"schedule_at": "2026-11-01T00:00:00Z", "if_past": "skip"}, "skipped", "skip", None),
        ({"schedule_at": "11:00", "timezone": "UTC"}, "scheduled", "next", _NOON + timedelta(hours=23)),
        ({"schedule_at": "11:00", "timezone": "UTC", "if_past": "now"}, "scheduled", "now", _NOON),
        ({"schedule_at": "11:00", "timezone": "UTC", "if_past": "skip"}, "skipped", "skip", None),
        ({"schedule_at": "11:00", "timezone": "UTC", "schedule_date": "2026-12-01", "if_past": "next"}, "scheduled", "next",
         _NOON + timedelta(hours=23)),
        ({"schedule_at": "13:00", "timezone": "UTC"}, "scheduled", None, _NOON + timedelta(hours=1)),
        (_DAILY_SINCE_NOVEMBER, "scheduled", "next", _NOON + timedelta(hours=23)),
    ],
)  # fmt: skip
def test_what_has_passed(
    at_noon: psycopg.Connection, fields: dict[str, Any], status: str, if_past: str | None, fire_at: datetime | None
) -> None:
    answer = given_schedule(at_noon, fields)
    assert (answer.status, answer.if_past) == (status, if_past)
    if fire_at:
        assert answer.fire_at_utc == fire_at
    assert value(at_noon, "select count(*) from gnomon_data.timers") + value(
        at_noon, "select count(*) from gnomon_data.timers_far"
    ) == (status == "scheduled")


@pytest.mark.parametrize("fields", [{"schedule_at": "2026-12-01T11:54:59Z"}, {"schedule_at": "11:00", "if_past": "reject"}])
def test_what_has_passed_for_long_is_refused(at_noon: psycopg.Connection, fields: dict[str, Any]) -> None:
    told = _fault(at_noon, "select gnomon.schedule(%s)", Jsonb(_BASE | {"timezone": "UTC"} | fields))
    assert told == ("GN023", "/schedule_at")


def test_far_and_near_alike(at_noon: psycopg.Connection) -> None:
    near = given_schedule(at_noon, schedule_at="P3D")
    far = given_schedule(at_noon, schedule_at="P30D")
    assert (near.status, far.status) == ("scheduled", "scheduled")
    assert value(at_noon, "select count(*) from gnomon_data.timers") == 1
    assert value(at_noon, "select count(*) from gnomon_data.timers_far") == 1


def test_it_works_in_joins_with_the_callers_tables(at_noon: psycopg.Connection) -> None:
    at_noon.execute("create table pills (id int, user_id text, taken_at time)")
    at_noon.execute("insert into pills values (1, 'u_1', '18:00'), (2, 'u_2', '19:00')")
    at_noon.execute(
        "select s.schedule_id from pills as p cross join lateral gnomon.schedule_local(p.user_id, 'pill', p.taken_at,"
        " time_zone => 'UTC', options => jsonb_build_object('key', 'pill-' || p.id)) as s"
    )
    at_noon.execute("delete from pills where id = 1")
    gone = one(
        at_noon,
        "select s.key from gnomon.schedules as s where not exists (select from pills as p where 'pill-' || p.id = s.key)",
    )
    assert gone.key == "pill-1"


def test_python_types_come_through(at_noon: psycopg.Connection) -> None:
    answer = one(
        at_noon,
        "select * from gnomon.schedule_local(%s, %s, %s, %s, %s)",
        *("u_abc123", "pill", time(18, 30, 15), date(2026, 12, 24), "Europe/Vienna"),
    )
    assert answer.fire_at_utc == datetime(2026, 12, 24, 17, 30, 15, tzinfo=UTC)
