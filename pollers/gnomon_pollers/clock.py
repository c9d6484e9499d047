"""The database's clock, watched from here: it is expected to go on, and noticed when it did not."""

from datetime import datetime, timedelta
from typing import Final

from gnomon.log import logger

_DISTRUST_FOR: Final = timedelta(minutes=1)
"""After the clock has caught up again: transactions that began before may still commit."""

_WORTH_TELLING: Final = timedelta(milliseconds=10)

_log: Final = logger(__name__)


class Clock:
    """Notices that the database's clock went back: then rows may appear below everything that was proven."""

    def __init__(self) -> None:
        """Trust the clock."""
        self._highest: datetime | None = None
        self._distrusted_until: datetime | None = None

    def went_back(self, now_utc: datetime) -> bool:
        """Take a reading; whether it lies before an earlier one."""
        has_gone_back = self._highest is not None and now_utc < self._highest
        if has_gone_back and self._highest is not None:
            self._distrusted_until = max(self._highest + _DISTRUST_FOR, self._distrusted_until or self._highest)
            step = self._highest - now_utc
            # A step of microseconds is treated alike, but nobody needs to be told.
            log = _log.warning if step >= _WORTH_TELLING else _log.debug
            log("the database's clock went back", by_s=step.total_seconds())
        self._highest = now_utc
        return has_gone_back

    @property
    def is_trusted(self) -> bool:
        """Whether the safe marks hold."""
        return self._distrusted_until is None or (self._highest is not None and self._highest > self._distrusted_until)
