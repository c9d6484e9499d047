"""f(L), against the oracle and against a scan of every minute around every change of the clocks."""

import random
from datetime import UTC, datetime
from typing import Final

import psycopg
import pytest

from tests.sql.clock import oracle
from tests.sql.clock.zones import ZONES, is_known_alike, random_reading
from tests.support.given import one, rows

_RESOLVED: Final = """
select i.at_utc, i.kind
  from unnest(%s::timestamp[]) with ordinality as r (reading, n),
       lateral gnomon_data.instant_of(r.reading, %s, %s, %s) as i
 order by r.n
"""

# By definition and by nothing else: what the clock shows is written down for every minute around a change; a reading belongs
# to the first minute that shows it or a later one. Each minute that shows more than any before it answers for all readings
# since the last such minute. Only the way from instants to readings, which has no doubtful case, is left to the server.
_SCAN: Final = """
with days as (
    select time_zone, day
      from (select z.time_zone, d.day, (d.day at time zone z.time_zone) - (d.day at time zone 'UTC') as utc_offset,
                   lead((d.day at time zone z.time_zone) - (d.day at time zone 'UTC'))
                       over (partition by z.time_zone order by d.day) as next_offset
              from gnomon_data.time_zones as z,
                   generate_series(%(first)s::timestamptz, %(last)s, interval '24 hours') as d (day)
             where %(zones)s::text[] is null or z.time_zone = any (%(zones)s)) as offsets
     where utc_offset <> next_offset),
changes as (
    select time_zone, h as hour
      from days, generate_series(day, day + interval '23 hours', interval '1 hour') as h
     where ((h + interval '1 hour') at time zone time_zone) - (h at time zone time_zone) <> interval '1 hour'),
minutes as (
    select time_zone, hour, at, at at time zone time_zone as shown
      from changes, generate_series(hour - interval '4 hours', hour + interval '5 hours', interval '1 minute') as at),
seen as (
    select *, max(shown) over earlier as before, count(*) over same as passes, max(at) over same as last_pass
      from minutes
    window earlier as (partition by time_zone, hour order by at rows between unbounded preceding and 1 preceding),
           same as (partition by time_zone, hour, shown)),
wanted as (
    select time_zone, reading, at, case when reading = shown then passes else 0 end as passes, last_pass
      from seen, generate_series(before + interval '1 minute', shown, interval '1 minute') as reading
     where shown > before),
resolved as (
    select w.*, i.at_utc, i.kind,
           case when passes > 1 then (gnomon_data.instant_of(reading, time_zone, null, 'second')).at_utc end as second_utc,
           case when passes = 0 then (gnomon_data.instant_of(reading, time_zone, 'skip', null)).at_utc end as skipped_utc
      from wanted as w, lateral gnomon_data.instant_of(reading, time_zone, 'next_valid', 'first') as i)
select count(*) as tried, count(*) filter (where passes = 0) as in_gaps, count(*) filter (where passes > 1) as in_overlaps,
       min(format('%%s %%s', reading, time_zone)) filter (
           where at_utc is distinct from at or skipped_utc is not null
              or (passes > 1 and second_utc is distinct from last_pass)
              or kind <> case passes when 0 then 'gap' when 1 then 'exact' else 'overlap' end) as wrong
  from resolved
"""


def test_every_minute_around_every_change_of_every_zone(room: psycopg.Connection) -> None:
    with room.cursor() as cursor:
        span = {"first": datetime(2026, 6, 1, tzinfo=UTC), "last": datetime(2027, 6, 1, tzinfo=UTC), "zones": None}
        [(tried, in_gaps, in_overlaps, wrong)] = cursor.execute(_SCAN, span).fetchall()

    assert wrong is None
    assert (tried > 100_000, in_gaps > 5_000, in_overlaps > 5_000) == (True, True, True)


def test_every_minute_around_the_odd_changes_of_history(room: psycopg.Connection) -> None:
    zones = ["Africa/Casablanca", "Africa/Cairo", "America/Caracas", "America/Nuuk", "Antarctica/Casey", "Antarctica/Troll"]
    zones += ["Asia/Gaza", "Asia/Pyongyang", "Australia/Lord_Howe", "Europe/Istanbul", "Pacific/Apia", "Pacific/Fakaofo"]
    with room.cursor() as cursor:
        span = {"first": datetime(2010, 1, 1, tzinfo=UTC), "last": datetime(2022, 1, 1, tzinfo=UTC), "zones": zones}
        [(tried, in_gaps, in_overlaps, wrong)] = cursor.execute(_SCAN, span).fetchall()

    assert wrong is None
    assert (tried > 50_000, in_gaps > 5_000, in_overlaps > 3_000) == (True, True, True)


@pytest.mark.parametrize("time_zone", ZONES)
def test_agrees_with_the_oracle(room: psycopg.Connection, time_zone: str) -> None:
    if not is_known_alike(room, time_zone):
        pytest.skip("the server's data for this zone differ from the oracle's")
    chance = random.Random(time_zone)  # noqa: S311  # cases, not secrets
    for on_gap in ("next_valid", "skip"):
        for on_overlap in ("first", "second"):
            readings = sorted(random_reading(chance, time_zone) for _ in range(60))

            found = rows(room, _RESOLVED, readings, time_zone, on_gap, on_overlap)

            instants = [row.at_utc and row.at_utc.astimezone(UTC) for row in found]
            assert instants == [oracle.resolve(r, time_zone, on_gap=on_gap, on_overlap=on_overlap) for r in readings]
            never_backwards = [instant for instant in instants if instant]
            assert never_backwards == sorted(never_backwards)


def test_a_year_before_zones_were_kept_by_the_minute(room: psycopg.Connection) -> None:
    found = one(room, "select * from gnomon_data.instant_of('1850-06-01 12:00', 'Europe/Berlin', null, null)")

    assert found.kind == "exact"
