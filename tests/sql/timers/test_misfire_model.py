"""The misfire policies against a model of three lines, over outages of any length, also across changes of the clock."""

from datetime import timedelta
from typing import Any, Final

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.sql.acts import utc
from tests.support.given import one, rows

_RULES: Final = (
    {"kind": "daily", "time": "02:30:00"},
    {"kind": "daily", "time": "01:30:00", "overlap": "second", "offset": 600},
    {"kind": "elapsed", "from": "2026-10-01T00:00:00Z", "step": 2520},
    {"kind": "cron", "minutes": "100000000000000100000000000000" * 2, "hours": "011100000000000000000001"},
    {"kind": "cron", "minutes": "100000000000000000000000000000" * 2, "hours": "1" * 24, "every_hour": True},
)
_DUE: Final = """
with recursive walk as (
    select n.due_at_utc from gnomon_data.next_occurrence(%(rule)s, %(zone)s, %(after)s) as n
    union all
    select n.due_at_utc from walk as w cross join lateral gnomon_data.next_occurrence(%(rule)s, %(zone)s, w.due_at_utc) as n
     where w.due_at_utc <= %(until)s
)
select w.due_at_utc from walk as w where w.due_at_utc <= %(until)s order by 1
"""
_ADVANCE: Final = "select * from gnomon_data.advance(%s, %s, %s, %s, %s, null, 0, %s)"


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    rule=st.sampled_from(_RULES),
    zone=st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "America/New_York"]),
    begin=st.sampled_from(["2026-10-24T00:00:00", "2026-10-03T00:00:00", "2026-10-31T12:00:00", "2027-03-27T18:00:00"]),
    outage=st.integers(0, 4 * 1440).map(lambda minutes: timedelta(minutes=minutes)),
    window=st.sampled_from([None, timedelta(minutes=10), timedelta(hours=5)]),
    late=st.sampled_from([None, 60, 3600, 86400]),
    policy=st.sampled_from(
        [{}, {"misfire": "skip"}, *({"misfire": "catch_up", "limit": limit} for limit in (1, 2, 10, 100))]
    ),
)
def test_what_fires_and_what_is_left_out(  # each is a part of the case
    untouched: psycopg.Connection,
    rule: dict[str, Any],
    zone: str,
    begin: str,
    outage: timedelta,
    window: timedelta | None,
    late: int | None,
    policy: dict[str, Any],
) -> None:
    seconds = late or (60 if policy.get("misfire") == "skip" else None)
    whole = Jsonb(rule | policy | ({} if seconds is None else {"late": seconds}))
    first = one(untouched, "select * from gnomon_data.next_occurrence(%s, %s, %s)", whole, zone, utc(begin))
    now = first.due_at_utc + outage
    until = now - (window or timedelta())
    span = {"rule": whole, "zone": zone, "after": utc(begin), "until": max(until, first.due_at_utc)}
    due = [row[0] for row in untouched.execute(_DUE, span).fetchall()]

    kept = [at for at in due if seconds is None or at >= until - timedelta(seconds=seconds)]
    match policy.get("misfire"):
        case "catch_up":
            expected = kept[-policy["limit"] :]
        case "skip":
            expected = kept
        case _:
            expected = kept[:1]

    fired, missed = [], 0
    at, reading = first.due_at_utc, first.nominal_local
    while at is not None and at <= span["until"]:
        told = rows(untouched, _ADVANCE, whole, zone, at, reading, window, now)[0]
        if told.outcome == "fired":
            fired.append(at)
        missed += told.missed["count"] if told.missed else 0
        assert told.next_due_at_utc > at
        at, reading = told.next_due_at_utc, told.nominal_local
    assert fired == expected
    assert len(fired) + missed == len(due)
