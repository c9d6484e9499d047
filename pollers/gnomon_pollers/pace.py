"""How long to wait: adaptive sleep, rest between batches, the sweep's share of the time, back-off. No clock is read here."""

from datetime import datetime, timedelta
from typing import Final

from gnomon.database.backoff import full_jitter

LONGEST_SLEEP: Final = timedelta(milliseconds=100)
"""A poll is never further away. Poller and worker sleep one after the other, and with hints off both together stay under
the 250 ms that a notification may be late."""

_SHORTEST_REST: Final = timedelta(milliseconds=5)
_LONGEST_REST: Final = timedelta(milliseconds=50)

SWEEP_EVERY: Final = timedelta(seconds=1)
SWEEP_SHARE: Final = 20
"""A sweep may take one part in so many of the time: a transaction left open for an hour makes it step over millions."""

_SHORTEST_PAUSE: Final = timedelta(milliseconds=10)
_FIRST_PAUSE: Final = timedelta(milliseconds=50)
_LONGEST_PAUSE: Final = timedelta(seconds=2)


def sleep_until(first_at_utc: datetime | None, now_utc: datetime, *, ahead: timedelta = timedelta()) -> timedelta:
    """How long to sleep until an instant minus the look-ahead, as the database's clock reads it; at most 100 ms."""
    if first_at_utc is None:
        return LONGEST_SLEEP
    return max(timedelta(), min(first_at_utc - ahead - now_utc, LONGEST_SLEEP))


def rest_after(took: timedelta) -> timedelta:
    """How long to rest after a batch that was not full.

    As long as it took, 5 to 50 ms: under a steady trickle a poll for every single row would cost more than the rows.
    """
    return max(_SHORTEST_REST, min(took, _LONGEST_REST))


def next_sweep_after(took: timedelta) -> timedelta:
    """How long after its start the next sweep may start."""
    return max(SWEEP_EVERY, took * SWEEP_SHARE)


class Backoff:
    """Pauses between attempts to reach a database that is away: doubled each time, up to 2 s, with full jitter."""

    def __init__(self) -> None:
        """Begin with no failure."""
        self._failures = 0

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt failed."""
        return self._failures > 0

    def next_pause(self) -> timedelta:
        """Count a failure and say how long to wait; never less than 10 ms, so that nobody spins."""
        pause = full_jitter(self._failures, base=_FIRST_PAUSE, ceiling=_LONGEST_PAUSE)
        self._failures += 1
        return max(pause, _SHORTEST_PAUSE)

    def succeeded(self) -> bool:
        """Begin anew; whether there had been failures."""
        had_failed = self._failures > 0
        self._failures = 0
        return had_failed
