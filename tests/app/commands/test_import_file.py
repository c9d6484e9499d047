"""`gnomon import`: from a file to schedules, stopped and begun again, and what is rejected."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gnomon.cli import run
from tests.support.given import rows, value

_PILLS = """\
user_id,template_id,key,schedule_at,timezone,recurrence.pattern,recurrence.weekdays,recurrence.end_after,params.name,channels
u_1,pill,p1,18:00,Europe/Berlin,daily,,,"Ann, or ""A""\tof B",
u_1,pill,p2,25:00,Europe/Berlin,daily,,,Ann,
u_2,pill,p1,09:00,Asia/Kathmandu,weekly,"MON,THU",3,,"log,push"

u_3,pill,p1,09:00,Mars/Base,daily,,,Cy,
u_3,pill
u_4,pill,p1,09:00,UTC,daily,,many,Cy,
u_5,pill,,PT2H,,,,,"two
lines",
"""

Import = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def imported(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Import:
    """Runs the command in this process on the test's database: exit code and answer."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)

    def run_it(*arguments: object) -> tuple[int, dict[str, Any]]:
        code = run(["import", "--json", *map(str, arguments)])
        told = capsys.readouterr()
        return code, json.loads(told.out or told.err)

    return run_it


def _pending(connection: psycopg.Connection) -> list[Any]:
    return rows(connection, "select user_id, key, time_zone from gnomon.schedules order by user_id, key")


def test_csv_says_requests(imported: Import, tmp_path: Path, connection: psycopg.Connection) -> None:
    file = tmp_path / "pills.csv"
    file.write_text(_PILLS)

    code, answer = imported(file)

    assert code == 1
    assert {name: answer[name] for name in ("accepted", "repeated", "rejected")} == {
        "accepted": 3,
        "repeated": 0,
        "rejected": 4,
    }
    assert [(p.user_id, p.key, p.time_zone) for p in _pending(connection)] == [
        ("u_1", "p1", "Europe/Berlin"),
        ("u_2", "p1", "Asia/Kathmandu"),
        ("u_5", None, None),
    ]
    stored = rows(connection, "select params, channels, rule from gnomon_data.schedules order by user_id")
    assert [row.params for row in stored] == [{"name": 'Ann, or "A"\tof B'}, None, {"name": "two\nlines"}]
    assert stored[1].channels == ["log", "push"]
    assert (stored[1].rule["days"], stored[1].rule["end_after"]) == ("1001000", 3)
    rejected = [json.loads(line) for line in Path(answer["rejected_file"]).read_text().splitlines()]
    assert [(r["line"], r["code"], r.get("pointer")) for r in rejected] == [
        (3, "GN013", "/schedule_at"),
        (6, "GN010", "/timezone"),
        (7, "GN024", None),
        (8, "GN024", "/recurrence/end_after"),
    ]
    assert rejected[2]["original"] == "u_3,pill"
    assert value(connection, "select count(*) from gnomon_data.import_streams") == 0
    assert value(connection, "select count(*) from gnomon_data.import_faults") == 0


def test_the_same_file_again_makes_nothing_twice(imported: Import, tmp_path: Path, connection: psycopg.Connection) -> None:
    file = tmp_path / "notes.ndjson.gz"
    lines = [
        {"user_id": f"u_{n % 7}", "template_id": "note", "schedule_at": "PT2H", "params": {"n": 1.10}} for n in range(50)
    ]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))

    _, first = imported(file)
    _, again = imported(file)

    assert (first["accepted"], first["repeated"], again["accepted"], again["repeated"]) == (50, 0, 0, 50)
    assert value(connection, "select count(*) from gnomon.schedules") == 50


def test_lines_of_a_user_count_in_the_order_of_the_file(
    imported: Import, tmp_path: Path, connection: psycopg.Connection
) -> None:
    file = tmp_path / "moves.ndjson"
    moves = [
        {"user_id": f"u_{n % 5}", "template_id": "t", "key": "k", "schedule_at": f"2030-01-01T00:00:{n // 5:02}Z"}
        for n in range(300)
    ]
    file.write_text("\n".join(map(json.dumps, moves)))
    assert imported(file)[0] == 0
    found = rows(connection, "select fire_at_utc from gnomon.schedules")
    assert [row.fire_at_utc.second for row in found] == [59] * 5


