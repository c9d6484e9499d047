"""`gnomon forecast`: what is going to fire, as a curve."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from rich.text import Text

    from gnomon.timers.shapes import Forecast, Load

_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 360)
"""Minutes a line of the chart may stand for."""

_LINES: Final = 48
_WIDTH: Final = 60
_LANES: Final = {"critical": "red", "transactional": "cyan", "bulk": "blue"}


def forecast(
    start: Annotated[str | None, typer.Option("--from", help="First minute (RFC 3339); else now.")] = None,
    hours: Annotated[float, typer.Option(min=0.05, max=192, help="How far to look.")] = 24,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the minutes as JSON.")] = False,
) -> None:
    """Show what is going to fire, by time and lane.

    Counts what is pending now: of a recurrence its next occurrence, of
    what is paused nothing. More than a million are estimated.

    Example:
        gnomon forecast --hours 48
    """
    from datetime import timedelta

    from gnomon.commands.ask import ask, show_json
    from gnomon.timers.forecast import forecast as counted

    from_utc = _instant(start)
    span = timedelta(hours=hours)
    found = ask(lambda pool: counted(pool, from_utc, span=span))
    if as_json:
        show_json(found)
    else:
        _show(found)


def _instant(text: str | None) -> "datetime | None":
    from datetime import datetime

    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise typer.BadParameter(f"{text!r} is no instant such as 2027-03-28T09:00:00Z", param_hint="--from")
    return found


def _show(found: "Forecast") -> None:
    from datetime import timedelta

    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    about = "About " if found.is_estimate else ""
    span = f"between {found.from_utc:%Y-%m-%d %H:%M} and {found.to_utc:%Y-%m-%d %H:%M} UTC"
    if not found.minutes:
        console.print(f"Nothing fires {span}.")
        return
    minutes = (found.to_utc - found.from_utc) / timedelta(minutes=1)
    step = timedelta(minutes=next((step for step in _STEPS if minutes / step <= _LINES), _STEPS[-1]))
    curve = _by_step(found.minutes, step)
    most = max(sum(lanes.values()) for lanes in curve.values())
    at_utc, last_utc = min(curve), max(curve)
    while at_utc <= last_utc:
        lanes = curve.get(at_utc, {})
        console.print(Text.assemble(f"{at_utc:%a %d %H:%M}  ", _bar(lanes, most), f" {sum(lanes.values()):,}"))
        at_utc += step
    peak_utc, peak = max(_by_step(found.minutes, timedelta(minutes=1)).items(), key=lambda one: sum(one[1].values()))
    legend = Text("  ").join(Text(f"█ {lane}", style) for lane, style in _LANES.items())
    console.print(Text.assemble(f"{step // timedelta(minutes=1)} min a line, UTC   ", legend), style="dim")
    count = sum(peak.values())
    console.print(f"{about}{found.due_count:,} fire {span}.")
    console.print(f"The fullest minute is {peak_utc:%Y-%m-%d %H:%M} with {count:,}, {count / 60:,.1f} a second.")


def _by_step(loads: "Iterable[Load]", step: "timedelta") -> "dict[datetime, dict[str, int]]":
    from datetime import UTC, datetime

    start = datetime(2000, 1, 1, tzinfo=UTC)
    curve: dict[datetime, dict[str, int]] = {}
    for load in loads:
        lanes = curve.setdefault(start + (load.minute_utc - start) // step * step, {})
        lanes[load.lane] = lanes.get(load.lane, 0) + load.due_count
    return curve


def _bar(lanes: "dict[str, int]", most: int) -> "Text":
    from rich.text import Text

    drawn, seen, bar = 0, 0, Text()
    for lane, style in _LANES.items():
        seen += lanes.get(lane, 0)
        # To the place where the sum so far ends: rounded each for itself, three lanes could be longer than their sum.
        until = max(-(-seen * _WIDTH // most), drawn)
        bar.append("█" * (until - drawn), style)
        drawn = until
    return bar
