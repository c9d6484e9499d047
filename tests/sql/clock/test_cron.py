"""Cron: what its texts mean, what is wrong with one, and when it fires around changes of the clock."""

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import set_clock
from tests.support.given import given_user, one, rows, value

_COMPILE = "select rule, fault from gnomon_data.compile_cron(%s, '/recurrence/cron_expr')"


def _fault(room: psycopg.Connection, cron_expr: str) -> Any:
    compiled = one(room, _COMPILE, cron_expr)
    assert compiled.rule is None
    return compiled.fault


def _next(room: psycopg.Connection, words: dict[str, Any] | str, zone: str, after: str, at_most: int = 3) -> list[str]:
    rule = {"cron_expr": words} if isinstance(words, str) else words
    query = "select at_utc, kind from gnomon.next_occurrences(%s, %s, %s, %s)"
    found = rows(room, query, Jsonb({"pattern": "cron"} | rule), zone, datetime.fromisoformat(after + "Z"), at_most)
    return [f"{row.at_utc.astimezone(UTC):%Y-%m-%d %H:%M} {row.kind}" for row in found]


@pytest.mark.parametrize(
    ("cron_expr", "says", "hint"),
    [
        ("60 * * * *", '"60" at character 1 (minute), expected 0 to 59', None),
        (" 0  24 * * *", '"24" at character 5 (hour), expected 0 to 23', "midnight is 0"),
        ("0 9 15W * *", '"15W" at character 5 (day of month)', "1-5 in day of week"),
        ("0 9 LW * *", '"LW" at character 5', "use L for its last day"),
        ("0 9 L-3 * *", '"L-3" at character 5', "days_of_month [-4]"),
        ("0 9 * * L", '"L" at character 9 (day of week)', "5L is the last Friday"),
        ("0 9 * * 1,MONDAY", '"MONDAY" at character 11 (day of week)', "use MON"),
        ("0 9 * JANUARY *", '"JANUARY" at character 7 (month)', "use JAN"),
        ("0 9 * MON *", '"MON" at character 7 (month)', "the fifth field"),
        ("0 9 * * JAN", '"JAN" at character 9 (day of week)', "the fourth field"),
        ("0 22-6 * * *", "expected a range that goes up", "use two ranges: 22-23,0-6"),
        ("0 9 * * FRI-MON", "expected a range that goes up", "use two ranges: FRI-SUN,MON"),
        ("0 9 * * 6-0", "expected a range that goes up", "use 6-7"),
        ("0 9 * * SAT-TUE/2", "expected a range that goes up", "use two ranges: SAT-SUN/2,MON-TUE/2"),
        ("0 9 * NOV-FEB *", "expected a range that goes up", "use two ranges: NOV-DEC,JAN-FEB"),
        ("*/90 * * * *", "expected a step from 1 to 60", "pattern elapsed"),
        ("*/0 * * * *", "expected a step from 1 to 60", None),
        ("/5 * * * *", "expected a value before the step", "*/5"),
        ("1,,2 * * * *", '"" at character 3 (minute), expected 0 to 59 between the commas', "extra comma"),
        ("H * * * *", '"H" at character 1 (minute)', "window"),
        ("0~30 * * * *", '"0~30" at character 1 (minute)', "window"),
        ("0 ? * * *", '"?" at character 3 (hour)', "use *"),
        ("0 0 ?/2 * *", '"?/2" at character 5', "stands alone"),
        ("0 9 * * 5#6", '"5#6" at character 9', "5#1 to 5#5"),
        ("0 9 * * 5#L", '"5#L" at character 9', "use 5L"),
        ("-1 * * * *", "expected whole numbers", None),
        ("\u0665 * * * *", "in ASCII", None),
        ("0 0 9 * * 1", "has six fields, expected five", "seconds are not supported"),
        ("0 9 * * 1 2027", "has six fields, expected five", "use start_date and end_date"),
        ("0 0 9 * * 1 2027", "has seven fields, expected five", "seconds and years"),
        ("0 9 * *", "has 4 fields, expected five", "day of week"),
        ("hourly", "has 1 field, expected five", "day of week"),
        (" \t", "is empty", "minute, hour"),
        ("@reboot", "unknown macro at character 1", "nothing boots here"),
        ("@every 5m", "unknown macro at character 1", "pattern elapsed"),
        ("@dayly", "unknown macro at character 1", "@daily"),
        ("TZ=Europe/Berlin 0 9 * * *", "names a zone", "use timezone"),
        ("CRON_TZ=UTC 0 9 * * *", "names a zone", "use timezone"),
        ("0 9 * * 1\n0 10 * * 1", "line break or control character at character 10", None),
        ("0 " * 501, "has 1002 characters", None),
    ],
)
def test_names_the_field_the_place_and_the_way_out(
    room: psycopg.Connection, cron_expr: str, says: str, hint: str | None
) -> None:
    fault = _fault(room, cron_expr)

    assert (fault.code, fault.pointer) == ("GN011", "/recurrence/cron_expr")
    assert fault.message.startswith("recurrence.cron_expr ")
    assert says in fault.message
    assert (hint or "") in (fault.hint or "")


