"""`gnomon doctor`: what is not as it should be."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.doctor.exam import Exam


def doctor(*, as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False) -> None:
    """Say what is wrong with the installation, why it matters and what to do.

    Looks at the server and its settings, the schema, roles, clocks,
    processes, partitions, what is overdue, and whether the rules of time
    zones are the newest. Changes nothing. The exit code is 0 when all is
    well and 1 when something was found.

    Example:
      gnomon doctor --json
    """
    import asyncio

    import msgspec

    from gnomon.database.pool import open_pool
    from gnomon.doctor.exam import Ward
    from gnomon.doctor.run import examine
    from gnomon.embedded import database_for
    from gnomon.settings import read_settings

    settings = read_settings()

    async def examined(url: str) -> "list[Exam]":
        # A new session: an old one would tell of the zone data that it once loaded.
        async with open_pool(url, min_size=1, max_size=1, application_name="gnomon doctor") as pool:
            return await examine(Ward(pool, is_embedded=settings.database_url is None))

    with database_for(settings) as url:
        exams = asyncio.run(examined(url))
    is_healthy = not any(exam.findings for exam in exams)
    if as_json:
        told = {"healthy": is_healthy, "checks": exams}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        _show(exams)
    if not is_healthy:
        raise typer.Exit(1)


def _show(exams: "Sequence[Exam]") -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    width = max(len(exam.check) for exam in exams)
    for exam in exams:
        mark, style = ("!", "bold red") if exam.findings else ("+", "green")
        console.print(Text.assemble((mark, style), f" {exam.check:<{width}}  ", (exam.seen, "dim")), soft_wrap=True)
        for finding in exam.findings:
            for line, look in ((finding.what, "bold"), (finding.why, ""), (f"-> {finding.remedy}", "cyan")):
                console.print(Text(f"    {line}".replace("\n", "\n    "), look), soft_wrap=True)
    count = sum(len(exam.findings) for exam in exams)
    console.print("All is well." if not count else f"{count} found." if count > 1 else "One thing found.")
