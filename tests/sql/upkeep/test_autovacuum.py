"""Tables that lose their rows all the time are cleared away early: a fifth of the table, as it comes, would be too late."""

import psycopg

from tests.support.given import rows

_LEAVES = """
select c.relname as name, coalesce((select o.option_value::float from pg_options_to_table(c.reloptions) as o
                                     where o.option_name = 'autovacuum_vacuum_scale_factor'), 0.2) as share
  from pg_class as c where c.relnamespace = 'gnomon_data'::regnamespace and c.relkind = 'r'
"""
_CHURNING = ("timers_", "deliveries_", "schedules_", "schedule_keys", "payloads", "acceptances", "heartbeats")
"""Each by the beginning of its leaves' names."""


def test_what_churns_is_vacuumed_at_a_twentieth(connection: psycopg.Connection) -> None:
    share_of = {row.name: row.share for row in rows(connection, _LEAVES)}
    churning = {name: share for name, share in share_of.items() if name.startswith(_CHURNING)}
    assert [start for start in _CHURNING if not any(name.startswith(start) for name in churning)] == []
    assert {name: share for name, share in churning.items() if share > 0.05} == {}
