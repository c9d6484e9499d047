"""What comes out about deliveries. Names as in SQL, renamed to those of the JSON contract."""

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

_JSON_NAMES: Final = {
    "oldest_due_at_utc": "oldest_due_at",
    "waiting_count": "waiting",
    "in_flight_count": "in_flight",
    "is_estimate": "waiting_is_estimate",
    "has_more_in_flight": "in_flight_is_at_least",
}


class LaneNumbers(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """The queue of one lane and channel."""

    lane: str
    channel: str
    lag_seconds: Annotated[float, Meta(description="How long the first has waited to be claimed; 0 when none waits.")]
    oldest_due_at_utc: Annotated[datetime | None, Meta(description="The earliest due instant among those that wait.")]
    waiting_count: Annotated[int, Meta(description="Ready, and with no worker.")]
    is_estimate: Annotated[bool, Meta(description="1,000 or more wait: told from a sample.")]
    in_flight_count: Annotated[int, Meta(description="With a worker now.")]
    has_more_in_flight: Annotated[bool, Meta(description="More than were looked at may be with a worker.")]
    ended_a_second: Annotated[float, Meta(description="Deliveries that ended, whatever way, over the last minute.")]
    drain_seconds: Annotated[float | None, Meta(description="waiting / ended_a_second; null where nothing ends.")]


class Lanes(msgspec.Struct, frozen=True, kw_only=True):
    """All lanes and channels that were ever used."""

    lanes: list[LaneNumbers]
