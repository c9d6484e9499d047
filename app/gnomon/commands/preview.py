"""`gnomon preview`: what a rule will do, before anything is scheduled."""

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from gnomon.database.pool import Pool
    from gnomon.schedules.shapes import Preview

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def preview(  # noqa: PLR0913  # each option is a word of the rule
    pattern: Annotated[str, typer.Argument(help="daily or weekly.", metavar="PATTERN")],
    at: Annotated[str | None, typer.Argument(help="Local time, HH:MM[:SS].", metavar="TIME")] = None,
    *,
    timezone: Annotated[str | None, typer.Option(help="IANA zone; else GNOMON_DEFAULT_TIME_ZONE.")] = None,
    start: Annotated[
        str | None, typer.Option("--from", help="First day to show, or an instant (RFC 3339); else now.")
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=100, help="How many.")] = 10,
    weekdays: Annotated[str | None, typer.Option(help="For weekly: MON,THU.")] = None,
    interval: Annotated[int | None, typer.Option(help="Every so many days or weeks.")] = None,
    offset: Annotated[str | None, typer.Option(help="Added to each instant: PT5M, -PT1H.")] = None,
    on_gap: Annotated[str | None, typer.Option(help="next_valid or skip.")] = None,
    on_overlap: Annotated[str | None, typer.Option(help="first or second.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the occurrences as JSON.")] = False,
) -> None:
    """Show the next occurrences of a rule, with wall time, offset from UTC and what happens at clock changes.

    Example:
        gnomon preview daily 02:30 --timezone America/New_York --from 2027-03-13 -n 5
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.errors import NotAvailable
    from gnomon.settings import read_settings

    if re.search(r"[\s*@?]", pattern):
        raise NotAvailable("cron text is not available in this version", hint="use daily or weekly with a time")
    zone = timezone or read_settings().default_time_zone
    if zone is None:
        raise typer.BadParameter("say the zone, for example --timezone Europe/Berlin", param_hint="--timezone")
    words = {
        "pattern": pattern,
        "schedule_at": at,
        "weekdays": weekdays.upper().split(",") if weekdays else None,
        "interval": interval,
        "offset": offset,
        "on_gap": on_gap,
        "on_overlap": on_overlap,
    }
    rule = {name: word for name, word in words.items() if word is not None}
    found = ask(lambda pool: _previewed(pool, rule, zone, start, count))
    if as_json:
        show_json(found)
    else:
        _show(found, zone)


async def _previewed(pool: "Pool", rule: "Mapping[str, object]", zone: str, start: str | None, count: int) -> "Preview":
    from gnomon.schedules import calls
    from gnomon.schedules.shapes import Preview

    after = None if start is None else await _after(pool, start, zone)
    return Preview(occurrences=await calls.next_occurrences(pool, rule, zone, after, count))


async def _after(pool: "Pool", start: str, zone: str) -> "datetime":
    """The instant just before what --from names: the list is strictly later."""
    from datetime import UTC, date, datetime, time, timedelta

    from gnomon.errors import DateInvalid
    from gnomon.schedules import calls

    try:
        if _DATE.fullmatch(start):
            midnight = await calls.resolve_local(pool, date.fromisoformat(start), time(), zone)
            return midnight - timedelta(microseconds=1)
        instant = datetime.fromisoformat(start)
    except ValueError as fault:
        raise DateInvalid(f"--from is {start!r}: {fault}", hint="use YYYY-MM-DD or an instant with its zone") from fault
    if instant.tzinfo is None:
        raise DateInvalid(f"--from is {start!r}, which says no zone", hint="use YYYY-MM-DD or an instant with its zone")
    return instant.astimezone(UTC) - timedelta(microseconds=1)


def _show(found: "Preview", zone: str) -> None:
    from datetime import datetime

    from rich.console import Console
    from rich.table import Table

    meanings = {
        "gap": "the clock is put forward: the first moment after the gap",
        "overlap": "the clock is put back: one of the two passes",
    }
    table = Table(box=None, pad_edge=False, title=f"local time in {zone}", title_justify="left", title_style="dim")
    for heading in ("", "local time", "offset", "UTC", "kind"):
        table.add_column(heading)
    for occurrence in found.occurrences:
        weekday = datetime.fromisoformat(occurrence.local_time).strftime("%a")
        is_plain = occurrence.kind == "exact"
        table.add_row(
            weekday,
            occurrence.local_time.replace("T", " "),
            occurrence.utc_offset,
            occurrence.at_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
            occurrence.kind if is_plain else f"{occurrence.kind}: {meanings[occurrence.kind]}",
            style=None if is_plain else "yellow",
        )
    console = Console(soft_wrap=True, highlight=False)
    console.print(table if found.occurrences else "It never fires.")
