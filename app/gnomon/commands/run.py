"""`gnomon run`: fire an extra notification of a schedule now."""

from typing import Annotated

import typer


def run(
    schedule_id: Annotated[str, typer.Argument(help="The id that scheduling answered, sch_...", metavar="ID")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Fire an extra notification now; the schedule goes on as if nothing had been.

    Example:
        gnomon run sch_01M3X2Q9T5000V8ZK3W7R1QH4C
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    answer = ask(lambda pool: calls.run_schedule(pool, schedule_id))
    if as_json:
        show_json(answer)
    else:
        print(f"{answer.notification_id} is ready, deliveries: {answer.delivery_count}.")
