"""What a caller of the demo wants: one schedule, and what he does about it afterwards."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Cancel:
    """The caller cancels."""

    at_utc: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """The caller changes the request, by RFC 7396."""

    at_utc: datetime
    change: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Move:
    """The user moves to another zone."""

    at_utc: datetime
    time_zone: str


Then: TypeAlias = Cancel | Change | Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One schedule to be asked for, and what follows."""

    request: dict[str, Any]
    is_by_http: bool
    home: str | None = None
    """Zone to tell of the user before."""
    then: Then | None = None

    @property
    def user_id(self) -> str:
        """Whose it is."""
        return str(self.request["user_id"])

    @property
    def is_recurring(self) -> bool:
        """Whether it repeats."""
        return "recurrence" in self.request


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When requests are made, and the instant that the herd shares."""

    begin_utc: datetime
    end_utc: datetime
    herd_utc: datetime
