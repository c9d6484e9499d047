"""The form without memory: what a caller sees who calls nothing but fire, claim and settle."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.sql import clock
from tests.sql.acts import claim, deliver_all, fire, found, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

_FOUNDING: Final = json.loads((Path(next(iter(clock.__path__))) / "founding_request.json").read_text())


def test_the_founding_request_from_its_first_to_its_90th_occurrence(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2024-03-14T10:00:00"))
    answer = one(connection, "select * from gnomon.schedule(%s)", Jsonb(_FOUNDING))
    assert (answer.fire_at_utc, answer.status) == (utc("2024-03-15T13:00:00"), "scheduled")
    [pending] = rows(connection, "select * from gnomon.pending_schedules('u_abc123')")
    assert pending.recurrence == "daily"
    assert value(connection, "select gnomon.pending_count('u_abc123')") == 1

    due: list[Any] = []
    at = answer.fire_at_utc
    while True:
        step_to(connection, at)
        assert fire(connection) == 1
        claims = claim(connection, channel="push") + claim(connection, channel="email")
        assert settle(connection, claims) == 2
        due.append({c.event["data"]["due_at"] for c in claims})
        told = found(connection, answer.schedule_id)
        if told.status == "completed":
            break
        at = told.fire_at_utc

    assert len(due) == 90
    assert (due[0], due[1], due[89]) == ({"2024-03-15T13:00:00Z"}, {"2024-03-16T13:00:00Z"}, {"2024-06-12T13:00:00Z"})
    assert value(connection, "select gnomon.pending_count('u_abc123')") == 0


def test_with_todays_clock_it_is_the_next_nine_oclock_in_new_york(connection: psycopg.Connection) -> None:
    answer = one(connection, "select * from gnomon.schedule(%s)", Jsonb(_FOUNDING))
    expected = value(
        connection,
        "select case when n.today + time '09:00' > n.shown then n.today else n.today + 1 end + time '09:00'"
        " from (select gnomon_data.now_utc() at time zone 'America/New_York' as shown) as c"
        " cross join lateral (select c.shown::date as today, c.shown) as n",
    )
    shown = value(connection, "select %s::timestamptz at time zone 'America/New_York'", answer.fire_at_utc)
    assert (shown, answer.if_past) == (expected, "next")


def test_after_a_clock_that_went_back_nothing_is_lost(connection: psycopg.Connection) -> None:
    day = utc("2026-12-10T12:00:00")
    set_clock(connection, day)
    connection.execute("select gnomon.make_periods()")
    given_schedule(connection, schedule_at=day + timedelta(hours=1), user_id="u_before")

    set_clock(connection, day - timedelta(days=9))
    connection.execute("select gnomon.make_periods()")
    given_schedule(connection, schedule_at="PT1H", user_id="u_after")

    step_to(connection, day - timedelta(days=9) + timedelta(hours=1))
    assert [event["subject"] for event in deliver_all(connection)] == ["u_after"]
    step_to(connection, day + timedelta(hours=1))
    assert [event["subject"] for event in deliver_all(connection)] == ["u_before"]


def test_an_instant_that_passes_while_a_caller_is_open_is_written_at_his_clock(connection: psycopg.Connection) -> None:
    """The write rule: never below the clock that was read after the xid."""
    schedule = given_schedule(connection, schedule_at="2020-01-01T00:00:00Z", if_past="now")
    timer = one(connection, "select fire_at_utc, wanted_at_utc from gnomon_data.timers")
    assert timer == (schedule.fire_at_utc, schedule.fire_at_utc)

    connection.execute(
        "select gnomon_data.put_timers(array[row('2020-01-01', '2020-01-01', 5, gen_random_uuid(), 3, 1, 1)"
        "::gnomon_data.timers], '2026-12-01T10:00:00Z')"
    )
    late = "select fire_at_utc, wanted_at_utc from gnomon_data.{} where stamp = 5"
    [timer] = rows(connection, f"{late.format('timers')} union all {late.format('timers_far')}")
    assert timer == (utc("2026-12-01T10:00:00"), value(connection, "select timestamptz '2020-01-01'"))
