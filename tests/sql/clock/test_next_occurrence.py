"""next(after), against an oracle that tries every date, and by properties that need none."""

import itertools
import random
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.clock import oracle
from tests.sql.clock.zones import ZONES, is_known_alike, random_reading
from tests.support.given import one, rows

_DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_NEXT: Final = "select * from gnomon_data.next_occurrence(%s, %s, %s)"
_SERIES: Final = "select at_utc from gnomon.next_occurrences(%s, %s, %s, %s)"


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _random_rule(chance: random.Random, reading: datetime) -> tuple[oracle.Rule, dict[str, Any]]:
    """A rule with the reading among what it may hit, in the oracle's words and in those of the request."""
    start = reading.date() - timedelta(days=chance.randint(0, 40))
    every = chance.choice([1, 1, 1, 2, 3, 10])
    weekdays = frozenset(chance.sample(range(7), chance.randint(1, 4))) if chance.random() < 0.5 else None
    last = date.max if chance.random() < 0.8 else start + timedelta(days=chance.randint(0, 60))
    offset = timedelta(seconds=chance.choice([0, 0, 300, -300, 86_400, -100_000, 5_400]))
    on_gap = chance.choice(["next_valid", "next_valid", "skip"])
    on_overlap = chance.choice(["first", "first", "second"])
    rule = oracle.Rule(reading.time(), start, every, weekdays, last, offset, on_gap, on_overlap)
    seconds = int(offset.total_seconds())
    words: dict[str, Any] = {
        "pattern": "daily" if weekdays is None else "weekly",
        "schedule_at": reading.time().isoformat(),
        "interval": every,
        "weekdays": None if weekdays is None else [_DAYS[n] for n in weekdays],
        "start_date": start.isoformat(),
        "end_date": None if last == date.max else last.isoformat(),
        "offset": f"{'-' if seconds < 0 else ''}PT{abs(seconds)}S",
        "on_gap": on_gap,
        "on_overlap": on_overlap,
    }
    return rule, words


@pytest.mark.parametrize("time_zone", ZONES)
def test_agrees_with_the_oracle(room: psycopg.Connection, time_zone: str) -> None:
    if not is_known_alike(room, time_zone):
        pytest.skip("the server's data for this zone differ from the oracle's")
    chance = random.Random(time_zone)  # noqa: S311  # cases, not secrets
    for _ in range(25):
        reading = random_reading(chance, time_zone)
        rule, words = _random_rule(chance, reading)
        after = reading.replace(tzinfo=UTC) - timedelta(hours=chance.randint(-20, 60))

        expected = list(itertools.islice(rule.after(after, time_zone), 5))
        for step in (after, *expected[:1]):
            found = [row.at_utc.astimezone(UTC) for row in rows(room, _SERIES, Jsonb(words), time_zone, step, 4)]
            assert found == [at for at in expected if at > step][:4], (words, time_zone, step)


def test_is_strictly_later_and_never_goes_backwards(room: psycopg.Connection) -> None:
    """Over a whole year in steps of an odd length, for rules of every sort."""
    wrong = one(
        room,
        """
        with asked as (
            select r.rule, z.zone, a.after, n.due_at_utc
              from jsonb_array_elements(%s) as r (rule), unnest(%s::text[]) as z (zone),
                   generate_series(timestamptz '2026-01-01 00:00+00', '2027-01-01 00:00+00',
                                   interval '7 hours 13 minutes') as a (after),
                   lateral gnomon_data.next_occurrence(r.rule, z.zone, a.after) as n)
        select count(*) as tried,
               count(*) filter (where due_at_utc is null or due_at_utc <= after or due_at_utc < previous) as wrong
          from (select *, lag(due_at_utc) over (partition by rule, zone order by after) as previous from asked) as s
        """,
        Jsonb(
            [
                {"kind": "daily", "time": "02:30:00"},
                {"kind": "daily", "time": "00:00:00", "offset": -90},
                {"kind": "daily", "time": "01:59:59", "every": 3, "anchor": "2026-02-01"},
                {"kind": "daily", "time": "01:30:00", "overlap": "second", "gap": "skip"},
                {"kind": "weekly", "time": "02:15:00", "days": "1000001"},
                {"kind": "weekly", "time": "23:58:00", "days": "0010001", "every": 2, "anchor": "2026-02-01", "offset": 300},
            ]
        ),
        ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Africa/Casablanca", "America/Nuuk"],
    )

    assert wrong.tried > 40_000
    assert wrong.wrong == 0


