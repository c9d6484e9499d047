"""Calls: rows as asked for, and every error as the one who calls can use it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import psycopg
import pytest

from gnomon.database.call import first, one, quoted, rows
from gnomon.database.pool import Pool, open_pool
from gnomon.errors import Contended, DatabaseUnavailable, GnomonError, RequestInvalid, ScheduleNotFound
from tests.support.given import value
from tests.support.races import wait_until

pytestmark = pytest.mark.anyio

WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    async with open_pool(database_url, min_size=1, max_size=2, application_name="test") as opened:
        yield opened


@dataclass
class Pair:
    left: int
    right: str


async def test_rows_come_as_dicts_or_in_a_shape(pool: Pool) -> None:
    pairs = 'select * from (values (1, $$a$$), (2, %s)) as v ("left", "right")'
    assert await rows(pool, pairs, ["b"]) == [{"left": 1, "right": "a"}, {"left": 2, "right": "b"}]
    assert await rows(pool, pairs, ["b"], shape=Pair) == [Pair(1, "a"), Pair(2, "b")]
    assert await one(pool, pairs, ["b"], shape=Pair) == Pair(1, "a")
    assert await first(pool, "select 1 where false") is None
    assert await rows(pool, "set application_name = '100 %'") == []


async def test_instants_come_in_utc_whatever_the_zone_of_the_session(pool: Pool) -> None:
    found = await one(pool, "select timestamptz '2026-11-30 12:00+05:45' as at_utc")
    assert found["at_utc"].isoformat() == "2026-11-30T06:15:00+00:00"


async def test_a_refusal_comes_with_all_that_sql_said(pool: Pool) -> None:
    with pytest.raises(RequestInvalid) as refused:
        await rows(pool, "select gnomon_data.fail('GN024', 'no field userid', 'did you mean user_id?', '/userid')")
    assert refused.value.message == "no field userid"
    assert refused.value.hint == "did you mean user_id?"
    assert refused.value.pointer == "/userid"


async def test_a_refusal_of_a_code_without_a_class_keeps_the_code(pool: Pool) -> None:
    with pytest.raises(GnomonError) as refused:
        await rows(pool, "select gnomon_data.fail('GN999', 'news')")
    assert refused.value.code == "GN999"


async def test_an_unknown_schedule_is_a_fact(pool: Pool) -> None:
    with pytest.raises(ScheduleNotFound, match="sch_nothing"):
        await rows(pool, "select * from gnomon.find_schedule(%s)", ["sch_nothing"])


async def test_nul_characters_are_the_callers_mistake(pool: Pool) -> None:
    with pytest.raises(RequestInvalid, match="NUL"):
        await rows(pool, "select %s::text", ["a\0b"])
    with pytest.raises(RequestInvalid, match="NUL"):
        await rows(pool, "select %s::jsonb", ['{"a": "\\u0000"}'])


async def test_our_own_mistakes_stay_what_they_are(pool: Pool) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable):
        await rows(pool, "select * from nowhere")


async def test_what_another_transaction_made_fail_is_done_again(pool: Pool, connection: psycopg.Connection) -> None:
    connection.execute("create sequence public.tries")
    connection.execute(
        """
        create function public.third_time(state text) returns bigint language plpgsql as $$
        begin
            if nextval('public.tries') < 3 then raise exception 'again' using errcode = state; end if;
            return currval('public.tries');
        end $$
        """
    )
    for state in ("40001", "40P01"):
        connection.execute("alter sequence public.tries restart")
        assert (await one(pool, "select public.third_time(%s) as tries", [state]))["tries"] == 3


async def test_a_call_that_met_a_migration_is_made_again(
    pool: Pool, connection: psycopg.Connection, database_url: str
) -> None:
    connection.execute("create table public.notes (note text)")
    helper = "create function public.helper({}) returns int language sql as 'select {}'"
    called = """
        create or replace function public.called() returns int language plpgsql as $$
        begin perform from public.notes; return public.helper({}); end $$
    """
    connection.execute(f"{helper.format('', 1)}; {called.format('')}")
    assert (await one(pool, "select public.called() as answer"))["answer"] == 1
    with psycopg.connect(database_url) as migration:
        migration.execute("lock table public.notes in access exclusive mode")
        calling = asyncio.create_task(one(pool, "select public.called() as answer"))
        await asyncio.to_thread(wait_until, lambda: value(connection, WAITING) == 1, "the call waits for the migration")
        migration.execute(f"drop function public.helper; {helper.format('n int', 2)}; {called.format('7')}")
    assert (await calling)["answer"] == 2


async def test_what_goes_on_failing_is_told_as_not_done(pool: Pool) -> None:
    for state in ("40001", "40P01", "55P03", "57014"):
        failing = f"do $$ begin raise exception 'in the way' using errcode = '{state}'; end $$"
        with pytest.raises(Contended, match="in the way") as refused:
            await rows(pool, failing)
        assert "nothing was done" in refused.value.hint


async def test_a_server_that_is_full_or_read_only_is_away(pool: Pool) -> None:
    for state in ("53300", "57P03", "25006", "08006"):
        with pytest.raises(DatabaseUnavailable, match="not now"):
            await rows(pool, f"do $$ begin raise exception 'not now' using errcode = '{state}'; end $$")


def test_names_are_quoted() -> None:
    assert quoted("gnomon_data", 'odd"name') == '"gnomon_data"."odd""name"'
