"""`gnomon schedule`: schedule one notification."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gnomon.schedules.shapes import Scheduled


def schedule(  # noqa: PLR0913  # each option is a field of the request
    user_id: Annotated[str | None, typer.Argument(help="Whom to notify.", metavar="USER")] = None,
    template_id: Annotated[str | None, typer.Argument(help="Of what.", metavar="TEMPLATE")] = None,
    at: Annotated[
        str | None, typer.Argument(help="When: an instant, `PT2H`, `in 2 hours`, or a local time 18:00.", metavar="WHEN")
    ] = None,
    *,
    date: Annotated[str | None, typer.Option(help="Day of a local time, YYYY-MM-DD.")] = None,
    timezone: Annotated[str | None, typer.Option(help="IANA zone; else the user's.")] = None,
    offset: Annotated[str | None, typer.Option(help="Added to the instant: PT5M, -PT1H.")] = None,
    repeat: Annotated[
        str | None,
        typer.Option(
            help="daily, weekly, monthly, yearly; a cron text in quotes, a duration or RRULE text.", metavar="PATTERN"
        ),
    ] = None,
    weekdays: Annotated[str | None, typer.Option(help="For weekly: MON,THU.")] = None,
    days: Annotated[str | None, typer.Option(help="For monthly, yearly: 1,15,-1 (-1 is the last).")] = None,
    nth: Annotated[str | None, typer.Option(help="For monthly, yearly: TUE:2, FRI:last.")] = None,
    on_missing_day: Annotated[str | None, typer.Option(help="last or skip, in months without that day.")] = None,
    interval: Annotated[int | None, typer.Option(help="Every so many days, weeks, months or years.")] = None,
    skip: Annotated[str | None, typer.Option(help="Days to leave out: 2027-12-24,2027-12-25.")] = None,
    calendars: Annotated[str | None, typer.Option(help="Calendars whose days to leave out.")] = None,
    until: Annotated[str | None, typer.Option(help="Last day of a recurrence, YYYY-MM-DD.")] = None,
    times: Annotated[int | None, typer.Option(help="End after so many have fired.")] = None,
    channels: Annotated[str | None, typer.Option(help="push,email")] = None,
    params: Annotated[str | None, typer.Option(help="JSON object for the template.")] = None,
    category: Annotated[str | None, typer.Option(help="What kind it is: see gnomon categories.")] = None,
    lane: Annotated[str | None, typer.Option(help="critical, transactional or bulk.")] = None,
    key: Annotated[str | None, typer.Option(help="The user's one schedule of this name: replaces it.")] = None,
    dedup_key: Annotated[str | None, typer.Option(help="This event once: a repeat changes nothing.")] = None,
    if_past: Annotated[str | None, typer.Option(help="next, now, skip or reject.")] = None,
    window: Annotated[str | None, typer.Option(help="Spread over this duration: PT10M.")] = None,
    misfire: Annotated[str | None, typer.Option(help="fire_once, skip or catch_up, when nobody fired in time.")] = None,
    misfire_limit: Annotated[int | None, typer.Option(help="catch_up: at most so many.")] = None,
    max_lateness: Annotated[str | None, typer.Option(help="What is later does not fire: PT10M.")] = None,
    json_request: Annotated[
        str | None, typer.Option(help="The whole request as JSON from a file, or - for standard input.", metavar="FILE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Schedule one notification.

    Examples:
        gnomon schedule u_1 pill 18:00 --timezone Europe/Berlin --repeat daily --key pill-17

        gnomon schedule u_1 stand-up --repeat "0 9 * * MON-FRI" --timezone Europe/Berlin

        gnomon schedule --json-request request.json
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.commands.rule import days_of_month, nth_weekday, pattern_of, words_of
    from gnomon.schedules import calls

    rule = (pattern_of(repeat) if repeat else {}) | {
        "interval": interval,
        "weekdays": words_of(weekdays and weekdays.upper()),
        "days_of_month": None if days is None else days_of_month(days),
        "nth": None if nth is None else nth_weekday(nth),
        "on_missing_day": on_missing_day,
        "exclude_dates": words_of(skip),
        "exclude_calendars": words_of(calendars),
        "end_date": until,
        "end_after": times,
    }
    words = {
        "user_id": user_id,
        "template_id": template_id,
        "schedule_at": at,
        "schedule_date": date,
        "timezone": timezone,
        "offset": offset,
        "recurrence": _given(rule) or None,
        "channels": channels.split(",") if channels else None,
        "params": None if params is None else _object(params, "--params"),
        "category": category,
        "lane": lane,
        "key": key,
        "dedup_key": dedup_key,
        "if_past": if_past,
        "window": window,
        "misfire": misfire,
        "misfire_limit": misfire_limit,
        "max_lateness": max_lateness,
    }
    request = _request(_given(words), json_request)
    answer = ask(lambda pool: calls.schedule(pool, request))
    if as_json:
        show_json(answer)
    else:
        _show(answer)


def _given(words: dict[str, Any]) -> dict[str, Any]:
    return {name: word for name, word in words.items() if word is not None}


def _request(words: dict[str, Any], source: str | None) -> str:
    """The request as JSON text: from the source, or of the words."""
    import json
    import sys

    from gnomon.web.strict_json import strict_object, utf8_text

    if source is None:
        if not {"user_id", "template_id"} <= words.keys() or not {"schedule_at", "recurrence"} & words.keys():
            raise typer.BadParameter("say USER, TEMPLATE and WHEN or --repeat, or --json-request")
        text = json.dumps(words)
        strict_object(text)
        return text
    if words:
        raise typer.BadParameter("the request comes from the file or from the options, not from both")
    body = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    text = utf8_text(body)
    strict_object(text)
    return text


def _object(text: str, option: str) -> dict[str, Any]:
    from gnomon.errors import RequestInvalid
    from gnomon.web.strict_json import strict_object

    try:
        return strict_object(text)
    except RequestInvalid as fault:
        raise typer.BadParameter(fault.message, param_hint=option) from fault


def _show(answer: "Scheduled") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    fires = "" if answer.fire_at_utc is None else answer.fire_at_utc.strftime("%Y-%m-%d %H:%M:%S UTC")
    table.add_row("schedule", Text(answer.schedule_id, style="bold"))
    table.add_row("status", f"{answer.status} (as before)" if answer.is_duplicate else answer.status)
    table.add_row("fires at", fires)
    if answer.time_zone:
        table.add_row("zone", Text(f"{answer.time_zone}, from the {answer.time_zone_source}"))
    if answer.resolution not in {None, "exact"}:
        table.add_row("clock change", str(answer.resolution))
    if answer.if_past:
        table.add_row("had passed", f"so: {answer.if_past}")
    for warning in answer.warnings:
        table.add_row("warning", Text(warning), style="yellow")
    Console(soft_wrap=True, highlight=False).print(table)
