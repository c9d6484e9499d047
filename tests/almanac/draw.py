"""Rules drawn at random, with a zone and an instant to ask from: half of them close to a change of the zone's clocks."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from tests.almanac.cron import Cron, draw_cron
from tests.almanac.rules import Occurrence, occurrences
from tests.almanac.walls import Wall, wall_of

FIRST: Final = datetime(2000, 1, 1)  # noqa: DTZ001  # the almanac's instants are naive, in UTC
LAST: Final = datetime(2038, 1, 1)  # noqa: DTZ001  # the same

_DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_SPAN: Final = timedelta(days=4200)

#: How often each pattern is drawn. A yearly one costs the almanac a thousand dates.
_SHARES: Final = {"daily": 5, "weekly": 5, "monthly": 6, "yearly": 1, "cron": 6}


@dataclass(frozen=True, slots=True)
class Case:
    """A rule, where and from when, and what the almanac says of it."""

    rule: dict[str, Any]
    """As the product is asked."""
    time_zone: str
    after: datetime
    until: datetime
    """The almanac has looked until here."""
    expected: list[Occurrence]
    is_every_hour: bool


def draw(chance: random.Random, zones: Sequence[str], patterns: Sequence[str], count: int) -> Case:
    """A rule of one of the patterns that fires at least once."""
    while True:
        time_zone = chance.choice(zones)
        wall = wall_of(time_zone)
        assert wall is not None
        near = _moment(chance, wall)
        pattern = chance.choices(patterns, [_SHARES[name] for name in patterns])[0]
        rule = _around(chance, wall, near) | _PATTERNS[pattern](chance)
        after = near - timedelta(seconds=chance.randint(0, 3 * 86_400))
        if "interval" in rule or pattern == "yearly" or chance.random() < 0.2:
            start = (wall.shows(after) + timedelta(days=chance.randint(-400, 20))).date()
            rule["start_date"] = start.isoformat()
        if chance.random() < 0.1:
            rule["end_date"] = (wall.shows(after) + timedelta(days=chance.randint(0, 60))).date().isoformat()
        if chance.random() < 0.1:
            rule["fired_count"] = chance.randint(0, 5)
            rule["end_after"] = rule["fired_count"] + chance.randint(1, 3)
        until = min(after + _SPAN, LAST)
        asked = dict(rule)
        cron: Cron | None = asked.pop("cron", None)
        if "offset" in rule:
            rule["offset_by"] = timedelta(seconds=int(rule["offset"].strip("-PTS")))
            rule["offset_by"] *= -1 if rule["offset"].startswith("-") else 1
        if cron:
            asked["cron_expr"] = cron.text
            asked.pop("schedule_at")
        expected = occurrences(rule, wall, after, count, until)
        if expected:
            return Case(asked, time_zone, after, until, expected, cron is not None and cron.is_every_hour)


def _moment(chance: random.Random, wall: Wall) -> datetime:
    """An instant, in half of all cases a change of the clocks."""
    changes = [change for change in wall.changes() if FIRST + timedelta(days=4) < change < LAST - timedelta(days=90)]
    if changes and chance.random() < 0.5:
        return chance.choice(changes)
    return FIRST + timedelta(days=chance.randint(4, (LAST - FIRST).days - 4000), seconds=chance.randint(0, 86_399))


def _around(chance: random.Random, wall: Wall, near: datetime) -> dict[str, Any]:
    """A time of day, often one that the change of the clocks meets, and what is to be done with it."""
    at = wall.shows(near) + timedelta(minutes=chance.randint(-150, 90))
    if chance.random() < 0.3:
        at = wall.shows(near) + timedelta(minutes=15 * chance.randint(-48, 48))
    at = at.replace(second=chance.choice([0, 0, 0, chance.randint(0, 59)]), microsecond=0)
    rule: dict[str, Any] = {"schedule_at": at.strftime("%H:%M:%S" if at.second or chance.random() < 0.2 else "%H:%M")}
    if chance.random() < 0.15:
        rule["on_gap"] = chance.choice(["skip", "next_valid"])
    if chance.random() < 0.15:
        rule["on_overlap"] = chance.choice(["second", "first"])
    if chance.random() < 0.15:
        rule["offset"] = f"{chance.choice(['-', ''])}PT{chance.choice([60, 300, 5400, chance.randint(1, 180_000)])}S"
    return rule


def _interval(chance: random.Random, most: int) -> dict[str, Any]:
    return {"interval": chance.randint(1, most)} if chance.random() < 0.3 else {}


def _daily(chance: random.Random) -> dict[str, Any]:
    return {"pattern": "daily"} | _interval(chance, 9)


def _weekly(chance: random.Random) -> dict[str, Any]:
    rule = {"pattern": "weekly", "weekdays": chance.sample(_DAYS, chance.randint(1, 4))}
    return rule | _interval(chance, 5)


def _monthly(chance: random.Random) -> dict[str, Any]:
    rule: dict[str, Any] = {"pattern": "monthly"}
    if chance.random() < 0.3:
        n = chance.choice([1, 2, 3, 4, 5, -1, -2])
        rule["nth"] = {"weekday": chance.choice(_DAYS), "n": n}
    else:
        numbers = [chance.choice([chance.randint(1, 31), chance.randint(28, 31), -chance.randint(1, 28)]) for _ in range(3)]
        rule["days_of_month"] = sorted(set(numbers[: chance.randint(1, 3)]))
        if chance.random() < 0.5:
            rule["on_missing_day"] = chance.choice(["last", "skip"])
    return rule | _interval(chance, 7)


def _yearly(chance: random.Random) -> dict[str, Any]:
    return {"pattern": "yearly"} | _interval(chance, 3)


def _cron(chance: random.Random) -> dict[str, Any]:
    # One with hundreds of times a day costs the almanac as much as a hundred others.
    while len((cron := draw_cron(chance)).times) > (1440 if chance.random() < 0.02 else 60):
        pass
    return {"pattern": "cron", "cron": cron}


_PATTERNS: Final = {"daily": _daily, "weekly": _weekly, "monthly": _monthly, "yearly": _yearly, "cron": _cron}
