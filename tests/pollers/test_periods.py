import asyncio
from datetime import date, timedelta

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.pool import Pool, open_pool
from gnomon_pollers.calls import upkeep
from gnomon_pollers.leases import Leases
from gnomon_pollers.periods import Periods
from gnomon_pollers.roles.upkeep import UpkeepRole
from tests.support.clock import clock, set_clock
from tests.support.given import rows, value
from tests.support.races import sessions

pytestmark = pytest.mark.anyio

BEHIND = "select period_table from gnomon.periods_behind() where parent_table = 'timers' order by 1"
ATTACHED = "select count(*) from pg_catalog.pg_inherits where inhrelid = to_regclass('gnomon_data.' || %s)"
PENDING = "select count(*) from pg_catalog.pg_inherits where inhdetachpending"
EXISTS = "select to_regclass('gnomon_data.' || %s) is not null"


def given_behind(connection: psycopg.Connection) -> str:
    """Let two days pass and every mark with them; the name of the oldest period of timers."""
    set_clock(connection, clock(connection) + timedelta(days=2), frozen=False)
    connection.execute("select gnomon.make_periods()")
    connection.execute(
        "insert into gnomon_data.shard_marks select 'timers', l, s, gnomon_data.now_utc()"
        " from generate_series(0, 2) as l, generate_series(0, 63) as s"
    )
    return str(rows(connection, BEHIND)[0].period_table)


async def test_a_period_behind_every_mark_is_dropped(pool: Pool, connection: psycopg.Connection) -> None:
    oldest = given_behind(connection)
    await Periods(pool).take_away()
    assert not value(connection, EXISTS, oldest)
    assert rows(connection, BEHIND) == []
    assert value(connection, "select count(*) from gnomon_data.periods where period = %s", oldest) == 0
    # And the time plane goes on.
    connection.execute("select * from gnomon.schedule_in('u1', 'pill', '1 s')")
    assert value(connection, "select count(*) from gnomon_data.timers") == 1


async def test_a_detach_waits_for_an_open_transaction_blocks_nobody_and_loses_nothing(
    pool: Pool, connection: psycopg.Connection, database_url: str
) -> None:
    oldest = given_behind(connection)
    with sessions(database_url, 1, autocommit=False) as [caller]:
        # A writer that read the horizon long ago and still writes into the period.
        caller.execute(
            f"insert into gnomon_data.timers select p.from_utc, p.from_utc, 7, gen_random_uuid(), 5, 1, 1"
            f" from gnomon_data.periods as p where p.period = '{oldest}'"
        )
        task = asyncio.create_task(Periods(pool).take_away())
        await asyncio.sleep(0.3)
        assert not task.done()
        connection.execute("select * from gnomon.schedule_in('u2', 'pill', '1 s')")
        caller.commit()
    async with asyncio.timeout(10):
        await task
    assert not value(connection, EXISTS, oldest)
    stamps = "select count(*) from (table gnomon_data.timers union all table gnomon_data.timers_far) as t where t.stamp = 7"
    assert value(connection, stamps) == 1


async def test_while_a_detach_waits_the_other_tasks_of_upkeep_go_on(
    pool: Pool, connection: psycopg.Connection, database_url: str
) -> None:
    oldest = given_behind(connection)
    leases = Leases(pool, "upkeep", "test")
    await leases.beat()
    steps = UpkeepRole(pool, leases).steps()
    with sessions(database_url, 1, autocommit=False) as [reader]:
        reader.execute("select count(*) from gnomon_data.timers")
        detach = asyncio.ensure_future(steps.pop("take periods away")())
        async with asyncio.timeout(5):
            while not value(connection, PENDING):  # noqa: ASYNC110  # what is waited for is in the database
                await asyncio.sleep(0.01)
        # Another day begins meanwhile: its periods are attached to the parent that the detach waits for.
        set_clock(connection, clock(connection) + timedelta(days=1), frozen=False)
        for step in steps.values():
            async with asyncio.timeout(10):
                await step()
        assert not detach.done()
        assert value(connection, "select gnomon.periods_ready()") == 3
        reader.rollback()
    async with asyncio.timeout(10):
        await detach
    assert not value(connection, EXISTS, oldest)


async def test_a_detach_that_was_interrupted_is_brought_to_its_end(
    pool: Pool, connection: psycopg.Connection, database_url: str
) -> None:
    oldest = given_behind(connection)
    with sessions(database_url, 1, autocommit=False) as [reader]:
        reader.execute("select count(*) from gnomon_data.timers")
        task = asyncio.create_task(upkeep.detach_period(pool, "timers", oldest))
        async with asyncio.timeout(5):
            while not value(connection, PENDING):  # noqa: ASYNC110  # what is waited for is in the database
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert value(connection, PENDING) == 1
        reader.rollback()
    await Periods(pool).take_away()
    assert value(connection, PENDING) == 0
    assert not value(connection, EXISTS, oldest)


async def test_one_that_was_detached_and_not_dropped_is_read_again_and_dropped(
    pool: Pool, connection: psycopg.Connection
) -> None:
    oldest = given_behind(connection)
    connection.execute(
        f"insert into gnomon_data.timers select p.from_utc, p.from_utc, 7, gen_random_uuid(), 5, 1, 1"
        f" from gnomon_data.periods as p where p.period = '{oldest}'"
    )
    await upkeep.detach_period(pool, "timers", oldest)
    assert value(connection, ATTACHED, oldest) == 0
    await Periods(pool).take_away()
    assert not value(connection, EXISTS, oldest)


async def test_old_logs_go_after_30_days_and_not_before(pool: Pool, connection: psycopg.Connection) -> None:
    first = f"occurrence_log_{date.fromisoformat(str(clock(connection).date())):%Y%m%d}"
    await Periods(pool).take_away()
    assert value(connection, EXISTS, first)
    set_clock(connection, clock(connection) + timedelta(days=40), frozen=False)
    connection.execute("select gnomon.make_periods()")
    await Periods(pool).take_away()
    assert not value(connection, EXISTS, first)


async def test_parents_are_analyzed_once_a_night(pool: Pool, connection: psycopg.Connection) -> None:
    never = (
        "select count(*) from pg_class as c join pg_stat_all_tables as s on s.relid = c.oid"
        " where c.relnamespace = 'gnomon_data'::regnamespace and c.relkind = 'p' and not c.relispartition"
        " and s.last_analyze is null"
    )
    assert value(connection, never) > 0
    await Periods(pool).analyze_parents()
    assert value(connection, never) == 0
    assert value(connection, "select count(*) from pg_stat_progress_analyze") == 0


async def test_without_the_owners_rights_it_says_so_and_goes_on(database_url: str, connection: psycopg.Connection) -> None:
    oldest = given_behind(connection)
    connection.execute("drop role if exists test_worker")
    connection.execute("create role test_worker login")
    connection.execute("grant gnomon_worker to test_worker")
    url = database_url.replace("postgres@", "test_worker@")
    assert url != database_url
    try:
        async with open_pool(url, min_size=1, max_size=2, application_name="test") as pool:
            with capture_logs() as logs:
                periods = Periods(pool)
                await periods.take_away()
                await periods.take_away()
        assert [log["event"] for log in logs] == ["not allowed to detach, drop or analyze"]
        assert value(connection, EXISTS, oldest)
    finally:
        connection.execute("drop role test_worker")
