"""What comes out of the forecast. Names as in SQL, renamed to those of the JSON contract."""

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

_JSON_NAMES: Final = {"from_utc": "from", "to_utc": "to", "counted_at_utc": "counted_at"}


class Load(msgspec.Struct, frozen=True, kw_only=True, rename={"minute_utc": "minute"}):
    """What fires in one minute in one lane."""

    minute_utc: datetime
    lane: str
    due_count: int


class Forecast(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """What fires between two instants, by minute and lane, as it stood at `counted_at`."""

    from_utc: datetime
    to_utc: datetime
    counted_at_utc: datetime
    due_count: int
    is_estimate: Annotated[bool, Meta(description="More than a million: counted in a part of the shards.")]
    minutes: Annotated[list[Load], Meta(description="By minute and lane; a minute in which nothing fires is left out.")]
