"""What a mass reschedule holds when its revision is taken back goes on by its old plan."""

import psycopg
from psycopg.types.json import Jsonb

from gnomon.database import migrate
from tests.sql.acts import SHARDS, fire
from tests.support.cluster import Server
from tests.support.given import given_schedule, one, value


def test_what_is_held_goes_on_by_its_old_plan(server: Server) -> None:
    with server.database() as url, psycopg.connect(url, autocommit=True) as connection:
        migrate.upgrade(url, "0003")
        connection.execute("select gnomon.make_periods()")
        given_schedule(connection, user_id="u_1", schedule_at="PT1S")
        given_schedule(connection, user_id="u_1", schedule_at="PT1H")
        one(connection, "select * from gnomon.reschedule_by_user('u_1', %s)", Jsonb({"schedule_at": "PT2H"}))
        assert fire(connection) == 0
        assert value(connection, "select count(*) from gnomon_data.timers") == 1

        migrate.downgrade(url, "0002")

        far = one(connection, "select * from gnomon.fire_far(%s::smallint[], 100)", SHARDS)
        assert (far.fired_count, fire(connection)) == (1, 0)
        assert value(connection, "select count(*) from gnomon.schedules") == 1
