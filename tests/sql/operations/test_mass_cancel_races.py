"""I2 for mass cancels: what was accepted before is never handed over after the call returned; what is made later lives."""

import random
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, fire, settle, sweep
from tests.sql.beside import beside
from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_ROUNDS: Final = 9
_IS_LEFT: Final = """
select exists (select from gnomon_data.schedules) or exists (select from gnomon_data.deliveries)
    or exists (select from gnomon_data.mass_cancels)"""
_LABELS: Final = ("spring", "autumn", "winter")


@dataclass
class _Seen:
    """What happened when, by one monotonic clock: schedules made (began, ended), hand-overs (the last instant before)."""

    lock: Lock = field(default_factory=Lock)
    made: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    handed_over: dict[str, float] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def take_over(self, claims: list[Any], at: float) -> None:
        with self.lock:
            for schedule_id in (claimed.event["data"]["schedule_id"] for claimed in claims):
                if schedule_id in self.handed_over:
                    self.twice.append(schedule_id)
                self.handed_over[schedule_id] = at

    def too_late(self, cancels: list[tuple[str, float, float]]) -> list[str]:
        """Made before a cancel of its label began, handed over after that had returned."""
        return [
            schedule_id
            for schedule_id, (label, _, ended) in self.made.items()
            for of, began, returned in cancels
            if label == of and ended < began and self.handed_over.get(schedule_id, 0) > returned
        ]

    def lost(self, cancels: list[tuple[str, float, float]]) -> list[str]:
        """Never handed over, although no cancel of its label returned after it was begun."""
        return [
            schedule_id
            for schedule_id, (label, began, _) in self.made.items()
            if schedule_id not in self.handed_over
            and not any(of == label and began < returned for of, _, returned in cancels)
        ]


def test_mass_cancels_raced_against_all_others(connection: psycopg.Connection, database_url: str) -> None:
    seen = _Seen()
    chance = random.Random(4)  # noqa: S311  # cases, not secrets

    def make(session: psycopg.Connection) -> None:
        label = chance.choice(_LABELS)
        began = time.perf_counter()
        wishes = [_wish(label, f"u{chance.randrange(300)}") for _ in range(8)]
        answers = rows(session, "select * from gnomon.schedule_many(%s)", Jsonb(wishes))
        ended = time.perf_counter()
        with seen.lock:
            seen.made |= {answer.schedule_id: (label, began, ended) for answer in answers}
        time.sleep(0.01)

    def poll(session: psycopg.Connection) -> None:
        fire(session, 64)

    def work(session: psycopg.Connection) -> None:
        with session.transaction():
            claims = claim(session, at_most=20)
            if chance.random() < 0.3:
                # A claim that is under way when a cancel comes.
                time.sleep(0.01)
            at = time.perf_counter()
        seen.take_over(claims, at)
        settle(session, claims)
        time.sleep(0.002)

    def look_after(session: psycopg.Connection) -> None:
        value(session, "select gnomon.sweep_operations(20)")
        time.sleep(0.003)

    cancels: list[tuple[str, float, float]] = []
    with beside(database_url, make, poll, work, work, look_after), sessions(database_url, 2) as (first, other):
        for number in range(_ROUNDS):
            label = _LABELS[number % 3]
            time.sleep(0.05)
            with other.transaction(force_rollback=number % 2 == 0):
                if number % 3 == 0:
                    # Another one stays open meanwhile, so that claims go past the gate.
                    one(other, "select * from gnomon.cancel_by_label('season', 'none')")
                began = time.perf_counter()
                one(first, "select * from gnomon.cancel_by_label('season', %s)", label)
                cancels.append((label, began, time.perf_counter()))
                time.sleep(0.02)

    is_left = True
    while is_left:
        sweep(connection)
        fire(connection)
        # Parked behind one that was settled in the same moment: upkeep's part.
        value(connection, "select gnomon.release_parked(500)")
        claims = claim(connection)
        seen.take_over(claims, time.perf_counter())
        settle(connection, claims)
        is_left = bool(value(connection, _IS_LEFT))

    assert (seen.too_late(cancels), seen.lost(cancels), seen.twice) == ([], [], [])
    statuses = _statuses(connection, list(seen.made))
    assert [i for i in seen.made if (statuses[i] == "cancelled") == (i in seen.handed_over)] == []
    assert len(seen.made) - len(seen.handed_over) > 20, "it was a race"
    assert len(seen.handed_over) > 20, "it was a race"


def _wish(label: str, user_id: str) -> dict[str, Any]:
    return {"user_id": user_id, "template_id": "t", "schedule_at": "PT0.2S", "labels": {"season": label}}


def _statuses(connection: psycopg.Connection, ids: list[str]) -> dict[str, str]:
    found = rows(connection, "select i as id, (gnomon.find_schedule(i)).status from unnest(%s::text[]) as i", ids)
    return {row.id: row.status for row in found}


def test_claims_hold_back_only_what_an_open_cancel_means(connection: psycopg.Connection, database_url: str) -> None:
    for label in ("spring", "autumn"):
        given_schedule(connection, user_id=label, schedule_at="PT0S", labels={"season": label})
    fire(connection)
    with sessions(database_url, 1) as (other,), other.transaction(force_rollback=True):
        one(other, "select * from gnomon.cancel_by_label('season', 'spring')")
        [claimed] = claim(connection)
        assert claim(connection) == []
    settle(connection, [claimed])
    connection.execute("select pg_sleep(1.1)")
    assert len(claim(connection)) == 1, "the cancel was taken back"
