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
    pattern: Annotated[
        str,
        typer.Argument(
            help="daily, weekly, monthly, yearly; a cron text in quotes; a duration such as PT15M; or RRULE text.",
            metavar="PATTERN",
        ),
    ],
    at: Annotated[
        str | None,
        typer.Argument(help="Local time, HH:MM[:SS]. For a duration: the instant it counts from.", metavar="TIME"),
    ] = None,
    *,
    timezone: Annotated[str | None, typer.Option(help="IANA zone; else GNOMON_DEFAULT_TIME_ZONE.")] = None,
    start: Annotated[
        str | None, typer.Option("--from", help="First day to show, or an instant (RFC 3339); else now.")
    ] = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=100, help="How many.")] = 10,
    weekdays: Annotated[str | None, typer.Option(help="For weekly: MON,THU.")] = None,
    days: Annotated[str | None, typer.Option(help="For monthly, yearly: 1,15,-1 (-1 is the last).")] = None,
    nth: Annotated[str | None, typer.Option(help="For monthly, yearly: TUE:2, FRI:last.")] = None,
    on_missing_day: Annotated[str | None, typer.Option(help="last or skip, in months without that day.")] = None,
    interval: Annotated[int | None, typer.Option(help="Every so many days, weeks, months or years.")] = None,
    since: Annotated[str | None, typer.Option(help="First day it may fire, YYYY-MM-DD.")] = None,
    until: Annotated[str | None, typer.Option(help="Last day it may fire, YYYY-MM-DD.")] = None,
    times: Annotated[int | None, typer.Option(help="End after so many.")] = None,
    skip: Annotated[str | None, typer.Option(help="Days to leave out: 2027-12-24,2027-12-25.")] = None,
    calendars: Annotated[str | None, typer.Option(help="Calendars whose days to leave out.")] = None,
    offset: Annotated[str | None, typer.Option(help="Added to each instant: PT5M, -PT1H.")] = None,
    on_gap: Annotated[str | None, typer.Option(help="next_valid or skip.")] = None,
    on_overlap: Annotated[str | None, typer.Option(help="first or second.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the occurrences as JSON.")] = False,
) -> None:
    """Show the next occurrences of a rule, with wall time, offset from UTC and what happens at clock changes.

    Examples:
        gnomon preview "0 9 * * 1" --timezone Europe/Berlin -n 5

        gnomon preview monthly 09:00 --nth FRI:last --timezone Europe/Berlin

        gnomon preview PT90M

        gnomon preview daily 02:30 --timezone America/New_York --from 2027-03-13 -n 5
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.commands.rule import days_of_month, nth_weekday, pattern_of, words_of
    from gnomon.settings import read_settings

    words = pattern_of(pattern) | {
        "schedule_at": at,
        "weekdays": words_of(weekdays and weekdays.upper()),
        "days_of_month": None if days is None else days_of_month(days),
        "nth": None if nth is None else nth_weekday(nth),
        "on_missing_day": on_missing_day,
        "interval": interval,
        "start_date": since,
        "end_date": until,
        "end_after": times,
        "exclude_dates": words_of(skip),
        "exclude_calendars": words_of(calendars),
        "offset": offset,
        "on_gap": on_gap,
        "on_overlap": on_overlap,
    }
    rule = {name: word for name, word in words.items() if word is not None}
    # Elapsed time has no zone; its instants are shown on some wall all the same.
    zone = timezone or read_settings().default_time_zone or ("UTC" if rule["pattern"] == "elapsed" else None)
    if zone is None:
        raise typer.BadParameter("say the zone, for example --timezone Europe/Berlin", param_hint="--timezone")
    found = ask(lambda pool: _previewed(pool, rule, zone, start, count))
    if as_json:
        show_json(found)
    else:
        _show(found, zone)


async def _previewed(pool: "Pool", rule: "Mapping[str, object]", zone: str, start: str | None, count: int) -> "Preview":
    from datetime import timedelta

    from gnomon.schedules import calls
    from gnomon.schedules.shapes import Preview

    after = None if start is None else await _instant(pool, start, zone)
    if after is not None and (rule["pattern"] != "elapsed" or "schedule_at" in rule):
        # The list is strictly later; what falls on the very instant shall be in it. Elapsed time counts from it instead.
        after -= timedelta(microseconds=1)
    return Preview(
        sentence=await calls.describe_rule(pool, rule, zone, after),
        occurrences=await calls.next_occurrences(pool, rule, zone, after, count),
    )


async def _instant(pool: "Pool", start: str, zone: str) -> "datetime":
    """The instant that --from names: the beginning of a day there, or itself. Raises DateInvalid."""
    from datetime import UTC, date, datetime, time

    from gnomon.errors import DateInvalid
    from gnomon.schedules import calls

    try:
        if _DATE.fullmatch(start):
            return await calls.resolve_local(pool, date.fromisoformat(start), time(), zone)
        instant = datetime.fromisoformat(start)
    except ValueError as fault:
        raise DateInvalid(f"--from is {start!r}: {fault}", hint="use YYYY-MM-DD or an instant with its zone") from fault
    if instant.tzinfo is None:
        raise DateInvalid(f"--from is {start!r}, which says no zone", hint="use YYYY-MM-DD or an instant with its zone")
    return instant.astimezone(UTC)


def _show(found: "Preview", zone: str) -> None:
    from datetime import datetime

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

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
    console.print(Text(found.sentence or "", style="bold"))
    console.print(table if found.occurrences else "It never fires.")
