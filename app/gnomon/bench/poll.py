"""A poller's look at all lanes and shards, as the poller makes it: bounds two seconds behind the clock."""

from datetime import timedelta
from typing import Any, Final

from gnomon.database.call import one
from gnomon.database.pool import Pool

LANES: Final = 3
SHARDS: Final = 64

EMPTY_POLL: Final = "select * from gnomon.next_due(%s::smallint[], %s::smallint[], %s::timestamptz[], %s::uuid[])"
_BACK: Final = timedelta(seconds=2)
_NIL: Final = "00000000-0000-0000-0000-000000000000"


async def poll_parameters(pool: Pool) -> list[Any]:
    """What EMPTY_POLL takes: every lane and shard, and where to begin."""
    now_utc = (await one(pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    lanes = [lane for lane in range(LANES) for _ in range(SHARDS)]
    shards = list(range(SHARDS)) * LANES
    return [lanes, shards, [now_utc - _BACK] * len(lanes), [_NIL] * len(lanes)]
