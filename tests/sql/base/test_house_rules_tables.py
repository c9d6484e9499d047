"""House rules of schemas, tables and names, read from the catalogue."""

import re

import psycopg

from tests.support.given import given_schedule, rows, value

COLUMNS = """
select c.oid::regclass || '.' || a.attname as name, a.attname as word, format_type(a.atttypid, -1) as type,
       c.relkind::text as kind
  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
 where c.relnamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace)
   and c.relkind in ('r', 'p', 'v', 'c') and a.attnum > 0 and not a.attisdropped and not c.relispartition
   and c.relname <> 'alembic_version'
"""

ARGUMENTS = """
select p.oid::regprocedure || ' ' || a.word as name, a.word, format_type(a.type, -1) as type
  from pg_proc as p
 cross join unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) as a (word, type)
 where p.pronamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace) and a.word <> ''
"""

# Whatever bears the suffix has the type, in tables, results and arguments alike.
TYPE_OF_SUFFIX = {
    "_utc": {"timestamp with time zone"},
    "_local": {"timestamp without time zone"},
    "_on": {"date"},
    "_for": {"interval"},
    "_count": {"integer", "bigint"},
    "_id": {"uuid", "text"},
}
TYPE_OF_PREFIX = {"is_": {"boolean"}, "has_": {"boolean"}, "was_": {"boolean"}}

# And the reverse for columns of tables, so that a name is enough to know what a row holds.
SUFFIX_OF_TYPE = {
    "timestamp with time zone": r".*_utc",
    "timestamp without time zone": r".*_local",
    "date": r".*_on",
    "time without time zone": r".*_time",
    "interval": r".*_for",
    "boolean": r"(is|has|was)_.*",
}
#: The one row of a table of one row: a key, not a question.
NOT_A_QUESTION = {"gnomon_data.horizon.one_row", "gnomon_data.lateness_walk.one_row", "gnomon_data.retiming.one_row"}


def bare(type_name: str) -> str:
    return type_name.removesuffix("[]")


def test_names_are_snake_case(connection: psycopg.Connection) -> None:
    words = rows(
        connection,
        """
        select relname as word from pg_class where relnamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace)
        union select conname from pg_constraint where connamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace)
        union select proname from pg_proc where pronamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace)
        """,
    )
    words += rows(connection, COLUMNS) + rows(connection, ARGUMENTS)
    assert {row.word for row in words if not re.fullmatch(r"[a-z][a-z0-9_]*", row.word)} == set()


def test_a_suffix_tells_the_type(connection: psycopg.Connection) -> None:
    wrong = set()
    for row in rows(connection, COLUMNS) + rows(connection, ARGUMENTS):
        types = [told for end, told in TYPE_OF_SUFFIX.items() if row.word.endswith(end)]
        types += [told for begin, told in TYPE_OF_PREFIX.items() if row.word.startswith(begin)]
        wrong |= {f"{row.name} {row.type}" for told in types if bare(row.type) not in told}
    assert wrong == set()


def test_a_type_in_a_table_has_its_suffix(connection: psycopg.Connection) -> None:
    tables = [row for row in rows(connection, COLUMNS) if row.kind in {"r", "p"} and row.name not in NOT_A_QUESTION]
    misnamed = [row.name for row in tables if not re.fullmatch(SUFFIX_OF_TYPE.get(bare(row.type), ".*"), row.word)]
    assert misnamed == []


def test_tables_views_and_types_say_what_they_are(connection: psycopg.Connection) -> None:
    silent = rows(
        connection,
        """
        select c.oid::regclass::text as name from pg_class as c
         where c.relnamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace) and c.relname <> 'alembic_version'
           and c.relkind in ('r', 'p', 'v') and not c.relispartition and obj_description(c.oid, 'pg_class') is null
        union all
        select t.oid::regtype::text from pg_type as t join pg_class as c on c.oid = t.typrelid
         where t.typnamespace in ('gnomon'::regnamespace, 'gnomon_data'::regnamespace) and c.relkind = 'c'
           and obj_description(t.oid, 'pg_type') is null
        """,
    )
    assert [row.name for row in silent] == []


def test_gnomon_data_is_granted_to_nobody(connection: psycopg.Connection) -> None:
    granted = rows(
        connection,
        """
        select n.nspname::text as name from pg_namespace as n, aclexplode(n.nspacl) as a
         where n.nspname = 'gnomon_data' and a.grantee <> n.nspowner
        union all
        select c.oid::regclass::text from pg_class as c, aclexplode(c.relacl) as a
         where c.relnamespace = 'gnomon_data'::regnamespace and a.grantee <> c.relowner
        """,
    )
    assert [row.name for row in granted] == []


def test_nobody_else_may_create_in_our_schemas(connection: psycopg.Connection) -> None:
    create = "select has_schema_privilege('gnomon_admin', %s, 'create')"
    assert not value(connection, create, "gnomon")
    assert not value(connection, create, "gnomon_data")


def test_unique_keys_of_what_is_sharded_have_the_shard(connection: psycopg.Connection) -> None:
    """Or the schema could not be distributed by it."""
    without = rows(
        connection,
        """
        select i.indexrelid::regclass::text as name
          from pg_index as i join pg_class as c on c.oid = i.indrelid
          join pg_attribute as s on s.attrelid = c.oid and s.attname = 'shard'
         where c.relnamespace = 'gnomon_data'::regnamespace and i.indisunique and not s.attnum = any (i.indkey)
        """,
    )
    assert [row.name for row in without] == []


def test_no_foreign_keys_and_no_triggers(connection: psycopg.Connection) -> None:
    """A foreign key makes the hot path lock another row; a row trigger cannot be distributed."""
    found = rows(
        connection,
        """
        select conname as name from pg_constraint where connamespace = 'gnomon_data'::regnamespace and contype = 'f'
        union all
        select t.tgname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
         where c.relnamespace = 'gnomon_data'::regnamespace
        """,
    )
    assert [row.name for row in found] == []


def test_no_default_partition(connection: psycopg.Connection) -> None:
    """It would have to be read through, under a lock on everything, whenever a period is attached."""
    assert value(connection, "select count(*) from pg_partitioned_table where partdefid <> 0") == 0


def test_indexes_are_named_for_the_question_they_answer(connection: psycopg.Connection) -> None:
    found = rows(
        connection,
        """
        select c.relname as name from pg_index as i join pg_class as c on c.oid = i.indexrelid
         where c.relnamespace = 'gnomon_data'::regnamespace and not c.relispartition and c.relname <> 'alembic_version_pkc'
           and not exists (select from pg_constraint as k where k.conindid = c.oid)
        """,
    )
    assert [row.name for row in found if not row.name.endswith("_idx")] == []


def test_every_view_can_be_read_by_those_it_is_granted_to(connection: psycopg.Connection) -> None:
    granted = rows(
        connection,
        """
        select c.oid::regclass::text as view, a.grantee::regrole::text as role
          from pg_class as c cross join aclexplode(c.relacl) as a
         where c.relkind = 'v' and c.relnamespace = 'gnomon'::regnamespace
           and a.privilege_type = 'SELECT' and a.grantee <> c.relowner
        """,
    )
    assert granted
    given_schedule(connection)
    for one in granted:
        connection.execute(f"set role {one.role}")
        rows(connection, f"select * from {one.view}")
        connection.execute("reset role")
