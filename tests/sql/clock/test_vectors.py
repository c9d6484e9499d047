"""The published cases, each under three zones of the session.

Made by an implementation that shares nothing with PostgreSQL. A series is asked for in one call, then by feeding each answer
back, then by asking one second before each answer.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one, rows

_VECTORS: Final[list[dict[str, Any]]] = [
    json.loads(line) for line in Path(__file__).with_name("vectors.jsonl").read_text(encoding="ascii").splitlines()
]
_BY_ID: Final = {vector["id"]: vector for vector in _VECTORS}
_CODES: Final = {
    "invalid_timezone": "GN010",
    "invalid_cron": "GN011",
    "never_fires": "GN012",
    "invalid_time": "GN013",
    "invalid_date": "GN014",
    "invalid_rule": "GN015",
}

_MONTH_END: Final = {"clamp": "last", "skip": "skip"}

# Cases whose listed answer contradicts their own words, and what is asserted in its place. end-after-009 is called
# "exhausted: nothing" and says that five of five have fired, yet lists an instant: that would be the sixth.
_CORRECTED: Final[dict[str, list[str]]] = {"end-after-009": []}

_NEXT: Final = "select at_utc from gnomon.next_occurrences(%s, %s, %s, %s)"

_NEXT_OF_EACH: Final = """
select o.at_utc
  from unnest(%s::timestamptz[]) with ordinality as b (before_utc, place)
 cross join lateral gnomon.next_occurrences(%s, %s, b.before_utc, 1) as o
 order by b.place"""


def _ids(*kinds: str) -> list[str]:
    return [vector["id"] for vector in _VECTORS if vector["kind"] in kinds]


def _rule(vector: dict[str, Any]) -> Jsonb:
    """The rule of next_occurrences that a vector describes."""
    given = vector.get("rule", {})
    return Jsonb(
        {
            "pattern": given.get("of", vector["kind"]),
            "schedule_at": vector.get("local_time"),
            "cron_expr": vector.get("cron_expr"),
            "weekdays": given.get("days"),
            "days_of_month": [given["day"]] if "day" in given else None,
            "on_missing_day": _MONTH_END.get(given.get("month_end")),
            "rrule": given.get("rrule"),
            "start_date": given.get("dtstart"),
            "end_after": given.get("end_after"),
            "fired_count": given.get("fired"),
        }
    )


def _expected(vector: dict[str, Any]) -> list[datetime]:
    texts = _CORRECTED.get(vector["id"], vector["expect_utc"])
    return [datetime.fromisoformat(text) for text in texts]


def _utc(instants: Iterable[datetime | None]) -> list[datetime]:
    # Python never calls two instants of different zones equal when one of them is in an overlap (PEP 495).
    return [instant.astimezone(UTC) for instant in instants if instant]


@pytest.mark.parametrize("vector_id", _ids("daily", "weekly", "monthly", "rrule", "cron"))
def test_series(rooms_by_zone: dict[str, psycopg.Connection], vector_id: str) -> None:
    vector = _BY_ID[vector_id]
    zone = vector["timezone"]
    expected = _expected(vector)
    after = datetime.fromisoformat(vector["after_utc"])
    limit = len(expected) + bool(vector.get("expect_end"))
    befores = [after, *expected[:-1], *(instant - timedelta(seconds=1) for instant in expected)]

    for session_zone, room in rooms_by_zone.items():
        found = rows(room, _NEXT, _rule(vector), zone, after, max(limit, 1))
        assert _utc(row.at_utc for row in found) == expected, session_zone
        if "end_after" in vector.get("rule", {}):
            continue  # the count belongs to the whole series
        found = rows(room, _NEXT_OF_EACH, befores, _rule(vector), zone)
        assert _utc(row.at_utc for row in found) == [*expected, *expected], session_zone


@pytest.mark.parametrize("vector_id", _ids("once"))
def test_once(rooms_by_zone: dict[str, psycopg.Connection], vector_id: str) -> None:
    vector = _BY_ID[vector_id]
    after = datetime.fromisoformat(vector["after_utc"])
    reading = (vector["date"], vector["local_time"], vector["timezone"])
    rule = Jsonb({"kind": "once", "date": vector["date"], "time": vector["local_time"]})

    for session_zone, room in rooms_by_zone.items():
        resolved = one(room, "select * from gnomon.resolve_local(%s, %s, %s)", *reading)
        assert _utc(at_utc for at_utc in [resolved.at_utc] if at_utc > after) == _expected(vector), session_zone
        found = one(room, "select * from gnomon_data.next_occurrence(%s, %s, %s)", rule, vector["timezone"], after)
        assert _utc([found.due_at_utc]) == _expected(vector), session_zone


@pytest.mark.parametrize("vector_id", _ids("invalid"))
def test_invalid(room: psycopg.Connection, vector_id: str) -> None:
    vector = _BY_ID[vector_id]
    if vector["rule"]["of"] == "once":
        request = {"schedule_type": "user_local_time", "schedule_at": vector["local_time"], "schedule_date": vector["date"]}
        compiled = one(room, "select (fault).code, rule from gnomon_data.compile_rule(%s)", Jsonb(request))
        assert (compiled.code, compiled.rule) == (_CODES[vector["expect_error"]], None)
        return

    with pytest.raises(psycopg.Error) as raised:
        rows(room, _NEXT, _rule(vector), vector["timezone"], datetime.fromisoformat(vector["after_utc"]), 1)

    assert raised.value.sqlstate == _CODES[vector["expect_error"]]
