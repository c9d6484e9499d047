"""Rules drawn at random, with a zone and an instant to ask from: half of them close to a change of the zone's clocks."""

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from tests.almanac.cron import Cron, draw_cron
from tests.almanac.rules import Occurrence, occurrences
from tests.almanac.walls import Wall, wall_of

#: Fixed, so that every run draws the same.
SEED: Final = int(os.environ.get("GNOMON_TEST_SEED", "20261130"))  # noqa: TID251  # a choice of the test run

FIRST: Final = datetime(2000, 1, 1)  # noqa: DTZ001  # the almanac's instants are naive, in UTC
LAST: Final = datetime(2038, 1, 1)  # noqa: DTZ001  # the same

#: When Samoa's clocks came to the day that they left out: a date that a session there takes for the next one.
_SKIPPED: Final = datetime(2011, 12, 30, 10)  # noqa: DTZ001  # the same

_DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_SPAN: Final = timedelta(days=4200)

#: How often each pattern is drawn. A yearly one costs the almanac a thousand dates.
_SHARES: Final = {"daily": 5, "weekly": 5, "monthly": 6, "yearly": 1, "elapsed": 1, "cron": 6, "rrule": 2}
PATTERNS: Final = tuple(_SHARES)


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


def draw(chance: random.Random, zones: Sequence[str], count: int) -> Case:
    """A rule that fires at least once."""
    while True:
        time_zone = chance.choice(zones)
        wall = wall_of(time_zone)
        assert wall is not None
        near = _moment(chance, wall)
        after = near - timedelta(seconds=chance.randint(0, 3 * 86_400))
        until = min(after + _SPAN, LAST)
        pattern = chance.choices(PATTERNS, list(_SHARES.values()))[0]
        rule = (_around(chance, wall, near) | _PATTERNS[pattern](chance)) if pattern != "elapsed" else _elapsed(chance, near)
        rule |= _limits(chance, rule, wall.shows(after))
        expected = occurrences(_read(rule), wall, after, count, until)
        if expected and pattern != "elapsed" and chance.random() < 0.1:
            rule["exclude_dates"] = _some_dates(chance, expected)
            expected = occurrences(_read(rule), wall, after, count, until)
        if expected and chance.random() < 0.15:
            # Strictly later: asked at an occurrence, the next one is meant.
            after = expected[0].instant
            expected = occurrences(_read(rule), wall, after, count, until)
        if expected:
            cron = rule.get("cron")
            return Case(_written(rule), time_zone, after, until, expected, isinstance(cron, Cron) and cron.is_every_hour)


def draw_from(chance: random.Random, time_zone: str, after: datetime, until: datetime) -> Case:
    """A rule as it is scheduled at an instant, with all occurrences until another; half of what counts names no first date.

    It then counts from the first day on which it can fire: for a year, an rrule or a week without weekdays, the first day on
    which its time is still to come; else the first that the rule without its interval has.
    """
    wall = wall_of(time_zone)
    assert wall is not None
    pattern = chance.choices(PATTERNS, list(_SHARES.values()))[0]
    rule = (_around(chance, wall, after) | _PATTERNS[pattern](chance)) if pattern != "elapsed" else _elapsed(chance, after)
    limits = _limits(chance, rule, wall.shows(after))
    limits.pop("fired_count", None)
    rule |= limits
    asked = dict(rule)
    if pattern == "weekly" and chance.random() < 0.3:
        del asked["weekdays"], rule["weekdays"]
    if pattern not in ("elapsed", "cron") and (chance.random() < 0.5 or "start_date" not in rule):
        asked.pop("start_date", None)
        rule.pop("start_date", None)
        is_of_first_day = pattern in ("yearly", "rrule") or (pattern == "weekly" and "weekdays" not in rule)
        plain = {name: said for name, said in rule.items() if name not in ("interval", "end_after", "end_date")}
        plain = plain | {"pattern": "daily"} if is_of_first_day else plain
        for first in occurrences(_read(plain), wall, after, 1, LAST):
            rule["start_date"] = min(first.readings).date().isoformat()
    expected = occurrences(_read(rule), wall, after, 1_000_000, until) if first_date_is_known(rule) else []
    cron = rule.get("cron")
    return Case(_written(asked), time_zone, after, until, expected, isinstance(cron, Cron) and cron.is_every_hour)


def first_date_is_known(rule: dict[str, Any]) -> bool:
    """Whether the almanac can tell of a rule: one that counts names its first date."""
    return "start_date" in rule or rule["pattern"] in ("elapsed", "cron") or "interval" not in rule


def _read(rule: dict[str, Any]) -> dict[str, Any]:
    """The rule as the almanac reads it: durations and instants as such."""
    read = dict(rule)
    for name, given in (("offset_by", "offset"), ("step", "every")):
        if given in rule:
            seconds = int(rule[given].strip("-PTS"))
            read[name] = timedelta(seconds=-seconds if rule[given].startswith("-") else seconds)
    if "every" in rule:
        read["from"] = datetime.fromisoformat(rule["schedule_at"].removesuffix("Z"))
    return read


def _written(rule: dict[str, Any]) -> dict[str, Any]:
    """The rule as the product is asked."""
    if "cron" not in rule:
        return rule
    return {name: said for name, said in rule.items() if name not in ("cron", "schedule_at")} | {
        "cron_expr": rule["cron"].text
    }


