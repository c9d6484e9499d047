"""Rules drawn at random and whole nights of changes, against tests/almanac, which computes them by brute force in Python.

The seed is fixed; GNOMON_TEST_SEED=n draws others. A failure names its seed, and each line of it is one statement to run.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.almanac.draw import FIRST, LAST, SEED, Case, draw
from tests.almanac.rules import Policy
from tests.almanac.walls import Wall, offset_at, wall_of, zone_of
from tests.support.given import rows

#: Rules a run: four parts, so that the processes of a run share them.
_PARTS: Final = 4
_RULES: Final = 5_000
_LONG_RULES: Final = 75_000
_BATCH: Final = 500
_COUNT: Final = 4

_MINUTE: Final = timedelta(minutes=1)
_SECOND: Final = timedelta(seconds=1)

_NAMES: Final = "select z.time_zone as name from gnomon_data.time_zones as z order by 1"
_ALIKE: Final = """
select s.time_zone
  from unnest(%s::text[], %s::timestamp[], %s::timestamp[], %s::interval[]) as s (time_zone, begins, ends, utc_offset)
 cross join lateral (select generate_series(s.begins, s.ends - interval '1 s', interval '20 days')
                      union all select s.ends - interval '1 s') as t (at_utc)
 group by s.time_zone
having bool_and(t.at_utc at time zone 'UTC' at time zone s.time_zone - t.at_utc = s.utc_offset)
 order by 1
"""
_NEXT: Final = """
select o.instants, o.readings, o.offsets, o.kinds
  from unnest(%s::jsonb[], %s::text[], %s::timestamptz[]) with ordinality as c (rule, time_zone, after_utc, place)
 cross join lateral (
       select array_agg(n.at_utc at time zone 'UTC' order by n.at_utc) as instants,
              array_agg(n.local_time order by n.at_utc) as readings,
              array_agg(n.utc_offset order by n.at_utc) as offsets, array_agg(n.kind order by n.at_utc) as kinds
         from gnomon.next_occurrences(c.rule, c.time_zone, c.after_utc, %s) as n) as o
 order by c.place
"""
_FIRST: Final = """
select r.at_utc at time zone 'UTC' as instant, r.kind
  from unnest(%s::timestamp[], %s::text[]) with ordinality as g (reading, time_zone, place)
 cross join lateral gnomon.resolve_local(g.reading::date, g.reading::time, g.time_zone, %s, %s) as r
 order by g.place
