"""The words of a rule on the command line, for every command that takes one."""

import re
from typing import Final

import typer

_FREQUENCY: Final = re.compile(r"(?:RRULE:)?FREQ=", re.IGNORECASE)
_DURATION: Final = re.compile(r"P[0-9T].*", re.IGNORECASE)
_CRON: Final = re.compile(r"@|.*\s|.*[*?]")
_NTH: Final = re.compile(r"([A-Za-z]{3}):(-?[0-9]+|last)")


def pattern_of(text: str) -> dict[str, object]:
    """What a first argument means: a pattern's name, a cron text, RRULE text or a duration."""
    if _FREQUENCY.match(text):
        return {"pattern": "rrule", "rrule": text}
    if _DURATION.fullmatch(text):
        return {"pattern": "elapsed", "every": text}
    if _CRON.match(text):
        return {"pattern": "cron", "cron_expr": text}
    return {"pattern": text}


def days_of_month(text: str) -> list[int]:
    """`1,15,-1` as numbers. Raises typer.BadParameter for what is none."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError as fault:
        raise typer.BadParameter(f"{text!r} are not days: 1,15,-1", param_hint="--days") from fault


def nth_weekday(text: str) -> dict[str, object] | list[dict[str, object]]:
    """`TUE:2`, `FRI:last` or a list of them. Raises typer.BadParameter for another form."""
    pairs = []
    for word in text.split(","):
        found = _NTH.fullmatch(word)
        if found is None:
            raise typer.BadParameter(f"{word!r} is no weekday of a month: TUE:2, FRI:last", param_hint="--nth")
        pairs.append({"weekday": found[1].upper(), "n": -1 if found[2] == "last" else int(found[2])})
    return pairs[0] if len(pairs) == 1 else pairs


def words_of(text: str | None) -> list[str] | None:
    """`a,b` as a list."""
    return text.split(",") if text else None
