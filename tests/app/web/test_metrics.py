import math
from datetime import UTC, datetime

from prometheus_client.parser import text_string_to_metric_families

from gnomon.deliveries.calls import Lateness, QueueNumber
from gnomon.deliveries.shapes import LaneNumbers
from gnomon.web.metrics import rendered
from gnomon.web.pressure import Pressure
from tests.app.http import Client, scheduled


def bucket(lane: str, le: float, count: int) -> Lateness:
    return Lateness(lane=lane, le=le, count=count, sum_seconds=1.5)


def test_a_histogram_for_each_lane() -> None:
    lateness = [bucket("critical", 0.25, 3), bucket("critical", 1, 4), bucket("critical", math.inf, 5), bucket("bulk", 1, 0)]
    text = rendered(lateness, [], [], Pressure()).decode()
    assert 'gnomon_lateness_seconds_bucket{lane="critical",le="0.25"} 3.0' in text
    assert 'gnomon_lateness_seconds_bucket{lane="critical",le="+Inf"} 5.0' in text
    assert 'gnomon_lateness_seconds_count{lane="critical"} 5.0' in text
    assert 'gnomon_lateness_seconds_sum{lane="critical"} 1.5' in text
    assert 'gnomon_lateness_seconds_bucket{lane="bulk",le="+Inf"} 0.0' in text


def test_a_gauge_for_each_number() -> None:
    numbers = [QueueNumber(name="queued", lane="bulk", value=7), QueueNumber(name="schedules", lane=None, value=2)]
    text = rendered([], numbers, [], Pressure()).decode()
    assert 'gnomon_queued{lane="bulk"} 7.0' in text
    assert 'gnomon_schedules{lane=""} 2.0' in text


def test_the_numbers_of_a_lane_bear_its_channel_and_leave_out_what_is_unknown() -> None:
    numbers = LaneNumbers(
        lane="bulk",
        channel="email",
        lag_seconds=61.5,
        oldest_due_at_utc=datetime(2026, 12, 10, 12, tzinfo=UTC),
        waiting_count=34_000,
        is_estimate=True,
        in_flight_count=64,
        has_more_in_flight=False,
        ended_a_second=0,
        drain_seconds=None,
    )
    text = rendered([], [], [numbers], Pressure()).decode()
    of = '{channel="email",lane="bulk"}'
    assert f"gnomon_lane_lag_seconds{of} 61.5" in text
    assert f"gnomon_lane_oldest_due_timestamp_seconds{of} 1.7969" in text
    assert f"gnomon_lane_waiting{of} 34000.0" in text
    assert f"gnomon_lane_waiting_is_estimate{of} 1.0" in text
    assert f"gnomon_lane_in_flight{of} 64.0" in text
    assert f"gnomon_lane_ends_per_second{of} 0.0" in text
    assert "gnomon_lane_drain_seconds{" not in text


def test_what_is_served_can_be_read_by_prometheus(client: Client) -> None:
    scheduled(client)
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    names = {family.name for family in text_string_to_metric_families(answer.text)}
    assert "gnomon_lateness_seconds" in names
