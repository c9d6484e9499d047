"""The SQL functions of the time plane, one typed function each, under the same name."""

from datetime import datetime

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon.timers.shapes import Load


async def clock_utc(pool: Pool) -> datetime:
    """The database's clock."""
    found: datetime = (await one(pool, "select gnomon.clock_utc() as clock"))["clock"]
    return found


async def load_forecast(pool: Pool, from_utc: datetime, to_utc: datetime) -> tuple[list[Load], bool]:
    """What fires in [from_utc, to_utc) by minute and lane, and whether it is an estimate. Raises RequestInvalid."""
    found = await rows(pool, "select * from gnomon.load_forecast(%s, %s)", (from_utc, to_utc))
    loads = [Load(minute_utc=row["minute_utc"], lane=row["lane"], due_count=row["due_count"]) for row in found]
    return loads, any(row["is_estimate"] for row in found)
