"""Moves, fires, edits, pauses in any order against a model that knows no zone: readings come one after the other, each once.

The model walks the readings of a rule in wall order, by date arithmetic alone. Whatever is done to a schedule, what is
handed over has to be the next of them, and whatever the wall of the user has passed has to have been handed over.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final
from zoneinfo import ZoneInfo

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, deliver_all, fire, reschedule, settle, step_to, utc
from tests.support.clock import clock, set_clock
from tests.support.given import given_user, one, rows, value

_ZONES: Final = (
    *("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"),
    *("Pacific/Kiritimati", "Pacific/Niue", "Pacific/Auckland", "Pacific/Chatham", "America/Santiago", "UTC"),
)
# Each spring and autumn of both hemispheres comes by.
_BEGIN: Final = utc("2026-09-20T12:00:00")
_USERS: Final = count()
# What was fired ahead and is not due still pends.
_PENDING: Final = """
select coalesce((select min(d.nominal_local) from gnomon_data.deliveries as d
                  where d.schedule_id = s.id and d.due_at_utc > gnomon_data.now_utc()), s.nominal_local)
  from gnomon_data.schedules as s where s.id = gnomon_data.id_of('sch', %s)
"""
_DUE_TIMERS: Final = """
select count(*)
  from (select fire_at_utc from gnomon_data.timers union all select fire_at_utc from gnomon_data.timers_far) as t
 where t.fire_at_utc <= gnomon_data.now_utc()
