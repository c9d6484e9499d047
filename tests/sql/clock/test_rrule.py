"""RFC 5545: the examples of its section 3.8.5.3, and what does not map."""

from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one, rows

_START = "1997-09-02"


def _days(room: psycopg.Connection, rrule: str, start: str = _START, after: str = "1997-01-01", at_most: int = 60) -> str:
    """Month and day of what comes at 09:00 in New York, as the RFC lists its examples."""
    rule = Jsonb({"pattern": "rrule", "rrule": rrule, "schedule_at": "09:00", "start_date": start})
    query = "select * from gnomon.next_occurrences(%s, 'America/New_York', %s, %s)"
    found = rows(room, query, rule, datetime.fromisoformat(after).replace(tzinfo=UTC), at_most)
    return " ".join(f"{row.local_time:%y%m%d}" for row in found)


@pytest.mark.parametrize(
    ("rrule", "start", "days"),
    [
        ("FREQ=DAILY;COUNT=10", _START, "970902 970903 970904 970905 970906 970907 970908 970909 970910 970911"),
        ("FREQ=DAILY;INTERVAL=10;COUNT=5", _START, "970902 970912 970922 971002 971012"),
        ("FREQ=DAILY;UNTIL=19980102T140000Z;BYMONTH=1", "1998-01-01", "980101 980102"),
        ("FREQ=WEEKLY;COUNT=3", _START, "970902 970909 970916"),
        ("FREQ=WEEKLY;COUNT=6;WKST=SU;BYDAY=TU,TH", _START, "970902 970904 970909 970911 970916 970918"),
        (
            "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
            _START,
            "970902 970904 970916 970918 970930 971002 971014 971016",
        ),
        ("FREQ=MONTHLY;COUNT=4;BYDAY=1FR", "1997-09-05", "970905 971003 971107 971205"),
        ("FREQ=MONTHLY;INTERVAL=2;COUNT=6;BYDAY=1SU,-1SU", "1997-09-07", "970907 970928 971102 971130 980104 980125"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", "1997-09-22", "970922 971020 971117"),
        ("FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-3", "1997-09-28", "970928 971029 971128"),
        ("FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", "1997-09-30", "970930 971001 971031 971101"),
        ("FREQ=MONTHLY;INTERVAL=18;COUNT=4;BYMONTHDAY=10,11,12", "1997-09-10", "970910 970911 970912 990310"),
        ("FREQ=YEARLY;COUNT=4;BYMONTH=6,7", "1997-06-10", "970610 970710 980610 980710"),
        ("FREQ=YEARLY;COUNT=3;BYDAY=20MO", "1997-05-19", "970519 980518 990517"),
        ("FREQ=YEARLY;COUNT=4;BYMONTH=3;BYDAY=TH", "1997-03-13", "970313 970320 970327 980305"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=FR;BYMONTHDAY=13", _START, "980213 980313 981113"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", "1997-09-13", "970913 971011 971108"),
        (
            "FREQ=YEARLY;INTERVAL=4;COUNT=3;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
            "1996-11-05",
            "961105 001107 041102",
        ),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04", "970904 971007 971106"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29", "970929 971030 971127"),
        # WKST decides which weeks are skipped
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05", "970805 970810 970819 970824"),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05", "970805 970817 970819 970831"),
        # what is no date is left out, and not counted
        ("FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15", "070115 070130 070215 070315 070330"),
        ("FREQ=MONTHLY;COUNT=3", "1997-01-31", "970131 970331 970531"),
        # beyond the examples
        ("RRULE:freq=daily;interval=2;bymonth=3;count=3", "1998-02-27", "980301 980303 980305"),
        ("FREQ=DAILY;BYDAY=SA,SU;COUNT=3", _START, "970906 970907 970913"),
        ("FREQ=DAILY;INTERVAL=3;BYDAY=MO;COUNT=2", _START, "970908 970929"),
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1;WKST=WE;COUNT=3", _START, "970908 970915 970922"),
        ("FREQ=WEEKLY;BYMONTH=1;BYDAY=MO;COUNT=2", _START, "980105 980112"),
        ("FREQ=YEARLY;BYDAY=MO,-1FR;BYSETPOS=1,-1;COUNT=3", _START, "971229 980105 981228"),
        ("FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR;COUNT=2", _START, "980213 980313"),
    ],
)
def test_what_the_rfc_lists(room: psycopg.Connection, rrule: str, start: str, days: str) -> None:
    after = "1996-01-01"
    at_most = 60 if {"COUNT", "UNTIL"} & {part[:5] for part in rrule.upper().split(";")} else len(days.split())

    assert _days(room, rrule, start, after, at_most) == days


def test_count_belongs_to_the_dates_and_not_to_what_is_left(room: psycopg.Connection) -> None:
    assert _days(room, "FREQ=DAILY;COUNT=4", after="1997-09-04") == "970904 970905"
    assert _days(room, "FREQ=DAILY;COUNT=4", after="1997-09-06") == ""

    rule = {"pattern": "rrule", "rrule": "FREQ=DAILY;COUNT=4", "schedule_at": "09:00", "exclude_dates": ["1997-09-03"]}
    query = "select * from gnomon.next_occurrences(%s, 'UTC', '1997-09-02T00:00:00Z', 9)"
    found = rows(room, query, Jsonb(rule | {"start_date": _START}))
    assert [row.local_time.day for row in found] == [2, 4, 5]
    # Without a first day it counts from the first day it can fire.
    assert [row.local_time.day for row in rows(room, query, Jsonb(rule))] == [2, 4, 5]


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("19970904", "970904"),
        ("19970904T090000", "970904"),
        ("19970904T085959", "970903"),
        ("19970904T130000Z", "970904"),
        ("19970904T125959Z", "970903"),
    ],
)
def test_until_is_the_last_one_itself(room: psycopg.Connection, until: str, last: str) -> None:
    assert _days(room, f"FREQ=DAILY;UNTIL={until}").split()[-1] == last


