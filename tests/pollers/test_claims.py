from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon_pollers import claims
from gnomon_pollers.claims import Claim, LeaseOver, due_of

CLAIMED = datetime(2026, 11, 30, 17, 5, tzinfo=UTC)


def a_claim(**fields: Any) -> Claim:
    whole: dict[str, Any] = {
        "delivery_id": "dlv_01M8PSPCMQE4ETST3AGWKESZ2M",
        "claim_id": "c",
        "lane": "transactional",
        "channel": "webhook",
        "attempt": 1,
        "event": b"{}",
        "claimed_at_utc": CLAIMED,
        "asked_at": timedelta(seconds=100),
        "ends_at": timedelta(seconds=130),
        "timeout": timedelta(seconds=10),
    }
    return Claim(**(whole | fields))


def at_second(monkeypatch: pytest.MonkeyPatch, second: float) -> None:
    monkeypatch.setattr(claims, "steady", lambda: timedelta(seconds=second))


@pytest.mark.parametrize("second", [100, 119.999, 120])
def test_a_send_starts_with_its_whole_timeout_left(monkeypatch: pytest.MonkeyPatch, second: float) -> None:
    claim = a_claim()
    at_second(monkeypatch, second)
    assert claim.can_start
    claim.begin()
    assert claim.has_begun


@pytest.mark.parametrize("second", [120.001, 131, 10_000])
def test_a_process_that_slept_does_not_send(monkeypatch: pytest.MonkeyPatch, second: float) -> None:
    claim = a_claim()
    at_second(monkeypatch, second)
    assert not claim.can_start
    with pytest.raises(LeaseOver):
        claim.begin()
    assert not claim.has_begun


def test_the_clock_of_the_database_goes_on_from_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    at_second(monkeypatch, 102.5)
    assert a_claim().now_utc == CLAIMED + timedelta(seconds=2.5)


def test_the_due_instant_is_in_the_id() -> None:
    assert due_of("dlv_01M8PSPCMQE4ETST3AGWKESZ2M") == datetime(2026, 11, 30, 17, 57, 55, 479_000, tzinfo=UTC)
    assert a_claim().due_at_utc == due_of("dlv_01M8PSPCMQE4ETST3AGWKESZ2M")


def test_the_steady_clock_goes_on() -> None:
    assert claims.steady() <= claims.steady()
