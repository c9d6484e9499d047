"""`gnomon explain`: why a schedule fires when it does."""

from typing import Annotated

import typer


def explain(
    schedule_id: Annotated[str, typer.Argument(help="The id that scheduling answered, sch_...", metavar="ID")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Explain a schedule: its rule, its zone, the next occurrence, what was left out, what was done to it.

    Example:
        gnomon explain sch_01M3X2Q9T5000V8ZK3W7R1QH4C
    """
    import msgspec

    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules import calls

    told = ask(lambda pool: calls.explain_schedule(pool, schedule_id))
    if as_json:
        show_json(told)
        return
    print(f"{told.schedule_id}: {told.status}")
    for sentence in told.summary:
        print(f"  {sentence}")
    for heading, raw in (
        ("Left out:", msgspec.json.decode(told.misfire)["past"]),
        ("History:", msgspec.json.decode(told.history)),
        ("Deliveries:", msgspec.json.decode(told.deliveries)),
    ):
        if raw:
            print(heading)
        for entry in raw:
            print(f"  {entry.get('at') or entry['decided_at']}  {entry.get('what') or entry['why']}")
