"""What upkeep warns of, and that it does not repeat itself."""

from datetime import timedelta

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.pool import Pool
from gnomon_pollers import alarms
from gnomon_pollers.alarms import Alarms
from gnomon_pollers.leases import Leases
from gnomon_pollers.roles.upkeep import UpkeepRole
from tests.support.clock import set_clock
from tests.support.given import given_schedule, value

pytestmark = pytest.mark.anyio


async def test_who_holds_the_horizon_is_named_once(pool: Pool, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Alarms(pool)
    with psycopg.connect(database_url, application_name="nightly report") as other, capture_logs() as logs:
        other.execute("select pg_current_xact_id()")
        await watch.watch_horizon()
        assert logs == []
        monkeypatch.setattr(alarms, "LONG", timedelta())
        await watch.watch_horizon()
        await watch.watch_horizon()
        [log] = logs
        assert (log["pid"], log["user"], log["application"], log["state"]) == (
            other.info.backend_pid,
            "postgres",
            "nightly report",
            "idle in transaction",
        )
        assert "pg_terminate_backend" in log["hint"]
        other.rollback()


async def test_missing_days_are_told_also_when_they_cannot_be_made(pool: Pool, connection: psycopg.Connection) -> None:
    role = UpkeepRole(pool, Leases(pool, "upkeep", "test"))
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(days=2))
    with capture_logs() as logs:
        await role.make_periods()
    assert [log["event"] for log in logs] == ["periods made"]
    connection.execute(
        "delete from gnomon_data.periods where parent = 'events' and from_utc > gnomon_data.now_utc() + interval '1 day'"
    )
    connection.execute("alter function gnomon.make_periods() rename to make_no_periods")
    with capture_logs() as logs, pytest.raises(psycopg.Error):
        await role.make_periods()
    assert [(log["event"], log["ready"]) for log in logs] == [("fewer than two days ahead have partitions", 1)]


async def test_a_ledger_that_is_off_is_an_error_in_the_log(pool: Pool, connection: psycopg.Connection) -> None:
    role = UpkeepRole(pool, Leases(pool, "upkeep", "test"))
    given_schedule(connection)
    connection.execute("delete from gnomon_data.schedules")
    with capture_logs() as logs:
        for _ in range(64):
            await role.balance_ledger()
    assert [(log["log_level"], log["missing_count"]) for log in logs] == [("error", 1)]
