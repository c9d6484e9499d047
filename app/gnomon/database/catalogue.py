"""What a database of Gnomon consists of, as text: two of them are alike when these texts are.

    "routine gnomon.clock_utc()"      -> definition, settings, rights, comment
    "column gnomon_data.users.locale" -> place, type, default, storage ...

Everything that can be given to an object of ours is in here, so that a difference between `sql/` and history shows,
whatever it is. Object ids, sizes and statistics are not: they differ between any two databases.
"""

from typing import Final

import psycopg

#: Alembic's own; a database loaded without history has none.
_NOT_OURS: Final = "alembic_version"

_SCHEMAS: Final = "select oid from pg_namespace where nspname in ('gnomon', 'gnomon_data')"

# Each answers a name and then whatever tells two objects apart; rights are an array, since their order means nothing.
_QUERIES: Final = (
    """
    select 'schema ' || n.nspname, obj_description(n.oid, 'pg_namespace'), n.nspacl::text[]
      from pg_namespace as n
     where n.oid = any(%(schemas)s)
    """,
    """
    select 'type ' || t.oid::regtype, t.typtype, t.typnotnull, t.typbasetype::regtype,
           obj_description(t.oid, 'pg_type'), t.typacl::text[],
           (select string_agg(e.enumlabel, ' ' order by e.enumsortorder) from pg_enum as e where e.enumtypid = t.oid)
      from pg_type as t left join pg_class as c on c.oid = t.typrelid
     where t.typnamespace = any(%(schemas)s) and t.typcategory <> 'A' and (c.oid is null or c.relkind = 'c')
    """,
    """
    select 'relation ' || c.oid::regclass, c.relkind, c.relpersistence, c.reloptions, c.relrowsecurity, c.relispartition,
           pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid), obj_description(c.oid, 'pg_class'),
           c.relacl::text[],
           case when c.relkind in ('i', 'I') then pg_get_indexdef(c.oid) when c.relkind = 'v' then pg_get_viewdef(c.oid) end
      from pg_class as c
     where c.relnamespace = any(%(schemas)s)
    """,
    """
    select 'column ' || c.oid::regclass || '.' || a.attname, row_number() over (partition by c.oid order by a.attnum),
           format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity,
           a.attgenerated, a.attstorage, a.attcompression, a.attstattarget, a.attcollation::regcollation, a.attoptions,
           col_description(c.oid, a.attnum), a.attacl::text[]
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where c.relnamespace = any(%(schemas)s) and a.attnum > 0 and not a.attisdropped
    """,
    """
    select 'constraint ' || coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text) || '.' || k.conname,
           pg_get_constraintdef(k.oid), k.convalidated, obj_description(k.oid, 'pg_constraint')
      from pg_constraint as k
     where k.connamespace = any(%(schemas)s)
    """,
    """
    select 'routine ' || p.oid::regprocedure, pg_get_functiondef(p.oid), pg_get_function_result(p.oid),
           obj_description(p.oid, 'pg_proc'), p.proacl::text[]
      from pg_proc as p
     where p.pronamespace = any(%(schemas)s) and p.prokind in ('f', 'p')
    """,
    """
    select 'trigger ' || t.tgrelid::regclass || '.' || t.tgname, pg_get_triggerdef(t.oid)
      from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
     where c.relnamespace = any(%(schemas)s) and not t.tgisinternal
    """,
)


def describe(connection: psycopg.Connection) -> dict[str, str]:
    """Every object of the schemas gnomon and gnomon_data with all that is said of it."""
    schemas = [oid for (oid,) in connection.execute(_SCHEMAS)]
    found: dict[str, str] = {}
    for query in _QUERIES:
        for name, *said in connection.execute(query, {"schemas": schemas}):
            found[name] = " | ".join(_text(part) for part in said)
    return {name: said for name, said in found.items() if _NOT_OURS not in name}


def _text(part: object) -> str:
    return " ".join(sorted(map(str, part))) if isinstance(part, list) else str(part)
