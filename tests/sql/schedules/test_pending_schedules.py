"""What is pending for a user: by instant, page by page, each schedule once wherever it is on its way."""

import psycopg
import pytest

from tests.sql.acts import cancel, claim, fire, schedule_many, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, rows, value

NOON = utc("2026-12-01T12:00:00")


def _page(connection: psycopg.Connection, at_most: int, after: str | None = None) -> list[tuple[str, str]]:
    page = rows(connection, "select * from gnomon.pending_schedules('u', %s, %s)", at_most, after)
    return [(row.key, row.cursor) for row in page]


def test_pages_follow_each_other_without_gap_or_repeat(connection: psycopg.Connection) -> None:
    set_clock(connection, NOON)
    batch = [
        {"user_id": "u", "template_id": "t", "schedule_at": f"PT{n // 3 + 1}H", "key": str(n)} for n in (5, 1, 4, 0, 3, 2, 6)
    ]
    schedule_many(connection, batch)
    whole = [key for key, _ in _page(connection, 200)]
    assert sorted(whole[:3]) == ["0", "1", "2"]
    seen: list[str] = []
    after = None
    while page := _page(connection, 2, after):
        seen += [key for key, _ in page]
        after = page[-1][1]
    assert seen == whole
    assert value(connection, "select gnomon.pending_count('u')") == 7


def test_one_that_was_fired_ahead_still_is_pending_and_counts_once(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T16:59:59"))
    given_schedule(
        connection,
        user_id="u",
        schedule_at="18:00",
        timezone="Europe/Berlin",
        key="daily",
        channels=["push", "log"],
        recurrence={"pattern": "daily"},
    )
    once = given_schedule(connection, user_id="u", schedule_at="PT1S", key="once", channels=["email"])
    assert fire(connection) == 2
    pending = rows(connection, "select * from gnomon.pending_schedules('u')")
    assert sorted((row.key, row.fire_at_utc, row.recurrence) for row in pending) == [
        ("daily", utc("2026-12-01T17:00:00"), "daily"),
        ("once", utc("2026-12-01T17:00:00"), None),
    ]
    set_clock(connection, utc("2026-12-01T17:00:00"))
    assert len(claim(connection)) == 1
    assert len(claim(connection, channel="email")) == 1
    after = rows(connection, "select * from gnomon.pending_schedules('u')")
    assert [(row.key, row.fire_at_utc) for row in after] == [("daily", utc("2026-12-02T17:00:00"))]
    assert cancel(connection, once.schedule_id).status == "fired"


@pytest.mark.parametrize(("at_most", "after"), [(0, None), (201, None), (None, None), (20, "x"), (20, "1-2"), (20, "")])
def test_a_page_that_cannot_be_is_refused(connection: psycopg.Connection, at_most: int | None, after: str | None) -> None:
    with pytest.raises(psycopg.Error) as refused:
        connection.execute("select * from gnomon.pending_schedules('u', %s, %s)", [at_most, after])
    assert refused.value.sqlstate == "GN024"


def test_a_user_without_schedules_has_none(connection: psycopg.Connection) -> None:
    assert rows(connection, "select * from gnomon.pending_schedules('nobody')") == []
    assert value(connection, "select gnomon.pending_count('nobody')") == 0
