"""`gnomon cancel`: cancel one schedule, or all of a label, a user or a template."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gnomon.operations.shapes import Operation


def cancel(
    schedule_id: Annotated[
        str | None, typer.Argument(help="The id that scheduling answered, sch_...", metavar="[ID]", show_default=False)
    ] = None,
    *,
    label: Annotated[
        str | None, typer.Option(help="Cancel all with this label.", metavar="NAME=VALUE", show_default=False)
    ] = None,
    user: Annotated[str | None, typer.Option(help="Cancel all of this user.", metavar="ID", show_default=False)] = None,
    template: Annotated[
        str | None, typer.Option(help="Cancel all of this template.", metavar="ID", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Cancel a schedule, or with --label, --user or --template all that was accepted so far; none of it is handed over then.

    Example:
        gnomon cancel sch_01M3X2Q9T5000V8ZK3W7R1QH4C
        gnomon cancel --label season=spring
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    if sum(given is not None for given in (schedule_id, label, user, template)) != 1:
        raise typer.BadParameter("name one schedule, or one of --label, --user, --template")
    if schedule_id is None:
        operation = _cancel_many(label, user, template)
        if as_json:
            show_json(operation)
        else:
            print(f"Cancelled: nothing accepted so far is handed over. Swept in the background as {operation.operation_id}.")
        return
    answer = ask(lambda pool: calls.cancel_schedule(pool, schedule_id))
    if as_json:
        show_json(answer)
    elif answer.was_fired:
        print(
            f"Too late: {answer.handed_over_count} deliveries were handed over, {answer.stopped_count} of them stopped."
            f" Status: {answer.status}."
        )
    else:
        print(f"{answer.status.capitalize()}. It had fired {answer.fired_count} times before.")


def _cancel_many(label: str | None, user: str | None, template: str | None) -> "Operation":
    from gnomon.commands.ask import ask
    from gnomon.operations import calls

    if user is not None:
        return ask(lambda pool: calls.cancel_by_user(pool, user))
    if template is not None:
        return ask(lambda pool: calls.cancel_by_template(pool, template))
    name, is_given, value = str(label).partition("=")
    if not is_given:
        raise typer.BadParameter("takes NAME=VALUE, such as season=spring", param_hint="--label")
    return ask(lambda pool: calls.cancel_by_label(pool, name, value))
