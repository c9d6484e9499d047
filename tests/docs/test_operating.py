"""docs/operating.md is true: its SQL runs, its settings, metrics and limits are those of the product."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from litestar.testing import TestClient
from psycopg.types.json import Jsonb

from gnomon.settings import Settings, variable_names
from gnomon.web.asgi import build_app
from gnomon_pollers.metrics import Metrics
from tests.docs.blocks import differences
from tests.docs.documents import TOP, played
from tests.support.given import given_schedule, rows

PAGE: Final = Path(TOP, "docs", "operating.md")
DAILY: Final = {"schedule_at": "09:00", "timezone": "Europe/Berlin"}

#: What is still taken, what no longer is, and how that is told. Each is a row of the table.
LIMITS: Final[tuple[tuple[dict[str, Any], dict[str, Any], str], ...]] = (
    ({"user_id": "u" * 255}, {"user_id": "u" * 256}, "GN024"),
    ({"template_id": "t" * 255}, {"template_id": "t" * 256}, "GN024"),
    ({"key": "k" * 255}, {"key": "k" * 256}, "GN024"),
    ({"dedup_key": "d" * 255}, {"dedup_key": "d\u0007"}, "GN024"),
    ({"params": {"p": "x" * 65_000}}, {"params": {"p": "x" * 65_536}}, "GN024"),
    ({"labels": {f"l{n}": "v" for n in range(16)}}, {"labels": {f"l{n}": "v" for n in range(17)}}, "GN024"),
    ({"channels": ["push", "log"]}, {"channels": ["pigeon"]}, "GN027"),
    ({"channels": ["push"]}, {"channels": ["push", "push"]}, "GN024"),
    ({"schedule_at": "P3650D"}, {"schedule_at": "P3654D"}, "GN024"),
    ({"window": "PT24H"}, {"window": "PT24H1S"}, "GN024"),
    *(
        (
            {**DAILY, "recurrence": {"pattern": "daily", field: most}},
            {**DAILY, "recurrence": {"pattern": "daily", field: more}},
            code,
        )
        for field, most, more, code in (
            ("interval", 1_000, 1_001, "GN015"),
            ("end_after", 1_000_000_000, 1_000_000_001, "GN015"),
            ("interval", 1, 0, "GN015"),
        )
    ),
)
CALLS: Final = (
    "gnomon.pending_schedules('u', {})",
    'gnomon.next_occurrences(\'{{"pattern": "daily", "schedule_at": "09:00"}}\', \'UTC\', now(), {})',
    "gnomon.claim_deliveries('bulk', 'log', {})",
    "gnomon.fire_due('{{0}}', {})",
    "gnomon.claim_deliveries('bulk', 'log', 1, {} * interval '1 s')",
)
MOST: Final = (200, 1_000, 1_000, 10_000, 86_400)


def metrics_of(text: str) -> set[str]:
    return set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)) - set(re.findall(r"\w+_created\b", text))


@pytest.mark.session_time_zone("UTC")
def test_the_page_on_operating_is_true(database_url: str) -> None:
    assert not differences(PAGE, played(PAGE, database_url))


def test_every_setting_is_on_the_page_and_no_other() -> None:
    assert set(re.findall(r"^\| `(GNOMON_\w+)` \|", PAGE.read_text(), re.MULTILINE)) == variable_names()


def test_every_metric_is_on_the_page(database_url: str) -> None:
    with TestClient(build_app(Settings(), database_url), base_url="http://127.0.0.1:8080") as client:
        told = metrics_of(client.get("/metrics").text) | metrics_of(Metrics().text().decode())
    assert [name for name in told if f"`{name}`" not in PAGE.read_text()] == []


def test_requests_are_taken_up_to_their_limits_and_refused_beyond(connection: psycopg.Connection) -> None:
    for taken, refused, code in LIMITS:
        given_schedule(connection, taken)
        assert refusal(lambda: given_schedule(connection, refused)) == code, refused  # noqa: B023  # called at once


def test_calls_take_numbers_up_to_their_limits(connection: psycopg.Connection) -> None:
    for call, most in zip(CALLS, MOST, strict=True):
        rows(connection, f"select * from {call.format(most)}")
        assert refusal(lambda: rows(connection, f"select * from {call.format(most + 1)}")) == "GN024", call  # noqa: B023


def test_a_call_takes_ten_thousand_items(connection: psycopg.Connection) -> None:
    items = Jsonb([{}] * 10_001)
    for call in ("schedule_many", "set_users"):
        assert refusal(lambda: rows(connection, f"select * from gnomon.{call}(%s)", items)) == "GN024", call  # noqa: B023


def refusal(call: Callable[[], object]) -> str | None:
    with pytest.raises(psycopg.Error) as beyond:
        call()
    return beyond.value.sqlstate
