"""What goes in and comes out of mass operations. Names as in SQL, renamed to those of the JSON contract."""

from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

_JSON_NAMES: Final = {"created_at_utc": "created_at", "done_at_utc": "done_at"}

Kind = Literal["cancel", "pause", "resume"]

Word = Annotated[str, Meta(min_length=1, max_length=255)]


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One label of schedules: its name and its value."""

    name: Word
    value: Word


class TargetRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What to cancel, pause or resume: exactly one of these."""

    label: Label | None = None
    user_id: Word | None = None
    template_id: Word | None = None
    campaign_id: Annotated[str, Meta(description="Not available in this version.")] | None = None


class Operation(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """In effect since it was answered; `swept_count` and `walked` (0 to 1) tell how far the sweep behind it has come."""

    operation_id: str
    kind: str
    scope: str
    name: str | None
    value: str
    status: str
    swept_count: int
    walked: float
    created_at_utc: datetime
    done_at_utc: datetime | None
