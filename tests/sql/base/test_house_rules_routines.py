"""House rules of routines, read from the catalogue: who may call them, how they run, what is said of them."""

import psycopg
import pytest

from gnomon.database.roles import ROLES
from gnomon.database.source import Source, routine_in, routines_of
from gnomon.files import sql_folder
from tests.support.given import rows

ROUTINES = """
select n.nspname || '.' || p.proname as name, p.proname, n.nspname = 'gnomon' as is_public, p.prosecdef,
       coalesce(p.proconfig, '{}') as settings, obj_description(p.oid, 'pg_proc') as comment, p.prosrc,
       array(select coalesce(r.rolname, 'public') from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
               left join pg_roles as r on r.oid = a.grantee where a.grantee <> p.proowner order by 1) as callers,
       coalesce((select c.relkind::text from pg_class as c where c.reltype = p.prorettype), '') as result_kind
  from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
 where n.nspname in ('gnomon', 'gnomon_data')
 order by 1
"""

#: A plan made while a table was empty must not be kept for the herd: what takes rows there is pinned to their index.
PINNED = {"enable_seqscan=off", "enable_bitmapscan=off"}
#: What takes the first few of many must find them in order, too: no sort of all that waits.
ORDERED = {
    *("gnomon.next_due", "gnomon.fire_slice", "gnomon.fire_far", "gnomon_data.take_timers"),
    *("gnomon.next_ready", "gnomon_data.claim_ready"),
}
#: Takes rows of shard_leases, 64 a group, which no herd fills.
UNPINNED = {"gnomon.beat"}


@pytest.fixture
def routines(connection: psycopg.Connection) -> list:
    return rows(connection, ROUTINES)


def names(found: list) -> list[str]:
    return [routine.name for routine in found]


def test_the_database_has_exactly_the_routines_of_the_files(routines: list) -> None:
    assert sorted(names(routines)) == sorted(routine_in(path) for path in Source(sql_folder()).routines())


def test_no_name_is_overloaded(routines: list) -> None:
    assert len(set(names(routines))) == len(routines)


def test_every_routine_says_what_it_promises(routines: list) -> None:
    assert names([routine for routine in routines if not routine.comment]) == []


def test_public_routines_run_as_their_owner_without_a_search_path(routines: list) -> None:
    loose = [one for one in routines if one.is_public and not (one.prosecdef and 'search_path=""' in one.settings)]
    assert names(loose) == []


def test_private_routines_run_as_their_caller(routines: list) -> None:
    assert names([one for one in routines if not one.is_public and one.prosecdef]) == []


def test_public_routines_are_granted_to_our_roles_and_nobody_else(routines: list) -> None:
    public = [one for one in routines if one.is_public]
    assert names([one for one in public if not one.callers or not set(one.callers) <= set(ROLES)]) == []


def test_private_routines_are_granted_to_nobody(routines: list) -> None:
    assert names([one for one in routines if not one.is_public and set(one.callers) - {"public"}]) == []


def test_results_are_types_and_not_tables(routines: list) -> None:
    """A table may grow; a contract may not."""
    assert names([one for one in routines if one.is_public and one.result_kind not in {"", "c"}]) == []


def test_what_takes_timers_or_deliveries_is_pinned_to_an_index(routines: list) -> None:
    hot = {routine_in(path) for room in ("timers", "deliveries") for path in routines_of(sql_folder() / room)}
    taking = [one for one in routines if one.name in hot - UNPINNED and "skip locked" in one.prosrc]
    assert names([one for one in taking if not set(one.settings) >= PINNED]) == []
    assert {one.name for one in routines if set(one.settings) >= PINNED | {"enable_sort=off"}} >= ORDERED


def test_a_caller_reaches_routines_and_no_table(connection: psycopg.Connection) -> None:
    connection.execute("set role gnomon_admin")
    connection.execute("select gnomon.clock_utc()")
    for forbidden in ("select * from gnomon_data.settings", "select gnomon_data.now_utc()"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="schema gnomon_data"):
            connection.execute(forbidden.encode())


def test_a_worker_may_what_a_caller_may_and_not_the_reverse(connection: psycopg.Connection) -> None:
    writes = "select gnomon.set_setting('notify', 'on')"
    connection.execute("set role gnomon_worker")
    connection.execute(writes)
    connection.execute("set role gnomon_caller")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(writes)
