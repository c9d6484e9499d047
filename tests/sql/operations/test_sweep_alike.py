"""A sweep of many at once leaves what a sweep of one after the other leaves, whatever the schedules are like."""

import random
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, fire, reschedule, schedule_many, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

_NOON: Final = utc("2026-12-01T12:00:00")

_SET_BASED: Final = """
do $$
declare
    o gnomon_data.operations;
begin
    select x.* into o from gnomon_data.operations as x;
    while o.phase < 2 loop
        o := gnomon_data.sweep_piece(o, 7);
    end loop;
end
$$
"""
_ONE_BY_ONE: Final = """
select gnomon_data.sweep_one(g.shard, g.id)
  from (select shard, id from gnomon_data.schedules union select shard, schedule_id from gnomon_data.deliveries) as g
"""
_TO_EDIT: Final = (
    "select schedule_id from gnomon.schedules where labels ->> 'season' = 'autumn' and fire_at_utc > %s limit 8"
)
_LEFT: Final = (
    "schedules",
    "schedule_keys",
    "timers",
    "timers_far",
    "deliveries",
    "delivery_log",
    "occurrence_log",
    "events",
    "payloads",
)


def _population(connection: psycopg.Connection, chance: random.Random) -> None:
    """Schedules of every kind: keyed, fired ahead, claimed, retried, paused, edited, spared, far away, with long params."""

    def wish(number: int) -> dict[str, Any]:
        whole: dict[str, Any] = {"user_id": f"u{number % 90}", "template_id": "t", "schedule_at": "09:00", "timezone": "UTC"}
        whole["schedule_at"] = chance.choice(["PT1S", "PT0S", "PT3H", "P40D", "12:00:01"])
        if whole["schedule_at"] == "12:00:01":
            whole["recurrence"] = {"pattern": "daily"} | chance.choice([{}, {"end_after": 1}, {"end_after": 9}])
        whole["params"] = {"text": "x" * chance.choice([1, 1, 2000])}
        whole |= chance.choice([{"labels": {"season": "spring"}}] * 3 + [{"labels": {"season": "autumn"}}, {}])
        whole |= {"key": f"k{number}"} if chance.random() < 0.5 else {}
        return whole | ({"dedup_key": f"d{number}"} if chance.random() < 0.4 else {})

    made = schedule_many(connection, [wish(number) for number in range(150)])
    fire(connection, 60)
    step_to(connection, _NOON + timedelta(milliseconds=500))
    claims = claim(connection, at_most=20)
    settle(connection, claims[::3], "retry")
    settle(connection, claims[1::3])
    ids = [answer.schedule_id for answer in made]
    live = {row.schedule_id for row in rows(connection, "select schedule_id from gnomon.schedules")}
    for schedule_id in chance.sample(sorted(live & set(ids)), 12):
        value(connection, "select (gnomon.pause_schedule(%s)).status", schedule_id)
    one(connection, "select * from gnomon.cancel_by_label('season', 'spring')")
    schedule_many(connection, [wish(number) for number in range(150, 190)])
    for row in rows(connection, _TO_EDIT, _NOON + timedelta(minutes=1)):
        reschedule(connection, row.schedule_id, {"labels": {"season": "spring"}})


def _left(connection: psycopg.Connection) -> dict[str, list[str]]:
    return {
        table: sorted(str(row) for row in rows(connection, f"select t::text from gnomon_data.{table} as t"))
        for table in _LEFT
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_once_or_one_by_one(connection: psycopg.Connection, seed: int) -> None:
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    _population(connection, random.Random(seed))  # noqa: S311  # cases, not secrets
    set_clock(connection, _NOON + timedelta(seconds=1))
    before = _left(connection)
    with connection.transaction(force_rollback=True):
        connection.execute(_SET_BASED)
        at_once = _left(connection)
        assert value(connection, "select sum(abs(missing_count)) from gnomon.ledger()") == 0
        assert value(connection, "select count(*) from gnomon_data.occurrence_log where outcome = 'cancelled'") > 40
    with connection.transaction(force_rollback=True):
        connection.execute(_ONE_BY_ONE)
        one_by_one = _left(connection)
    assert len(before["schedules"]) > len(at_once["schedules"]) > 30, "some go, some stay"
    for table in _LEFT:
        assert at_once[table] == one_by_one[table], table


def test_what_was_looked_at_is_asked_again_once_it_is_locked(connection: psycopg.Connection) -> None:
    made = [given_schedule(connection, labels={"season": season}) for season in ("spring", "autumn")]
    one(connection, "select * from gnomon.cancel_by_label('season', 'spring')")
    ids = [answer.schedule_id for answer in made]
    swept = one(
        connection,
        "select s.* from gnomon_data.operations as o cross join lateral (select jsonb_populate_record(o, %s) as placed)"
        " as p cross join lateral gnomon_data.sweep_many(p.placed, array(select gnomon_data.id_of('sch', i)"
        " from unnest(%s::text[]) as i)) as s",
        *(Jsonb({"after_shard": value(connection, "select gnomon_data.shard_of('u_abc123')")}), ids),
    )
    assert (swept.swept_count, swept.held_count) == (1, 0)
    assert [row.schedule_id for row in rows(connection, "select schedule_id from gnomon.schedules")] == ids[1:]
