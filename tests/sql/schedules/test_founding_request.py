"""The founding request, as it stands: 90 mornings in New York across the change of the clocks, and not one more."""

import json
from datetime import timedelta
from pathlib import Path

import psycopg

from tests.sql.acts import deliver_all, found, ledger, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

REQUEST = json.loads((Path(__file__).parents[1] / "clock" / "founding_request.json").read_text(encoding="utf-8"))


def test_it_fires_ninety_times_and_ends(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2024-03-14T10:00:00"))
    scheduled = given_schedule(connection, REQUEST)
    assert (scheduled.fire_at_utc, scheduled.time_zone, scheduled.time_zone_source) == (
        utc("2024-03-15T13:00:00"),
        "America/New_York",
        "request",
    )
    pending = one(connection, "select * from gnomon.pending_schedules('u_abc123')")
    assert (pending.recurrence, value(connection, "select gnomon.pending_count('u_abc123')")) == ("daily", 1)
    sent = {"push": list[str](), "email": list[str]()}
    due = scheduled.fire_at_utc
    while due is not None:
        step_to(connection, due)
        for channel, instants in sent.items():
            instants += [event["data"]["due_at"] for event in deliver_all(connection, channel=channel)]
        left = rows(connection, "select * from gnomon.pending_schedules('u_abc123')")
        due = left[0].fire_at_utc if left else None
        if len(sent["push"]) == 1:
            assert due == utc("2024-03-16T13:00:00")
    days = [utc("2024-03-15T13:00:00") + timedelta(days=n) for n in range(90)]
    assert sent["push"] == sent["email"] == [f"{day:%Y-%m-%dT%H:%M:%SZ}" for day in days]
    assert sent["push"][-1] == "2024-06-12T13:00:00Z"
    assert found(connection, scheduled.schedule_id).status == "completed"
    assert ledger(connection, scheduled.schedule_id).count("fired") == 90


def test_with_the_clock_of_today_it_is_the_next_nine_oclock(connection: psycopg.Connection) -> None:
    scheduled = given_schedule(connection, REQUEST)
    wanted = "select (date_trunc('day', n) + case when n::time < '09:00' then interval '9 h' else interval '33 h' end)"
    next_nine = value(
        connection, f"{wanted} at time zone 'America/New_York' from (select now() at time zone 'America/New_York') as c (n)"
    )
    assert scheduled.fire_at_utc == next_nine
