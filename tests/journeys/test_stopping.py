"""Processes that are asked to stop: what they hold goes to others, and what falls due meanwhile waits for the next ones."""

import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from tests.journeys.judge import Task, judge
from tests.journeys.stage import Accepted, Stage, note, on_stage, poll, request, tasks, work
from tests.support.clock import advance, set_clock
from tests.support.cluster import Server
from tests.support.races import wait_until
from tests.support.roles import Role
from tests.support.sink import Received

LANES: Final = ("critical", "transactional", "bulk")
SLOTS: Final = 16

_LONG_LEASE: Final = {"GNOMON_LEASE": "PT60S"}
"""Nothing that comes back within these journeys came back by its lease."""

PILLS: Final = 1_000
ZONES: Final = ("Europe/Berlin", "Asia/Kolkata", "America/New_York", "Pacific/Kiritimati", "Asia/Kathmandu")

MORNING: Final = datetime(2027, 10, 30, 12, 0, tzinfo=UTC)
"""The night after, Berlin puts its clocks back; and nobody has made periods for that day yet."""


@dataclass
class Company:
    """The stage and who is on it now."""

    stage: Stage
    running: list[Role]

    def leave(self) -> None:
        """Ask all to stop and wait until they have, in good order."""
        for role in self.running:
            role.send(signal.SIGTERM)
        for role in self.running:
            assert role.ended(timedelta(seconds=5)) == 0
        self.running = []


@pytest.fixture(scope="module")
def company(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """A stage with a poller; workers come with each journey."""
    with server.database(template) as url, on_stage(url, tmp_path_factory.mktemp("stopping")) as stage:
        yield Company(stage, stage.start(poll("p1")))


def test_a_worker_asked_to_stop_before_a_hanging_sink_ends_in_time_and_hands_back_what_is_unsent(company: Company) -> None:
    stage = company.stage
    [leaving] = stage.start(work("w1", "--concurrency", str(SLOTS), "--stop-within", "1.5", **_LONG_LEASE))
    # It sees how fast the sink is, and claims what it can send within a second.
    stage.wait_for(tasks(stage.accept([request(f"u{number}", "PT0S", lane=LANES[number % 3]) for number in range(240)])))
    before, asked = len(stage.received()), stage.sink.asked_count()
    stage.sink.behave(hangs=True)
    due = stage.now_utc() + timedelta(seconds=2.3)
    accepted = stage.accept([request(f"u{number}", due, lane=LANES[number % 3]) for number in range(600)])
    wait_until(lambda: stage.sink.asked_count() - asked == 3 * SLOTS, "every slot hangs")
    time.sleep(0.3)
    leaving.send(signal.SIGTERM)
    began = time.monotonic()
    assert leaving.ended(timedelta(seconds=10)) == 0
    took = time.monotonic() - began
    assert stage.since(before) == []
    stage.sink.behave(hangs=False)
    company.running += stage.start(work("w2", **_LONG_LEASE))
    again_at = time.time()
    # An unclear end is the end in bulk: what hung there is not sent again, by anybody.
    stage.wait_for_count(before + 600 - SLOTS)
    time.sleep(0.7)
    received = stage.since(before)
    verdict = judge(received, tasks(accepted))
    assert len(verdict.lost) == SLOTS
    assert verdict.lost <= tasks(accepted[2::3])
    assert not verdict.unasked
    assert not verdict.twice
    assert not verdict.resent
    # What was handed back unsent comes as a first attempt.
    assert sum(line.attempt == 1 for line in received) == 600 - 3 * SLOTS
    assert {line.via for line in received} == {"w2"}
    latest = max(line.at for line in received) - again_at
    note(f"SIGTERM before a hanging sink: ended in {took:.2f} s; the last of {len(received)} came {latest:.2f} s after w2")
    assert took < 1.5 + 3


def pills() -> list[dict[str, Any]]:
    """A table of somebody else's: a daily reminder a pill, five minutes after its time on the user's own wall.

    All of them are due between 12:10 and 12:40 UTC.
    """
    table = []
    for number in range(PILLS):
        zone = ZONES[number % len(ZONES)]
        taken = (MORNING + timedelta(minutes=5 + number % 31)).astimezone(ZoneInfo(zone))
        table.append(
            {
                "user_id": f"u{number % 300}",
                "template_id": "pill",
                "schedule_at": taken.strftime("%H:%M"),
                "timezone": zone,
                "offset": "PT5M",
                "recurrence": {"pattern": "daily"},
                "key": f"pill-{number}",
                "channels": ["webhook"],
            }
        )
    return table


def test_a_thousand_that_fell_due_while_nobody_worked_come_once_each_though_all_is_rebuilt_twice(company: Company) -> None:
    stage, before = company.stage, len(company.stage.received())
    set_clock(stage.connection, MORNING, frozen=False)
    accepted = stage.accept(pills())
    company.leave()
    advance(stage.connection, timedelta(hours=1))
    again = [stage.accept(pills()) for _ in range(2)]
    assert [ids(refreshed) for refreshed in again] == [ids(accepted)] * 2
    assert stage.since(before) == []
    began = time.monotonic()
    company.running = stage.start(poll("p2"), work("w3"), work("w4"))
    stage.wait_for(tasks(accepted))
    note(f"{PILLS} overdue had come {time.monotonic() - began:.2f} s after the start of the processes")
    # Once more, now that they have fired: the next ones are tomorrow's.
    assert ids(stage.accept(pills())) == ids(accepted)
    time.sleep(0.7)
    assert_once(stage.since(before), tasks(accepted))
    # The day after, whose hours Berlin has 25 of: there it is not due yet by the clock on the wall.
    advance(stage.connection, timedelta(days=1))
    second = {task for one in accepted for task in one.tasks(2)}
    in_berlin = {task for one in accepted[:: len(ZONES)] for task in one.tasks(2)}
    stage.wait_for(second - in_berlin)
    time.sleep(0.7)
    assert_once(stage.since(before), tasks(accepted) | second - in_berlin)
    advance(stage.connection, timedelta(hours=1))
    stage.wait_for(second)
    time.sleep(0.3)
    assert_once(stage.since(before), tasks(accepted) | second)


def ids(accepted: list[Accepted]) -> list[str]:
    """The schedules, in the order of the pills."""
    return [one.schedule_id for one in accepted]


def assert_once(received: list[Received], expected: set[Task]) -> None:
    """Each once, by one attempt."""
    assert judge(received, expected).is_clean
    assert len(received) == len(expected)
