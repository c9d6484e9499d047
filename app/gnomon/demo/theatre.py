"""A run of the demo with somebody watching, from the command's options to its exit code."""

import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from gnomon.demo.report import Report
from gnomon.demo.run import Options, Run
from gnomon.demo.screen import Lines, Picture, Show, Silent, account
from gnomon.demo.stage import SINK


def perform(options: Options, *, as_json: bool, sink: Sequence[str] = SINK) -> bool:
    """Run and print; whether every promise was kept. `sink` is what the interpreter runs as the receiver.

    Raises KeyboardInterrupt when it is interrupted, by SIGTERM too, and what Run.play raises.
    """
    import uvloop

    console = Console(highlight=False)
    show: Show = Silent() if as_json else Picture(console) if console.is_terminal else Lines(console)
    run = Run(options, show.say)
    report = uvloop.run(_watched(run, show, sink))
    if as_json:
        sys.stdout.write(json.dumps(answer(report, run)) + "\n")
    else:
        console.print(account(report, run))
    return report.is_kept


def answer(report: Report, run: Run) -> dict[str, Any]:
    """The account as the JSON object of the contract."""
    told = asdict(report)
    findings = told.pop("findings")
    first = run.first_delivery
    return told | {
        "faults": [{"at_s": round(fault.at.total_seconds(), 3), "what": fault.what} for fault in run.faults],
        "first_delivery_s": None if first is None else round(first.total_seconds(), 3),
        "findings": list(findings),
    }


async def _watched(run: Run, show: Show, sink: Sequence[str]) -> Report:
    playing = asyncio.ensure_future(run.play(sink))
    # SIGINT cancels by itself; what ends politely by one ends politely by the other.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
    watching = asyncio.ensure_future(show.watch(run))
    try:
        return await playing
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
