"""A log whose days were made by the version before takes the ends of this one, and the version before its own again."""

import psycopg
import pytest

from gnomon.database import migrate
from tests.support.cluster import Server
from tests.support.given import rows

_LOG = """
insert into gnomon_data.delivery_log (shard, due_at_utc, id, lane, channel, schedule_id, notification_id, user_id, outcome,
    attempts, accepted_at_utc, fired_at_utc, settled_at_utc)
select 1, now(), gen_random_uuid(), 2, 'log', gen_random_uuid(), gen_random_uuid(), 'u', %s, 1, now(), now(), now()
"""
_FIRST_DAY = "select min(inhrelid::regclass::text) as name from pg_inherits where inhparent = %s::regclass"


def test_days_that_are_there_take_what_is_dropped(server: Server) -> None:
    with server.database() as url, psycopg.connect(url, autocommit=True) as connection:
        migrate.upgrade(url, "0002")
        connection.execute("select gnomon.make_periods()")
        # Upkeep had detached yesterday and not dropped it yet: it may be attached again.
        [yesterday] = rows(connection, _FIRST_DAY, "gnomon_data.delivery_log")
        connection.execute(f"alter table gnomon_data.delivery_log detach partition {yesterday.name}")

        migrate.upgrade(url, "0003")
        connection.execute(_LOG, ["dropped"])
        connection.execute("select gnomon.make_periods()")

        migrate.downgrade(url, "0002")
        assert [row.outcome for row in rows(connection, "select outcome from gnomon_data.delivery_log")] == ["failed"]
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(_LOG, ["dropped"])
