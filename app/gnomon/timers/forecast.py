"""The forecast as it is asked for: what is left out is filled in, and a long count is made once a minute.

A million takes 0.4 s to count. A short count is made anew each time: who schedules something and looks finds it.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.timers import calls
from gnomon.timers.shapes import Forecast

SPAN: Final = timedelta(hours=24)
"""How far a forecast looks that does not say how far."""

_MINUTE: Final = timedelta(minutes=1)
_LONG: Final = 10_000
"""So many counted are worth keeping."""
_KEPT: Final = 32


async def forecast(pool: Pool, from_utc: datetime | None = None, span: timedelta = SPAN) -> Forecast:
    """What fires from an instant, else now, and so far on. Raises RequestInvalid."""
    now_utc = await calls.clock_utc(pool)
    start_utc = from_utc or _minute(now_utc)
    return await _counted(pool, now_utc, start_utc, start_utc + span)


class Forecasts:
    """The same for many who ask: a long count is kept until the minute is over, and one is made at a time."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self._kept: dict[tuple[datetime | None, datetime | None], Forecast] = {}
        self._turn = asyncio.Lock()

    async def forecast(self, pool: Pool, from_utc: datetime | None = None, to_utc: datetime | None = None) -> Forecast:
        """What fires from one instant to another; from now, for a day. Raises RequestInvalid."""
        async with self._turn:
            now_utc = await calls.clock_utc(pool)
            minute = _minute(now_utc)
            self._kept = {asked: kept for asked, kept in self._kept.items() if _minute(kept.counted_at_utc) == minute}
            if (kept := self._kept.get((from_utc, to_utc))) is not None:
                return kept
            found = await _counted(pool, now_utc, from_utc, to_utc)
            if found.due_count > _LONG and len(self._kept) < _KEPT:
                self._kept[from_utc, to_utc] = found
            return found


async def _counted(pool: Pool, now_utc: datetime, from_utc: datetime | None, to_utc: datetime | None) -> Forecast:
    if from_utc is None:
        from_utc = _minute(now_utc) if to_utc is None or to_utc > now_utc else to_utc - SPAN
    if to_utc is None:
        to_utc = from_utc + SPAN
    loads, is_estimate = await calls.load_forecast(pool, from_utc, to_utc)
    return Forecast(
        from_utc=from_utc,
        to_utc=to_utc,
        counted_at_utc=now_utc,
        due_count=sum(load.due_count for load in loads),
        is_estimate=is_estimate,
        minutes=loads,
    )


def _minute(at_utc: datetime) -> datetime:
    return at_utc.replace(second=0, microsecond=0)
