"""`gnomon categories`, and the category of what the command line schedules and imports."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gnomon import cli
from tests.support.given import rows

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line on the test's database: exit code, standard output, standard error."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return ran


def as_json(run: Run, *arguments: str) -> dict[str, Any]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    told: dict[str, Any] = json.loads(out)
    return told


def test_set_show_list_drop(run: Run) -> None:
    words = ("--lane", "bulk", "--channels", "email,inbox", "--expires-in", "PT90M", "--description", "Letters")
    made = as_json(run, "categories", "set", "news", *words)
    assert {name: made[name] for name in ("lane", "channels", "expires_in", "description")} == {
        "lane": "bulk",
        "channels": ["email", "inbox"],
        "expires_in": "PT1H30M",
        "description": "Letters",
    }
    assert as_json(run, "categories", "show", "news") == made
    assert made in as_json(run, "categories")["categories"]
    code, out, _ = run("categories", "list")
    assert (code, len(out.splitlines())) == (0, 9)
    assert "email, inbox" in out
    assert as_json(run, "categories", "drop", "news") == {"name": "news", "dropped": True}
    assert run("categories", "show", "news")[0] == 1


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("list", "news"), 2, "list takes no NAME"),
        (("set",), 2, "gnomon categories set NAME"),
        (("drop", "otp", "--lane", "bulk"), 2, "go with set"),
        (("mend", "otp"), 2, "mend"),
        (("drop", "nobody"), 1, "no category of the name 'nobody'"),
        (("set", "News"), 1, "must be the name of a category"),
        (("set", "news", "--channels", "pigeon"), 1, "pigeon"),
    ],
)
def test_wrong_use_is_2_and_a_refusal_1(run: Run, words: tuple[str, ...], code: int, told: str) -> None:
    left, _, err = run("categories", *words)
    assert left == code
    assert told in err


def test_what_is_scheduled_and_listed_names_its_category(run: Run) -> None:
    as_json(run, "schedule", "u_1", "hello", "PT1H", "--category", "marketing")
    found = as_json(run, "pending", "u_1")["schedules"]
    assert [(one["category"], one["lane"]) for one in found] == [("marketing", "bulk")]
    assert "marketing" in run("pending", "u_1")[1]
    code, _, err = run("schedule", "u_1", "hello", "PT1H", "--category", "nobody")
    assert code == 1
    assert "category is not known" in err


_CSV = """\
user_id,template_id,schedule_at,category,lane
u_1,t,PT1H,digest,
u_2,t,PT1H,digest,critical
u_3,t,PT1H,,
u_4,t,PT1H,nobody,
"""
_NDJSON = """\
{"user_id": "u_1", "template_id": "t", "schedule_at": "PT1H", "category": "digest"}
{"user_id": "u_2", "template_id": "t", "schedule_at": "PT1H", "category": "digest", "lane": "critical"}
{"user_id": "u_3", "template_id": "t", "schedule_at": "PT1H"}
{"user_id": "u_4", "template_id": "t", "schedule_at": "PT1H", "category": "nobody"}
"""


@pytest.mark.parametrize(("name", "text"), [("file.csv", _CSV), ("file.ndjson", _NDJSON)])
def test_a_file_names_categories(run: Run, tmp_path: Path, connection: psycopg.Connection, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    run("import", str(file))
    found = rows(connection, "select user_id, category, lane from gnomon_data.schedules order by 1")
    assert [tuple(row) for row in found] == [("u_1", "digest", 2), ("u_2", "digest", 0), ("u_3", None, 1)]