"""


@pytest.fixture(scope="session")
def zones(room: psycopg.Connection) -> list[str]:
    """The zones of the product whose rules in the server are those of the almanac."""
    names = [row.name for row in rows(room, _NAMES)]
    spans = [(name, stretch) for name in names if (wall := wall_of(name)) for stretch in wall.stretches]
    columns = [
        [name for name, _ in spans],
        [stretch.begins for _, stretch in spans],
        [stretch.ends for _, stretch in spans],
        [stretch.offset for _, stretch in spans],
    ]
    alike = [row.time_zone for row in rows(room, _ALIKE, *columns)]
    print(f"{len(alike)} of {len(names)} zones are alike here and in tzdata")
    return alike


def test_few_zones_are_left_out(room: psycopg.Connection, zones: list[str]) -> None:
    names = {row.name for row in rows(room, _NAMES)}
    assert set(zones) <= names
    assert len(zones) > 0.9 * len(names), sorted(names - set(zones))


@pytest.mark.parametrize("part", range(_PARTS))
def test_random_rules(rooms_by_zone: dict[str, psycopg.Connection], zones: list[str], part: int) -> None:
    _compare(_room_of(rooms_by_zone, part), zones, SEED + part, _RULES)


@pytest.mark.long
@pytest.mark.parametrize("part", range(_PARTS))
def test_many_random_rules(rooms_by_zone: dict[str, psycopg.Connection], zones: list[str], part: int) -> None:
    _compare(_room_of(rooms_by_zone, part), zones, SEED + 100 + part, _LONG_RULES)


def test_nights_of_changes(room: psycopg.Connection, zones: list[str]) -> None:
    nights = [(zone, change) for zone in zones for change in _changes(zone)]
    _scan_nights(room, _chance(SEED).sample(nights, 120))


@pytest.mark.long
def test_every_night_of_a_change(room: psycopg.Connection, zones: list[str]) -> None:
    _scan_nights(room, [(zone, change) for zone in zones for change in _changes(zone)])


@pytest.mark.long
def test_no_change_is_missed_by_looking_every_six_days(zones: list[str]) -> None:
    walls = {id(wall): (name, wall) for name in zones if (wall := wall_of(name))}
    for name, wall in walls.values():
        zone = zone_of(name)
        at = FIRST
        while at < LAST:
            assert wall.shows(at) == at + offset_at(zone, at), (name, at)
            at += timedelta(hours=1)


def test_a_later_reading_is_never_earlier_and_its_instant_shows_it_or_later(
    room: psycopg.Connection, zones: list[str]
) -> None:
    chance = _chance(SEED)
    readings, names = [], []
    for zone in chance.sample(zones, 150):
        for _ in range(40):
            changes = _changes(zone) or [FIRST + timedelta(days=chance.randint(9, 13_000))]
            near = chance.choice(changes) + timedelta(seconds=chance.randint(-30 * 3600, 30 * 3600))
            readings.append(near.replace(second=chance.choice([0, near.second])))
            names.append(zone)
    by_zone: dict[str, list[tuple[datetime, datetime]]] = {}
    found = rows(room, _FIRST, readings, names, "next_valid", "first")
    for name, reading, row in zip(names, readings, found, strict=True):
        by_zone.setdefault(name, []).append((reading, row.instant))
        assert _wall(name).shows(row.instant) >= reading, (name, reading, row)
    for name, pairs in by_zone.items():
        instants = [instant for _, instant in sorted(pairs)]
        assert instants == sorted(instants), name


def test_each_answer_fed_back_gives_the_one_behind_it(room: psycopg.Connection, zones: list[str]) -> None:
    chance = _chance(SEED)
    cases = [draw(chance, zones, _COUNT) for _ in range(400)]
    cases = [case for case in cases if "end_after" not in case.rule and len(case.expected) == _COUNT]
    for before in (timedelta(), _SECOND):
        asked = [(case, pair) for case in cases for pair in pairwise(o.instant for o in case.expected)]
        wants = [pair[1] for _, pair in asked]
        afters = [pair[0] if not before else pair[1] - before for _, pair in asked]
        wants = (
            wants if not before else [min(o for o in _instants(c) if o > a) for (c, _), a in zip(asked, afters, strict=True)]
        )
        found = _ask(room, [(case.rule, case.time_zone, after) for (case, _), after in zip(asked, afters, strict=True)], 1)
        for (case, _), after, want, row in zip(asked, afters, wants, found, strict=True):
            assert row.instants == [want], _statement(case.rule, case.time_zone, after)


def _room_of(rooms_by_zone: dict[str, psycopg.Connection], part: int) -> psycopg.Connection:
    """A session in a zone of its own for each part."""
    return list(rooms_by_zone.values())[part % len(rooms_by_zone)]


def _chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  # drawn again by its seed


def _compare(room: psycopg.Connection, zones: list[str], seed: int, count: int) -> None:
    """Draw rules, ask the product for all of them, and list those on which it differs."""
    print(f"seed {seed}")
    chance = _chance(seed)
    wrong: list[str] = []
    for _ in range(count // _BATCH):
        cases = [draw(chance, zones, _COUNT) for _ in range(_BATCH)]
        found = _ask(room, [(case.rule, case.time_zone, case.after) for case in cases], _COUNT)
        for case, row in zip(cases, found, strict=True):
            if fault := _fault(case, row):
                wrong.append(f"{_statement(case.rule, case.time_zone, case.after)}\n    {fault}")
    assert not wrong, f"{len(wrong)} of {count} with seed {seed}\n" + "\n".join(sorted(wrong, key=len)[:20])


def _fault(case: Case, row: Any) -> str | None:
    """What is wrong with an answer."""
    if isinstance(row, psycopg.Error):
        return f"refused: {row.sqlstate} {row.diag.message_primary}"
    # The almanac looks no further than until.
    instants = [instant for instant in row.instants or [] if instant < case.until]
    expected = [occurrence.instant for occurrence in case.expected]
    if instants != expected:
        return f"expected {_texts(expected)}\n    found    {_texts(instants)}"
    wall = _wall(case.time_zone)
    for occurrence, reading, offset, kind in zip(case.expected, row.readings, row.offsets, row.kinds, strict=False):
        if reading != wall.shows(occurrence.instant) or offset != reading - occurrence.instant:
            return f"at {occurrence.instant} the wall shows {wall.shows(occurrence.instant)}\n    found {reading}, {offset}"
        kinds: list[str | None] = [_kind(case, wall, nominal) for nominal in occurrence.readings]
        if kind not in (kinds or [None]):
            return f"expected {kinds} at {occurrence.instant}, found {kind}"
    return None


def _kind(case: Case, wall: Wall, nominal: datetime) -> str:
    """What the clock does to a nominal reading. Every hour is every hour: nothing is decided."""
    return "exact" if case.is_every_hour else ("gap", "exact", "overlap")[len(wall.passes(nominal))]


def _ask(room: psycopg.Connection, asked: Sequence[tuple[dict[str, Any], str, datetime]], count: int) -> list[Any]:
    """The answers to many questions in one call; where one is refused, its error in its place."""
    columns = [
        [Jsonb(rule) for rule, _, _ in asked],
        [time_zone for _, time_zone, _ in asked],
        [after.replace(tzinfo=UTC) for _, _, after in asked],
    ]
    try:
        return rows(room, _NEXT, *columns, count)
    except psycopg.Error as error:
        if len(asked) == 1:
            return [error]
        half = len(asked) // 2
        return _ask(room, asked[:half], count) + _ask(room, asked[half:], count)


def _scan_nights(room: psycopg.Connection, nights: list[tuple[str, datetime]]) -> None:
    """Ask for every minute of each night, and look for it on the wall minute by minute."""
    for part in _parts(nights, 60):
        minutes = [(zone, reading, instant) for zone, change in part for reading, instant in _night(zone, change)]
        found = rows(
            room, _FIRST, [reading for _, reading, _ in minutes], [zone for zone, _, _ in minutes], "next_valid", "first"
        )
        for (zone, reading, instant), row in zip(minutes, found, strict=True):
            assert row.instant == instant, f"resolve_local {reading} {zone}: expected {instant}, found {row.instant}"
            if Policy().instants(_wall(zone), reading) != [instant]:
                raise AssertionError(f"the almanac is wrong about {reading} {zone}")


def _night(zone: str, change: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Each minute on the wall from an hour before anything that the change touches, with its instant by looking."""
    rules = zone_of(zone)
    before, after = change + offset_at(rules, change - _MINUTE), change + offset_at(rules, change)
    first, last = min(before, after) - timedelta(hours=1), max(before, after) + timedelta(hours=1)
    instant = change - abs(before - after) - timedelta(hours=3)
    reading = first
    while reading < last:
        while instant + offset_at(rules, instant) < reading:
            instant += _MINUTE
        yield reading, instant
        reading += _MINUTE


def _changes(zone: str) -> list[datetime]:
    return [change for change in _wall(zone).changes() if FIRST + timedelta(days=9) < change < LAST]


def _instants(case: Case) -> list[datetime]:
    return [occurrence.instant for occurrence in case.expected]


def _wall(zone: str) -> Wall:
    wall = wall_of(zone)
    assert wall is not None
    return wall


def _parts(items: list[Any], size: int) -> Iterator[list[Any]]:
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]


def _statement(rule: dict[str, Any], time_zone: str, after: datetime) -> str:
    import json

    return f"select * from gnomon.next_occurrences('{json.dumps(rule)}', '{time_zone}', '{after}Z', {_COUNT})"


def _texts(instants: Sequence[datetime]) -> str:
    return ", ".join(instant.isoformat(sep=" ") for instant in instants)
