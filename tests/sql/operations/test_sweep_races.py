"""The sweep of many beside accept, upsert, edit and fire: no deadlock, nothing lost, nothing swept that came later."""

import random
import time
from itertools import product
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.sql.acts import fire, reschedule, schedule_many, sweep
from tests.sql.beside import beside
from tests.support.given import one, rows, value
from tests.support.races import sessions

_LABELS: Final = ("spring", "autumn")
_ROUNDS: Final = 5
_REFUSED: Final = {"GN020", "GN021", "GN025", "GN029"}

_IS_SWEPT: Final = "select o.swept_count > 0 or o.status = 'done' from gnomon.find_operation(%s) as o"
_STRAY: Final = """
select count(*) from gnomon_data.schedules as s
 where s.key is not null and not exists (
       select from gnomon_data.schedule_keys as k
        where k.shard = s.shard and k.kind = 1 and k.key_hash = gnomon_data.key_hash(s.user_id, s.key)
          and k.schedule_id = s.id)
"""

_WITHOUT_TIMER: Final = """
select count(*) from gnomon_data.schedules as s
 where 1 <> (select count(*) from (select t.subject_id, t.stamp from gnomon_data.timers as t
                                    union all select t.subject_id, t.stamp from gnomon_data.timers_far as t) as t
              where t.subject_id = s.id and t.stamp = s.stamp)
"""


class _Callers:
    """Callers who upsert and edit, by chance."""

    def __init__(self) -> None:
        self._chance = random.Random(5)  # noqa: S311  # cases, not secrets
        self._ids: list[str] = []

    def wish(self) -> dict[str, Any]:
        chance = self._chance
        whole = {"user_id": f"u{chance.randrange(30)}", "template_id": "t", "labels": {"season": chance.choice(_LABELS)}}
        whole["schedule_at"] = chance.choice(["PT0.1S", "PT1H", "P3D"])
        return whole | ({"key": f"k{chance.randrange(4)}"} if chance.random() < 0.7 else {})

    def upsert(self, session: psycopg.Connection) -> None:
        answers = schedule_many(session, [self.wish() for _ in range(12)])
        self._ids = [answer.schedule_id for answer in answers] + self._ids[:200]
        # So that the sweep, which has to look at all of them, comes to an end.
        time.sleep(0.01)

    def edit(self, session: psycopg.Connection) -> None:
        if not self._ids:
            return
        try:
            reschedule(session, self._chance.choice(self._ids), {"labels": {"season": self._chance.choice(_LABELS)}})
        except psycopg.Error as refused:
            if refused.sqlstate not in _REFUSED:
                raise


def _poll(session: psycopg.Connection) -> None:
    fire(session, 64)


def _look_after(session: psycopg.Connection) -> None:
    value(session, "select gnomon.sweep_operations(100)")


def _fire_what_is_due(connection: psycopg.Connection) -> None:
    """What is overdue when its key is given another instant stays beside the new one until it has fired."""
    while value(connection, "select exists (select from gnomon_data.schedules where fire_at_utc < gnomon_data.now_utc())"):
        fire(connection)


def test_swept_beside_all_who_change_schedules(connection: psycopg.Connection, database_url: str) -> None:
    callers = _Callers()

    with (
        beside(database_url, callers.upsert, callers.upsert, callers.edit, _poll, _look_after) as roles,
        sessions(database_url, 1) as (caller,),
    ):
        for number in range(_ROUNDS):
            begun = one(caller, "select * from gnomon.cancel_by_label('season', %s)", _LABELS[number % 2]).operation_id
            roles.wait_until(lambda begun=begun: value(connection, _IS_SWEPT, begun), "the sweep comes by")  # type: ignore[misc]
    assert value(connection, "select sum(swept_count) from gnomon_data.operations") > 20, "it was a race"

    for label in _LABELS:
        one(connection, "select * from gnomon.cancel_by_label('season', %s)", label)
    later = schedule_many(connection, [callers.wish() | {"user_id": f"u{n}", "schedule_at": "P2D"} for n in range(40)])
    while value(connection, "select exists (select from gnomon_data.mass_cancels)"):
        sweep(connection)
    left = {row.schedule_id for row in rows(connection, "select schedule_id from gnomon.schedules")}
    assert left == {answer.schedule_id for answer in later}, "what was made before has gone, what was made later is there"
    assert value(connection, _STRAY) == 0
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0


