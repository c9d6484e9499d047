"""`gnomon resume`: let a paused schedule go on."""

from typing import Annotated

import typer


def resume(
    schedule_id: Annotated[str, typer.Argument(help="The id that scheduling answered, sch_...", metavar="ID")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Resume a paused schedule; what became overdue meanwhile is a misfire, as after an outage.

    Example:
        gnomon resume sch_01M3X2Q9T5000V8ZK3W7R1QH4C
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    answer = ask(lambda pool: calls.resume_schedule(pool, schedule_id))
    if as_json:
        show_json(answer)
    else:
        print(f"Goes on with the occurrence of {answer.fire_at_utc:%Y-%m-%d %H:%M:%S} UTC.")
