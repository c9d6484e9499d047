"""The live table of `gnomon lanes`: the queue of each lane and channel."""

from collections.abc import Iterable
from typing import Final

from rich.table import Table
from rich.text import Text

from gnomon.deliveries.shapes import LaneNumbers

_HEADINGS: Final = ("waiting", "lag", "oldest due (UTC)", "in flight", "ends a second", "drained in")

# Seconds. The product promises a second; so long an operator may still sleep.
_PROMISED: Final = 1.0
_ALARMING: Final = 10.0

_MINUTE: Final = 60
_HOUR: Final = 3600


def lane_table(lanes: Iterable[LaneNumbers]) -> Table:
    """A row for each lane and channel."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("lane", style="bold", no_wrap=True)
    table.add_column("channel", no_wrap=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in lanes:
        due = row.oldest_due_at_utc
        table.add_row(
            row.lane,
            Text(row.channel),
            f"{'about ' if row.is_estimate else ''}{row.waiting_count:,}",
            _lag(row),
            f"{due:%Y-%m-%d %H:%M:%S}" if due else "",
            f"{row.in_flight_count:,}{'+' if row.has_more_in_flight else ''}",
            f"{row.ended_a_second:,.1f}",
            _drain(row),
        )
    return table


def span(seconds: float) -> str:
    """A length of time as a person says it."""
    if seconds < _MINUTE:
        return f"{seconds:,.1f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    return f"{seconds // _HOUR:,.0f} h {seconds % _HOUR // _MINUTE:.0f} min"


def _lag(row: LaneNumbers) -> Text:
    if not row.waiting_count:
        return Text("-", "dim")
    late = row.lag_seconds
    return Text(span(late), "green" if late < _PROMISED else "yellow" if late < _ALARMING else "red")


def _drain(row: LaneNumbers) -> Text:
    if not row.waiting_count:
        return Text("-", "dim")
    return Text("nothing ends", "red") if row.drain_seconds is None else Text(span(row.drain_seconds))
