"""What a plan holds."""

from datetime import datetime

import msgspec


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """A pending schedule that moves: its reading stays, its instant does not."""

    schedule_id: str
    user_id: str
    time_zone: str
    local_time: datetime
    from_utc: datetime
    to_utc: datetime


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The zones that are looked at, and the first schedules that move."""

    time_zones: list[str]
    moves: list[Move]
    has_more: bool
