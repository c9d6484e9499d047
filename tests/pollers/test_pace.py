from datetime import UTC, datetime, timedelta

import pytest

from gnomon_pollers.pace import LONGEST_SLEEP, Backoff, next_sweep_after, rest_after, sleep_until

NOW = datetime(2026, 11, 30, 17, 5, tzinfo=UTC)
MS = timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("ahead_of_now", "look_ahead", "expected"),
    [
        (None, timedelta(), LONGEST_SLEEP),
        (timedelta(hours=1), timedelta(), LONGEST_SLEEP),
        (40 * MS, timedelta(), 40 * MS),
        (2040 * MS, timedelta(seconds=2), 40 * MS),
        (1000 * MS, timedelta(seconds=2), timedelta()),
        (-5 * MS, timedelta(), timedelta()),
    ],
)
def test_the_sleep_ends_at_the_next_instant_minus_the_look_ahead(
    ahead_of_now: timedelta | None, look_ahead: timedelta, expected: timedelta
) -> None:
    at = None if ahead_of_now is None else NOW + ahead_of_now
    assert sleep_until(at, NOW, ahead=look_ahead) == expected


def test_poller_and_worker_together_sleep_less_than_250_ms() -> None:
    assert 2 * LONGEST_SLEEP < 250 * MS


def test_a_rest_is_as_long_as_the_batch_within_limits() -> None:
    assert [rest_after(took * MS) for took in (0, 20, 900)] == [5 * MS, 20 * MS, 50 * MS]


@pytest.mark.parametrize("took", [0.001, 0.05, 0.5, 30])
def test_a_sweep_comes_every_second_and_never_takes_more_than_a_twentieth(took: float) -> None:
    duration = timedelta(seconds=took)
    cycle = next_sweep_after(duration)
    assert cycle >= timedelta(seconds=1)
    assert duration / cycle <= 1 / 20


def test_pauses_grow_to_two_seconds_and_begin_anew_after_a_success() -> None:
    backoff = Backoff()
    pauses = [backoff.next_pause() for _ in range(200)]
    assert min(pauses) >= 10 * MS
    assert max(pauses) <= timedelta(seconds=2)
    assert pauses[0] <= 50 * MS
    assert backoff.has_failed
    assert backoff.succeeded()
    assert not backoff.succeeded()
    assert backoff.next_pause() <= 50 * MS