@pytest.mark.parametrize(
    ("rule", "time_zone", "after", "due", "nominal", "kind"),
    [
        # elapsed time after resolution, across a spring gap
        (
            {"time": "01:58", "offset": 300},
            "America/New_York",
            "2027-03-14 06:00",
            "2027-03-14 07:03",
            "2027-03-14 01:58",
            "exact",
        ),
        # a pill for 18:00 + 5 minutes made at 18:03 still fires today
        (
            {"time": "18:00", "offset": 300},
            "Europe/Berlin",
            "2026-10-25 17:03",
            "2026-10-25 17:05",
            "2026-10-25 18:00",
            "exact",
        ),
        # over midnight the nominal day is the day before
        (
            {"time": "23:58", "offset": 300},
            "Asia/Tashkent",
            "2026-10-24 19:01",
            "2026-10-24 19:03",
            "2026-10-24 23:58",
            "exact",
        ),
        # a negative offset reaches into the day before
        ({"time": "00:02", "offset": -300}, "UTC", "2026-05-01 23:00", "2026-05-01 23:57", "2026-05-02 00:02", "exact"),
        # 18:05 in Berlin and Tashkent on the day of the change
        ({"time": "18:05"}, "Europe/Berlin", "2026-10-24 16:05", "2026-10-25 17:05", "2026-10-25 18:05", "exact"),
        ({"time": "18:05"}, "Asia/Tashkent", "2026-10-24 13:05", "2026-10-25 13:05", "2026-10-25 18:05", "exact"),
        # a gap ends on the next date
        ({"time": "23:30"}, "America/Nuuk", "2024-03-30 12:00", "2024-03-31 01:00", "2024-03-30 23:30", "gap"),
        # a date that never came: the first instant after it; the next day has its own
        ({"time": "09:00"}, "Pacific/Apia", "2011-12-29 19:00", "2011-12-30 10:00", "2011-12-30 09:00", "gap"),
        ({"time": "09:00"}, "Pacific/Apia", "2011-12-30 10:00", "2011-12-30 19:00", "2011-12-31 09:00", "exact"),
        # equal instants merge: 00:00 and what the gap before it pushes onto it would else fire twice
        ({"time": "00:00"}, "Pacific/Apia", "2011-12-30 09:59", "2011-12-30 10:00", "2011-12-30 00:00", "gap"),
        ({"time": "00:00"}, "Pacific/Apia", "2011-12-30 10:00", "2011-12-31 10:00", "2012-01-01 00:00", "exact"),
        # the policies
        (
            {"time": "02:30", "gap": "skip"},
            "America/New_York",
            "2027-03-13 08:00",
            "2027-03-15 06:30",
            "2027-03-15 02:30",
            "exact",
        ),
        ({"time": "01:30"}, "America/New_York", "2027-11-07 00:00", "2027-11-07 05:30", "2027-11-07 01:30", "overlap"),
        (
            {"time": "01:30", "overlap": "second"},
            "America/New_York",
            "2027-11-07 00:00",
            "2027-11-07 06:30",
            "2027-11-07 01:30",
            "overlap",
        ),
        # asked in the first pass, after the reading: the second is still to come
        (
            {"time": "01:30", "overlap": "second"},
            "America/New_York",
            "2027-11-07 05:45",
            "2027-11-07 06:30",
            "2027-11-07 01:30",
            "overlap",
        ),
        # asked in the second pass, the first being over: the next day
        ({"time": "01:30"}, "America/New_York", "2027-11-07 06:15", "2027-11-08 06:30", "2027-11-08 01:30", "exact"),
    ],
)
def test_one_step(
    room: psycopg.Connection, rule: dict[str, Any], time_zone: str, after: str, due: str, nominal: str, kind: str
) -> None:
    found = one(room, _NEXT, Jsonb({"kind": "daily"} | rule), time_zone, _utc(after))

    assert (found.due_at_utc, found.nominal_local, found.kind) == (_utc(due), datetime.fromisoformat(nominal), kind)


