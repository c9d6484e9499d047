"""A cron text and what it means, written down side by side: the text is made from the sets, never read."""

import random
from dataclasses import dataclass
from datetime import date, time
from typing import Final

_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")

_SECOND_SUNDAY: Final = 7


@dataclass(frozen=True, slots=True)
class Cron:
    """A text of five fields, and the sets that it stands for. Weekdays count from Sunday = 0."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    month_days: frozenset[int]
    is_last_day: bool
    months: frozenset[int]
    weekdays: frozenset[int]
    nth: frozenset[tuple[int, int]]
    are_days_and: bool
    """Whether a date must match both day fields, since one of them begins with a star or a question mark."""

    @property
    def is_every_hour(self) -> bool:
        """Whether all hours are selected: then it fires whenever the reading matches, in both passes of an overlap."""
        return len(self.hours) == 24

    @property
    def times(self) -> list[time]:
        """The times of day."""
        return [time(hour, minute) for hour in sorted(self.hours) for minute in sorted(self.minutes)]

    def is_day(self, day: date) -> bool:
        """Whether it fires on a date."""
        from tests.almanac.rules import is_nth, month_length

        if day.month not in self.months:
            return False
        by_number = day.day in self.month_days or (self.is_last_day and day.day == month_length(day.year, day.month))
        by_weekday = day.isoweekday() % 7 in self.weekdays or any(
            is_nth(day, (weekday - 1) % 7, n) for weekday, n in self.nth
        )
        return (by_number and by_weekday) if self.are_days_and else (by_number or by_weekday)


def draw_cron(chance: random.Random) -> Cron:
    """A cron text of any form of the grammar that fires several times a year."""
    minute_text, minutes = _field(chance, 0, 59, most=4)
    hour_text, hours = _field(chance, 0, 23, most=4)
    day_text, days, is_last = _month_day_field(chance)
    month_text, months = ("*", frozenset(range(1, 13))) if chance.random() < 0.7 else _field(chance, 1, 12, names=_MONTHS)
    weekday_text, weekdays, nth = _weekday_field(chance)
    gap = chance.choice([" ", "  ", "\t"]) if chance.random() < 0.1 else " "
    text = gap.join([minute_text, hour_text, day_text, month_text, weekday_text])
    are_and = day_text[0] in "*?" or weekday_text[0] in "*?"
    return Cron(text, minutes, hours, days, is_last, months, weekdays, nth, are_and)


def _month_day_field(chance: random.Random) -> tuple[str, frozenset[int], bool]:
    kind = chance.random()
    if kind < 0.45:
        return chance.choice("**?"), frozenset(range(1, 32)), False
    if kind < 0.55:
        return "L", frozenset(), True
    text, days = _field(chance, 1, 31, most=3)
    if kind < 0.62:
        return f"{text},L" if chance.random() < 0.5 else f"L,{text}", days, True
    return text, days, False


def _weekday_field(chance: random.Random) -> tuple[str, frozenset[int], frozenset[tuple[int, int]]]:
    kind = chance.random()
    if kind < 0.45:
        return chance.choice("**?"), frozenset(range(7)), frozenset()
    if kind < 0.6:
        weekday, n = chance.randint(0, 7), chance.randint(1, 4)
        text = f"{weekday}L" if chance.random() < 0.5 else f"{weekday}#{n}"
        return text, frozenset(), frozenset({(weekday % 7, -1 if text[-1] == "L" else n)})
    text, days = _field(chance, 0, 7, names=_DAYS, most=3)
    return text, frozenset(day % 7 for day in days), frozenset()


def _field(
    chance: random.Random, low: int, high: int, *, names: tuple[str, ...] = (), most: int = 4
) -> tuple[str, frozenset[int]]:
    """A field as text and set: a star, a step, or a list of values and ranges with steps."""
    kind = chance.random()
    if kind < 0.15:
        return "*", frozenset(range(low, high + 1))
    if kind < 0.3:
        step = chance.randint(1, high - low)
        return f"*/{step}", frozenset(range(low, high + 1, step))
    items = [_item(chance, low, high, names) for _ in range(chance.randint(1, most) if chance.random() < 0.5 else 1)]
    return ",".join(text for text, _ in items), frozenset().union(*(values for _, values in items))


def _item(chance: random.Random, low: int, high: int, names: tuple[str, ...]) -> tuple[str, frozenset[int]]:
    first = chance.randint(low, high)
    kind = chance.random()
    if kind < 0.6:
        return _named(chance, first, low, names), frozenset({first})
    step = chance.randint(1, high - low)
    if kind < 0.75:
        return f"{first}/{step}", frozenset(range(first, high + 1, step))
    last = chance.randint(first, high)
    # Sunday's name stands for 0 where a range begins and for 7 where a later day began it: 7-7 and 0-7 have no other form.
    begin = str(first) if first == _SECOND_SUNDAY else _named(chance, first, low, names)
    end = str(last) if first in (0, _SECOND_SUNDAY) else _named(chance, last, low, names)
    if kind < 0.9:
        return f"{begin}-{end}", frozenset(range(first, last + 1))
    return f"{begin}-{end}/{step}", frozenset(range(first, last + 1, step))


def _named(chance: random.Random, value: int, low: int, names: tuple[str, ...]) -> str:
    """A value as a number, maybe with a zero before it, or by its name."""
    if names and chance.random() < 0.5:
        name = names[value - low]
        return chance.choice([name, name.lower(), name.capitalize()])
    return f"{value:02}" if chance.random() < 0.1 else str(value)
