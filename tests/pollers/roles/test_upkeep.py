from datetime import timedelta

import psycopg
import pytest
from structlog.testing import capture_logs

from gnomon.database.pool import Pool
from gnomon_pollers.leases import Leases
from gnomon_pollers.roles.upkeep import UpkeepRole
from tests.support.clock import advance, set_clock
from tests.support.given import given_schedule, value

pytestmark = pytest.mark.anyio


@pytest.fixture
async def role(pool: Pool) -> UpkeepRole:
    leases = Leases(pool, "upkeep", "test")
    await leases.beat()
    return UpkeepRole(pool, leases)


async def test_without_the_lease_nothing_is_done(pool: Pool, role: UpkeepRole, connection: psycopg.Connection) -> None:
    idle = UpkeepRole(pool, Leases(pool, "upkeep", "other"))
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(days=2))
    periods = "select count(*) from gnomon_data.periods"
    before = value(connection, periods)
    for step in idle.steps().values():
        assert await step() == timedelta(seconds=1)
    assert value(connection, periods) == before
    for name, step in role.steps().items():
        assert await step() >= timedelta(seconds=1), name
    assert value(connection, periods) > before


async def test_far_timers_come_near_as_their_period_does(role: UpkeepRole, connection: psycopg.Connection) -> None:
    now = value(connection, "select clock_timestamp()")
    for number in range(3):
        given_schedule(connection, template_id=f"p{number}", schedule_at=now + timedelta(days=9))
    far = "select count(*) from gnomon_data.timers_far"
    await role.move_far()
    assert value(connection, far) == 3
    set_clock(connection, now, frozen=False)
    advance(connection, timedelta(days=8))
    await role.make_periods()
    await role.move_far()
    assert value(connection, far) == 0
    assert value(connection, "select count(*) from gnomon_data.timers") == 3


async def test_a_mass_cancel_is_swept(role: UpkeepRole, connection: psycopg.Connection) -> None:
    for number in range(3):
        given_schedule(connection, user_id=f"u{number}")
    operation_id = value(connection, "select (gnomon.cancel_by_template('pill')).operation_id")
    await role.sweep_operations()
    swept = "select (o.status, o.swept_count)::text from gnomon.find_operation(%s) as o"
    assert value(connection, swept, operation_id) == "(done,3)"
    assert value(connection, "select count(*) from gnomon_data.schedules") == 0


async def test_overdue_schedules_are_reported_only_when_there_was_time_to_catch_up(
    role: UpkeepRole, connection: psycopg.Connection
) -> None:
    given_schedule(connection, schedule_at="PT1S")
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(minutes=2))
    with capture_logs() as logs:
        assert await role.steps()["report overdue"]() == timedelta(seconds=1)
    assert logs == []


async def test_overdue_schedules_are_reported(role: UpkeepRole, connection: psycopg.Connection) -> None:
    made = given_schedule(connection, schedule_at="PT1S")
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(minutes=2))
    with capture_logs() as logs:
        await role.report_overdue()
    assert [(log["event"], log["schedule_ids"]) for log in logs] == [("schedules are overdue", [made.schedule_id])]


async def test_keys_are_forgotten_two_days_after_their_end(role: UpkeepRole, connection: psycopg.Connection) -> None:
    made = given_schedule(connection, dedup_key="once")
    connection.execute("select * from gnomon.cancel_schedule(%s)", [made.schedule_id])
    keys = "select count(*) from gnomon_data.schedule_keys"
    await role.forget_keys()
    await role.forget_payloads()
    assert value(connection, keys) == 1
    set_clock(connection, value(connection, "select clock_timestamp()") + timedelta(hours=49))
    await role.forget_keys()
    assert value(connection, keys) == 0


async def test_a_change_of_zone_data_is_reported(role: UpkeepRole, connection: psycopg.Connection) -> None:
    with capture_logs() as logs:
        await role.look_at_zone_data()
        assert logs == []
        connection.execute("update gnomon_data.zone_fingerprints set first_offset = 60 where time_zone = 'Europe/Berlin'")
        await role.look_at_zone_data()
    assert [(log["event"], log["zones"]) for log in logs] == [("zone data changed; gnomon retime shows what moves", 1)]