@pytest.mark.parametrize(
    ("rule", "after", "dates"),
    [
        # weeks begin on Monday and count from the week of the anchor, a Wednesday here
        (
            {"days": "1000100", "every": 2, "anchor": "2026-07-01", "start": "2026-07-01"},
            "2026-06-01",
            ["07-03", "07-13", "07-17", "07-27"],
        ),
        ({"days": "0010000", "every": 3, "anchor": "2026-07-01"}, "2026-06-30", ["07-01", "07-22", "08-12"]),
        # an anchor ahead of what is asked for keeps its rhythm backwards
        ({"days": "0010000", "every": 2, "anchor": "2026-07-29"}, "2026-06-30", ["07-01", "07-15", "07-29"]),
        ({"kind": "daily", "every": 10, "anchor": "2026-07-05"}, "2026-06-20", ["06-25", "07-05", "07-15"]),
        (
            {"kind": "daily", "every": 2, "anchor": "2024-02-28", "start": "2024-02-28"},
            "2026-02-27",
            ["02-27", "03-01", "03-03"],
        ),
        ({"days": "0000001", "end": "2026-07-12"}, "2026-07-01", ["07-05", "07-12"]),
        ({"kind": "daily", "end": "2026-07-02"}, "2026-07-01", ["07-01", "07-02"]),
        ({"kind": "once", "date": "2026-07-02"}, "2026-07-01", ["07-02"]),
        ({"kind": "once", "date": "2026-07-02"}, "2026-07-03", []),
    ],
)
def test_dates(room: psycopg.Connection, rule: dict[str, Any], after: str, dates: list[str]) -> None:
    whole = Jsonb({"kind": "weekly", "time": "09:00:00"} | rule)
    at: datetime | None = _utc(f"{after} 00:00")
    found = []
    for _ in range(len(dates) + 1):
        row = one(room, _NEXT, whole, "UTC", at)
        at = row.due_at_utc
        if at is None:
            assert (row.nominal_local, row.kind) == (None, None)
            assert "end" in rule or rule["kind"] == "once"
            break
        found.append(at.strftime("%m-%d"))

    assert found[: len(dates)] == dates
    assert len(found) == len(dates) or not ("end" in rule or rule.get("kind") == "once")


def test_instants_know_no_zone(room: psycopg.Connection) -> None:
    rule = Jsonb({"kind": "instant", "at": "2026-05-01T12:00:00.000000Z", "offset": 300})

    found = one(room, _NEXT, rule, "Asia/Tokyo", _utc("2026-05-01 12:04"))
    assert (found.due_at_utc, found.nominal_local, found.kind) == (_utc("2026-05-01 12:05"), None, None)
    assert one(room, _NEXT, rule, "Asia/Tokyo", _utc("2026-05-01 12:05")).due_at_utc is None


@pytest.mark.parametrize("after", ["infinity", "-infinity", "9999-12-31 12:00+00"])
def test_ends_at_the_edges_of_time(room: psycopg.Connection, after: str) -> None:
    rule = Jsonb({"kind": "daily", "time": "09:00:00"})

    assert (
        one(room, "select due_at_utc from gnomon_data.next_occurrence(%s, 'UTC', %s::timestamptz)", rule, after).due_at_utc
        is None
    )


def test_due_of_reading_follows_offset_and_policies(room: psycopg.Connection) -> None:
    query = "select * from gnomon_data.due_of_reading(%s, 'America/New_York', %s)"
    reading = datetime.combine(date(2027, 3, 14), time(2, 30))

    shifted = one(room, query, Jsonb({"kind": "daily", "time": "02:30:00", "offset": 300}), reading)
    assert (shifted.due_at_utc, shifted.kind) == (_utc("2027-03-14 07:05"), "gap")
    skipped = one(room, query, Jsonb({"kind": "daily", "time": "02:30:00", "gap": "skip"}), reading)
    assert (skipped.due_at_utc, skipped.kind) == (None, "gap")
