"""What the readers of a request accept and refuse. PostgreSQL's own parsers take nearly all of what is refused here."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.given import one

# A text column cannot hold NUL and no driver sends it; everything else may come.
_ANY_TEXT: Final = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
_NEAR_TEXT: Final = st.text("0123456789-:.+TZPWDHMSin hourdayminutesecondweek", max_size=30)


def _read(room: psycopg.Connection, reader: str, text: str | None, *more: object) -> tuple[Any, str | None]:
    """The value that a reader answers, and the code of its fault."""
    marks = ", ".join(["%s"] * len(more))
    row = one(room, f"select * from gnomon_data.{reader}(%s, '/field'{', ' + marks if more else ''})", text, *more)
    fault = row.fault
    if fault is None:
        return row[0], None
    assert row[0] is None, "a value beside a fault"
    assert fault.message.startswith("field ")
    assert fault.pointer == "/field"
    return None, fault.code


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2027-03-28T09:00:00Z", datetime(2027, 3, 28, 9, tzinfo=UTC)),
        ("2027-03-28t09:00:00z", datetime(2027, 3, 28, 9, tzinfo=UTC)),
        ("2027-03-28 09:00:00Z", datetime(2027, 3, 28, 9, tzinfo=UTC)),
        ("2027-03-28T09:00:00.25+05:45", datetime(2027, 3, 28, 3, 15, 0, 250_000, tzinfo=UTC)),
        ("2027-03-28T09:00:00.123456789-03:30", datetime(2027, 3, 28, 12, 30, 0, 123_457, tzinfo=UTC)),
        ("2027-03-28T23:59:59-00:00", datetime(2027, 3, 28, 23, 59, 59, tzinfo=UTC)),
        ("2028-02-29T00:00:00+14:00", datetime(2028, 2, 28, 10, tzinfo=UTC)),
        ("1969-12-31T23:59:59Z", datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_instant(room: psycopg.Connection, text: str, at: datetime) -> None:
    assert _read(room, "read_instant", text) == (at, None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2027-03-28T09:00:00", "GN024"),
        ("2027-03-28T09:00Z", "GN024"),
        ("2027-03-28", "GN024"),
        ("20270328T090000Z", "GN024"),
        ("2027-03-28T09:00:60Z", "GN024"),
        ("2027-03-28T24:00:00Z", "GN024"),
        ("2027-03-28T09:60:00Z", "GN024"),
        ("2027-03-28T09:00:00+0200", "GN024"),
        ("2027-03-28T09:00:00+02", "GN024"),
        ("2027-03-28T09:00:00+16:00", "GN024"),
        ("2027-03-28T09:00:00 Europe/Berlin", "GN024"),
        ("2027-03-28T09:00:00 EST", "GN024"),
        ("2027-03-28T09:00:00Z ", "GN024"),
        ("2027-03-28T09:00:00Z\n", "GN024"),
        (" 2027-03-28T09:00:00Z", "GN024"),
        ("+2027-03-28T09:00:00Z", "GN024"),
        ("12027-03-28T09:00:00Z", "GN024"),
        ("2027-13-01T09:00:00Z", "GN024"),
        ("2027-W10-1T09:00:00Z", "GN024"),
        ("٢٠٢٧-03-28T09:00:00Z", "GN024"),
        ("infinity", "GN024"),
        ("-infinity", "GN024"),
        ("now", "GN024"),
        ("epoch", "GN024"),
        ("tomorrow", "GN024"),
        ("1700000000", "GN024"),
        ("", "GN024"),
        ("2027-02-29T09:00:00Z", "GN014"),
        ("2027-04-31T09:00:00+02:00", "GN014"),
        ("0000-01-01T00:00:00Z", "GN014"),
        ("0001-01-01T00:00:00+01:00", "GN014"),
        ("9999-12-31T23:59:59-01:00", "GN014"),
    ],
)
def test_no_instant(room: psycopg.Connection, text: str, code: str) -> None:
    assert _read(room, "read_instant", text) == (None, code)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("PT2H", timedelta(hours=2)),
        ("P1DT2H", timedelta(hours=26)),
        ("P1W", timedelta(days=7)),
        ("P2W1DT1H1M1.5S", timedelta(days=15, hours=1, minutes=1, seconds=1.5)),
        ("PT0.000001S", timedelta(microseconds=1)),
        ("PT90M", timedelta(minutes=90)),
        ("P0D", timedelta(0)),
        ("PT0S", timedelta(0)),
        ("+PT5M", timedelta(minutes=5)),
        ("PT36H", timedelta(hours=36)),
        ("P3653D", timedelta(days=3653)),
        ("2 hours", timedelta(hours=2)),
        ("in 2 hours", timedelta(hours=2)),
        ("In 1 Hour 30 Minutes", timedelta(minutes=90)),
        ("1 week 1 day 1 hour 1 minute 1 second", timedelta(days=8, hours=1, minutes=1, seconds=1)),
        ("90 seconds", timedelta(seconds=90)),
        ("0 seconds", timedelta(0)),
    ],
)
def test_duration(room: psycopg.Connection, text: str, duration: timedelta) -> None:
    assert _read(room, "read_duration", text) == (duration, None)
    # Days in it would be days of the session's zone once it is added to an instant.
    assert one(room, "select extract(day from (gnomon_data.read_duration(%s, '')).duration)::int as days", text).days == 0


@pytest.mark.parametrize(
    "text",
    [
        *(
            "P1M",
            "P1Y",
            "P1Y2M10DT2H30M",
            "in 2 months",
            "1 year",
            "P1Y6M",
            "P0001-00-00T00:00:00",
            "PT1H30",
            "P",
            "PT",
            "P1DT",
            "1H",
        ),
        *(
            "T1H",
            "pt1h",
            "PT1.5H",
            "P1.5D",
            "PT1,5S",
            "PT1.0000001S",
            "P-1D",
            "PT-5M",
            "P1H",
            "PT1D",
            "PT1M1H",
            "P1D1W",
            "--PT1H",
        ),
        *(
            "5m",
            "2h",
            "2hours",
            "hours",
            "in",
            "in hours",
            "two hours",
            "in 2 hours ago",
            "2 hours ago",
            "-2 hours",
            "+2 hours",
        ),
        *(
            "1.5 hours",
            "2 hours 1 hour",
            "2 hours,30 minutes",
            "in 2 hours ",
            "in 2 hours\n",
            "1 fortnight",
            "1 decade",
            "3600",
        ),
        *(
            "02:00",
            "02:00:00",
            "infinity",
            "-infinity",
            "",
            "P3653DT1S",
            "P99999999999W",
            "999999999 weeks",
            "P9999999W999999999D",
        ),
        *("PT999999999H", "in 99999999999 seconds", "1 month 1 day"),
    ],
)
def test_no_duration(room: psycopg.Connection, text: str) -> None:
    assert _read(room, "read_duration", text) == (None, "GN024")


@pytest.mark.parametrize(
    ("text", "negative"), [("-PT5M", timedelta(minutes=-5)), ("-P1D", timedelta(days=-1)), ("-P0D", timedelta(0))]
)
def test_negative_duration_only_where_it_may_be(room: psycopg.Connection, text: str, negative: timedelta) -> None:
    assert _read(room, "read_duration", text, True) == (negative, None)  # noqa: FBT003
    assert _read(room, "read_duration", text) == (None, "GN024")


@pytest.mark.parametrize(
    ("text", "local_time"),
    [("00:00", time(0)), ("09:00", time(9)), ("18:05:30", time(18, 5, 30)), ("23:59:59", time(23, 59, 59))],
)
def test_local_time(room: psycopg.Connection, text: str, local_time: time) -> None:
    assert _read(room, "read_local_time", text) == (local_time, None)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "24:00",
            "24:00:00",
            "25:00",
            "9:00",
            "09:0",
            "0900",
            "090000",
            "09",
            "09:60",
            "09:00:60",
            "09:00:00.5",
            "09:00:00.0",
        ),
        *(
            "09:00Z",
            "09:00+02:00",
            "09:00 UTC",
            "9am",
            "09:00 AM",
            "09.00",
            "noon",
            "allballs",
            "now",
            "",
            " 09:00",
            "09:00 ",
        ),
        *("09:00\n", "T09:00", "-09:00", "٠٩:00", "2027-03-28T09:00:00Z", "PT9H"),
    ],
)
def test_no_local_time(room: psycopg.Connection, text: str) -> None:
    assert _read(room, "read_local_time", text) == (None, "GN013")


@pytest.mark.parametrize(
    ("text", "on_date"), [("2024-02-29", date(2024, 2, 29)), ("0001-01-01", date(1, 1, 1)), ("9999-12-31", date.max)]
)
def test_date(room: psycopg.Connection, text: str, on_date: date) -> None:
    assert _read(room, "read_date", text) == (on_date, None)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2023-02-29",
            "2024-04-31",
            "2024-00-10",
            "2024-13-01",
            "2024-01-00",
            "0000-01-01",
            "2024-1-1",
            "24-01-01",
            "20240101",
        ),
        *(
            "01/02/2024",
            "2024/01/02",
            "2024-060",
            "2024-W10-1",
            "J2451187",
            "12024-01-01",
            "-2024-01-01",
            "2024-01-01 BC",
            "today",
        ),
        *("tomorrow", "infinity", "epoch", "", " 2024-01-01", "2024-01-01\n", "2024-01-01T09:00:00", "٢٠٢٤-01-01"),
    ],
)
def test_no_date(room: psycopg.Connection, text: str) -> None:
    assert _read(room, "read_date", text) == (None, "GN014")


@pytest.mark.parametrize("reader", ["read_instant", "read_duration", "read_local_time", "read_date"])
def test_nothing_is_read_from_null(room: psycopg.Connection, reader: str) -> None:
    assert _read(room, reader, None) == (None, None)


@given(text=_ANY_TEXT | _NEAR_TEXT)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_or_refused(room: psycopg.Connection, text: str) -> None:
    """No text makes a reader raise, and none is read that its grammar does not have."""
    if _read(room, "read_instant", text)[1] is None:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", text, re.ASCII)
    if _read(room, "read_duration", text)[1] is None:
        assert re.match(r"[+]?P|(in +)?[0-9]+ +[a-z]", text, re.IGNORECASE)
    if _read(room, "read_local_time", text)[1] is None:
        assert time.fromisoformat(text).isoformat("minutes" if len(text) == len("HH:MM") else "seconds") == text
    if _read(room, "read_date", text)[1] is None:
        assert date.fromisoformat(text).isoformat() == text
