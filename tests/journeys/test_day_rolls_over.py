"""Midnight, UTC, under load: a new day's partitions, an old one's end, and upkeep that changes hands at that moment."""

import time
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from tests.journeys.aftermath import TAKE_OVER, clock_of, reckoned, under_load, wait_for_all
from tests.journeys.judge import lateness
from tests.journeys.stage import Stage, note, poll, work
from tests.support.clock import set_clock
from tests.support.given import rows, value
from tests.support.races import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

MIDNIGHT: Final = datetime(2027, 3, 15, tzinfo=UTC)
OLD: Final = "20270212"
"""The day that ended thirty days ago when the new one begins."""

LOGS: Final = ("delivery_log", "occurrence_log", "events")

_BY_DAY: Final = """
select (due_at_utc at time zone 'UTC')::date::text as day, count(*) as settled
  from gnomon_data.delivery_log group by 1 order by 1
"""
_LEDGER: Final = (
    "select accepted_on::text as day, sum(accepted_count) as accepted from gnomon.ledger() group by 1 order by 1"
)
_OLD_ONES: Final = "select count(*) from pg_class where relnamespace = 'gnomon_data'::regnamespace and relname = any (%s)"


@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.long)])
def test_a_day_ends_under_load_and_nothing_with_it(stage: Stage, seconds: int) -> None:
    set_clock(stage.connection, MIDNIGHT - timedelta(minutes=10), frozen=False)
    for log in LOGS:
        stage.connection.execute("select gnomon_data.make_period(%s, %s::date)", [log, OLD])
    olds = [f"{log}_{OLD}" for log in LOGS]
    [first, *_] = stage.start(poll("p1"), work("w1"), work("w2"))
    wait_until(lambda: value(stage.connection, "select gnomon.periods_ready()") == 3, "upkeep has made the days")
    assert value(stage.connection, _OLD_ONES, olds) == len(LOGS), "not thirty days old yet"
    set_clock(stage.connection, MIDNIGHT - timedelta(seconds=seconds), frozen=False)
    ahead = clock_of(stage)
    with under_load(stage, "rollover") as load:
        wait_until(lambda: stage.now_utc() > MIDNIGHT, "it is midnight", patience=timedelta(seconds=seconds + 5))
        first.kill()
        stage.start(poll("p2"))
        wait_until(lambda: value(stage.connection, _OLD_ONES, olds) == 0, "the other upkeep ends the old day")
        wait_until(lambda: value(stage.connection, "select gnomon.periods_ready()") == 3, "and makes a new one")
        time.sleep(seconds / 2)
    wait_for_all(stage, load.owed())
    received = reckoned(stage, load.owed())
    assert len(received) == len(load.accepted)
    latest = max(lateness(line) + ahead for line in received)
    late_shift = sum(one.fire_at_utc < MIDNIGHT for one in load.accepted)
    days = ["2027-03-14", "2027-03-15"]
    wait_until(
        lambda: (
            [tuple(row) for row in rows(stage.connection, _BY_DAY)]
            == list(zip(days, [late_shift, len(received) - late_shift], strict=True))
        ),
        "each is logged on its day",
    )
    assert [row.day for row in rows(stage.connection, _LEDGER)] == days
    note(f"midnight under load: {late_shift} before, {len(received) - late_shift} after, the latest {latest} late")
    assert latest < TAKE_OVER
