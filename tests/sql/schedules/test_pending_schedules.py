"""What is pending for a user, in pages; and what is told of one schedule, before and after its end."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, found, schedule_many, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows, value

_NOON = utc("2026-12-01T12:00:00")
_DAILY = {"schedule_at": "13:00", "timezone": "UTC", "recurrence": {"pattern": "daily", "end_after": 9}}


@pytest.fixture
def at_noon(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at noon of a day whose periods exist."""
    set_clock(connection, _NOON)
    connection.execute("select gnomon.make_periods()")
    return connection


def _page(connection: psycopg.Connection, at_most: int = 20, after: str | None = None) -> list[Any]:
    return rows(connection, "select * from gnomon.pending_schedules('u_abc123', %s, %s)", at_most, after)


def _count(connection: psycopg.Connection) -> int:
    return int(value(connection, "select gnomon.pending_count('u_abc123')"))


def test_pages_by_instant_and_id_show_each_once(at_noon: psycopg.Connection) -> None:
    # Many of one instant, so that the instant alone cannot be the cursor.
    requests = [
        {"user_id": "u_abc123", "template_id": f"t{n}", "schedule_at": f"PT{1 + n % 3}H", "key": f"k{n}"} for n in range(25)
    ]
    schedule_many(at_noon, requests)
    given_schedule(at_noon, user_id="u_other")

    seen: list[Any] = []
    after = None
    while page := _page(at_noon, 7, after):
        seen += page
        after = page[-1].cursor

    assert len(seen) == len({row.schedule_id for row in seen}) == _count(at_noon) == 25
    assert [(row.fire_at_utc, row.schedule_id) for row in seen] == sorted((row.fire_at_utc, row.schedule_id) for row in seen)
    assert {row.status for row in seen} == {"scheduled"}


def test_a_page_after_a_row_that_is_gone_goes_on_behind_it(at_noon: psycopg.Connection) -> None:
    for hours in (1, 2, 3):
        given_schedule(at_noon, schedule_at=f"PT{hours}H")
    [first] = _page(at_noon, 1)
    cancel(at_noon, first.schedule_id)
    assert [row.fire_at_utc for row in _page(at_noon, 1, first.cursor)] == [_NOON + timedelta(hours=2)]


@pytest.mark.parametrize(
    ("at_most", "after"), [(0, None), (201, None), (None, None), (20, "x"), (20, ""), (20, "1-2"), (20, "9" * 40)]
)
def test_a_limit_or_cursor_without_sense_is_refused(untouched: psycopg.Connection, at_most: Any, after: str | None) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.pending_schedules('u_abc123', %s, %s)", [at_most, after])
    assert fault.value.sqlstate == "GN024"


def test_fired_ahead_is_still_pending_until_it_is_handed_over(at_noon: psycopg.Connection) -> None:
    once = given_schedule(at_noon, schedule_at=_NOON + timedelta(hours=1), key="once", channels=["log", "email"])
    daily = given_schedule(at_noon, _DAILY, key="daily", user_id="u_abc123")
    step_to(at_noon, _NOON + timedelta(minutes=59, seconds=59))
    assert fire(at_noon) == 2

    told = {row.schedule_id: row for row in _page(at_noon)}

    assert set(told) == {once.schedule_id, daily.schedule_id}
    assert {row.fire_at_utc for row in told.values()} == {_NOON + timedelta(hours=1)}
    assert (told[once.schedule_id].key, told[daily.schedule_id].recurrence) == ("once", "daily")
    assert _count(at_noon) == 2
    assert found(at_noon, once.schedule_id).status == "scheduled"
    assert found(at_noon, daily.schedule_id).fire_at_utc == _NOON + timedelta(hours=1)

    step_to(at_noon, _NOON + timedelta(hours=1))
    claim(at_noon)
    assert [(row.schedule_id, row.fire_at_utc) for row in _page(at_noon)] == [
        (daily.schedule_id, _NOON + timedelta(hours=25))
    ]
    assert found(at_noon, once.schedule_id).status == "fired"


