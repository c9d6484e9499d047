"""`gnomon pending`: what a user has pending."""

from typing import Annotated

import typer


def pending(
    user_id: Annotated[str, typer.Argument(help="Whose schedules.", metavar="USER")],
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many.")] = 20,
    after: Annotated[str | None, typer.Option(help="`next` of the page before.", metavar="CURSOR")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """List what a user has pending, soonest first.

    Example:
        gnomon pending u_1
    """
    from gnomon.commands.ask import ask, show_json
    from gnomon.schedules.pages import pending_page

    page = ask(lambda pool: pending_page(pool, user_id, limit, after))
    if as_json:
        show_json(page)
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("schedule", "template", "fires at", "repeats", "key", "zone", "lane", "category"):
        table.add_column(heading, overflow="fold")
    for found in page.schedules:
        fires = found.fire_at_utc.strftime("%Y-%m-%d %H:%M:%S UTC")
        repeats, key, zone = found.recurrence or "", found.key or "", found.time_zone or ""
        kind = (found.lane, found.category or "")
        table.add_row(*map(Text, (found.schedule_id, found.template_id, fires, repeats, key, zone, *kind)))
    console = Console(soft_wrap=True, highlight=False)
    console.print(table)
    console.print(f"{len(page.schedules)} of {page.total_pending} pending", style="dim")
    if page.next:
        console.print(Text(f"more: gnomon pending {user_id} --after {page.next}", style="dim"))
