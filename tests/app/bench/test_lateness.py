"""Percentiles come from all samples, and one sample is enough for all of them."""

import pytest

from gnomon.bench.lateness import lateness


def test_percentiles_are_samples() -> None:
    samples = [n * 7 % 1000 / 1000 or 1 for n in range(1, 1001)]

    told = lateness(samples)

    assert {name: round(value) for name, value in told.items()} == {
        "p50_ms": 500,
        "p95_ms": 950,
        "p99_ms": 990,
        "last_ms": 1000,
        "first_ms": 1,
    }


def test_the_middle_of_three_is_the_second() -> None:
    assert lateness([0.003, 0.001, 0.002])["p50_ms"] == pytest.approx(2)


def test_one_sample_is_all_of_them() -> None:
    assert set(lateness([-0.25]).values()) == {-250.0}


def test_nothing_has_no_lateness() -> None:
    with pytest.raises(ValueError, match="nothing came"):
        lateness([])
