"""The day changes, and partitions of the new one are not there: detached, dropped, never made. Upkeep is dead as well."""

import json
import subprocess
import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from tests.journeys.aftermath import TAKE_OVER, clock_of, reckoned, under_load, wait_for_all
from tests.journeys.judge import Task, lateness
from tests.journeys.stage import Stage, note, poll, request, tasks, work
from tests.support.clock import set_clock
from tests.support.given import rows, value
from tests.support.races import wait_until
from tests.support.roles import GNOMON

pytestmark = [pytest.mark.fault, pytest.mark.alone]

EVENING: Final = datetime(2027, 3, 14, 23, 55, tzinfo=UTC)
MIDNIGHT: Final = datetime(2027, 3, 15, tzinfo=UTC)

# The timers of the new day were written before somebody detached their partition; those of the day after were never made.
_BROKEN: Final = (
    "alter table gnomon_data.timers detach partition gnomon_data.timers_20270315",
    "alter table gnomon_data.delivery_log detach partition gnomon_data.delivery_log_20270315",
    "drop table gnomon_data.occurrence_log_20270315",
    "drop table gnomon_data.events_20270315",
    "drop table gnomon_data.timers_20270316",
    "delete from gnomon_data.periods where period in ('timers_20270316', 'occurrence_log_20270315')",
)
_SETTLED: Final = "select count(*) from gnomon_data.delivery_log where due_at_utc >= '2027-03-15T00:00:00Z'"


def doctored(stage: Stage) -> dict[str, Any]:
    """What the doctor finds, by check."""
    done = subprocess.run(
        [GNOMON, "doctor", "--json"], env={"GNOMON_DATABASE_URL": stage.url}, capture_output=True, check=False
    )
    return {exam["check"]: exam["findings"] for exam in json.loads(done.stdout)["checks"]}


def test_a_new_day_without_its_partitions_loses_refuses_and_doubles_nothing(stage: Stage) -> None:
    set_clock(stage.connection, EVENING, frozen=False)
    stage.connection.execute("select gnomon.make_periods()")
    stage.start(poll("p1", "--role", "due"), work("w1"))
    daily = {"recurrence": {"pattern": "daily"}, "timezone": "UTC"}
    accepted = stage.accept(
        [request(f"u{number}", MIDNIGHT + timedelta(milliseconds=10 * number)) for number in range(200)]
        + [request(f"d{number}", "23:59:59", **daily) for number in range(40)]
    )
    for statement in _BROKEN:
        stage.connection.execute(statement)
    assert "timers" in doctored(stage)["periods"][0]["what"]
    set_clock(stage.connection, MIDNIGHT - timedelta(seconds=2), frozen=False)
    ahead = clock_of(stage)
    with under_load(stage, "midnight", ahead=("PT0.2S", "PT1.2S", "PT24H")) as load:
        time.sleep(4)
    due = [one for one in load.accepted if one.fire_at_utc < MIDNIGHT + timedelta(hours=1)]
    owed = tasks(accepted) | tasks(due)
    wait_for_all(stage, owed)
    received = reckoned(stage, owed)
    assert len(received) == len(owed), "nothing was sent twice, since no settling was undone"
    latest = max(lateness(line) + ahead for line in received)
    note(f"a day without its partitions: {len(received)} sent, the latest {latest} late")
    assert latest < TAKE_OVER
    of_the_day = sum(one.fire_at_utc >= MIDNIGHT for one in [*accepted, *due])
    wait_until(lambda: value(stage.connection, _SETTLED) == of_the_day, "all of the new day are settled")
    heal(stage)
    # What was accepted into the hole is where it belongs, and comes when it is due: the next of the dailies, and the load's.
    before = len(stage.received())
    set_clock(stage.connection, MIDNIGHT + timedelta(days=1) - timedelta(seconds=2), frozen=False)
    tomorrow = {task for one in accepted[200:] for task in one.tasks(2)}
    tomorrow |= {Task(one.schedule_id, 1, "webhook") for one in load.accepted if one not in due}
    wait_for_all(stage, tomorrow)
    assert len(reckoned(stage, tomorrow, before=before)) == len(tomorrow)


def heal(stage: Stage) -> None:
    """Let upkeep come back: it makes and attaches what is missing."""
    stage.start(poll("p2", "--role", "upkeep"))
    wait_until(lambda: value(stage.connection, "select gnomon.periods_ready()") == 3, "all days are there")
    assert [row.missing for row in rows(stage.connection, "select sum(missing_count) as missing from gnomon.ledger()")] == [
        0
    ]
