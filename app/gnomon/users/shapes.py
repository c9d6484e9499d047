"""What goes in and comes out of the user calls. Names as in SQL, renamed to those of the JSON contract."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

_JSON_NAMES: Final = {"time_zone": "timezone"}


class UserRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to set; null and absent leave a value as it is."""

    timezone: Annotated[str, Meta(description="IANA name. What took its zone from the user moves with it.")] | None = None
    locale: Annotated[str, Meta(description="BCP 47, for example es-MX.")] | None = None


class UserSet(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """The user now, how many pending schedules moved to the new zone, and how many stay because they name their own."""

    user_id: str
    time_zone: str | None
    locale: str | None
    moved_count: int
    pinned_count: int


class User(msgspec.Struct, frozen=True, kw_only=True, rename=_JSON_NAMES):
    """What is known of a user."""

    user_id: str
    time_zone: str | None
    locale: str | None