@pytest.mark.parametrize("cron_expr", ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 */2", "0 0 30,31 FEB ?"])
def test_refuses_a_date_that_never_comes(room: psycopg.Connection, cron_expr: str) -> None:
    assert _fault(room, cron_expr).code == "GN012"


@pytest.mark.parametrize(
    ("one_way", "another"),
    [
        ("@hourly", "0 * * * *"),
        (" @Midnight ", "0 0 * * *"),
        ("@yearly", "0\t0  1 1 *"),
        ("0 9 * * 0", "0 9 * * 7"),
        ("0 9 * * SAT-SUN", "0 9 * * 6,7"),
        ("0 9 * * sun-tue", "0 9 * * 0-2"),
        ("0 9 * * 1/2", "0 9 * * 1,3,5,7"),
        ("0 9 * * FRIL,mon#2", "0 9 * * 5L,1#2"),
        ("5/20 */6 1/10 JAN/6 *", "5,25,45 0,6,12,18 1,11,21,31 1,7 *"),
        ("00 09 01 01 ?", "0 9 1 1 *"),
        # or: one of the day fields says every day already
        ("0 9 13 * 0-6", "0 9 * * *"),
        ("0 9 1-31 * FRI", "0 9 * * *"),
        # and: a field that begins with a star only thins out
        ("0 9 * * FRI", "0 9 ? * FRI"),
        ("0 9 */1 * FRI", "0 9 * * FRI"),
    ],
)
def test_says_the_same(room: psycopg.Connection, one_way: str, another: str) -> None:
    compiled = one(room, _COMPILE, one_way)

    assert compiled.fault is None
    assert compiled.rule == one(room, _COMPILE, another).rule


@pytest.mark.parametrize(
    ("words", "zone", "after", "expected"),
    [
        # a star thins out: a 13th that is a Friday or a Sunday; no star adds: the 13th and every Friday
        (
            "0 9 13 * */5",
            "UTC",
            "2027-01-01T00:00",
            ["2027-06-13 09:00 exact", "2027-08-13 09:00 exact", "2028-02-13 09:00 exact"],
        ),
        (
            "0 9 13 * 5",
            "UTC",
            "2027-01-07T00:00",
            ["2027-01-08 09:00 exact", "2027-01-13 09:00 exact", "2027-01-15 09:00 exact"],
        ),
        (
            "0 9 L 2 *",
            "UTC",
            "2027-01-01T00:00",
            ["2027-02-28 09:00 exact", "2028-02-29 09:00 exact", "2029-02-28 09:00 exact"],
        ),
        (
            "0 9 * * 5#5",
            "UTC",
            "2027-01-01T09:00",
            ["2027-01-29 09:00 exact", "2027-04-30 09:00 exact", "2027-07-30 09:00 exact"],
        ),
        # the longest wait there is: 29 February on a Sunday, after 40 years
        ("0 0 29 2 */7", "UTC", "2088-03-01T00:00", ["2128-02-29 00:00 exact"]),
        # the pinned hour waits for the end of the gap, four readings merge, one pass of an overlap
        ("*/15 2 * * *", "America/New_York", "2027-03-14T05:00", ["2027-03-14 07:00 gap", "2027-03-15 06:00 exact"]),
        ("30 1 * * *", "America/New_York", "2027-11-07T00:00", ["2027-11-07 05:30 overlap", "2027-11-08 06:30 exact"]),
        # all hours: both passes, and nothing is made up for the gap
        ("30 * * * *", "America/New_York", "2027-11-07T05:00", ["2027-11-07 05:30 exact", "2027-11-07 06:30 exact"]),
        ("30 * * * *", "America/New_York", "2027-03-14T06:00", ["2027-03-14 06:30 exact", "2027-03-14 07:30 exact"]),
        # all hours of a rare date, over changes of the clock on the way and on the day
        ("30 * 7 11 *", "America/New_York", "2026-11-08T12:00", ["2027-11-07 04:30 exact", "2027-11-07 05:30 exact"]),
        ("0 * 30 12 *", "Pacific/Apia", "2010-12-31T12:00", ["2012-12-29 10:00 exact"]),
        ("0 * 31 12 *", "Pacific/Apia", "2011-12-20T12:00", ["2011-12-30 10:00 exact"]),
        ("0 0 30 12 *", "Pacific/Apia", "2011-12-20T12:00", ["2011-12-30 10:00 gap", "2012-12-29 10:00 exact"]),
        # the policies
        (
            {"cron_expr": "*/30 2 * * *", "on_gap": "skip"},
            *("America/New_York", "2027-03-14T05:00", ["2027-03-15 06:00 exact"]),
        ),
        (
            {"cron_expr": "10,50 1 * * *", "on_overlap": "second"},
            *("America/New_York", "2027-11-07T05:45", ["2027-11-07 06:10 overlap", "2027-11-07 06:50 overlap"]),
        ),
        ({"cron_expr": "58 23 * * *", "offset": "PT5M"}, "UTC", "2027-01-01T00:01", ["2027-01-01 00:03 exact"]),
        # dates around it
        (
            {"cron_expr": "0 9 * * *", "start_date": "2027-02-01", "end_date": "2027-02-02"},
            *("UTC", "2027-01-01T00:00", ["2027-02-01 09:00 exact", "2027-02-02 09:00 exact", "-"]),
        ),
        ({"cron_expr": "0 * * * *", "start_date": "2027-02-01"}, "UTC", "2027-01-01T00:00", ["2027-02-01 00:00 exact"]),
        ({"cron_expr": "* * * * *", "end_after": 1}, "UTC", "2027-01-01T00:00", ["2027-01-01 00:01 exact", "-"]),
    ],
)
def test_fires(room: psycopg.Connection, words: Any, zone: str, after: str, expected: list[str]) -> None:
    found = _next(room, words, zone, after, len(expected))

    assert found == [text for text in expected if text != "-"]


@pytest.mark.parametrize(
    ("words", "beside", "code", "pointer"),
    [
        ({}, {}, "GN024", "/recurrence/cron_expr"),
        ({"cron_expr": None}, {}, "GN024", "/recurrence/cron_expr"),
        ({"cron_expr": 5}, {}, "GN024", "/recurrence/cron_expr"),
        ({"cron_expr": ""}, {}, "GN011", "/recurrence/cron_expr"),
        ({"cron_expr": "0 9 * * *"}, {"schedule_at": "09:00"}, "GN024", "/schedule_at"),
        ({"cron_expr": "0 9 * * *"}, {"schedule_type": "absolute_utc"}, "GN024", "/schedule_type"),
        ({"cron_expr": "0 9 * * *", "interval": 2}, {}, "GN015", "/recurrence/interval"),
        ({"cron_expr": "0 9 * * *", "weekdays": ["MON"]}, {}, "GN015", "/recurrence/weekdays"),
        ({"cron_expr": "0 9 * * *", "pattern": "daily"}, {"schedule_at": "09:00"}, "GN015", "/recurrence/cron_expr"),
        ({"cron_expr": "0 9 * * *", "start_date": "2027-02-30"}, {}, "GN014", "/recurrence/start_date"),
        (
            {"cron_expr": "0 9 * * *", "start_date": "2027-02-02", "end_date": "2027-02-01"},
            {},
            "GN012",
            "/recurrence/end_date",
        ),
    ],
)
def test_refuses_what_stands_beside(
    room: psycopg.Connection, words: dict[str, Any], beside: dict[str, Any], code: str, pointer: str
) -> None:
    request = Jsonb({"recurrence": {"pattern": "cron"} | words} | beside)
    fault = value(room, "select fault from gnomon_data.compile_rule(%s)", request)

    assert (fault.code, fault.pointer) == (code, pointer)


def test_a_user_who_flies_west_keeps_an_hourly_one_and_not_the_reading_of_a_pinned_one(
    connection: psycopg.Connection,
) -> None:
    set_clock(connection, datetime(2027, 6, 1, 6, 30, tzinfo=UTC))
    given_user(connection, time_zone="Europe/Berlin")
    query = "select * from gnomon.schedule_cron('u_abc123', 'report', %s)"
    hourly, pinned = (one(connection, query, cron_expr).schedule_id for cron_expr in ("0 * * * *", "0 9 * * *"))

    connection.execute("select gnomon.move_user('u_abc123', 'America/New_York')")

    moved = {
        schedule_id: one(connection, "select * from gnomon.find_schedule(%s)", schedule_id).fire_at_utc
        for schedule_id in (hourly, pinned)
    }
    # It is 08:30 in Berlin and 02:30 in New York: the next full hour, and 09:00 there.
    assert moved == {
        hourly: datetime(2027, 6, 1, 7, tzinfo=UTC),
        pinned: datetime(2027, 6, 1, 13, tzinfo=UTC),
    }


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ("'u', 't', null", "/recurrence/cron_expr"),
        ("""'u', 't', '0 9 * * *', 'UTC', '{"recurrence": {"cron_expr": "0 9 * * *"}}'""", "/recurrence"),
        ("""'u', 't', '0 9 * * *', 'UTC', '{"recurrence": "daily"}'""", "/recurrence"),
        ("""'u', 't', '0 9 * * *', 'UTC', '{"timezone": "UTC"}'""", "/timezone"),
        ("""'u', 't', '0 9 * * *', 'UTC', '{"schedule_at": "09:00"}'""", "/schedule_at"),
        ("'u', 't', '0 9 * * *', 'UTC', '[]'", ""),
    ],
)
def test_the_short_form_refuses(room: psycopg.Connection, arguments: str, pointer: str) -> None:
    with pytest.raises(psycopg.Error) as raised:
        rows(room, f"select * from gnomon.schedule_cron({arguments})")

    assert (raised.value.sqlstate, raised.value.diag.column_name or "") == ("GN024", pointer)
