"""Writes docs/sql-api.md from the catalogue: `python -m tests.docs.generate_sql_api`. A test compares the two.

Names, types, defaults, comments and rights are what the database says of itself, so the page cannot promise anything else.
What is written here is only the order and the few words around it.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import psycopg

from gnomon.files import sql_folder
from gnomon.web.problems import STATUS_OF_CODE
from tests.docs.documents import TOP
from tests.support import cluster
from tests.support.given import rows

PAGE: Final = Path(TOP, "docs", "sql-api.md")

_FUNCTIONS: Final = """
select p.oid, p.proname as name, p.proretset as is_set, obj_description(p.oid, 'pg_proc') as comment,
       case when p.prorettype = 'record'::regtype then null else format_type(p.prorettype, null) end as result,
       array(select r.rolname::text from aclexplode(p.proacl) as a join pg_roles as r on r.oid = a.grantee
              where a.grantee <> p.proowner order by 1) as roles
  from pg_proc as p where p.pronamespace = 'gnomon'::regnamespace order by 2
"""
_ARGUMENTS: Final = """
select a.name, a.mode, format_type(a.type, null) as type,
       case when a.mode in ('i', 'b') then pg_get_function_arg_default(p.oid, a.place::int) end as default_value
  from pg_proc as p
 cross join lateral unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames,
                           coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs])))
            with ordinality as a (type, name, mode, place)
 where p.oid = %s and a.name is not null order by a.place
"""
_TYPES: Final = """
select t.typname as name, obj_description(t.oid, 'pg_type') as comment, t.typrelid as relation
  from pg_type as t join pg_class as c on c.oid = t.typrelid
 where t.typnamespace = 'gnomon'::regnamespace and c.relkind = 'c' order by 1
"""
_VIEWS: Final = """
select c.relname as name, obj_description(c.oid, 'pg_class') as comment, c.oid as relation,
       array(select r.rolname::text from aclexplode(c.relacl) as a join pg_roles as r on r.oid = a.grantee
              where a.grantee <> c.relowner order by 1) as roles
  from pg_class as c where c.relnamespace = 'gnomon'::regnamespace and c.relkind = 'v' order by 1
"""
_COLUMNS: Final = """
select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
  from pg_attribute as a where a.attrelid = %s and a.attnum > 0 and not a.attisdropped order by a.attnum
"""
_FIELDS: Final = "select field, alias, json_type, is_built from gnomon_data.request_fields()"
_CODES: Final = "select code, name from gnomon_data.error_codes() order by 1"

_SHORT: Final = {
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "time without time zone": "time",
    "integer": "int",
}
_ROOMS: Final = {
    "schedules": "Scheduling, changing, cancelling, listing",
    "imports": "Importing files",
    "operations": "Mass operations",
    "users": "Users",
    "categories": "Categories",
    "clock": "The clock: what a rule will do",
    "deliveries": "Deliveries: for consumers and workers",
    "timers": "Firing: for pollers",
    "upkeep": "Upkeep and numbers",
    "base": "The installation",
}

_INTRODUCTION: Final = """\
# SQL API

Written from the catalogue by `python -m tests.docs.generate_sql_api`; do not edit by hand.

Everything in the schema `gnomon` is a promise to other services. The tables behind it, in `gnomon_data`, are not, and are
granted to nobody. A call is part of your transaction: what you roll back was never scheduled.

Call in `FROM`, so that the call happens once: `select * from gnomon.schedule(...)`, or for each row of a table of yours
`from pills as p cross join lateral gnomon.schedule_local(...) as s`. (`select (gnomon.schedule(...)).*` calls it once for
each column.) Argument names are part of the promise, so `at_most => 100` is safe to write.

Rights come with a role: `grant gnomon_caller to your_login`.

