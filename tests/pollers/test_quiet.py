from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from gnomon.database.pool import Pool
from gnomon_pollers.bounds import BEGINNING, View
from gnomon_pollers.calls import deliveries, timers
from gnomon_pollers.pace import LONGEST_SLEEP
from gnomon_pollers.quiet import Quiet
from tests.support.given import given_schedule
from tests.support.races import sessions

NOW = datetime(2026, 11, 30, 17, 5, tzinfo=UTC)
AT = timedelta(hours=1)
MS = timedelta(milliseconds=1)

EVERYWHERE: View[tuple[int, int]] = View({(lane, shard): BEGINNING for lane in range(3) for shard in range(64)})


@dataclass(frozen=True)
class Looked:
    snapshot: str
    now_utc: datetime
    next_at_utc: datetime | None


def test_a_look_is_not_worth_it_until_the_next_row_is_due() -> None:
    quiet = Quiet(ahead=timedelta(seconds=2))
    assert quiet.snapshot(AT, "all") is None
    quiet.found_nothing(Looked("7:7:", NOW, NOW + timedelta(seconds=2) + 250 * MS), AT, "all")
    assert quiet.snapshot(AT, "all") == "7:7:"
    assert quiet.sleep(AT) == LONGEST_SLEEP
    assert quiet.snapshot(AT + 240 * MS, "all") == "7:7:"
    assert quiet.sleep(AT + 240 * MS) == 10 * MS
    assert quiet.snapshot(AT + 250 * MS, "all") is None


def test_a_look_at_other_places_is_worth_it() -> None:
    quiet = Quiet()
    quiet.found_nothing(Looked("7:7:", NOW, None), AT, "all")
    assert quiet.snapshot(AT, "some") is None
    quiet.forget()
    assert quiet.snapshot(AT, "all") is None


@pytest.mark.anyio
async def test_nothing_is_looked_at_while_no_transaction_has_committed(pool: Pool) -> None:
    look = await timers.next_due(pool, EVERYWHERE)
    assert look is not None
    assert await timers.next_due(pool, EVERYWHERE, look.snapshot) is None
    ready = await deliveries.next_ready(pool, [0, 1, 2], None, range(64), View({}))
    assert ready is not None
    assert await deliveries.next_ready(pool, [0, 1, 2], None, range(64), View({}), ready.snapshot) is None


@pytest.mark.anyio
async def test_a_commit_is_seen_however_long_its_transaction_was_open(pool: Pool, database_url: str) -> None:
    with sessions(database_url, 2, autocommit=False) as [caller, other]:
        other.execute("select pg_current_xact_id()")
        given_schedule(caller, schedule_at="PT1S")
        look = await timers.next_due(pool, EVERYWHERE)
        assert look is not None
        assert not look.first
        assert await timers.next_due(pool, EVERYWHERE, look.snapshot) is None
        caller.commit()
        after = await timers.next_due(pool, EVERYWHERE, look.snapshot)
        assert after is not None
        assert after.first
