"""What run and explain tell of one schedule. Instants are aware datetimes in UTC."""

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

DELIVERY_STATES: Final = ("queued", "sending", "sent", "failed", "dropped", "unknown", "cancelled", "expired")
"""What a delivery can be; the words of docs/states.md."""

REASONS: Final = ("gone", "refused", "throttled", "transient", "unclear", "unauthorised")
"""Why the last attempt of a delivery did not succeed."""

_DELIVERIES: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "state": {"type": "string", "enum": list(DELIVERY_STATES)},
            "reason": {"type": "string", "enum": list(REASONS)},
        },
    },
}


class ExtraRun(msgspec.Struct, frozen=True, kw_only=True):
    """The notification that a run made beside the series, and how many deliveries: one a channel."""

    schedule_id: str
    notification_id: str
    fire_at_utc: datetime
    delivery_count: int


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """Every decision taken for a schedule: sentences in `summary`, below it the data they rest on."""

    schedule_id: str
    status: str
    summary: list[str]
    version: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["integer", "null"]})]
    fired_count: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["integer", "null"]})]
    category: str | None
    rule: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
    zone: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
    next: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
    misfire: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
    history: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "array"})]
    ledger: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "array"})]
    deliveries: Annotated[msgspec.Raw, Meta(extra_json_schema=_DELIVERIES)]
