"""`gnomon reschedule`: change what a schedule says, or all of a label, a user or a template."""

from typing import Annotated, Any

import typer

from gnomon.commands.many import Id, Label, Template, User, begin_reschedule, target_of


def reschedule(  # noqa: PLR0913  # each option is a field of the change
    schedule_id: Id = None,
    *,
    at: Annotated[str | None, typer.Option(help="When: an instant, PT2H, `in 2 hours`, or a local time 18:00.")] = None,
    date: Annotated[str | None, typer.Option(help="Day of a local time, YYYY-MM-DD.")] = None,
    timezone: Annotated[str | None, typer.Option(help="IANA zone.")] = None,
    change: Annotated[
        str | None, typer.Option(help="Any fields of the request as a JSON object; null removes one (RFC 7396).")
    ] = None,
    label: Label = None,
    user: User = None,
    template: Template = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Change a schedule, or with --label, --user or --template all accepted so far: nothing fires by the old plan.

    Example:
        gnomon reschedule sch_01M3X2Q9T5000V8ZK3W7R1QH4C --at 19:30
        gnomon reschedule --label season=spring --at 19:30 --timezone Europe/Berlin
        gnomon reschedule --template pill --change '{"window": "PT5M", "offset": null}'
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    target = target_of(schedule_id, label, user, template)
    words = {"schedule_at": at, "schedule_date": date, "timezone": timezone}
    text = _text({name: word for name, word in words.items() if word is not None}, change)
    if target is not None:
        begin_reschedule(target, text, "Rescheduled: nothing accepted so far fires by its old plan.", as_json=as_json)
        return
    answer = ask(lambda pool: calls.reschedule(pool, str(schedule_id), text, None))
    if as_json:
        show_json(answer)
    else:
        print(f"Changed. Its pending occurrence is that of {answer.fire_at_utc:%Y-%m-%d %H:%M:%S} UTC.")


def _text(words: dict[str, Any], change: str | None) -> str:
    """The change as JSON text: of the options, or as it was given. Raises BadParameter unless it is one of both."""
    import json

    from gnomon.errors import RequestInvalid
    from gnomon.web.strict_json import strict_object

    if bool(words) == (change is not None):
        raise typer.BadParameter("say what changes: with --at, --date and --timezone, or with --change")
    text = json.dumps(words) if change is None else change
    try:
        strict_object(text)
    except RequestInvalid as fault:
        raise typer.BadParameter(fault.message, param_hint="--change") from fault
    return text
