"""`gnomon cancel`: cancel one schedule."""

from typing import Annotated

import typer


def cancel(
    schedule_id: Annotated[str, typer.Argument(help="The id that scheduling answered, sch_...", metavar="ID")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Cancel a schedule; once cancelled, nothing of it is ever handed over.

    Example:
        gnomon cancel sch_01M3X2Q9T5000V8ZK3W7R1QH4C
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

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
