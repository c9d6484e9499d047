"""Filtered lists over the view of pending schedules."""

from collections.abc import AsyncIterator
from datetime import timedelta

import psycopg
import pytest

from gnomon.database.pool import Pool, open_pool
from gnomon.database.reads import Filter, schedules
from tests.support.given import given_schedule

pytestmark = pytest.mark.anyio


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    async with open_pool(database_url, min_size=1, max_size=2, application_name="test") as opened:
        yield opened


@pytest.fixture
def made(connection: psycopg.Connection) -> list[str]:
    """Six schedules an hour apart, of two users in turn, the last two of another template."""
    return [
        given_schedule(
            connection,
            user_id=f"u_{n % 2}",
            template_id="pill" if n < 4 else "digest",
            key=f"k{n}",
            schedule_at=f"PT{n + 1}H",
            labels={"ward": str(n % 3), "floor": "2"},
        ).schedule_id
        for n in range(6)
    ]


async def ids(pool: Pool, wanted: Filter) -> list[str]:
    return [found.schedule_id for found in await schedules(pool, wanted)]


async def test_conditions_narrow_the_list_together(pool: Pool, made: list[str]) -> None:
    assert await ids(pool, Filter()) == made
    assert await ids(pool, Filter(user_id="u_1")) == made[1::2]
    assert await ids(pool, Filter(user_id="u_1", template_id="digest")) == [made[5]]
    assert await ids(pool, Filter(key="k3")) == [made[3]]
    assert await ids(pool, Filter(labels={"ward": "2"})) == [made[2], made[5]]
    assert await ids(pool, Filter(labels={"ward": "2", "floor": "1"})) == []
    third = (await schedules(pool, Filter(key="k2")))[0].fire_at_utc
    assert await ids(pool, Filter(fires_before_utc=third)) == made[:2]
    assert await ids(pool, Filter(fires_before_utc=third + timedelta(seconds=1))) == made[:3]


async def test_pages_follow_each_other_without_gap_or_repeat(pool: Pool, made: list[str]) -> None:
    pages, after = [], None
    while page := await schedules(pool, Filter(), at_most=4, after=after):
        pages.append([found.schedule_id for found in page])
        after = page[-1]
    assert pages == [made[:4], made[4:]]
