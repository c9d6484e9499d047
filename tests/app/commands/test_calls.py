"""schedule, cancel, pending and preview: the same answers as HTTP, pleasant or as JSON, and the exit codes."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gnomon import cli
from tests.support.clock import set_clock

Run = Callable[..., tuple[int, str, str]]
PILL = ("schedule", "u_1", "pill", "18:00", "--timezone", "Europe/Berlin", "--repeat", "daily", "--key", "pill-17")


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


def test_schedule_pending_cancel(run: Run, connection: psycopg.Connection) -> None:
    set_clock(connection, datetime(2026, 10, 25, 10, tzinfo=UTC))
    made = as_json(run, *PILL)
    assert (made["fire_at_utc"], made["timezone"], made["version"]) == ("2026-10-25T17:00:00Z", "Europe/Berlin", 1)
    code, out, _ = run(*PILL)
    assert code == 0
    assert made["schedule_id"] in out
    assert "2026-10-25 17:00:00 UTC" in out

    page = as_json(run, "pending", "u_1")
    assert [entry["schedule_id"] for entry in page["schedules"]] == [made["schedule_id"]]
    code, out, _ = run("pending", "u_1")
    assert code == 0
    assert all(word in out for word in (made["schedule_id"], "daily", "pill-17", "1 of 1 pending"))

    code, out, _ = run("cancel", made["schedule_id"])
    assert code == 0
    assert out.startswith("Cancelled.")
    assert as_json(run, "cancel", made["schedule_id"])["status"] == "cancelled"
    assert as_json(run, "pending", "u_1")["total_pending"] == 0


def test_every_option_reaches_the_request(run: Run, connection: psycopg.Connection) -> None:
    set_clock(connection, datetime(2026, 10, 25, 10, tzinfo=UTC))
    made = as_json(
        run,
        *("schedule", "u_2", "report", "09:00", "--timezone", "UTC", "--date", "2026-11-02", "--offset", "PT5M"),
        *("--repeat", "weekly", "--weekdays", "mon,thu", "--interval", "2", "--until", "2027-01-01", "--times", "9"),
        *("--channels", "push,email", "--params", '{"a": 1.50}', "--lane", "bulk", "--key", "k", "--dedup-key", "d"),
        *(
            "--if-past",
            "next",
            "--window",
            "PT10M",
            "--misfire",
            "catch_up",
            "--misfire-limit",
            "3",
            "--max-lateness",
            "PT1H",
        ),
    )
    row = connection.execute("select when_words, params, channels, key from gnomon_data.schedules").fetchone()
    assert row is not None
    assert row[0]["recurrence"] == {
        "pattern": "weekly",
        "weekdays": ["MON", "THU"],
        "interval": 2,
        "end_date": "2027-01-01",
        "end_after": 9,
    }
    assert (row[0]["offset"], row[0]["window"], row[0]["schedule_date"]) == ("PT5M", "PT10M", "2026-11-02")
    assert (row[0]["misfire"], row[0]["misfire_limit"], row[0]["max_lateness"]) == ("catch_up", 3, "PT1H")
    assert row[1:] == ({"a": 1.5}, ["push", "email"], "k")
    assert made["fire_at_utc"].startswith("2026-11-02T09:")


def test_days_that_are_missing_or_left_out_reach_the_request(run: Run, connection: psycopg.Connection) -> None:
    connection.execute("select gnomon.set_calendar('holidays', '{}')")
    as_json(
        run,
        *("schedule", "u_2", "report", "09:00", "--timezone", "UTC", "--repeat", "monthly", "--days", "31,-1"),
        *("--on-missing-day", "skip", "--skip", "2037-12-31,2036-12-31", "--calendars", "holidays"),
    )
    words = connection.execute("select when_words -> 'recurrence' from gnomon_data.schedules").fetchone()
    assert words == (
        {
            "pattern": "monthly",
            "days_of_month": [31, -1],
            "on_missing_day": "skip",
            "exclude_dates": ["2037-12-31", "2036-12-31"],
            "exclude_calendars": ["holidays"],
        },
    )


def test_a_whole_request_from_a_file_or_standard_input(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"user_id": "u_1", "template_id": "pill", "schedule_at": "PT1H", "dedup_key": "d"}
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request))
    made = as_json(run, "schedule", "--json-request", str(path))
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(path.read_bytes())))
    again = as_json(run, "schedule", "--json-request", "-")
    assert again == made | {"duplicate": True}


def test_a_refusal_is_one_line_with_its_code(run: Run) -> None:
    code, out, err = run(*PILL[:4], "--timezone", "europe/berlin")
    assert (code, out) == (1, "")
    assert "GN010" in err
    assert "Europe/Berlin" in err
    code, _, err = run("cancel", "ntf_1", "--json")
    assert code == 1
    assert json.loads(err)["error"]["code"] == "GN020"


@pytest.mark.parametrize(
    "arguments",
    [
        ("schedule", "u_1"),
        ("schedule", "u_1", "pill", "PT1H", "--json-request", "x.json"),
        ("schedule", "u_1", "pill", "PT1H", "--params", "{broken"),
        ("preview", "daily", "02:30"),
        ("preview", "monthly", "02:30", "--timezone", "UTC", "--days", "1,last"),
        ("preview", "monthly", "02:30", "--timezone", "UTC", "--nth", "2TUE"),
        ("preview", "daily", "02:30", "--timezone", "UTC", "-n", "0"),
        ("pending", "u_1", "--limit", "201"),
    ],
)
def test_wrong_use_is_2(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "Traceback" not in err


def test_a_preview_over_a_gap_and_an_overlap(run: Run) -> None:
    rule = ("daily", "02:30", "--timezone", "America/New_York")
    found = as_json(run, "preview", *rule, "--from", "2027-03-13", "-n", "3")["occurrences"]
    assert [entry["local_time"] for entry in found] == ["2027-03-13T02:30", "2027-03-14T03:00", "2027-03-15T02:30"]
    assert [entry["kind"] for entry in found] == ["exact", "gap", "exact"]
    code, out, _ = run("preview", *rule, "--from", "2027-03-13", "-n", "3")
    assert code == 0
    assert all(word in out for word in ("2027-03-14 03:00", "-04:00", "gap", "2027-03-14T07:00:00Z"))
    fall = as_json(run, "preview", "daily", "01:30", *rule[2:], "--from", "2027-11-07", "-n", "1")["occurrences"]
    assert (fall[0]["kind"], fall[0]["utc_offset"]) == ("overlap", "-04:00")


def test_a_preview_starts_at_a_day_or_an_instant(run: Run) -> None:
    rule = ("preview", "weekly", "00:00", "--weekdays", "mon", "--timezone", "Asia/Kolkata", "-n", "1")
    for start in ("2027-03-15", "2027-03-14T18:30:00Z", "2027-03-15T00:00:00+05:30"):
        assert as_json(run, *rule, "--from", start)["occurrences"][0]["at_utc"] == "2027-03-14T18:30:00Z"
    for start in ("2027-02-29", "tomorrow", "2027-03-15T00:00:00"):
        code, _, err = run(*rule, "--from", start)
        assert code == 1
        assert "GN014" in err


@pytest.mark.parametrize(
    ("arguments", "sentence", "local_time"),
    [
        (("0 9 * * 1",), "every Monday at 09:00, Europe/Berlin", "2027-03-15T09:00"),
        (("@hourly",), "every hour, on the hour, Europe/Berlin", "2027-03-13T00:00"),
        (
            ("monthly", "09:00", "--days", "1,-1"),
            "on the 1st and the last day of every month at 09:00, Europe/Berlin",
            "2027-03-31T09:00",
        ),
        (
            ("monthly", "09:00", "--nth", "FRI:last"),
            "on the last Friday of every month at 09:00, Europe/Berlin",
            "2027-03-26T09:00",
        ),
        (
            ("FREQ=MONTHLY;BYDAY=2TU", "09:00"),
            "on the 2nd Tuesday of every month at 09:00, Europe/Berlin",
            "2027-04-13T09:00",
        ),
        (("PT90M",), "every 1 hour and 30 minutes of elapsed time, counted from 2027-03-12T23:00:00Z", "2027-03-13T01:30"),
        (
            ("daily", "09:00", "--skip", "2027-03-13", "--times", "2"),
            "every day at 09:00, Europe/Berlin, 2 times, not on 2027-03-13",
            "2027-03-14T09:00",
        ),
    ],
)
def test_every_pattern_is_previewed(run: Run, arguments: tuple[str, ...], sentence: str, local_time: str) -> None:
    asked = ("preview", *arguments, "--timezone", "Europe/Berlin", "--from", "2027-03-13", "-n", "1")
    found = as_json(run, *asked)
    assert (found["sentence"], found["occurrences"][0]["local_time"]) == (sentence, local_time)
    code, out, _ = run(*asked)
    assert code == 0
    assert found["sentence"] in " ".join(out.split())


def test_cron_is_scheduled_by_its_text(run: Run) -> None:
    made = as_json(run, "schedule", "u_1", "report", "--repeat", "0 9 1 1 *", "--timezone", "Europe/Berlin")
    assert made["fire_at_utc"].endswith("-01-01T08:00:00Z")
    assert as_json(run, "pending", "u_1")["schedules"][0]["recurrence"] == "cron"


def test_elapsed_time_needs_no_zone(run: Run) -> None:
    assert as_json(run, "preview", "PT1H", "--from", "2027-03-13T05:00:00Z", "-n", "1")["occurrences"] == [
        {"at_utc": "2027-03-13T06:00:00Z", "local_time": "2027-03-13T06:00", "utc_offset": "+00:00", "kind": "exact"}
    ]


def test_a_cron_text_that_is_wrong_says_where(run: Run) -> None:
    code, _, err = run("preview", "0 9 15W * *", "--timezone", "Europe/Berlin", "--json")
    assert code == 1
    told = json.loads(err)["error"]
    assert (told["code"], told["pointer"]) == ("GN011", "/cron_expr")
    assert "character 5 (day of month)" in told["message"]


def test_a_database_without_our_schema_says_what_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch, empty_database_url: str
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    code, _, err = run("pending", "u_1")
    assert code == 1
    assert "gnomon migrate" in err
