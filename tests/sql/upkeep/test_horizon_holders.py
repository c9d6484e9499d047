"""Who holds the horizon is named; and how many days are ready."""

import psycopg

from tests.sql.acts import utc
from tests.support.clock import set_clock
from tests.support.given import rows, value


def _held(connection: psycopg.Connection) -> list[tuple[str, int, str, str]]:
    found = rows(connection, "select * from gnomon.horizon_holders()")
    assert all(row.held_for.total_seconds() >= 0 and row.xid_age >= 0 for row in found)
    return [(row.kind, row.pid, row.application, row.state) for row in found]


def test_a_session_is_named_as_long_as_it_holds_a_snapshot_or_an_xid(
    connection: psycopg.Connection, database_url: str
) -> None:
    assert _held(connection) == []
    with psycopg.connect(database_url, application_name="report") as other:
        told = ("session", other.info.backend_pid, "report", "idle in transaction")
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        other.execute("select 1")
        assert _held(connection) == [told]
        other.rollback()
        assert _held(connection) == []
        other.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        other.execute("select 1")
        assert _held(connection) == [], "it has neither"
        other.execute("select pg_current_xact_id()")
        assert _held(connection) == [told]
        seconds = value(connection, "select value from gnomon.queue_numbers() where name = 'horizon_held_seconds'")
        assert seconds > 0
        other.rollback()


def test_days_beyond_today_are_counted_in_the_table_that_has_fewest(connection: psycopg.Connection) -> None:
    ready = "select gnomon.periods_ready()"
    set_clock(connection, utc("2026-12-10T23:59:59"))
    value(connection, "select gnomon.make_periods()")
    assert value(connection, ready) == 3
    set_clock(connection, utc("2026-12-11T00:00:00"))
    assert value(connection, ready) == 2
    connection.execute("delete from gnomon_data.periods where parent = 'events' and from_utc >= '2026-12-13T00:00:00Z'")
    assert value(connection, ready) == 1
    set_clock(connection, utc("2026-12-20T00:00:00"))
    assert value(connection, ready) < 0