"""


class Wall:
    """The readings of one rule in wall order, and what of them has come."""

    def __init__(self, kind: str, at: str) -> None:
        """A rule of this kind at this time of day; cron twelve hours later as well."""
        self.kind, self.at = kind, at
        self.next: datetime | None = None

    @property
    def words(self) -> dict[str, Any]:
        hour, minute = self.at.split(":")
        match self.kind:
            case "daily":
                return {"schedule_at": self.at, "recurrence": {"pattern": "daily"}}
            case "weekly":
                return {"schedule_at": self.at, "recurrence": {"pattern": "weekly", "weekdays": ["SUN", "MON", "THU"]}}
            case "monthly":
                return {"schedule_at": self.at, "recurrence": {"pattern": "monthly", "days_of_month": [1, 8, 25, -1]}}
            case _:
                both = f"{int(hour)},{(int(hour) + 12) % 24}"
                return {"recurrence": {"pattern": "cron", "cron_expr": f"{int(minute)} {both} * * *"}}

    def after(self, reading: datetime) -> datetime:
        """The next reading of the rule."""
        return next(found for found in self._from(reading.date()) if found > reading)

    def _from(self, first: Any) -> Iterator[datetime]:
        hour, minute = map(int, self.at.split(":"))
        hours = [hour] if self.kind != "cron" else sorted([hour, (hour + 12) % 24])
        for days in count():
            day = first + timedelta(days=days)
            is_last = (day + timedelta(days=1)).day == 1
            if (
                self.kind in {"daily", "cron"}
                or (self.kind == "weekly" and day.isoweekday() in {7, 1, 4})
                or (self.kind == "monthly" and (day.day in {1, 8, 25} or is_last))
            ):
                yield from (datetime(day.year, day.month, day.day, at, minute) for at in hours)  # noqa: DTZ001  # a reading


class Traveller(RuleBasedStateMachine):
    """A user with one schedule of each kind, who moves while all sorts of things are done to them."""

    connection: psycopg.Connection

    @initialize(zone=st.sampled_from(_ZONES), at=st.sampled_from(["00:30", "02:30", "09:00"]))
    def arrive(self, zone: str, at: str) -> None:
        set_clock(self.connection, _BEGIN)
        self.user = f"u_{next(_USERS)}"
        self.zone = zone
        given_user(self.connection, self.user, zone)
        self.walls: dict[str, Wall] = {}
        self.paused: set[str] = set()
        for kind in ("daily", "weekly", "monthly", "cron"):
            wall = Wall(kind, at)
            whole = {"user_id": self.user, "template_id": kind, "misfire": "catch_up", "misfire_limit": 100} | wall.words
            made = one(self.connection, "select * from gnomon.schedule(%s)", Jsonb(whole))
            self.walls[made.schedule_id] = wall
        self._look()

    @rule(zone=st.sampled_from(_ZONES))
    def move(self, zone: str) -> None:
        self.connection.execute("select gnomon.move_user(%s, %s)", [self.user, zone])
        self.zone = zone

    @rule(hours=st.sampled_from([0.5, 1, 3, 7, 20, 40, 200]), is_looked_at=st.booleans())
    def wait(self, hours: float, *, is_looked_at: bool) -> None:
        step_to(self.connection, clock(self.connection) + timedelta(hours=hours))
        if is_looked_at:
            self.deliver()

    @rule()
    def fire_ahead(self) -> None:
        """To a second before the next instant: it is fired, and not due."""
        self.deliver()
        first = value(self.connection, "select min(fire_at_utc) from gnomon.schedules where user_id = %s", self.user)
        if first is not None and first > clock(self.connection):
            step_to(self.connection, first - timedelta(seconds=1))
            fire(self.connection)

    @rule(number=st.integers(0, 3))
    def pause(self, number: int) -> None:
        """What has been fired and is due comes all the same: it is taken over first."""
        while claims := claim(self.connection):
            settle(self.connection, claims)
            self._heard(claimed.event for claimed in claims)
        schedule_id = list(self.walls)[number]
        self.connection.execute("select gnomon.pause_schedule(%s)", [schedule_id])
        self.paused.add(schedule_id)

    @rule(number=st.integers(0, 3))
    def resume(self, number: int) -> None:
        schedule_id = list(self.walls)[number]
        self.connection.execute("select gnomon.resume_schedule(%s)", [schedule_id])
        self.paused.discard(schedule_id)

    @rule(number=st.integers(0, 3), at=st.sampled_from(["01:30", "08:00", "23:45"]))
    def edit(self, number: int, at: str) -> None:
        """Another time of day: what is due has come before, and the readings of the new rule begin after now."""
        schedule_id = list(self.walls)[number]
        self.resume(number)
        self.deliver()
        old = self.walls[schedule_id]
        if old.at == at:
            return
        wall = self.walls[schedule_id] = Wall(old.kind, at)
        reschedule(self.connection, schedule_id, wall.words)
        shown = self._shown()
        wall.next = self._pending(schedule_id)
        # A clock that goes back shows an hour twice, and a reading whose first pass is over waits for its next day.
        assert wall.next in {wall.after(shown), wall.after(wall.after(shown))}

    @rule()
    def deliver(self) -> None:
        events = deliver_all(self.connection)
        # A look that only finds stale timers fires nothing, and is not the last one.
        while value(self.connection, _DUE_TIMERS):
            events += deliver_all(self.connection)
        self._heard(events)
        for schedule_id, wall in self.walls.items():
            assert self._pending(schedule_id) == wall.next
            assert wall.next is not None
            if schedule_id not in self.paused:
                assert wall.next > self._shown(), "passed on the wall, and has not come"

    @invariant()
    def one_pending_each(self) -> None:
        if hasattr(self, "walls"):
            pending = rows(self.connection, "select schedule_id, status from gnomon.pending_schedules(%s)", self.user)
            assert {row.schedule_id for row in pending if row.status == "paused"} == self.paused
            assert len(pending) == len(self.walls)

    def teardown(self) -> None:
        for schedule_id in getattr(self, "walls", {}):
            self.connection.execute("select gnomon.cancel_schedule(%s)", [schedule_id])

    def _heard(self, events: Iterable[Any]) -> None:
        for event in events:
            data = event["data"]
            wall = self.walls[data["schedule_id"]]
            assert datetime.fromisoformat(data["local_time"]) == wall.next, (data, wall.next)
            assert wall.next is not None
            assert data["schedule_id"] not in self.paused
            wall.next = wall.after(wall.next)

    def _look(self) -> None:
        for schedule_id, wall in self.walls.items():
            wall.next = self._pending(schedule_id)
            assert wall.next == wall.after(self._shown())

    def _shown(self) -> datetime:
        return clock(self.connection).astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)

    def _pending(self, schedule_id: str) -> datetime:
        reading: datetime = value(self.connection, _PENDING, schedule_id)
        return reading


def _travel(connection: psycopg.Connection, examples: int, steps: int) -> None:
    class Here(Traveller):
        pass

    Here.connection = connection
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_each_reading_comes_once_and_in_order(connection: psycopg.Connection) -> None:
    _travel(connection, examples=5, steps=20)


@pytest.mark.long
def test_the_same_for_a_long_time(connection: psycopg.Connection) -> None:
    _travel(connection, examples=150, steps=50)
