"""One page of a user's pending schedules: the list, the total, and where the next page begins."""

from typing import Final

from gnomon.database.pool import Pool
from gnomon.schedules import calls
from gnomon.schedules.shapes import PendingPage

_LONGEST: Final = 200


async def pending_page(pool: Pool, user_id: str, at_most: int, after: str | None = None) -> PendingPage:
    """Schedules by fire_at_utc; after is the `next` of the page before. Raises RequestInvalid for any other text."""
    found = await calls.pending_schedules(pool, user_id, at_most, after)
    following = found[-1][1] if len(found) == at_most else None
    total = await calls.pending_count(pool, user_id)
    return PendingPage(schedules=[pending for pending, _ in found], total_pending=total, next=following)


async def page_of_key(pool: Pool, user_id: str, key: str) -> PendingPage:
    """The one pending schedule of this key, if there is one."""
    after = None
    while found := await calls.pending_schedules(pool, user_id, _LONGEST, after):
        kept = [pending for pending, _ in found if pending.key == key]
        if kept or len(found) < _LONGEST:
            return PendingPage(schedules=kept, total_pending=len(kept), next=None)
        after = found[-1][1]
    return PendingPage(schedules=[], total_pending=0, next=None)
