"""What a database of Gnomon consists of, as text: two of them are alike when these texts are.

    "function gnomon.clock_utc()" -> its definition, rights and comment
    "column gnomon_data.users.locale" -> its place, type, default, storage ...

Everything that can be given to an object of ours is in here, so that a difference between `sql/` and history shows,
whatever it is. Object ids, sizes and statistics are not: they differ between any two databases.
"""

from typing import Final

import psycopg

#: Alembic's own; a database loaded without history has none.
_NOT_OURS: Final = "alembic_version"

_SCHEMAS: Final = "select oid from pg_namespace where nspname in ('gnomon', 'gnomon_data')"

# Rights in a fixed order, whoever was granted first; comments by the classes they hang on.
_RIGHTS: Final = "coalesce((select string_agg(r::text, ' ' order by r::text) from unnest({}) as r), 'as made')"
_COMMENT: Final = "coalesce(obj_description({}, '{}'), '')"

_QUERIES: Final = (
    f"""
    select 'schema ' || n.nspname,
           concat_ws(' | ', {_RIGHTS.format("n.nspacl")}, {_COMMENT.format("n.oid", "pg_namespace")})
      from pg_namespace as n
     where n.oid = any(%(schemas)s)
    """,
    f"""
    select 'type ' || t.oid::regtype,
           concat_ws(' | ', t.typtype, t.typnotnull, t.typbasetype::regtype, {_RIGHTS.format("t.typacl")},
               (select string_agg(e.enumlabel, ' ' order by e.enumsortorder) from pg_enum as e where e.enumtypid = t.oid),
               {_COMMENT.format("t.oid", "pg_type")})
      from pg_type as t left join pg_class as c on c.oid = t.typrelid
     where t.typnamespace = any(%(schemas)s) and t.typcategory <> 'A' and (c.oid is null or c.relkind = 'c')
    """,
    f"""
    select 'relation ' || c.oid::regclass,
           concat_ws(' | ', c.relkind, c.relpersistence, pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid),
               c.reloptions, c.relrowsecurity, case c.relkind when 'i' then pg_get_indexdef(c.oid)
               when 'I' then pg_get_indexdef(c.oid) when 'v' then pg_get_viewdef(c.oid) end,
               {_RIGHTS.format("c.relacl")}, {_COMMENT.format("c.oid", "pg_class")})
      from pg_class as c
     where c.relnamespace = any(%(schemas)s)
    """,
    f"""
    select 'column ' || c.oid::regclass || '.' || a.attname,
           concat_ws(' | ', row_number() over (partition by c.oid order by a.attnum), format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
               a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attstattarget, a.attcollation::regcollation,
               a.attoptions, {_RIGHTS.format("a.attacl")}, col_description(c.oid, a.attnum))
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where c.relnamespace = any(%(schemas)s) and a.attnum > 0 and not a.attisdropped
    """,
    f"""
    select 'constraint ' || coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text) || '.' || k.conname,
           concat_ws(' | ', pg_get_constraintdef(k.oid), k.convalidated, {_COMMENT.format("k.oid", "pg_constraint")})
      from pg_constraint as k
     where k.connamespace = any(%(schemas)s)
    """,
    f"""
    select 'routine ' || p.oid::regprocedure,
           concat_ws(' | ', p.prokind, pg_get_functiondef(p.oid), pg_get_function_result(p.oid), {_RIGHTS.format("p.proacl")},
               {_COMMENT.format("p.oid", "pg_proc")})
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
    found: dict[str, str] = {}
    schemas = [oid for (oid,) in connection.execute(_SCHEMAS)]
    for query in _QUERIES:
        found.update(connection.execute(query.encode(), {"schemas": schemas}).fetchall())
    return {name: said for name, said in found.items() if _NOT_OURS not in name}
