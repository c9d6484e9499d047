"""The SQL functions that tell whether this process and the database fit, and take over its settings."""

from collections.abc import Mapping
from datetime import datetime

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool


async def schema_revision(pool: Pool) -> str | None:
    """The revision that the schema was migrated to, None when it was not."""
    found: str | None = (await one(pool, "select gnomon.schema_revision() as revision"))["revision"]
    return found


async def clock_utc(pool: Pool) -> datetime:
    """The instant by the one clock that decides."""
    found: datetime = (await one(pool, "select gnomon.clock_utc() as clock"))["clock"]
    return found


async def set_settings(pool: Pool, settings: Mapping[str, str]) -> None:
    """Write what this process's environment says, so that SQL functions can read it (gnomon.set_setting)."""
    for name, value in settings.items():
        await rows(pool, "select gnomon.set_setting(%s, %s)", (name, value))


async def notify_due(pool: Pool, at_utc: datetime) -> None:
    """Hint at a timer that may be earlier than any poller knows (channel gnomon_due, payload RFC 3339)."""
    await rows(pool, "select pg_notify('gnomon_due', %s)", (at_utc.isoformat().replace("+00:00", "Z"),))