def test_ndjson_lines_that_are_no_requests(imported: Import, tmp_path: Path, connection: psycopg.Connection) -> None:
    file = tmp_path / "bad.ndjson"
    good = b'{"user_id":"u_1","template_id":"t","schedule_at":"PT1H","key":"\xc3\xa9"}'
    file.write_bytes(b"\n".join([good, b"[1]", b'{"user_id":"a","user_id":"b"}', b'{"user_id":"\xff"}', b"{", b"{}", b""]))

    code, answer = imported(file, "--rejected", tmp_path / "out.ndjson")

    assert (code, answer["accepted"], answer["rejected"]) == (1, 1, 5)
    rejected = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text().splitlines()]
    assert [(r["line"], r["code"]) for r in rejected] == [(n, "GN024") for n in (2, 3, 4, 5, 6)]
    assert value(connection, "select count(*) from gnomon.schedules") == 1


def test_a_dry_run_says_the_same_and_does_nothing(imported: Import, tmp_path: Path, connection: psycopg.Connection) -> None:
    file = tmp_path / "pills.csv"
    file.write_text(_PILLS)
    code, answer = imported(file, "--dry-run")
    checked = Path(answer["rejected_file"]).read_text()
    assert (code, answer["accepted"], answer["rejected"]) == (1, 3, 4)
    assert value(connection, "select count(*) from gnomon.schedules") == 0
    imported(file)
    assert Path(answer["rejected_file"]).read_text() == checked


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("user,template_id", "no field"),
        ("template_id,schedule_at", "user_id"),
        ("user_id,params,params.a", "beside"),
        ("user_id,template,template_id", "twice"),
        ("user_id,recurrence.colour", "no such part"),
    ],
)
def test_a_header_that_is_none(imported: Import, tmp_path: Path, header: str, says: str) -> None:
    file = tmp_path / "x.csv"
    file.write_text(header + "\n")
    code, answer = imported(file)
    assert code == 2
    assert says in answer["error"]["message"]


def test_a_file_whose_form_nobody_knows(imported: Import, tmp_path: Path) -> None:
    file = tmp_path / "x.data"
    file.write_text("")
    assert imported(file)[0] == 2


@pytest.fixture
def killed(database_url: str) -> Iterator[Callable[[Path], None]]:
    """Begins an import in a process of its own and kills it as soon as something is committed."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(file: Path) -> None:
        program = "import sys; from gnomon.cli import run; sys.exit(run(sys.argv[1:]))"
        process = subprocess.Popen(
            [sys.executable, "-c", program, "import", str(file)],
            env=os.environ | {"GNOMON_DATABASE_URL": database_url},  # noqa: TID251  # of the test run, for its child
        )
        started.append(process)
        with psycopg.connect(database_url, autocommit=True) as connection:
            while process.poll() is None and not value(connection, "select count(*) from gnomon_data.import_streams"):
                time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()

    yield begin
    for process in started:
        process.kill()
        process.wait()


def test_killed_and_begun_again(
    imported: Import, killed: Callable[[Path], None], tmp_path: Path, connection: psycopg.Connection
) -> None:
    file = tmp_path / "once.csv"
    count = 24_000
    lines = [f"u_{n // 2},note,{'never' if n % 4_000 == 9 else '2031-01-01T09:00:00Z'}" for n in range(count)]
    file.write_text("\n".join(["user_id,template_id,schedule_at", *lines]) + "\n")

    killed(file)
    before = value(connection, "select sum(accepted_count) from gnomon_data.import_streams")
    code, answer = imported(file)

    assert 0 < before < count - 6
    assert (code, answer["accepted"], answer["repeated"], answer["rejected"]) == (1, count - 6, 0, 6)
    assert answer["earlier"] > 0
    users = Counter(row.user_id for row in rows(connection, "select user_id from gnomon.schedules"))
    assert sum(users.values()) == count - 6
    assert max(users.values()) == 2
    assert [json.loads(line)["line"] for line in Path(answer["rejected_file"]).read_text().splitlines()] == [
        n + 2 for n in range(count) if n % 4_000 == 9
    ]
