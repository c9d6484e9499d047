"""One page of a user's pending schedules: the list, the total, and where the next page begins."""

from gnomon.database.pool import Pool
from gnomon.schedules import calls
from gnomon.schedules.shapes import PendingPage


async def pending_page(pool: Pool, user_id: str, at_most: int, after: str | None = None) -> PendingPage:
    """Schedules by fire_at_utc; after is the `next` of the page before. Raises RequestInvalid for any other text."""
    found = await calls.pending_schedules(pool, user_id, at_most, after)
    following = found[-1][1] if len(found) == at_most else None
    total = await calls.pending_count(pool, user_id)
    return PendingPage(schedules=[pending for pending, _ in found], total_pending=total, next=following)
