"""The demo for people: a live table while it runs, what happens above it, and the account in the end."""

import asyncio
from typing import Final, Protocol

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from gnomon.children.panel import milliseconds, process_table
from gnomon.demo.report import Report
from gnomon.demo.run import Run

_FRAMES: Final = 4
"""Pictures a second."""
_LINE_EVERY: Final = 5.0
"""Seconds between two lines where there is no terminal."""
_SHOWN: Final = 10
"""Findings that are shown."""


class Show(Protocol):
    """Somebody who tells people of a run."""

    def say(self, text: str) -> None:
        """Something happened."""

    async def watch(self, run: Run) -> None:
        """Show the run until cancelled."""


class Silent:
    """For `--json`: only the account is wanted."""

    def say(self, text: str) -> None:
        """Say nothing."""

    async def watch(self, run: Run) -> None:
        """Show nothing."""


class Lines:
    """Where there is no terminal: a line now and then."""

    def __init__(self, console: Console) -> None:
        """Print here."""
        self._console = console

    def say(self, text: str) -> None:
        """Print it."""
        self._console.print(Text(_first_line(text)), soft_wrap=True)

    async def watch(self, run: Run) -> None:
        """Print how far it is."""
        while True:
            await asyncio.sleep(_LINE_EVERY)
            lanes = run.tally.lanes.values()
            counts = {name: sum(getattr(lane, name) for lane in lanes) for name in ("accepted", "due", "delivered")}
            told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
            self._console.print(f"{run.phase}: {told}", soft_wrap=True, highlight=False)


class Picture:
    """On a terminal."""

    def __init__(self, console: Console) -> None:
        """Draw here."""
        self._console = console

    def say(self, text: str) -> None:
        """Print it above the table, where it stays."""
        self._console.print(Text.assemble(("  · ", "dim"), _styled(_first_line(text))), soft_wrap=True)

    async def watch(self, run: Run) -> None:
        """Draw the table again and again."""
        with Live(picture(run), console=self._console, refresh_per_second=_FRAMES, transient=True) as live:
            while True:
                await asyncio.sleep(1 / _FRAMES)
                live.update(picture(run))


def picture(run: Run) -> RenderableType:
    """The run as it stands."""
    sides = Columns([_lanes(run), process_table(run.children, ("postgresql", run.server_pid))], padding=(0, 4))
    return Group("", _title(run), "", sides)


def account(report: Report, run: Run) -> RenderableType:
    """The account in the end."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="bold")
    table.add_column()
    for name, about in _ABOUT.items():
        count = getattr(report, name)
        style = "red" if count and name in _BAD else "yellow" if count and name == "resent" else ""
        table.add_row(Text(f"{count:,}", style or "bold"), Text(f"{name:<15}{about}", style))
    late = report.lateness_ms
    lateness = Text.assemble(*(part for name in ("p50", "p95", "p99", "max") for part in _named(name, getattr(late, name))))
    findings = [Text(f"  {finding}", "red") for finding in report.findings[:_SHOWN]]
    first = run.first_delivery.total_seconds() if run.first_delivery else 0
    verdict = ("Every promise was kept.", "bold green") if report.is_kept else ("A promise was broken.", "bold red")
    return Group(
        "",
        Text.assemble(verdict, f" First delivery {first:.1f} s after the start, {len(run.faults)} faults on purpose."),
        "",
        table,
        Text.assemble("  lateness  ", lateness),
        *findings,
    )


_BAD: Final = frozenset({"lost", "twice", "contradictions"})

_ABOUT: Final = {
    "accepted": "schedules, each answered by its id",
    "delivered": "arrived at the receiver, which wrote them down itself",
    "cancelled": "stopped by a cancel",
    "pending": "due later",
    "lost": "were due and did not arrive",
    "twice": "arrived under two delivery ids",
    "resent": "arrived again under the same delivery id, as at-least-once delivery may after a kill",
    "contradictions": "arrived against an answer",
}


def _title(run: Run) -> RenderableType:
    if run.times is None:
        return Text.assemble(("gnomon demo", "bold"), f"  {run.phase}")
    length = run.options.length.total_seconds()
    past = min((run.clock.now_utc() - run.times.begin_utc).total_seconds(), length)
    line = Table.grid(padding=(0, 2))
    line.add_row(
        Text("gnomon demo", "bold"),
        ProgressBar(total=length, completed=past, width=30),
        Text(f"{run.phase}, {past:.0f} of {length:.0f} s", overflow="ellipsis", no_wrap=True),
    )
    return line


def _lanes(run: Run) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("lane", style="bold", no_wrap=True)
    for name in ("accepted", "to come", "due", "delivered", "behind", "p50", "p99"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, lane in run.tally.lanes.items():
        behind = max(lane.due - lane.delivered, 0)
        late = lane.lateness
        table.add_row(
            name,
            *(f"{count:,}" for count in (lane.accepted, lane.pending, lane.due, lane.delivered)),
            Text(f"{behind:,}", "yellow" if behind else "dim"),
            milliseconds(late.p50),
            milliseconds(late.p99),
        )
    return table


def _named(name: str, value: float | None) -> tuple[tuple[str, str], Text, str]:
    return (f"{name} ", "dim"), milliseconds(value), "  "


def _styled(text: str) -> Text:
    is_fault = "SIGKILL" in text or "immediate" in text
    return Text(text, "bold red" if is_fault else "")


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
