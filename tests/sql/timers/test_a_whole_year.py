"""Schedules live through a year of virtual time, by the real fire, and fire as the almanac says: no double, no gap.

A year of hourly firings takes minutes; the short form lives the night and day of each change of clocks with all schedules,
and the whole year with those that fire a few times a month.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from gnomon.testing import Delivered, VirtualTime
from tests.almanac.cron import Cron
from tests.almanac.rules import Occurrence, occurrences
from tests.almanac.walls import Wall, wall_of
from tests.sql.acts import cancel, found, ledger
from tests.support.given import given_schedule, value

_ZONES: Final = (
    *("America/New_York", "Australia/Lord_Howe", "Africa/Cairo"),
    *("Pacific/Apia", "Asia/Kathmandu", "Africa/Casablanca"),
)
_BEGIN: Final = datetime(2025, 1, 1, tzinfo=UTC)
_END: Final = datetime(2026, 1, 1, tzinfo=UTC)
_BEFORE: Final = timedelta(hours=5)
_AFTER: Final = timedelta(hours=25)

_EVERY_DAY: Final = frozenset(range(1, 32))
_EVERY_MONTH: Final = frozenset(range(1, 13))
_HOURLY: Final = Cron(
    "0 * * * *",
    minutes=frozenset({0}),
    hours=frozenset(range(24)),
    month_days=_EVERY_DAY,
    is_last_day=False,
    months=_EVERY_MONTH,
    weekdays=frozenset(range(7)),
    nth=frozenset(),
    are_days_and=True,
)
_MONDAYS: Final = Cron(
    "0 9 * * 1",
    minutes=frozenset({0}),
    hours=frozenset({9}),
    month_days=_EVERY_DAY,
    is_last_day=False,
    months=_EVERY_MONTH,
    weekdays=frozenset({1}),
    nth=frozenset(),
    are_days_and=True,
)

#: Name, the request's words of time, the same for the almanac.
_SELDOM: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "monthly": (
        {"schedule_at": "02:30", "recurrence": {"pattern": "monthly", "days_of_month": [31]}},
        {"pattern": "monthly", "schedule_at": "02:30", "days_of_month": [31]},
    ),
    "mondays": ({"recurrence": {"pattern": "cron", "cron_expr": _MONDAYS.text}}, {"pattern": "cron", "cron": _MONDAYS}),
}
_ALL: Final = _SELDOM | {
    "daily": ({"schedule_at": "02:30", "recurrence": {"pattern": "daily"}}, {"pattern": "daily", "schedule_at": "02:30"}),
    "hourly": ({"recurrence": {"pattern": "cron", "cron_expr": _HOURLY.text}}, {"pattern": "cron", "cron": _HOURLY}),
}


@dataclass(frozen=True)
class Life:
    """A schedule, and what the almanac says of its time."""

    schedule_id: str
    name: str
    wall: Wall
    expected: list[Occurrence]


def test_a_year_in_new_york(virtual_time: VirtualTime, connection: psycopg.Connection) -> None:
    virtual_time.start(_BEGIN)
    lives = [_begin(connection, "America/New_York", name, _BEGIN, _END) for name in _SELDOM]
    assert [len(life.expected) for life in lives] == [12, 52]

    _judge(connection, virtual_time.advance(_END), lives)


def test_the_night_and_day_of_each_change_of_clocks(virtual_time: VirtualTime, connection: psycopg.Connection) -> None:
    changes = [(change, zone) for zone in _ZONES for change in _changes(zone, _BEGIN, _END)]
    assert len(changes) == 8
    # And the day that Samoa left out.
    skipped = (datetime(2011, 12, 30, 10, tzinfo=UTC), "Pacific/Apia")
    for change, zone in [skipped, *sorted(changes)]:
        begin, end = change - _BEFORE, change + _AFTER
        virtual_time.start(begin)
        lives = [_begin(connection, zone, name, begin, end) for name in _ALL]
        _judge(connection, virtual_time.advance(end), lives)
        for life in lives:
            cancel(connection, life.schedule_id)


@pytest.mark.long
def test_a_year_of_all_of_them(virtual_time: VirtualTime, connection: psycopg.Connection) -> None:
    virtual_time.start(_BEGIN)
    lives = [_begin(connection, zone, name, _BEGIN, _END) for zone in _ZONES for name in _ALL]
    # Each zone has as many hours as the year, but Lord Howe: its two changes of half an hour make two of them last longer.
    counts = {name: {len(life.expected) for life in lives if life.name == name} for name in _ALL}
    assert counts == {"monthly": {12}, "mondays": {52}, "daily": {365}, "hourly": {8760, 8759}}

    _judge(connection, virtual_time.advance(_END), lives)


def _begin(connection: psycopg.Connection, zone: str, name: str, begin: datetime, end: datetime) -> Life:
    """Make a schedule of its own user."""
    request, rule = _ALL[name]
    user_id = f"{name}-{zone}"
    made = given_schedule(connection, {"schedule_at": None}, user_id=user_id, timezone=zone, **request)
    wall = wall_of(zone)
    assert wall is not None
    expected = occurrences(rule, wall, begin.replace(tzinfo=None), 10_000, (end + timedelta(seconds=1)).replace(tzinfo=None))
    return Life(made.schedule_id, name, wall, expected)


def _judge(connection: psycopg.Connection, sent: list[Delivered], lives: list[Life]) -> None:
    """Compare what was delivered with what the almanac says, instant by instant."""
    assert len({delivered.delivery_id for delivered in sent}) == len(sent)
    assert [delivered.at for delivered in sent] == sorted(delivered.at for delivered in sent)
    assert [delivered for delivered in sent if delivered.at != delivered.due_at] == []
    by_schedule = {life.schedule_id: [d for d in sent if d.schedule_id == life.schedule_id] for life in lives}
    assert sum(map(len, by_schedule.values())) == len(sent)
    for life in lives:
        got = by_schedule[life.schedule_id]
        instants = [occurrence.instant.replace(tzinfo=UTC) for occurrence in life.expected]
        assert [delivered.due_at for delivered in got] == instants, life.name
        assert [delivered.occurrence for delivered in got] == list(range(1, len(got) + 1)), life.name
        readings = [_texts(occurrence) for occurrence in life.expected]
        assert all(d.local_time in texts for d, texts in zip(got, readings, strict=True)), life.name
        assert ledger(connection, life.schedule_id) == ["fired"] * len(got)
        assert found(connection, life.schedule_id).recurrence["fired_count"] == len(got)
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 0
    assert value(connection, "select count(*) from gnomon_data.events where kind = 'missed'") == 0


def _texts(occurrence: Occurrence) -> list[str]:
    return [reading.isoformat(timespec="minutes") for reading in occurrence.readings]


def _changes(zone: str, begin: datetime, end: datetime) -> list[datetime]:
    wall = wall_of(zone)
    assert wall is not None
    return [at for change in wall.changes() if begin < (at := change.replace(tzinfo=UTC)) < end]
