"""What the receiver's file refutes, and what it does not."""

from datetime import UTC, datetime

import pytest

from gnomon.bench.race import Answer, contradictions
from gnomon.demo.receipts import Receipt

_AT = datetime(2027, 1, 1, tzinfo=UTC)


def _came(*delivery_ids: str) -> list[Receipt]:
    return [
        Receipt(delivery_id=delivery_id, schedule_id="sch_1", occurrence=1, channel="webhook", due_at=_AT, received_at=_AT)
        for delivery_id in delivery_ids
    ]


@pytest.mark.parametrize(
    ("status", "handed_over", "stopped", "came", "is_true"),
    [
        ("cancelled", 0, 0, (), True),
        ("cancelled", 0, 0, ("dlv_1",), False),
        ("cancelled", 1, 0, (), False),
        ("fired", 1, 0, ("dlv_1",), True),
        ("fired", 1, 0, ("dlv_1", "dlv_1"), True),  # sent twice: at least once is what was promised
        ("fired", 1, 0, (), False),
        ("fired", 1, 1, (), True),
        ("fired", 1, 1, ("dlv_1",), True),
        ("fired", 1, 0, ("dlv_1", "dlv_2"), False),
        ("pending", 0, 0, (), False),
    ],
)
def test_contradictions(status: str, handed_over: int, stopped: int, came: tuple[str, ...], *, is_true: bool) -> None:
    answer = Answer("sch_1", status, handed_over, stopped, 0.01)
    assert (contradictions(_came(*came), [answer]) == []) is is_true
