"""What goes in and comes out of the category calls. Names as in SQL, renamed to those of the JSON contract.

`CategorySettings` documents the body and is what the command line fills in; the database reads the JSON text itself.
"""

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gnomon.schedules.shapes import Lane

_JSON_NAMES: Final = {"changed_at_utc": "changed_at"}


class CategorySettings(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The whole category: what is absent or null has its default."""

    lane: Annotated[Lane, Meta(description="Absent: transactional. Pinned when a request is accepted.")] | None = None
    channels: Annotated[list[str], Meta(description="Absent: the installation's. Read at every fire.")] | None = None
    expires_in: Annotated[str, Meta(description="ISO 8601 duration from each due instant; read at every fire.")] | None = (
        None
    )
    description: Annotated[str, Meta(max_length=255, description="For people.")] | None = None


class Category(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """What a schedule that names it has, where its request says nothing itself."""

    name: str
    lane: str
    channels: list[str] | None
    expires_in: str | None
    description: str | None
    changed_at_utc: datetime


class CategoryList(msgspec.Struct, frozen=True, kw_only=True):
    """All that a request may name, by name."""

    categories: list[Category]


class CategoryDropped(msgspec.Struct, frozen=True, kw_only=True):
    """No new request may name it; what is pending goes on by it."""

    name: str
    dropped: bool
