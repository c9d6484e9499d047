"""Which zones the properties are tried on, and whether the server's data for one are those of the oracle."""

import random
from datetime import datetime, timedelta
from typing import Final

import psycopg

from tests.sql.clock import oracle

# Changes in every direction and length: half an hour, two hours, three, at midnight, just before it, on the last of a month,
# a whole day; four a year, none at all; a negative summer time; and what was decided a few weeks ahead.
ZONES: Final = (
    *(
        "UTC",
        "Africa/Cairo",
        "Africa/Casablanca",
        "Africa/Tripoli",
        "America/Asuncion",
        "America/Caracas",
        "America/Chicago",
    ),
    *("America/Halifax", "America/Lima", "America/New_York", "America/Nuuk", "America/Santiago", "America/Sao_Paulo"),
    *("America/Scoresbysund", "America/St_Johns", "Antarctica/Casey", "Antarctica/Troll", "Asia/Amman", "Asia/Beirut"),
    *("Asia/Gaza", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores", "Australia/Eucla"),
    *("Australia/Lord_Howe", "Etc/GMT+12", "Europe/Berlin", "Europe/Dublin", "Europe/Istanbul", "Europe/London"),
    *("Europe/Volgograd", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Fakaofo", "Pacific/Fiji"),
    *("Pacific/Kiritimati", "Pacific/Norfolk"),
)

_COUNT: Final = """
select count(*) filter (where utc_offset <> next_offset)
  from (select (d.day at time zone %(zone)s) - (d.day at time zone 'UTC') as utc_offset,
               lead((d.day at time zone %(zone)s) - (d.day at time zone 'UTC')) over (order by d.day) as next_offset
          from generate_series(%(first)s::timestamptz, %(last)s, interval '24 hours') as d (day)) as days
"""
_OFFSETS: Final = """
select array_agg((u.at at time zone 'UTC' at time zone %(zone)s) - u.at order by u.n)
  from unnest(%(edges)s::timestamp[]) with ordinality as u (at, n)
"""


def is_known_alike(room: psycopg.Connection, time_zone: str) -> bool:
    """Tell whether the server has each change of the zone that the oracle has, and no other."""
    known = oracle.segments(time_zone)
    with room.cursor() as cursor:
        span = {"zone": time_zone, "first": oracle.FIRST, "last": oracle.LAST}
        changes = cursor.execute(_COUNT, span).fetchall()[0][0]
        edges = [edge for s in known for edge in (s.begins, s.ends - timedelta(seconds=1))]
        offsets = cursor.execute(_OFFSETS, {"zone": time_zone, "edges": edges}).fetchall()[0][0]
    return changes == len(known) - 1 and offsets == [s.offset for s in known for _ in range(2)]


def random_reading(chance: random.Random, time_zone: str) -> datetime:
    """A naive reading, mostly within some hours of a change of the zone's clocks."""
    changes = oracle.segments(time_zone)[1:]
    if changes and chance.random() < 0.8:
        segment = chance.choice(changes)
        near = segment.begins + segment.offset + timedelta(seconds=chance.randint(-30 * 3600, 30 * 3600))
    else:
        near = oracle.FIRST.replace(tzinfo=None) + timedelta(
            days=chance.randint(10, 10_000), seconds=chance.randint(0, 86399)
        )
    step = chance.choice([1, 60, 900, 1800])
    return near - timedelta(seconds=(near.hour * 3600 + near.minute * 60 + near.second) % step)
