"""What run and explain tell of one schedule. Instants are aware datetimes in UTC."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


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
    rule: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
    zone: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
    next: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
    misfire: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
    history: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "array"})]
    ledger: Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "array"})]
