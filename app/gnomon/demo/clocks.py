"""How this machine's clock stands to the database's, measured and not assumed.

The database's clock is asked several times, and each answer lies between the moments before and after the call. The
quickest call bounds the offset best: by half its length. Here both run on one machine and read the same clock, so the
offset comes out as nothing within the uncertainty; the demo would be right with a database elsewhere, too.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.web import calls

_TIMES: Final = 15


@dataclass(frozen=True, slots=True)
class Clock:
    """What is known of the two clocks."""

    offset: timedelta = timedelta()
    """What this machine's shows more than the database's."""
    uncertainty: timedelta = timedelta(milliseconds=1)
    """The offset is known no better than this."""

    def now_utc(self) -> datetime:
        """The database's clock, as far as it is known here."""
        return _machine_utc() - self.offset


async def measured(pool: Pool) -> Clock:
    """Ask the database's clock, and take the quickest answer."""
    found: list[Clock] = []
    for _ in range(_TIMES):
        before = _machine_utc()
        theirs = await calls.clock_utc(pool)
        half = (_machine_utc() - before) / 2
        found.append(Clock(before + half - theirs, half))
    return min(found, key=lambda clock: clock.uncertainty)


def _machine_utc() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)
