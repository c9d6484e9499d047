"""A reschedule of many leaves what one of each at the instant of the call leaves, whenever its sweep comes."""

import random
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, fire, schedule_many, settle, step_to, sweep, utc
from tests.support.clock import set_clock
from tests.support.given import one, rows, value

_NOON: Final = utc("2026-12-01T12:00:00")

_CHANGES: Final[list[dict[str, Any]]] = [
    {"schedule_at": "PT30M"},
    {"schedule_at": "12:30", "timezone": "UTC"},
    {"schedule_at": "2026-12-01T12:00:03Z"},
    {"params": {"b": 2}},
    {"timezone": "Asia/Tokyo"},
    {"window": "PT10M"},
    {"offset": "-PT1H"},
    {"expires_in": "PT1S", "labels": {"season": "autumn"}},
    {"lane": "bulk", "channels": ["log", "webhook"]},
    {"recurrence": None},
    {"recurrence": {"end_after": 1}},
    {"recurrence": {"pattern": "cron", "cron_expr": "*/5 * * * *"}, "schedule_at": None},
]
_PLANS: Final = """
select s.id, s.version, gnomon_data.request_of(s) as request, s.rule, s.time_zone, s.time_zone_source, s.nominal_local,
       s.resolution, s.if_past, s.due_at_utc, s.fire_at_utc, s.last_due_at_utc, s.prior_due_at_utc, s.fired_count,
       s.paused_at_utc, s.expires_at_utc,
       (select count(*) from (select t.subject_id, t.stamp from gnomon_data.timers as t
                               union all select t.subject_id, t.stamp from gnomon_data.timers_far as t) as t
         where t.subject_id = s.id and t.stamp = s.stamp) as timers,
       (select k.request_hash from gnomon_data.schedule_keys as k
         where k.shard = s.shard and k.kind = 1 and k.schedule_id = s.id) as request_hash
  from gnomon_data.schedules as s order by s.id
"""
_UNDER_WAY: Final = (
    "select schedule_id, occurrence, channel, due_at_utc, attempt, ready_at_utc = 'infinity' as is_parked"
    " from gnomon_data.deliveries order by 1, 2, 3"
)
_ENDS: Final = (
    "select schedule_id, outcome, occurrence, due_at_utc, is_last from gnomon_data.occurrence_log order by 1, 3, 2"
)
_EDITS: Final = (
    "select schedule_id, kind, detail - 'operation_id' as detail from gnomon_data.events"
    " where kind <> 'refused' order by 1, 2, 3"
)
_MEANT: Final = "select gnomon_data.id_text('sch', id) as id from gnomon_data.schedules where labels ->> 'season' = 'spring'"


def _population(connection: psycopg.Connection, chance: random.Random) -> None:
    """Schedules of every kind: keyed, fired ahead, claimed, retried, paused, overdue, spread, far away, with long params."""

    def wish(number: int) -> dict[str, Any]:
        # A fourth before the last, so that some are overdue when the call comes.
        whole: dict[str, Any] = {"user_id": f"u{number % 90}", "template_id": "t", "timezone": "UTC"}
        whole["schedule_at"] = chance.choice(["11:58", "12:00:01", "12:00:03", "18:00", "PT1S", "PT5M", "PT3H", "P40D"])
        if whole["schedule_at"][0] != "P":
            whole["recurrence"] = {"pattern": "daily"} | chance.choice([{}, {}, {"end_after": 1}, {"end_after": 9}])
            whole |= chance.choice([{}, {}, {"window": "PT1H"}, {"misfire": "skip"}, {"expires_in": "PT2H"}])
        whole["params"] = {"text": "x" * chance.choice([1, 1, 2000])}
        whole |= chance.choice([{"labels": {"season": "spring"}}] * 3 + [{"labels": {"season": "autumn"}}])
        whole |= {"key": f"k{number}"} if chance.random() < 0.5 else {}
        return whole | ({"dedup_key": f"d{number}"} if chance.random() < 0.4 else {})

    set_clock(connection, _NOON - timedelta(minutes=3))
    schedule_many(connection, [wish(number) for number in range(60)])
    step_to(connection, _NOON)
    schedule_many(connection, [wish(number) for number in range(60, 140)])
    fire(connection, 40)
    claims = claim(connection, at_most=8)
    settle(connection, claims[::3], "retry")
    settle(connection, claims[1::3])
    for row in chance.sample(rows(connection, _MEANT), 10):
        value(connection, "select (gnomon.pause_schedule(%s)).status", row.id)


def _left(connection: psycopg.Connection) -> dict[str, list[Any]]:
    return {name: rows(connection, name) for name in (_PLANS, _UNDER_WAY, _ENDS, _EDITS)}


def _one_by_one(connection: psycopg.Connection, change: dict[str, Any]) -> list[str]:
    """Reschedule each; the codes of those that refused."""
    refused = []
    for row in rows(connection, _MEANT):
        try:
            with connection.transaction():
                one(connection, "select * from gnomon.reschedule(%s, %s)", row.id, Jsonb(change))
        except psycopg.Error as fault:
            refused.append(str(fault.sqlstate))
    return sorted(refused)


@pytest.mark.parametrize("change", _CHANGES, ids="-".join)
def test_at_once_or_one_by_one(connection: psycopg.Connection, change: dict[str, Any]) -> None:
    set_clock(connection, _NOON - timedelta(minutes=3))
    connection.execute("select gnomon.make_periods()")
    _population(connection, random.Random(str(change)))  # noqa: S311  # cases, not secrets
    before = _left(connection)
    with connection.transaction(force_rollback=True):
        refused = _one_by_one(connection, change)
        one_by_one = _left(connection)
    meant = value(connection, f"select count(*) from ({_MEANT}) as m")
    begun = one(connection, "select * from gnomon.reschedule_by_label('season', 'spring', %s)", Jsonb(change))
    step_to(connection, _NOON + timedelta(minutes=7))
    sweep(connection, 30)
    step_to(connection, _NOON + timedelta(minutes=7, seconds=2))
    sweep(connection, 30)
    at_once = _left(connection)
    told = one(connection, "select * from gnomon.describe_operation(%s)", begun.operation_id)
    assert (told.status, told.swept_count, told.refused_count) == ("done", meant, len(refused))
    assert {refusal["code"] for refusal in told.refusals} <= set(refused)
    assert meant > 60
    assert before[_PLANS] != one_by_one[_PLANS], "some are changed"
    for name in at_once:
        assert at_once[name] == one_by_one[name], name
    assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0
