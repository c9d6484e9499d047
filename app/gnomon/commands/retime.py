"""`gnomon retime`: what is pending follows new rules of time zones."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gnomon.retiming.plan import Plan
    from gnomon.retiming.run import Applied


def retime(
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Move what the plan shows. Without it nothing is changed.")] = False,
    zone: Annotated[
        list[str] | None, typer.Option(help="Look at this zone, changed or not; repeat for several.", metavar="ZONE")
    ] = None,
    every_zone: Annotated[
        bool, typer.Option("--all", help="Look at every zone: also sees changes more than two years ahead.")
    ] = False,
    limit: Annotated[int, typer.Option("-n", help="So many rows of the plan are shown.", min=1, max=10_000)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Show what new zone data does to pending schedules, and move them.

    To be run after an upgrade of zone data; gnomon doctor tells when.
    Schedules keep their local time: nine o'clock stays nine o'clock. What is
    due already fires as it is. Pollers, workers and the API first make their
    database sessions anew. Safe to interrupt and to repeat.

    Examples:
      gnomon retime
      gnomon retime --apply
    """
    import asyncio

    from gnomon.commands.ask import ready_database
    from gnomon.retiming.run import apply_plan, read_plan
    from gnomon.settings import read_settings

    if zone and every_zone:
        message = "--zone and --all contradict each other"
        raise typer.BadParameter(message)
    with ready_database(read_settings()) as url:
        plan = asyncio.run(read_plan(url, zones=zone, is_for_all=every_zone, limit=limit))
        if not as_json:
            _show_plan(plan, is_applied=apply)
        applied = None
        if apply and plan.time_zones:
            applied = asyncio.run(_applied(url, plan)) if sys.stderr.isatty() else asyncio.run(apply_plan(url, plan))
    if as_json:
        _show_json(plan, applied)
    elif applied is not None:
        _show_applied(applied)


async def _applied(url: str, plan: "Plan") -> "Applied":
    """Apply with a bar on the terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from gnomon.retiming.run import apply_plan

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[moved]} moved"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("sessions are made anew", total=1.0, moved=0)

        def tell(walked: float, moved_count: int) -> None:
            progress.update(task, description="schedules", completed=walked, moved=moved_count)

        return await apply_plan(url, plan, tell)


def _show_plan(plan: "Plan", *, is_applied: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not plan.time_zones:
        console.print("The rules of no zone changed: nothing to do.")
        return
    console.print(f"Zones: {', '.join(plan.time_zones[:12])}{' ...' if len(plan.time_zones) > 12 else ''}")  # noqa: PLR2004
    if not plan.moves:
        console.print("No pending schedule has another instant.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("schedule", "zone", "local time", "from", "to"):
        table.add_column(name, no_wrap=True)
    for move in plan.moves:
        times = (
            f"{move.local_time:%Y-%m-%d %H:%M:%S}",
            f"{move.from_utc:%Y-%m-%d %H:%M:%S} UTC",
            f"{move.to_utc:%H:%M:%S} UTC",
        )
        day = f"{move.to_utc:%Y-%m-%d} " if move.to_utc.date() != move.from_utc.date() else ""
        table.add_row(move.schedule_id, move.time_zone, *times[:2], day + times[2])
    console.print(table, soft_wrap=True)
    if plan.has_more:
        console.print(f"The first {len(plan.moves)}; -n shows more.")
    if not is_applied:
        console.print("Nothing was changed. gnomon retime --apply moves them.")


def _show_applied(applied: "Applied") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"{applied.moved_count:,} schedules moved.")
    if applied.old_sessions:
        console.print(
            f"Sessions of others are older than this: {', '.join(applied.old_sessions)}. They compute by the zone data that"
            " they once loaded. End them, then run gnomon retime --all --apply, for what they scheduled meanwhile.",
            soft_wrap=True,
        )


def _show_json(plan: "Plan", applied: "Applied | None") -> None:
    import msgspec

    sys.stdout.write(msgspec.json.encode({"plan": plan, "applied": applied}).decode() + "\n")