def test_paused_and_resumed_beside_all_who_change_schedules(connection: psycopg.Connection, database_url: str) -> None:
    callers = _Callers()
    with (
        beside(database_url, callers.upsert, callers.upsert, callers.edit, _poll, _look_after, _look_after) as roles,
        sessions(database_url, 1) as (caller,),
    ):
        for kind, label in product(("pause", "resume", "pause", "resume"), _LABELS):
            begun = one(caller, f"select * from gnomon.{kind}_by_label('season', %s)", label).operation_id
            if kind == "pause" and label == "autumn":
                roles.wait_until(lambda begun=begun: value(connection, _IS_SWEPT, begun), "the sweep comes by")  # type: ignore[misc]
    assert value(connection, "select count(*) from gnomon_data.events where kind = 'paused'") > 5, "it was a race"

    for label in _LABELS:  # an upsert may have given what one label's pause holds the other label, after that one's resume
        one(connection, "select * from gnomon.resume_by_label('season', %s)", label)
    while value(connection, "select exists (select from gnomon_data.mass_pauses)"):
        sweep(connection)
    assert value(connection, "select count(*) from gnomon.schedules where status <> 'scheduled'") == 0
    assert value(connection, _WITHOUT_TIMER) == 0, "whatever was held goes on"
    _fire_what_is_due(connection)
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0


_REFUSED_LATELY: Final = """
select coalesce(sum(r.refused_count), 0)
  from gnomon_data.mass_refusals as r
  join (select o.id from gnomon_data.operations as o where o.kind = 'reschedule'
         order by o.created_at_utc desc limit 2) as o on o.id = r.operation_id
"""
_PLANNED: Final = "select schedule_id, fire_at_utc from gnomon.schedules"


def test_rescheduled_beside_all_who_change_schedules(connection: psycopg.Connection, database_url: str) -> None:
    callers = _Callers()

    with (
        beside(database_url, callers.upsert, callers.upsert, callers.edit, _poll, _look_after, _look_after) as roles,
        sessions(database_url, 1) as (caller,),
    ):
        for number, label in product(range(2), _LABELS):
            for kind in ("pause", "resume"):
                one(caller, f"select * from gnomon.{kind}_by_label('season', %s)", label)
            change = Jsonb({"schedule_at": f"PT{50 + number}H", "params": {"n": number}})
            begun = one(caller, "select * from gnomon.reschedule_by_label('season', %s, %s)", label, change).operation_id
            roles.wait_until(lambda begun=begun: value(connection, _IS_SWEPT, begun), "the sweep comes by")  # type: ignore[misc]
    edited = "select count(*) from gnomon_data.events where kind = 'edited' and detail #>> '{changed,params}' is not null"
    assert value(connection, edited) > 20, "it was a race"

    before = {row.schedule_id for row in rows(connection, _PLANNED)}
    for label in _LABELS:  # as above: an edit may have taken what is paused to the other label
        one(connection, "select * from gnomon.resume_by_label('season', %s)", label)
        one(connection, "select * from gnomon.reschedule_by_label('season', %s, '{\"schedule_at\": \"PT99H\"}')", label)
    later = {a.schedule_id for a in schedule_many(connection, [callers.wish() | {"user_id": f"v{n}"} for n in range(40)])}
    while value(connection, "select exists (select from gnomon_data.mass_pauses)"):
        sweep(connection)
    moved = {row.schedule_id for row in rows(connection, f"{_PLANNED} where fire_at_utc > now() + interval '98 h'")}
    refused = value(connection, _REFUSED_LATELY)
    assert len(before - moved) == refused, "what was made before is moved, or was due"
    assert not moved & later
    assert value(connection, _WITHOUT_TIMER) == 0
    _fire_what_is_due(connection)
    assert value(connection, _STRAY) == 0
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0
