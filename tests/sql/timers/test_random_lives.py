"""Schedules drawn at random live through nights of changes by the real fire, and fire as the almanac says."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from gnomon.testing import VirtualTime
from tests.almanac.draw import SEED, Case, draw_from
from tests.sql.acts import schedule_many

# Europe's clocks change on the 30th; so do those of Egypt's neighbours and of Paraguay's before 2025.
_BEGIN: Final = datetime(2025, 3, 28, 17, 3, 20, tzinfo=UTC)
_ZONES: Final = (
    *("Europe/Berlin", "Europe/London", "Atlantic/Azores", "America/Nuuk", "Antarctica/Troll", "Europe/Chisinau"),
    *("America/New_York", "Asia/Kathmandu", "UTC", "Pacific/Kiritimati", "Asia/Jerusalem", "Africa/Casablanca"),
)


def test_a_few(virtual_time: VirtualTime, connection: psycopg.Connection) -> None:
    _live(virtual_time, connection, SEED, 40, timedelta(days=2, hours=20))


@pytest.mark.long
@pytest.mark.parametrize("part", range(5))
def test_many(virtual_time: VirtualTime, connection: psycopg.Connection, part: int) -> None:
    _live(virtual_time, connection, SEED + 1 + part, 400, timedelta(days=40))


def _live(virtual_time: VirtualTime, connection: psycopg.Connection, seed: int, count: int, span: timedelta) -> None:
    chance = random.Random(seed)  # noqa: S311  # drawn again by its seed
    begin = _BEGIN.replace(tzinfo=None)
    cases: list[Case] = []
    while len(cases) < count:
        case = draw_from(chance, chance.choice(_ZONES), begin, begin + span)
        if 0 < len(case.expected) < 20 * span.days:
            cases.append(case)
    virtual_time.start(_BEGIN)
    made = schedule_many(connection, [_request(case, number) for number, case in enumerate(cases)])
    refused = [(case.rule, row.error_detail) for case, row in zip(cases, made, strict=True) if row.error_code]
    assert refused == []

    sent = virtual_time.advance(span - timedelta(seconds=1))

    got: dict[str, list[datetime]] = {row.schedule_id: [] for row in made}
    for delivered in sent:
        assert delivered.at == delivered.due_at
        got[delivered.schedule_id].append(delivered.due_at.replace(tzinfo=None))
    wrong = [
        f"{case.rule} {case.time_zone}\n    expected {_texts(expected)}\n    sent     {_texts(got[row.schedule_id])}"
        for case, row in zip(cases, made, strict=True)
        if (expected := [occurrence.instant for occurrence in case.expected]) != got[row.schedule_id]
    ]
    assert not wrong, f"seed {seed}, from {_BEGIN}\n" + "\n".join(wrong)


def _request(case: Case, number: int) -> dict[str, Any]:
    """The request of a case: what is not said within the recurrence stands beside it."""
    outside = {name: case.rule[name] for name in ("schedule_at", "offset", "on_gap", "on_overlap") if name in case.rule}
    recurrence = {name: said for name, said in case.rule.items() if name not in outside}
    zone = {} if case.rule["pattern"] == "elapsed" else {"timezone": case.time_zone}
    return {"user_id": f"u{number}", "template_id": "t", "recurrence": recurrence} | outside | zone


def _texts(instants: list[datetime]) -> str:
    return ", ".join(f"{instant:%d %H:%M:%S}" for instant in instants[:12])
