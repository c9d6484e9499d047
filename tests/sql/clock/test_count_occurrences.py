"""Missed occurrences are counted in masks and by division: the same number as by walking, and in bounded time."""

import random
import time
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import utc
from tests.support.given import value

_WALKED: Final = """
with recursive walk as (
    select n.due_at_utc from gnomon_data.next_occurrence(%(rule)s, %(zone)s, %(after)s) as n
    union all
    select n.due_at_utc from walk as w cross join lateral gnomon_data.next_occurrence(%(rule)s, %(zone)s, w.due_at_utc) as n
     where w.due_at_utc <= %(until)s
)
select count(*) from walk as w where w.due_at_utc <= %(until)s
"""
_COUNTED: Final = "select gnomon_data.count_occurrences(%(rule)s, %(zone)s, %(after)s, %(until)s)"

_TIMES: Final[dict[str, dict[str, Any]]] = {
    "daily": {"schedule_at": "02:30", "recurrence": {"pattern": "daily"}},
    "weekly": {"schedule_at": "02:30", "recurrence": {"pattern": "weekly", "weekdays": ["SUN"]}, "on_overlap": "second"},
    "monthly": {"schedule_at": "02:30", "recurrence": {"pattern": "monthly", "days_of_month": [1, -1]}},
    "elapsed": {"recurrence": {"pattern": "elapsed", "every": "PT11M"}, "schedule_at": "2026-10-01T00:00:07Z"},
    "every hour": {"recurrence": {"pattern": "cron", "cron_expr": "7,37 * * * *"}},
    "pinned hours": {"recurrence": {"pattern": "cron", "cron_expr": "*/9 1,2,3,23 * * SUN,MON,FRI"}, "offset": "PT50M"},
    "pinned, second pass": {"recurrence": {"pattern": "cron", "cron_expr": "30 0-4 * * *"}, "on_overlap": "second"},
    "pinned, gaps left out": {"recurrence": {"pattern": "cron", "cron_expr": "30 0-4 * * *"}, "on_gap": "skip"},
}  # fmt: skip
_CHANGES: Final = {
    "Europe/Berlin": ("2026-10-25T01:00:00", "2027-03-28T01:00:00"),
    "Australia/Lord_Howe": ("2026-10-03T15:30:00", "2027-04-03T15:00:00"),
    "Asia/Kathmandu": ("2026-10-25T00:00:00",),
}


def _compiled(connection: psycopg.Connection, words: dict[str, Any]) -> dict[str, Any]:
    request = {"user_id": "u", "template_id": "t", "schedule_type": "user_local_time"} | words
    if words["recurrence"]["pattern"] in {"cron", "elapsed"}:
        del request["schedule_type"]
    compiled = value(connection, "select to_jsonb(r) from gnomon_data.read_request(%s, 1) as r", Jsonb(request))
    assert compiled["fault"] is None, compiled["fault"]
    rule: dict[str, Any] = compiled["compiled"]
    return rule | ({"from": "2026-10-01T00:00:07Z"} if rule["kind"] == "elapsed" else {})


@pytest.mark.parametrize("kind", _TIMES)
@pytest.mark.parametrize("zone", _CHANGES)
def test_the_count_is_that_of_a_walk(untouched: psycopg.Connection, kind: str, zone: str) -> None:
    rule = Jsonb(_compiled(untouched, _TIMES[kind]))
    chance = random.Random(f"{kind} {zone}")  # noqa: S311  # the same spans in every run
    for at in _CHANGES[zone]:
        for _ in range(6):
            after = utc(at) - timedelta(seconds=chance.randrange(4 * 86400))
            span = {
                "rule": rule,
                "zone": zone,
                "after": after,
                "until": after + timedelta(seconds=chance.randrange(6 * 86400)),
            }
            assert _asked(untouched, _COUNTED, span) == _asked(untouched, _WALKED, span), span


@pytest.mark.parametrize("kind", ["every hour", "elapsed", "daily", "pinned hours"])
@pytest.mark.parametrize("wanted", [1, 7, 100])
def test_before_the_last(untouched: psycopg.Connection, kind: str, wanted: int) -> None:
    rule, until = Jsonb(_compiled(untouched, _TIMES[kind])), utc("2027-06-01T00:10:00")
    span = {"rule": rule, "zone": "Europe/Berlin", "after": utc("2026-10-20T00:00:00"), "until": until}
    find = "select gnomon_data.before_last(%(rule)s, %(zone)s, %(after)s, %(until)s, %(wanted)s)"
    found: datetime = _asked(untouched, find, span | {"wanted": wanted})
    assert _asked(untouched, _WALKED, span | {"after": found}) == wanted
    few = span | {"after": until - timedelta(minutes=1), "wanted": 10}
    assert _asked(untouched, find, few) == few["after"]


def test_ten_years_of_minutes_are_counted_in_time(untouched: psycopg.Connection) -> None:
    for words, count in (
        ({"recurrence": {"pattern": "cron", "cron_expr": "* * * * *"}}, 5_260_320),
        ({"recurrence": {"pattern": "elapsed", "every": "PT1S"}, "schedule_at": "2026-10-01T00:00:07Z"}, 315_619_200),
    ):
        span = {"rule": Jsonb(_compiled(untouched, words)), "zone": "Asia/Kathmandu"}
        begun = time.monotonic()
        counted = _asked(
            untouched, _COUNTED, span | {"after": utc("2027-01-01T00:00:00"), "until": utc("2037-01-01T00:00:00")}
        )
        assert counted == count
        assert time.monotonic() - begun < 5


def _asked(connection: psycopg.Connection, query: str, span: dict[str, Any]) -> Any:
    row = connection.execute(query, span).fetchone()
    assert row is not None
    return row[0]
