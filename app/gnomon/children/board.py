"""The live table of `up`: what the database counts, by lane, and the processes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isinf
from typing import Final

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnomon.children.child import Child
from gnomon.children.panel import milliseconds, process_table
from gnomon.database.pool import Pool
from gnomon.deliveries.calls import Lateness, QueueNumber, lateness, queue_numbers

LANES: Final = ("critical", "transactional", "bulk")

_COUNTED_TO: Final = 1_000
"""Queue numbers are counted so far and no further."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was read last."""

    queue: Mapping[tuple[str, str | None], float] = field(default_factory=dict)
    """By name and lane."""
    late: Mapping[str, Sequence[tuple[float, int]]] = field(default_factory=dict)
    """By lane: deliveries of today at most so many seconds late, cumulative."""
    is_there: bool = False
    """Whether the database answered."""

    def delivered(self, lane: str) -> int:
        """Deliveries of today."""
        buckets = self.late.get(lane)
        return buckets[-1][1] if buckets else 0


async def read_numbers(pool: Pool) -> Numbers:
    """Ask for them. Raises DatabaseUnavailable."""
    return numbers_of(await queue_numbers(pool), await lateness(pool))


def numbers_of(queue: Iterable[QueueNumber], late: Iterable[Lateness]) -> Numbers:
    """Sort what the SQL functions answer."""
    buckets: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for row in sorted(late, key=lambda row: row.le):
        buckets[row.lane].append((row.le, row.count))
    return Numbers({(row.name, row.lane): row.value for row in queue}, buckets, is_there=True)


def percentile(buckets: Sequence[tuple[float, int]], part: float) -> float | None:
    """The lateness in milliseconds that this part keeps below, read off a cumulative histogram; None when it is empty."""
    if not buckets or not buckets[-1][1]:
        return None
    wanted = part * buckets[-1][1]
    for (below, before), (bound, count) in pairwise([(0.0, 0), *buckets]):
        if count >= wanted:
            seconds = below if isinf(bound) else below + (bound - below) * (wanted - before) / max(count - before, 1)
            return seconds * 1_000
    return inf


def board(numbers: Numbers, children: Iterable[Child], title: str) -> RenderableType:
    """The table."""
    lanes = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    lanes.add_column("lane", style="bold", no_wrap=True)
    for name in ("ready", "sending", "delivered today", "p50", "p99"):
        lanes.add_column(name, justify="right", no_wrap=True)
    for lane in LANES:
        buckets = numbers.late.get(lane, ())
        lanes.add_row(
            lane,
            _count(numbers.queue.get(("deliveries_ready", lane))),
            _count(numbers.queue.get(("deliveries_leased", lane))),
            f"{numbers.delivered(lane):,}",
            milliseconds(percentile(buckets, 0.5)),
            milliseconds(percentile(buckets, 0.99)),
        )
    sides = Columns([lanes, process_table(children)], padding=(0, 4))
    state = Text() if numbers.is_there else Text("  the database does not answer", "bold red")
    return Group("", Text.assemble(("gnomon", "bold"), f"  {title}", state), "", sides)


def _count(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < _COUNTED_TO else f"{_COUNTED_TO:,}+"
