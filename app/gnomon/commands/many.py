"""What `gnomon cancel`, `pause`, `resume` and `reschedule` share: one schedule, or all of a label, a user or a template."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gnomon.operations.shapes import Kind, Operation
    from gnomon.operations.targets import Target

Id = Annotated[
    str | None, typer.Argument(help="The id that scheduling answered, sch_...", metavar="[ID]", show_default=False)
]
Label = Annotated[str | None, typer.Option(help="All with this label.", metavar="NAME=VALUE", show_default=False)]
User = Annotated[str | None, typer.Option(help="All of this user.", metavar="ID", show_default=False)]
Template = Annotated[str | None, typer.Option(help="All of this template.", metavar="ID", show_default=False)]


def target_of(schedule_id: str | None, label: str | None, user: str | None, template: str | None) -> "Target | None":
    """The target that the options name, or None where a schedule is named. Raises BadParameter for none or several."""
    from gnomon.operations.targets import Target

    if sum(given is not None for given in (schedule_id, label, user, template)) != 1:
        raise typer.BadParameter("name one schedule, or one of --label, --user, --template")
    if user is not None:
        return Target("user", (user,))
    if template is not None:
        return Target("template", (template,))
    if label is None:
        return None
    name, is_given, value = label.partition("=")
    if not is_given:
        raise typer.BadParameter("takes NAME=VALUE, such as season=spring", param_hint="--label")
    return Target("label", (name, value))


def begin(kind: "Kind", target: "Target", told: str, *, as_json: bool) -> None:
    """Begin a mass operation and show what was `told`, or its JSON."""
    from gnomon.commands.ask import ask
    from gnomon.operations import calls

    _show(ask(lambda pool: calls.begin(pool, kind, target)), told, as_json=as_json)


def begin_reschedule(target: "Target", change: str, told: str, *, as_json: bool) -> None:
    """Begin a mass reschedule by this JSON object and show what was `told`, or its JSON."""
    from gnomon.commands.ask import ask
    from gnomon.operations import calls

    _show(ask(lambda pool: calls.begin_reschedule(pool, target, change)), told, as_json=as_json)


def _show(operation: "Operation", told: str, *, as_json: bool) -> None:
    from gnomon.commands.ask import show_json

    if as_json:
        show_json(operation)
    else:
        print(f"{told} Swept in the background as {operation.operation_id}.")
