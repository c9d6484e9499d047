"""/metrics: what the database counted, and the load of this process, in Prometheus' text form.

Lateness comes from the delivery log of today, so it is right whatever process delivered, and starts from zero at midnight
as a counter may. Nothing is counted on the way of a request: middleware that does halves the rate of ingest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import inf, isinf
from typing import Final

from litestar import Response, get
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from gnomon.deliveries import calls
from gnomon.deliveries.calls import Lateness, QueueNumber
from gnomon.deliveries.shapes import LaneNumbers
from gnomon.web.asked import Asked, pool_of, pressure_of
from gnomon.web.documented import documented
from gnomon.web.pressure import LANES, Pressure

TEXT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_LANE_NUMBERS: Final[Sequence[tuple[str, str, Callable[[LaneNumbers], float | None]]]] = (
    ("lag_seconds", "How long the first delivery has waited to be claimed.", lambda row: row.lag_seconds),
    (
        "oldest_due_timestamp_seconds",
        "The earliest due instant among the deliveries that wait.",
        lambda row: None if row.oldest_due_at_utc is None else row.oldest_due_at_utc.timestamp(),
    ),
    ("waiting", "Deliveries ready and with no worker; from 1,000 on told from a sample.", lambda row: row.waiting_count),
    ("waiting_is_estimate", "Whether the number of those waiting is told from a sample.", lambda row: row.is_estimate),
    ("in_flight", "Deliveries with a worker.", lambda row: row.in_flight_count),
    ("ends_per_second", "Deliveries that ended, over the last minute.", lambda row: row.ended_a_second),
    ("drain_seconds", "How long what waits takes at that rate; absent where nothing ends.", lambda row: row.drain_seconds),
)
"""Name, help and value of each number that has lane and channel; None is left out."""

_EXAMPLE: Final = 'gnomon_lateness_seconds_bucket{lane="critical",le="0.25"} 1841.0\n'


@get(
    "/metrics",
    opt=documented(
        summary="Prometheus metrics", answer=None, answer_example=_EXAMPLE, answer_type=TEXT_TYPE.partition(";")[0]
    ),
)
async def metrics(request: Asked) -> Response[bytes]:
    """The lateness histogram of today's deliveries by lane, and what waits, by lane and channel."""
    pool = pool_of(request)
    lateness, numbers, lanes = await calls.lateness(pool), await calls.queue_numbers(pool), await calls.lane_numbers(pool)
    return Response(rendered(lateness, numbers, lanes, pressure_of(request)), headers={"Content-Type": TEXT_TYPE})


def rendered(
    lateness: Sequence[Lateness], numbers: Sequence[QueueNumber], lanes: Sequence[LaneNumbers], pressure: Pressure
) -> bytes:
    """All in the text form of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Read([_histogram(lateness), *_gauges(numbers), *_of_lanes(lanes), *_of_this_process(pressure)]))
    return generate_latest(registry)


class _Read(Collector):
    """Values read just now, as the collector that the library asks for."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterator[Metric]:
        return iter(self._families)


def _histogram(lateness: Sequence[Lateness]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(
        "gnomon_lateness_seconds", "First hand-over minus due instant of today's deliveries.", labels=["lane"]
    )
    for lane, found in groupby(sorted(lateness, key=lambda row: (row.lane, row.le)), key=lambda row: row.lane):
        buckets = list(found)
        bounds = [("+Inf" if isinf(row.le) else f"{row.le:g}", float(row.count)) for row in buckets]
        if buckets[-1].le != inf:
            bounds.append(("+Inf", bounds[-1][1]))
        family.add_metric([lane], bounds, buckets[-1].sum_seconds)
    return family


def _gauges(numbers: Sequence[QueueNumber]) -> Iterator[GaugeMetricFamily]:
    for name, found in groupby(sorted(numbers, key=lambda row: (row.name, row.lane or "")), key=lambda row: row.name):
        family = GaugeMetricFamily(f"gnomon_{name}", name.replace("_", " ").capitalize() + ".", labels=["lane"])
        for row in found:
            family.add_metric([row.lane or ""], row.value)
        yield family


def _of_lanes(lanes: Sequence[LaneNumbers]) -> Iterator[Metric]:
    for name, what, value in _LANE_NUMBERS:
        family = GaugeMetricFamily(f"gnomon_lane_{name}", what, labels=["lane", "channel"])
        for row in lanes:
            if (number := value(row)) is not None:
                family.add_metric([row.lane, row.channel], number)
        yield family


def _of_this_process(pressure: Pressure) -> Iterator[Metric]:
    shed = CounterMetricFamily("gnomon_creates_shed", "Creates answered 503 because of the load.", labels=["lane"])
    is_shed = GaugeMetricFamily("gnomon_creates_are_shed", "Whether creates of this lane are sent away.", labels=["lane"])
    for lane in LANES:
        shed.add_metric([lane], pressure.shed[lane])
        is_shed.add_metric([lane], pressure.is_shed(lane))
    yield shed
    yield is_shed
    for name, value in pressure.numbers().items():
        yield GaugeMetricFamily(f"gnomon_{name}", name.replace("_", " ").capitalize() + ".", value)
