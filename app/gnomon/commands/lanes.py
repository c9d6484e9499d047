"""`gnomon lanes`: the queue of each lane and channel."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from gnomon.deliveries.shapes import LaneNumbers

_EVERY: Final = 1.0
"""Seconds between two looks."""

_NOTHING: Final = "No lane has had a delivery yet."


def lanes(
    *,
    once: Annotated[bool, typer.Option("--once", help="Print the table once and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers once, as JSON.")] = False,
) -> None:
    """Show how each lane and channel stands, every second, until Ctrl-C.

    What waits for a worker, how long the first of it has waited, the
    earliest due instant, what workers hold, what ended a second in the
    last minute, and how long the rest takes at that rate. From 1,000 on
    what waits is told from a sample. Without a terminal once.

    Example:
        gnomon lanes
        gnomon lanes --json
    """
    from rich.console import Console

    from gnomon.commands.ask import ask, show_json
    from gnomon.deliveries.calls import lane_numbers
    from gnomon.deliveries.shapes import Lanes

    console = Console(soft_wrap=True, highlight=False)
    if as_json:
        show_json(Lanes(lanes=list(ask(lane_numbers))))
    elif once or not console.is_terminal:
        console.print(_drawn(ask(lane_numbers)))
    else:
        _watch(console)


def _watch(console: "Console") -> None:
    """Draw it again and again."""
    import asyncio

    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from gnomon.commands.ask import ask
    from gnomon.database.pool import Pool
    from gnomon.deliveries.calls import lane_numbers
    from gnomon.errors import DatabaseUnavailable

    async def watch(pool: Pool) -> None:
        loop = asyncio.get_running_loop()
        shown = _drawn(await lane_numbers(pool))
        with Live(shown, console=console, auto_refresh=False, transient=False) as live:
            while True:
                began = loop.time()
                try:
                    shown = _drawn(await lane_numbers(pool))
                    live.update(shown, refresh=True)
                except DatabaseUnavailable:
                    live.update(Group(shown, Text("the database does not answer", "bold red")), refresh=True)
                await asyncio.sleep(max(0.0, began + _EVERY - loop.time()))

    ask(watch)


def _drawn(found: "Sequence[LaneNumbers]") -> "RenderableType":
    from gnomon.deliveries.table import lane_table

    return lane_table(found) if found else _NOTHING
