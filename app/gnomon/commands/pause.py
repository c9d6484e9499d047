"""`gnomon pause`: let nothing of a schedule fire until it is resumed."""

from typing import Annotated

import typer


def pause(
    schedule_id: Annotated[str, typer.Argument(help="The id that scheduling answered, sch_...", metavar="ID")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Pause a schedule: nothing of it fires until it is resumed.

    Example:
        gnomon pause sch_01M3X2Q9T5000V8ZK3W7R1QH4C
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    answer = ask(lambda pool: calls.pause_schedule(pool, schedule_id))
    if as_json:
        show_json(answer)
    else:
        print(f"Paused. Its pending occurrence is that of {answer.fire_at_utc:%Y-%m-%d %H:%M:%S} UTC.")
