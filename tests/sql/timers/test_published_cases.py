"""The published cases of tests/sql/clock through the real fire: scheduled at their instant, fired, handed over, settled.

A case of every category, under three zones of the session, since the zone of whoever fires must not matter; in the long form
all of them.
"""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from gnomon.testing import VirtualTime
from tests.sql.acts import cancel
from tests.sql.clock.conftest import SESSION_ZONES
from tests.support.cluster import Server
from tests.support.given import given_schedule

_FILE: Final = Path(__file__).parents[1] / "clock" / "vectors.jsonl"
# Not those without an instant: a count that is used up cannot be scheduled, and what is due this moment fires now.
_CASES: Final[list[dict[str, Any]]] = sorted(
    (
        case
        for line in _FILE.read_text(encoding="ascii").splitlines()
        if (case := json.loads(line))["kind"] != "invalid"
        and case["expect_utc"]
        and case.get("rule", {}).get("fired", 0) < case.get("rule", {}).get("end_after", 1)
    ),
    key=lambda case: case["after_utc"],
)
_NEVER: Final = timedelta(days=40_000)
_SHORT: Final = 2


def _first_of_each(cases: Iterable[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        found.setdefault(case["category"], []).append(case)
    return sorted((case for some in found.values() for case in some[:count]), key=lambda case: case["after_utc"])


@pytest.mark.parametrize("session_zone", SESSION_ZONES)
def test_a_case_of_each_category(server: Server, template: str, session_zone: str) -> None:
    cases = _first_of_each(_CASES, 1)
    assert len(cases) == 17
    _play(server, template, session_zone, cases, _SHORT)


@pytest.mark.long
@pytest.mark.parametrize("session_zone", SESSION_ZONES)
def test_every_case(server: Server, template: str, session_zone: str) -> None:
    assert len(_CASES) > 350
    _play(server, template, session_zone, _CASES, 100)


def _play(server: Server, template: str, session_zone: str, cases: list[dict[str, Any]], at_most: int) -> None:
    """Play cases in the order of their instants, each until its last instant, or a day longer when it has an end."""
    with server.database(template, time_zone=session_zone) as url:
        server.mark_for_tests(url)
        with VirtualTime(url, upkeep_every=_NEVER) as virtual_time, psycopg.connect(url, autocommit=True) as connection:
            wrong = [
                f"{case['id']}: expected {expected}, sent {sent}"
                for case in cases
                if (expected := case["expect_utc"][:at_most]) != (sent := _played(virtual_time, connection, case, expected))
            ]
    assert not wrong, "\n".join(wrong)


def _played(
    virtual_time: VirtualTime, connection: psycopg.Connection, case: dict[str, Any], expected: list[str]
) -> list[str]:
    """The instants at which a case was delivered."""
    virtual_time.start(datetime.fromisoformat(case["after_utc"]))
    made = given_schedule(connection, {"schedule_at": case.get("local_time")}, timezone=case["timezone"], **_request(case))
    is_over = bool(case.get("expect_end")) and expected == case["expect_utc"]
    sent = virtual_time.advance(datetime.fromisoformat(expected[-1]) + timedelta(days=is_over))
    status = cancel(connection, made.schedule_id).status
    if is_over and status == "cancelled":
        return ["it goes on"]
    return [f"{delivered.due_at:%Y-%m-%dT%H:%M:%SZ}" for delivered in sent if delivered.schedule_id == made.schedule_id]


def _request(case: dict[str, Any]) -> dict[str, Any]:
    """The words of a request for a case."""
    rule = case.get("rule", {})
    if case["kind"] == "once":
        return {"schedule_date": case["date"]}
    recurrence = {"pattern": case["kind"], "cron_expr": case.get("cron_expr"), "weekdays": rule.get("days")}
    if case["kind"] == "monthly":
        recurrence |= {"days_of_month": [rule["day"]], "on_missing_day": "skip" if rule["month_end"] == "skip" else "last"}
    if case["kind"] == "rrule":
        recurrence |= {"rrule": rule["rrule"], "start_date": rule["dtstart"]}
    if "end_after" in rule:
        recurrence |= {"end_after": rule["end_after"] - rule.get("fired", 0)}
    return {"recurrence": recurrence}