def _limits(chance: random.Random, rule: dict[str, Any], shown: datetime) -> dict[str, Any]:
    """Where it begins and ends. What counts from a date has to name it, since the question alone has no first day."""
    limits: dict[str, Any] = {}
    pattern = rule["pattern"]
    if pattern != "elapsed":
        if "interval" in rule or pattern in ("yearly", "rrule") or chance.random() < 0.2:
            longest = 60 if pattern == "rrule" else 400
            limits["start_date"] = (shown + timedelta(days=chance.randint(-longest, 20))).date().isoformat()
        if chance.random() < 0.1 and "COUNT" not in rule.get("rrule", ""):
            limits["end_date"] = (shown + timedelta(days=chance.randint(0, 60))).date().isoformat()
    if chance.random() < 0.1 and "COUNT" not in rule.get("rrule", ""):
        limits["fired_count"] = chance.randint(0, 5)
        limits["end_after"] = limits["fired_count"] + chance.randint(1, 3)
    return limits


def _some_dates(chance: random.Random, expected: list[Occurrence]) -> list[str]:
    """Dates to leave out: some on which it would fire, and days beside them."""
    days = [reading.date() for occurrence in expected for reading in occurrence.readings]
    return sorted({(chance.choice(days) + timedelta(days=chance.choice([0, 0, 1, -1]))).isoformat() for _ in range(3)})


def _moment(chance: random.Random, wall: Wall) -> datetime:
    """An instant, in half of all cases a change of the clocks."""
    changes = [change for change in wall.changes() if FIRST + timedelta(days=4) < change < LAST - timedelta(days=90)]
    if changes and chance.random() < 0.5:
        return chance.choice(changes)
    if chance.random() < 0.05:
        return _SKIPPED
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
        numbers = [chance.choice([chance.randint(1, 31), chance.randint(28, 31), -chance.randint(1, 31)]) for _ in range(3)]
        rule["days_of_month"] = sorted(set(numbers[: chance.randint(1, 3)]))
        if chance.random() < 0.5:
            rule["on_missing_day"] = chance.choice(["last", "skip"])
    return rule | _interval(chance, 7)


def _yearly(chance: random.Random) -> dict[str, Any]:
    rule: dict[str, Any] = {"pattern": "yearly"}
    if chance.random() < 0.3:
        rule |= {"nth": [{"weekday": chance.choice(_DAYS), "n": n} for n in chance.sample([1, 2, 5, -1, -3], 2)]}
    elif chance.random() < 0.4:
        rule |= {"days_of_month": [chance.choice([1, 30, 31, -1, -31])], "on_missing_day": chance.choice(["last", "skip"])}
    return rule | _interval(chance, 3)


def _elapsed(chance: random.Random, near: datetime) -> dict[str, Any]:
    """So many seconds apart, from an instant that lies behind or ahead."""
    step = chance.choice([900, 3600, 86_400, chance.randint(60, 1_000_000)])
    begins = near + timedelta(seconds=step * chance.randint(-40, 3) + chance.randint(0, 59))
    rule = {"pattern": "elapsed", "every": f"PT{step}S", "schedule_at": f"{begins.replace(microsecond=0).isoformat()}Z"}
    if chance.random() < 0.2:
        rule["offset"] = f"{chance.choice(['-', ''])}PT{chance.randint(1, 5000)}S"
    return rule


def _rrule(chance: random.Random) -> dict[str, Any]:
    """The parts of RFC 5545 that are taken, in an order of their own."""
    frequency = chance.choice(["DAILY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY"])
    parts = [f"INTERVAL={chance.randint(1, 4)}"] if chance.random() < 0.4 else []
    days = chance.sample(_DAYS, chance.randint(1, 3))
    # Never a rule without any date: dateutil would look for one until the year 9999.
    months = [] if parts and frequency == "MONTHLY" else _maybe(chance, 0.5, "BYMONTH", _some(chance, 1, 12))
    if frequency in ("WEEKLY", "DAILY"):
        parts += _maybe(chance, 0.6, "BYDAY", [day[:2] for day in days])
    elif chance.random() < 0.5:
        # Either all with a number or none: dateutil finds nothing where they are mixed.
        signs = [""] if frequency == "MONTHLY" and chance.random() < 0.4 else ["1", "2", "-1"]
        parts += [f"BYDAY={','.join(chance.choice(signs) + day[:2] for day in days)}"]
        parts += months
        parts += _maybe(chance, 0.3, "BYSETPOS", [str(chance.choice([1, -1]))])
    else:
        parts += _maybe(
            chance, 0.8, "BYMONTHDAY", [str(chance.choice([1, 13, 28, -1, -2] if months else [13, 29, 30, 31, -1]))]
        )
        parts += months
    if chance.random() < 0.3:
        parts += [f"COUNT={chance.randint(1, 20)}"]
    if frequency == "WEEKLY":
        parts += _maybe(chance, 0.3, "WKST", [chance.choice(["SU", "MO"])])
    chance.shuffle(parts)
    return {"pattern": "rrule", "rrule": ";".join([f"FREQ={frequency}", *parts])}


def _maybe(chance: random.Random, share: float, name: str, values: list[str]) -> list[str]:
    return [f"{name}={','.join(values)}"] if chance.random() < share else []


def _some(chance: random.Random, low: int, high: int) -> list[str]:
    return [str(value) for value in sorted(chance.sample(range(low, high + 1), chance.randint(1, 3)))]


def _cron(chance: random.Random) -> dict[str, Any]:
    # One with hundreds of times a day costs the almanac as much as a hundred others.
    while len((cron := draw_cron(chance)).times) > (1440 if chance.random() < 0.01 else 24):
        pass
    return {"pattern": "cron", "cron": cron}


_PATTERNS: Final = {
    "daily": _daily,
    "weekly": _weekly,
    "monthly": _monthly,
    "yearly": _yearly,
    "cron": _cron,
    "rrule": _rrule,
}
