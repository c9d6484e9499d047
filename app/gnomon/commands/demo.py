"""`gnomon demo`: see it work, and see it work while things break."""

from typing import Annotated

import typer


def demo(
    *,
    seconds: Annotated[float, typer.Option(help="How long requests are made.", min=3, max=3600)] = 20,
    rate: Annotated[float, typer.Option(help="Requests a second.", min=1, max=5000)] = 200,
    calm: Annotated[bool, typer.Option("--calm", help="Kill and restart nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the account, as one JSON object.")] = False,
) -> None:
    """Run everything on a fresh database under load, kill parts of it, and account for every notification.

    Uses a temporary folder and leaves nothing behind. The account compares what callers were answered with what a
    receiver in a process of its own wrote down. Exit code 1 when anything was lost or came twice.

    Example: gnomon demo --seconds 15 --rate 100
    """
    from datetime import timedelta

    from gnomon.demo.run import Options
    from gnomon.demo.theatre import perform

    options = Options(length=timedelta(seconds=seconds), rate=rate, is_calm=calm)
    if not perform(options, as_json=as_json):
        raise typer.Exit(1)
