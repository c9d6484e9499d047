"""`gnomon cancel`: cancel one schedule, or all of a label, a user or a template."""

from typing import Annotated

import typer

from gnomon.commands.many import Id, Label, Template, User, begin, target_of


def cancel(
    schedule_id: Id = None,
    *,
    label: Label = None,
    user: User = None,
    template: Template = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Cancel a schedule, or with --label, --user or --template all that was accepted so far; none of it is handed over then.

    Example:
        gnomon cancel sch_01M3X2Q9T5000V8ZK3W7R1QH4C
        gnomon cancel --label season=spring
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    target = target_of(schedule_id, label, user, template)
    if target is not None:
        begin("cancel", target, "Cancelled: nothing accepted so far is handed over.", as_json=as_json)
        return
    answer = ask(lambda pool: calls.cancel_schedule(pool, str(schedule_id)))
    if as_json:
        show_json(answer)
    elif answer.was_fired:
        print(
            f"Too late: {answer.handed_over_count} deliveries were handed over, {answer.stopped_count} of them stopped."
            f" Status: {answer.status}."
        )
    else:
        print(f"{answer.status.capitalize()}. It had fired {answer.fired_count} times before.")
