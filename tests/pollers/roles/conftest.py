from datetime import timedelta

import pytest

from gnomon_pollers import leases


@pytest.fixture(autouse=True)
def patient_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of these tests send one heartbeat; on a busy machine they take longer than it would last."""
    monkeypatch.setattr(leases, "ALIVE_FOR", timedelta(hours=1))
