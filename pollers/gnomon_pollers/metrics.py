"""What a process counts about itself, for Prometheus. What the database knows is counted there."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from gnomon_pollers.calls.timers import Fired
from gnomon_pollers.claims import Claim
from gnomon_pollers.lanes import LANES
from gnomon_pollers.outcomes import Outcome

# Seconds; the bars of the product are among them: 100 ms of sleep, 250 ms at p99, 1 s at worst.
_LATENESS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.175, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600)


class Metrics:
    """The counters of one process in a registry of its own."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._registry = CollectorRegistry()
        self._polls = Counter("gnomon_polls", "Looks at what is due or ready", ["role"], registry=self._registry)
        self._sweeps = Counter("gnomon_sweeps", "Looks for what committed late", ["role"], registry=self._registry)
        self._swept = Counter(
            "gnomon_swept_places", "Places where a sweep found something", ["role"], registry=self._registry
        )
        self._timers = Counter(
            "gnomon_timers", "Timers taken, by what came of them", ["lane", "end"], registry=self._registry
        )
        self._claims = Counter("gnomon_claims", "Deliveries claimed", ["lane", "channel"], registry=self._registry)
        self._released = Counter("gnomon_released", "Claims handed back unsent", ["lane"], registry=self._registry)
        self._attempts = Counter(
            "gnomon_attempts", "Attempts by outcome", ["lane", "channel", "outcome"], registry=self._registry
        )
        self._took = Histogram(
            "gnomon_attempt_seconds", "Length of an attempt", ["lane", "channel"], registry=self._registry
        )
        self._lateness = Histogram(
            "gnomon_lateness_seconds",
            "From the due instant to the first attempt, by the database's clock",
            ["lane"],
            buckets=_LATENESS,
            registry=self._registry,
        )
        self._leases = Gauge("gnomon_leases", "Shards held", ["role"], registry=self._registry)
        self._failures = Counter("gnomon_failures", "Steps that failed", ["step"], registry=self._registry)

    def polled(self, role: str) -> None:
        """Count a look."""
        self._polls.labels(role).inc()

    def swept(self, role: str, found_count: int) -> None:
        """Count a sweep and the places where it found something."""
        self._sweeps.labels(role).inc()
        self._swept.labels(role).inc(found_count)

    def fired(self, lane: str, fired: Fired) -> None:
        """Count what one call of fire did."""
        for end, count in (
            ("fired", fired.fired_count),
            ("set_back", fired.set_back_count),
            ("stale", fired.stale_count),
            ("expired", fired.expired_count),
            ("set_aside", fired.set_aside_count),
        ):
            if count:
                self._timers.labels(lane, end).inc(count)

    def claimed(self, lane: str, channel: str, count: int) -> None:
        """Count deliveries claimed."""
        self._claims.labels(lane, channel).inc(count)

    def released(self, lane: str, count: int) -> None:
        """Count claims handed back unsent."""
        self._released.labels(lane).inc(count)

    def ended(self, claim: Claim, outcome: Outcome, took: timedelta) -> None:
        """Count an attempt; the first one of a delivery also tells how late it was."""
        self._attempts.labels(claim.lane, claim.channel, outcome.outcome).inc()
        self._took.labels(claim.lane, claim.channel).observe(took.total_seconds())
        if claim.attempt == 1:
            late = claim.now_utc - took - claim.due_at_utc
            self._lateness.labels(claim.lane).observe(max(0.0, late.total_seconds()))

    def failed(self, step: str) -> None:
        """Count a step that failed."""
        self._failures.labels(step).inc()

    def watch_leases(self, role: str, count: Callable[[], int]) -> None:
        """Show how many shards are held."""
        self._leases.labels(role).set_function(count)

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)


def lane_label(lane: int) -> str:
    """The name of a lane by its number."""
    return LANES[lane]
