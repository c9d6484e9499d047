"""`gnomon pause`: let nothing of a schedule fire until it is resumed, or of all of a label, a user or a template."""

from typing import Annotated

import typer

from gnomon.commands.many import Id, Label, Template, User, begin, target_of


def pause(
    schedule_id: Id = None,
    *,
    label: Label = None,
    user: User = None,
    template: Template = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Pause a schedule, or with --label, --user or --template all accepted so far: nothing fires until it is resumed.

    Example:
        gnomon pause sch_01M3X2Q9T5000V8ZK3W7R1QH4C
        gnomon pause --label season=spring
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    target = target_of(schedule_id, label, user, template)
    if target is not None:
        begin("pause", target, "Paused: of what was accepted so far nothing fires.", as_json=as_json)
        return
    answer = ask(lambda pool: calls.pause_schedule(pool, str(schedule_id)))
    if as_json:
        show_json(answer)
    else:
        print(f"Paused. Its pending occurrence is that of {answer.fire_at_utc:%Y-%m-%d %H:%M:%S} UTC.")
