"""`gnomon import`: schedule what a file says."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

if TYPE_CHECKING:
    from gnomon.imports.run import Counts, Tell

_TELL_EVERY: Final = timedelta(seconds=5)


def import_file(  # options of one command
    file: Annotated[str, typer.Argument(help="CSV with a header, or NDJSON; .gz is read too. - is standard input.")],
    *,
    form: Annotated[Literal["csv", "ndjson"] | None, typer.Option("--format", help="If the name does not say.")] = None,
    rejected: Annotated[
        Path | None, typer.Option(help="Where rejected lines go, as JSON; else FILE.rejected.ndjson.", metavar="PATH")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check: nothing is scheduled.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Schedule what a file says, one request a line: millions of them.

    Interrupted, even by kill -9, and started again with the same file, it goes
    on where it was; no line is scheduled twice. Lines with key or dedup_key
    are known by it; any other gets a dedup_key of the file and its number.
    CSV columns are fields of a request, with dots for what is inside:
    recurrence.pattern, params.name. Rejected lines go to a file with their
    number, code and reason; the exit code is then 1.

    Examples:
      gnomon import reminders.csv
      gnomon import --dry-run reminders.ndjson.gz
      zcat old.csv.gz | gnomon import - --format csv --rejected bad.ndjson
    """
    import asyncio

    from gnomon.commands.ask import ready_database
    from gnomon.imports.rejected import write_rejected
    from gnomon.imports.run import check_all, end, import_all
    from gnomon.imports.source import source_of
    from gnomon.settings import read_settings

    target = rejected or Path("stdin.rejected.ndjson" if file == "-" else f"{file}.rejected.ndjson")
    with source_of(file, form) as source, ready_database(read_settings()) as url:
        began = time.monotonic()
        try:
            with _telling(source.line_count) as tell:
                counts, faults = asyncio.run((check_all if dry_run else import_all)(url, source, tell))
        except KeyboardInterrupt:
            if not dry_run:
                sys.stderr.write("Stopped. The same command goes on where this was.\n")
            raise
        took = time.monotonic() - began
        if faults:
            write_rejected(source, faults, target)
        if not dry_run:
            asyncio.run(end(url, source))
    _show(counts, took, target if faults else None, is_json=as_json, is_dry=dry_run)
    if faults:
        raise typer.Exit(1)


def _show(counts: "Counts", took: float, target: Path | None, *, is_json: bool, is_dry: bool) -> None:
    rate = round((counts.lines - counts.earlier) / took) if took else 0
    if is_json:
        import msgspec

        words = {"accepted": counts.accepted, "repeated": counts.repeated, "rejected": counts.rejected}
        rest = {"earlier": counts.earlier, "seconds": round(took, 3), "lines_a_second": rate, "dry_run": is_dry}
        told = words | rest | {"rejected_file": None if target is None else str(target)}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    words = {"accepted": counts.accepted, "there already": counts.repeated, "rejected": counts.rejected}
    if is_dry:
        words = {"fit": counts.accepted, "rejected": counts.rejected}
    line = ", ".join(f"{count:,} {word}" for word, count in words.items())
    earlier = f" {counts.earlier:,} of them by an earlier run." if counts.earlier else ""
    print(f"{line}; {rate:,} lines a second.{earlier}")
    if target is not None:
        print(f"Rejected lines and why: {target}")


@contextmanager
def _telling(line_count: int) -> "Iterator[Tell]":
    """A bar on the terminal, else a line now and then, both on standard error."""
    if not sys.stderr.isatty():
        yield _Lines(line_count)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.fields[words]}"),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("import", total=line_count, words="reading")
        began = time.monotonic()

        def tell(counts: "Counts") -> None:
            progress.update(task, completed=counts.lines, words=_words(counts, time.monotonic() - began))

        yield tell


class _Lines:
    """Tells on lines of their own, a few seconds apart."""

    def __init__(self, line_count: int) -> None:
        self._line_count = line_count
        self._began = self._told = time.monotonic()

    def __call__(self, counts: "Counts") -> None:
        now = time.monotonic()
        if now - self._told < _TELL_EVERY.total_seconds():
            return
        self._told = now
        pace = (counts.lines - counts.earlier) / (now - self._began)
        left = f", {(self._line_count - counts.lines) / pace:,.0f} s left" if pace else ""
        sys.stderr.write(f"{_words(counts, now - self._began)}{left}\n")


def _words(counts: "Counts", took: float) -> str:
    rate = (counts.lines - counts.earlier) / took if took else 0
    rejected = f", {counts.rejected:,} rejected" if counts.rejected else ""
    return f"{counts.lines:,} lines, {rate:,.0f} a second{rejected}"