def test_everything_of_a_recurrence_is_told(at_noon: psycopg.Connection) -> None:
    given_user(at_noon, time_zone="Europe/Berlin")
    made = given_schedule(
        at_noon, _DAILY, timezone=None, params={"dose": 2}, labels={"course": "7"}, key="k", dedup_key="d", channels=["push"]
    )
    told = found(at_noon, made.schedule_id)

    assert (told.user_id, told.template_id, told.status, told.version) == ("u_abc123", "pill", "scheduled", 1)
    assert (told.time_zone, told.time_zone_source, told.lane) == ("Europe/Berlin", "user", "transactional")
    assert told.local_time.startswith("13:00")
    assert (told.params, told.labels, told.channels, told.key, told.dedup_key) == (
        {"dose": 2},
        {"course": "7"},
        ["push"],
        "k",
        "d",
    )
    assert told.recurrence == {
        "pattern": "daily",
        "cron_expr": None,
        "end_after": 9,
        "fired_count": 0,
        "last_fired_at": None,
        "next_fire_utc": "2026-12-02T12:00:00Z",
    }

    step_to(at_noon, utc("2026-12-02T12:00:00"))
    fire(at_noon)
    settle(at_noon, claim(at_noon, channel="push"))
    again = found(at_noon, made.schedule_id).recurrence
    assert (again["fired_count"], again["last_fired_at"], again["next_fire_utc"]) == (
        *(1, "2026-12-02T12:00:00Z"),
        "2026-12-03T12:00:00Z",
    )


def test_long_params_are_told_too(at_noon: psycopg.Connection) -> None:
    long = {"text": "x" * 5000}
    made = given_schedule(at_noon, schedule_at="PT1S", params=long)
    assert found(at_noon, made.schedule_id).params == long
    fire(at_noon)
    assert found(at_noon, made.schedule_id).params == long


def test_labels_are_told_while_it_is_on_its_way(at_noon: psycopg.Connection) -> None:
    made = [given_schedule(at_noon, schedule_at="PT1S", labels=labels) for labels in ({"course": "7"}, {})]
    fire(at_noon)
    assert [found(at_noon, row.schedule_id).labels for row in made] == [{"course": "7"}, {}]


@pytest.mark.parametrize("end", ["fired", "cancelled", "expired", "skipped"])
def test_after_the_end_the_ledger_tells_what_is_left(at_noon: psycopg.Connection, end: str) -> None:
    fields = {"skipped": {"schedule_at": "2020-01-01T00:00:00Z", "if_past": "skip"}, "expired": {"expires_in": "PT1M"}}
    made = given_schedule(at_noon, fields.get(end, {}))
    if end == "cancelled":
        cancel(at_noon, made.schedule_id)
    step_to(at_noon, _NOON + timedelta(hours=2))
    fire(at_noon)
    settle(at_noon, claim(at_noon))

    told = found(at_noon, made.schedule_id)

    assert (told.status, told.user_id, told.template_id) == (end, "u_abc123", "pill")
    assert (told.fired_at_utc is not None) == (end == "fired")


def test_an_unknown_schedule_is_not_found(untouched: psycopg.Connection) -> None:
    for query in ("find_schedule", "preview_schedule"):
        with pytest.raises(psycopg.Error) as fault:
            untouched.execute(f"select gnomon.{query}('sch_01M8PSTVESE0XR00T9E4VSZD2F')")
        assert fault.value.sqlstate == "GN020"


def test_a_preview_shows_what_will_come_and_no_more_than_that(at_noon: psycopg.Connection) -> None:
    made = given_schedule(at_noon, _DAILY, timezone="America/New_York", recurrence={"pattern": "daily", "end_after": 3})
    query = "select * from gnomon.preview_schedule(%s, %s)"

    shown = rows(at_noon, query, made.schedule_id, 10)
    assert [row.at_utc for row in shown] == [_NOON + timedelta(days=n, hours=6) for n in range(3)]
    assert {(row.local_time.hour, row.utc_offset, row.kind) for row in shown} == {(13, timedelta(hours=-5), "exact")}
    assert len(rows(at_noon, query, made.schedule_id, 2)) == 2

    step_to(at_noon, shown[0].at_utc)
    fire(at_noon)
    assert [row.at_utc for row in rows(at_noon, query, made.schedule_id, 10)] == [row.at_utc for row in shown[1:]]
    once = given_schedule(at_noon)
    assert [row.at_utc for row in rows(at_noon, query, once.schedule_id, 10)] == [once.fire_at_utc]
    assert one(at_noon, "select * from gnomon.schedules where schedule_id = %s", once.schedule_id).status == "scheduled"
