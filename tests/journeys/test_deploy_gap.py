"""The pills are refreshed, twice, while a deploy has no worker running: what falls due meanwhile comes once each."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.journeys.aftermath import TAKE_OVER, reckoned, wait_for_all
from tests.journeys.stage import Stage, note, poll, tasks, work
from tests.support.clock import set_clock
from tests.support.given import rows, value
from tests.support.races import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

PILLS: Final = 1_000
NOON: Final = datetime(2027, 3, 14, 12, 0, tzinfo=UTC)
DUE: Final = NOON + timedelta(minutes=5)

_WAITING: Final = "select count(*) from gnomon_data.deliveries where claimed_until_utc is null"


def pills() -> list[dict[str, Any]]:
    """A table of somebody else's: who takes what, every day, and when on his own wall."""
    zones = {"Europe/Berlin": "13:05", "Asia/Kolkata": "17:35", "America/New_York": "08:05", "UTC": "12:05"}
    named = list(zones.items())
    return [
        {
            "user_id": f"u{number % 300}",
            "template_id": "pill",
            "schedule_at": named[number % len(named)][1],
            "timezone": named[number % len(named)][0],
            "recurrence": {"pattern": "daily"},
            "key": f"pill-{number}",
            "channels": ["webhook"],
        }
        for number in range(PILLS)
    ]


def refreshed(stage: Stage) -> list[str]:
    """Upsert all of them, over a connection of its own; the schedules."""
    with psycopg.connect(stage.url, autocommit=True) as connection:
        answers = rows(connection, "select * from gnomon.schedule_many(%s) order by ordinal", Jsonb(pills()))
    assert {answer.error_code for answer in answers} == {None}
    return [answer.schedule_id for answer in answers]


@pytest.mark.parametrize("seconds", [2.5, pytest.param(30, marks=pytest.mark.long)])
def test_a_thousand_that_fall_due_in_the_gap_come_once_each(stage: Stage, seconds: float) -> None:
    set_clock(stage.connection, NOON, frozen=False)
    old = stage.start(poll("p1"), poll("p2"), work("w1"), work("w2"))
    accepted = stage.accept(pills())
    for role in (old[0], *old[2:]):
        role.kill()
    gap_began = time.monotonic()
    with ThreadPoolExecutor(max_workers=2) as threads:
        # They fire ahead, while both refreshes walk over them.
        set_clock(stage.connection, DUE - timedelta(seconds=1), frozen=False)
        again = [threads.submit(refreshed, stage) for _ in range(2)]
        assert [one.result() for one in again] == [[one.schedule_id for one in accepted]] * 2
    wait_until(lambda: value(stage.connection, _WAITING) == PILLS, "the poller that is left has fired all")
    assert refreshed(stage) == [one.schedule_id for one in accepted], "and once more, over what has fired"
    time.sleep(max(0.0, gap_began + seconds - time.monotonic()))
    assert stage.received() == []
    began = time.monotonic()
    stage.start(work("w3"), work("w4"))
    wait_for_all(stage, tasks(accepted))
    took = time.monotonic() - began
    time.sleep(0.5)
    assert len(reckoned(stage, tasks(accepted))) == PILLS
    note(f"a gap of {seconds} s: {PILLS} once each, the last {took:.2f} s after the start of the new workers")
    assert took < TAKE_OVER.total_seconds()
