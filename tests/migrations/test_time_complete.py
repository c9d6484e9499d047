"""Revision 0002 with data: what was paused goes on below it, and what nobody there could read is not taken down."""

import psycopg
import pytest

from gnomon.database import migrate
from gnomon.database.steps import SqlFileFailed
from tests.support.given import given_schedule, rows, value


def test_what_was_paused_goes_on_below(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url, "0002")
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        kept = [given_schedule(connection, schedule_at="PT1S"), given_schedule(connection, schedule_at="PT5H")]
        for one in kept:
            value(connection, "select version from gnomon.pause_schedule(%s)", one.schedule_id)
        cron = value(connection, "select schedule_id from gnomon.schedule_cron('u_cron', 'pill', '0 9 * * *', 'UTC')")
        with pytest.raises(SqlFileFailed, match="1 pending schedules have rules that the revision before cannot read"):
            migrate.downgrade(empty_database_url, "0001")
        value(connection, "select status from gnomon.cancel_schedule(%s)", cron)
        migrate.downgrade(empty_database_url, "0001")

        found = rows(connection, "select schedule_id, fire_at_utc from gnomon.pending_schedules('u_abc123')")
        assert {row.schedule_id: row.fire_at_utc for row in found} == {one.schedule_id: one.fire_at_utc for one in kept}
        connection.execute("select pg_sleep(1)")
        fire = "select fired_count from gnomon.fire_due(array(select generate_series(0, 63))::smallint[], 10)"
        assert value(connection, fire) == 1

        # One pending, two ended: what was there before the ledger is its opening balance.
        migrate.upgrade(empty_database_url, "0002")
        [day] = rows(
            connection, "select sum(accepted_count) as accepted, sum(abs(missing_count)) as missing from gnomon.ledger()"
        )
        assert (day.accepted, day.missing) == (3, 0)
