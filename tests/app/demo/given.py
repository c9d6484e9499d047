"""Promises and receipts as tests state them."""

from datetime import UTC, datetime, timedelta
from typing import Final

from gnomon.demo.book import Ended, Promise
from gnomon.demo.receipts import Receipt

DUE: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
UNTIL: Final = DUE + timedelta(minutes=1)
LATER: Final = DUE + timedelta(hours=1)


def promise(
    schedule_id: str = "sch_1",
    *channels: str,
    next_at: datetime | None = DUE,
    ended: Ended | None = None,
    fired_count: int = 0,
    earlier: frozenset[datetime] = frozenset(),
) -> Promise:
    """A promise in the transactional lane, by webhook unless channels are named."""
    return Promise(
        schedule_id=schedule_id,
        lane="transactional",
        channels=channels or ("webhook",),
        next_at=next_at,
        fired_count=fired_count,
        earlier=earlier,
        ended=ended,
    )


def receipt(
    delivery_id: str = "dlv_1",
    schedule_id: str = "sch_1",
    *,
    occurrence: int = 1,
    channel: str = "webhook",
    due_at: datetime = DUE,
    late: timedelta = timedelta(milliseconds=40),
) -> Receipt:
    """A line of the sink."""
    return Receipt(
        delivery_id=delivery_id,
        schedule_id=schedule_id,
        occurrence=occurrence,
        channel=channel,
        due_at=due_at,
        received_at=due_at + late,
    )
