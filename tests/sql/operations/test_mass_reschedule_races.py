"""What a reschedule of many means is never handed over by its old plan after the call returned, and none of it is lost."""

import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, fire, schedule_many, settle
from tests.sql.beside import beside
from tests.support.given import one, rows, value
from tests.support.races import sessions, wait_until

_ROUNDS: Final = 6
_LABELS: Final = ("spring", "autumn")
_NOW: Final = "select gnomon.clock_utc()"
_COUNTS: Final = "select gnomon_data.id_text('sch', id) as id, fired_count, fire_at_utc from gnomon_data.schedules"
_IS_WAITING: Final = "select exists (select from gnomon_data.mass_pauses) or exists (select from gnomon_data.deliveries)"


@dataclass
class _Seen:
    """What happened when, by one monotonic clock: schedules made (label, ended) and hand-overs (began, what was due)."""

    lock: Lock = field(default_factory=Lock)
    made: dict[str, tuple[str, float]] = field(default_factory=dict)
    handed_over: list[tuple[str, float, datetime]] = field(default_factory=list)

    def too_late(self, label: str, began: float, returned: float, called_at: datetime) -> list[str]:
        """Made before the call began and due after it, and handed over by a claim that began after it had returned."""
        soon = called_at + timedelta(hours=1)
        return [
            schedule_id
            for schedule_id, claimed, due_at in self.handed_over
            if self.made[schedule_id][0] == label and self.made[schedule_id][1] < began
            if claimed > returned and called_at < due_at < soon
        ]


def test_mass_reschedules_raced_against_fires_and_claims(connection: psycopg.Connection, database_url: str) -> None:
    seen = _Seen()
    chance = random.Random(4)  # noqa: S311  # cases, not secrets

    def wish(label: str, at: datetime) -> dict[str, Any]:
        soon = at + timedelta(seconds=chance.choice([1, 1, 2, 3]))
        whole = {"user_id": f"u{chance.randrange(3000)}", "template_id": "t", "labels": {"season": label}, "timezone": "UTC"}
        return whole | {"schedule_at": f"{soon:%H:%M:%S}", "recurrence": {"pattern": "daily"}}

    def make(session: psycopg.Connection) -> None:
        label = chance.choice(_LABELS)
        at = value(session, _NOW).astimezone(UTC)
        with seen.lock:
            answers = schedule_many(session, [wish(label, at) for _ in range(5)])
            seen.made |= {answer.schedule_id: (label, time.perf_counter()) for answer in answers}
        time.sleep(0.02)

    def poll(session: psycopg.Connection) -> None:
        fire(session, 64)

    def work(session: psycopg.Connection) -> None:
        began = time.perf_counter()
        claims = claim(session, at_most=20)
        told = [claimed.event["data"] for claimed in claims]
        with seen.lock:
            seen.handed_over += [(d["schedule_id"], began, datetime.fromisoformat(d["due_at"])) for d in told]
        settle(session, claims)

    def look_after(session: psycopg.Connection) -> None:
        value(session, "select gnomon.sweep_operations(50)")
        # So that claims meet what is held.
        time.sleep(0.2)

    calls = []
    with beside(database_url, make, poll, poll, work, work, look_after) as roles, sessions(database_url, 1) as (caller,):
        for number in range(_ROUNDS):
            count = len(seen.handed_over)
            roles.wait_until(lambda count=count: len(seen.handed_over) > count + 5, "something is handed over")  # type: ignore[misc]
            label, began = _LABELS[number % 2], time.perf_counter()
            later = f"{value(caller, _NOW).astimezone(UTC) + timedelta(hours=9):%H:%M:%S}"
            query = "select * from gnomon.reschedule_by_label('season', %s, %s)"
            begun = one(caller, query, label, Jsonb({"schedule_at": later}))
            calls.append((label, began, time.perf_counter(), begun.created_at_utc))
    assert [seen.too_late(*call) for call in calls] == [[] for _ in calls]

    def has_ended() -> bool:
        fire(connection)
        work(connection)
        value(connection, "select gnomon.sweep_operations(200)")
        return not value(connection, _IS_WAITING)

    wait_until(has_ended, "all is swept and handed over")
    counts = {row.id: row.fired_count for row in rows(connection, _COUNTS)}
    assert counts.keys() == seen.made.keys(), "none is lost"
    handed = dict.fromkeys(counts, 0)
    for schedule_id, _, _ in seen.handed_over:
        handed[schedule_id] += 1
    assert handed == counts, "what has fired has been handed over, once; what was taken back has not fired"
    withdrawn = value(connection, "select count(*) from gnomon_data.occurrence_log where outcome = 'withdrawn'")
    assert withdrawn > 5, "it was a race"
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0
