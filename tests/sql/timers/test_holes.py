"""A day whose partition somebody detached or dropped by hand: nothing is refused because of it, and it is noticed."""

from datetime import UTC, datetime, timedelta
from typing import Final

import psycopg
import pytest

from tests.sql.acts import prove
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, value

NOW: Final = datetime(2026, 12, 10, 12, 0, tzinfo=UTC)
TOMORROW: Final = NOW + timedelta(days=1)
_FAR: Final = "select count(*) from gnomon_data.timers_far"
_READY: Final = "select gnomon.periods_ready()"
_FIRE: Final = "select fired_count from gnomon.fire_due(array(select n::smallint from generate_series(0, 63) as n))"

DETACH: Final = "alter table gnomon_data.timers detach partition gnomon_data.timers_20261211"
DROP: Final = "drop table gnomon_data.timers_20261211"


@pytest.fixture(autouse=True)
def day(connection: psycopg.Connection) -> None:
    set_clock(connection, NOW)
    connection.execute("select gnomon.make_periods()")


@pytest.mark.parametrize("hole", [DETACH, DROP])
def test_what_falls_on_it_goes_to_far_and_comes_near_when_it_is_healed(connection: psycopg.Connection, hole: str) -> None:
    connection.execute(hole)
    for days in range(3):
        given_schedule(connection, schedule_at=NOW + timedelta(days=days, hours=1))
    assert value(connection, _FAR) == 1
    assert value(connection, "select gnomon.move_far(500)") == 0
    assert value(connection, _READY) == 0
    assert value(connection, "select gnomon.make_periods()") == 1
    assert value(connection, _READY) == 3
    assert value(connection, "select gnomon.move_far(500)") == 1
    assert value(connection, _FAR) == 0


@pytest.mark.parametrize("hole", [DETACH, DROP])
def test_it_holds_up_no_fire_before_and_on_that_day(connection: psycopg.Connection, hole: str) -> None:
    """The recurrence's next occurrence lies in the hole, and its own fire is not undone by that."""
    given_schedule(connection, schedule_at="13:00", timezone="UTC", recurrence={"pattern": "daily"})
    connection.execute(hole)
    set_clock(connection, NOW + timedelta(hours=1))
    assert value(connection, _FIRE) == 1
    set_clock(connection, TOMORROW + timedelta(hours=1))
    assert value(connection, _FIRE) == 1
    assert one(connection, "select sum(missing_count) as missing from gnomon.ledger()").missing == 0


def test_what_lay_in_a_detached_one_fires_all_the_same(connection: psycopg.Connection) -> None:
    given_schedule(connection, schedule_at=TOMORROW)
    connection.execute(DETACH)
    set_clock(connection, TOMORROW)
    prove(connection, "timers")
    assert value(connection, _FIRE) == 1
