"""A look that found nothing need not be repeated while nothing has changed.

`pg_current_snapshot()` names the transactions that are over and those that are not. If it reads as it did at the last look,
no transaction has committed since, in the whole server, and the same look would see the same rows; only time has passed,
and the last look said when the next row is due. So most polls of an idle system cost one comparison instead of 192 looks
into an index. It holds for late commits too: a commit changes the snapshot. Every heartbeat does as well, so that a clock
that was set or a promotion is noticed within a second.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from gnomon_pollers.pace import sleep_until


class Looked(Protocol):
    """The answer to a look."""

    @property
    def snapshot(self) -> str:
        """The snapshot that it saw."""

    @property
    def now_utc(self) -> datetime:
        """The database's clock at that moment."""

    @property
    def next_at_utc(self) -> datetime | None:
        """The earliest instant that was not yet due."""


@dataclass(frozen=True, slots=True)
class _Last:
    look: Looked
    at: timedelta
    places: Hashable


class Quiet:
    """The last look, as long as it found nothing."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        """`ahead`: how long before its instant a row counts as due."""
        self._ahead = ahead
        self._last: _Last | None = None

    def forget(self) -> None:
        """Look again, whatever the snapshot."""
        self._last = None

    def found_nothing(self, look: Looked, at: timedelta, places: Hashable) -> None:
        """Remember a look at these places that began at this reading of the steady clock."""
        self._last = _Last(look, at, places)

    def snapshot(self, at: timedelta, places: Hashable) -> str | None:
        """The snapshot under which a look at these places is not worth it; None when it is in any case."""
        if self._last is None or self._last.places != places or not self.sleep(at):
            return None
        return self._last.look.snapshot

    def sleep(self, at: timedelta) -> timedelta:
        """How long until the next row is due, at most 100 ms."""
        if self._last is None:
            return timedelta()
        look = self._last.look
        return sleep_until(look.next_at_utc, look.now_utc + (at - self._last.at), ahead=self._ahead)
