"""What goes in and comes out of mass operations. Names as in SQL, renamed to those of the JSON contract."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

_JSON_NAMES: Final = {"created_at_utc": "created_at", "done_at_utc": "done_at"}

Kind = Literal["cancel", "pause", "resume", "reschedule"]

Word = Annotated[str, Meta(min_length=1, max_length=255)]


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One label of schedules: its name and its value."""

    name: Word
    value: Word


class TargetRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What to cancel, pause, resume or reschedule: exactly one of these."""

    label: Label | None = None
    user_id: Word | None = None
    template_id: Word | None = None
    campaign_id: Annotated[str, Meta(description="Not available in this version.")] | None = None


class RescheduleRequest(TargetRequest, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What to reschedule, and the change, as PATCH of one schedule takes it (RFC 7396)."""

    change: dict[str, Any]


class Refusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A schedule that did not take the change and stayed as it was: the code of PATCH, and why."""

    schedule_id: str
    code: str
    detail: str | None = None
    pointer: str | None = None


class Operation(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """In effect since it was answered; `swept_count` and `walked` (0 to 1) tell how far the sweep behind it has come.

    The last three fields are a reschedule's: `refused_count` of those swept did not take the change, `refusals` are a few.
    """

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
    change: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})] | UnsetType = UNSET
    refused_count: int | UnsetType = UNSET
    refusals: list[Refusal] | UnsetType = UNSET
