"""`gnomon bench`: measure on this machine, side by side with others."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gnomon.bench.benchmark import Measured


def bench(
    name: Annotated[str, typer.Argument(help="Which benchmark; a wrong one lists them.", metavar="NAME")],
    *,
    out: Annotated[Path | None, typer.Option(help="Write NAME.json and NAME.svg into this folder.", metavar="DIR")] = None,
    small: Annotated[bool, typer.Option("--small", help="A hundredth of the work, to see that it runs; no bars.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The largest size, where there is one: takes hours.")] = False,
    peers: Annotated[bool, typer.Option(help="Install and measure peers too.")] = True,
    minutes: Annotated[float, typer.Option(help="How long what goes on for a time does.", min=0.1, max=1440)] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the account as one JSON object.")] = False,
) -> None:
    """Run one benchmark: ours and its peers in alternating rounds, the median of each against its bar.

    Works on GNOMON_DATABASE_URL, else on an embedded server in a temporary folder. Peers are installed from the ordinary
    registry into the user's cache. Exit code 1 when a bar is missed.

    Example: gnomon bench clock --out /tmp/bench
    """
    import asyncio
    import sys

    import msgspec

    from gnomon.bench import catalogue, report, stage
    from gnomon.bench.benchmark import Run
    from gnomon.bench.machine import machine, versions
    from gnomon.commands.ask import ready_database
    from gnomon.database.pool import open_pool
    from gnomon.settings import read_settings

    benchmark = catalogue.find(name)
    before = machine()

    async def measured(url: str) -> "tuple[Measured, dict[str, str]]":
        async with open_pool(url, min_size=1, max_size=4, application_name="gnomon bench") as pool:
            run = Run(pool=pool, url=url, is_small=small, has_peers=peers, say=_say, minutes=minutes, is_full=full)
            return await benchmark.measure(run), await versions(pool)

    settings = read_settings()
    with ready_database(settings) if settings.database_url else stage.fresh_database() as url:
        found, own = asyncio.run(measured(url))
    told: dict[str, Any] = report.account(name, found, before, own)
    if out is not None:
        report.write(told, out)
    if as_json:
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        report.show(told)
    if not told["passed"]:
        raise typer.Exit(1)


def _say(what: str) -> None:
    import sys

    print(what, file=sys.stderr)