@pytest.mark.parametrize(
    ("rrule", "at", "part"),
    [
        ("FREQ=HOURLY", 1, "FREQ=HOURLY"),
        ("FREQ=DAILY;FREQ=DAILY", 12, "FREQ=DAILY"),
        ("FREQ=DAILY;INTERVAL=0", 12, "INTERVAL=0"),
        ("FREQ=DAILY;INTERVAL=1001", 12, "INTERVAL=1001"),
        ("FREQ=DAILY;COUNT=0", 12, "COUNT=0"),
        ("FREQ=DAILY;COUNT=3;UNTIL=20300101", 12, "COUNT"),
        ("FREQ=DAILY;UNTIL=tomorrow", 12, "UNTIL=TOMORROW"),
        ("FREQ=DAILY;BYDAY=1MO", 12, "BYDAY"),
        ("FREQ=WEEKLY;BYDAY=MO,,TU", 13, "BYDAY=MO,,TU"),
        ("FREQ=WEEKLY;BYDAY=MON", 13, "BYDAY=MON"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", 13, "BYMONTHDAY"),
        ("FREQ=MONTHLY;BYDAY=6MO", 14, "BYDAY"),
        ("FREQ=MONTHLY;BYDAY=0MO", 14, "BYDAY=0MO"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", 14, "BYMONTHDAY=32"),
        ("FREQ=MONTHLY;BYMONTH=13", 14, "BYMONTH=13"),
        ("FREQ=MONTHLY;BYSETPOS=1", 14, "BYSETPOS"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", 23, "BYSETPOS=0"),
        ("FREQ=DAILY;BYDAY=MO;BYSETPOS=2", 21, "BYSETPOS"),
        ("FREQ=YEARLY;BYYEARDAY=100", 13, "BYYEARDAY=100"),
        ("FREQ=YEARLY;BYWEEKNO=20", 13, "BYWEEKNO=20"),
        ("FREQ=DAILY;BYHOUR=9,10", 12, "BYHOUR=9,10"),
        ("FREQ=DAILY;BYMINUTE=0", 12, "BYMINUTE=0"),
        ("FREQ=MONTHLY;SKIP=BACKWARD;RSCALE=GREGORIAN", 14, "SKIP=BACKWARD"),
        ("FREQ=DAILY;WKST=1", 12, "WKST=1"),
        ("FREQ=DAILY;COLOUR=RED", 12, "COLOUR=RED"),
        ("FREQ=DAILY; COUNT=3", 12, " COUNT=3"),
        ("FREQ=DAILY;", 12, ""),
        ("RRULE:FREQ=DAILY;BYHOUR=9", 18, "BYHOUR=9"),
        ("FREQ=YEARLY;BYMONTHDAY=1;BYDAY=1MO", 26, "BYDAY"),
        ("DTSTART:20270101", 1, "DTSTART:20270101"),
    ],
)
def test_what_does_not_map_is_named_with_its_place(room: psycopg.Connection, rrule: str, at: int, part: str) -> None:
    request = {"schedule_at": "09:00", "recurrence": {"pattern": "rrule", "rrule": rrule}}
    fault = one(room, "select (c.fault).* from gnomon_data.compile_rule(%s) as c", Jsonb(request))

    assert (fault.code, fault.pointer) == ("GN015", "/recurrence/rrule")
    assert f"at position {at}: " in fault.message
    assert part.upper() in fault.message.upper()


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        ({}, "GN024", "rrule"),
        ({"rrule": ""}, "GN015", "rrule"),
        ({"rrule": 5}, "GN024", "rrule"),
        ({"rrule": "INTERVAL=2"}, "GN015", "rrule"),
        ({"rrule": "FREQ=DAILY" + ";" * 2000}, "GN015", "rrule"),
        ({"rrule": "FREQ=DAILY;UNTIL=20270230"}, "GN015", "rrule"),
        ({"rrule": "FREQ=YEARLY;COUNT=200", "start_date": "2027-01-01"}, "GN015", "rrule"),
        ({"rrule": "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=3"}, "GN012", "rrule"),
        ({"rrule": "FREQ=DAILY;UNTIL=20261231", "start_date": "2027-01-01"}, "GN012", "rrule"),
        ({"rrule": "FREQ=DAILY;UNTIL=20270101", "end_date": "2027-01-01"}, "GN015", "rrule"),
        ({"rrule": "FREQ=DAILY", "interval": 2}, "GN015", "interval"),
    ],
)
def test_refuses(room: psycopg.Connection, words: dict[str, object], code: str, field: str) -> None:
    request = {"schedule_at": "09:00", "recurrence": {"pattern": "rrule"} | words}
    compiled = one(room, "select * from gnomon_data.compile_rule(%s)", Jsonb(request))

    assert compiled.rule is None
    assert (compiled.fault.code, compiled.fault.pointer) == (code, f"/recurrence/{field}")