| role | may |
|---|---|
| `gnomon_caller` | schedule, change, cancel, look |
| `gnomon_reader` | look |
| `gnomon_worker` | what a caller may, and fire, claim, settle, keep the tables in shape |
| `gnomon_admin` | all of these, and set and drop categories |
"""


def sql_api(connection: psycopg.Connection) -> str:
    """The page for this database."""
    room_of = {path.stem: path.parent.name for path in Path(sql_folder()).glob("*/*.sql")}
    # What most people come for stands first.
    functions = sorted(rows(connection, _FUNCTIONS), key=lambda one: (not one.name.startswith("schedule"), one.name))
    parts = [_INTRODUCTION]
    for room, heading in _ROOMS.items():
        parts.append(f"## {heading}\n")
        parts += [_function(connection, one) for one in functions if room_of[one.name] == room]
        if room == "schedules":
            parts.append(_request(connection))
            parts += [_view(connection, one) for one in rows(connection, _VIEWS)]
    parts.append("## Types\n")
    parts += [_type(connection, one) for one in rows(connection, _TYPES)]
    parts.append(_errors(connection))
    missing = {room_of[one.name] for one in functions} - _ROOMS.keys()
    assert not missing, missing
    return "\n".join(parts)


def _function(connection: psycopg.Connection, function: Any) -> str:
    arguments = rows(connection, _ARGUMENTS, function.oid)
    taken = [_argument(one) for one in arguments if one.mode in {"i", "b"}]
    given = [f"{one.name} {_short(one.type)}" for one in arguments if one.mode in {"o", "t", "b"}]
    result = _short(function.result) if function.result else f"({', '.join(given)})"
    signature = f"gnomon.{function.name}({', '.join(taken)})"
    arrow = f"    -> {'setof ' if function.is_set else ''}{result}"
    roles = ", ".join(f"`{role}`" for role in function.roles)
    return f"### {function.name}\n\n```\n{signature}\n{arrow}\n```\n\n{function.comment}\n\nFor {roles}.\n"


def _argument(argument: Any) -> str:
    default = re.sub(r"::[a-z_ \[\]]+$", "", argument.default_value or "").replace("NULL", "null")
    return f"{argument.name} {_short(argument.type)}" + (f" default {default}" if default else "")


def _request(connection: psycopg.Connection) -> str:
    fields = rows(connection, _FIELDS)
    table = _table(
        ("field", "also called", "JSON type"),
        [(f"`{one.field}`", f"`{one.alias}`" if one.alias else "", one.json_type) for one in fields if one.is_built],
    )
    later = ", ".join(f"`{one.field}`" for one in fields if not one.is_built)
    return (
        "### The request\n\n"
        "The jsonb of `schedule`, of each item of `schedule_many`, of the `options` of the short forms and of `change`. "
        "What each field means stands in [http-api.md](http-api.md#the-schedule-request).\n\n"
        f"{table}\nNamed by the contract and refused in this version (GN028): {later}.\n"
    )


def _view(connection: psycopg.Connection, view: Any) -> str:
    columns = _table(("column", "type"), _columns(connection, view.relation))
    roles = ", ".join(f"`{role}`" for role in view.roles)
    return f"### View {view.name}\n\n{view.comment}\n\n{columns}\nFor {roles}.\n"


def _type(connection: psycopg.Connection, composite: Any) -> str:
    columns = _table(("column", "type"), _columns(connection, composite.relation))
    return f"### Type {composite.name}\n\n{composite.comment}\n\n{columns}"


def _columns(connection: psycopg.Connection, relation: int) -> list[tuple[str, ...]]:
    return [(f"`{one.name}`", _short(one.type)) for one in rows(connection, _COLUMNS, relation)]


def _errors(connection: psycopg.Connection) -> str:
    codes = [(f"`{one.code}`", one.name, str(STATUS_OF_CODE[one.code])) for one in rows(connection, _CODES)]
    return (
        "## Errors\n\n"
        "Raised with a SQLSTATE of class GN, a message, a hint and, in the diagnostics field COLUMN, a JSON pointer to the "
        "field that is wrong. The calls that take many items return them instead, in `error_code` and its neighbours.\n\n"
        f"{_table(('SQLSTATE', 'meaning', 'in HTTP'), codes)}\n"
        "`fire_due`, `claim_deliveries`, `settle_deliveries` and their kin raise `0A000` outside of READ COMMITTED.\n"
    )


def _table(heading: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    shown = [heading, ("---",) * len(heading), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in shown)


def _short(type_name: str) -> str:
    is_array = type_name.endswith("[]")
    name = type_name.removesuffix("[]")
    return _SHORT.get(name, name) + ("[]" if is_array else "")


def main() -> None:
    """Write the page from today's `sql/`."""
    with (
        cluster.running_server() as server,
        server.database(cluster.load_template(server)) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        PAGE.write_text(sql_api(connection))


if __name__ == "__main__":
    main()
