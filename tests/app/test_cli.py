"""The `gnomon` command: its list, its errors and its exit codes."""

import json
import subprocess
import sys
import time
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import pytest
import typer

from gnomon import cli
from gnomon.settings import SettingInvalid

COMMANDS = (
    *("demo", "up", "serve", "poll", "work", "migrate", "doctor", "retime", "alembic-ini", "psql"),
    *("schedule", "import", "cancel", "pause", "resume", "reschedule", "run", "pending", "explain", "categories"),
    *("preview", "forecast", "lanes", "freeze", "bench"),
)


def greet(name: str, *, loud: Annotated[bool, typer.Option("--loud")] = False, json: bool = False) -> None:  # noqa: ARG001
    """Greet somebody.

    Example: gnomon greet Ada --loud
    """
    match name:
        case "nobody":
            raise SettingInvalid("GNOMON_X", "is wrong.", "Use a right one.")
        case "refused":
            raise ConnectionRefusedError(111, "Connection refused")
        case "bug":
            raise ZeroDivisionError
        case _:
            print(f"Hello {name}{'!' if loud else '.'}")


@pytest.fixture
def greeting(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint(name="greet", value=f"{__name__}:greet", group=cli.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda _entry: greet)
    monkeypatch.setattr(cli, "_entry_points", lambda: {"greet": entry})


def test_the_list_is_quick_and_has_every_command_with_a_line() -> None:
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "gnomon", "--help"], capture_output=True, text=True, check=True)
    elapsed = time.monotonic() - start
    for name in COMMANDS:
        assert f"  {name} " in done.stdout
    assert "not installed" not in done.stdout
    assert elapsed < 1.5, f"{elapsed:.2f} s"  # 0.1 s alone; other tests may keep the machine busy


def test_the_list_imports_no_command() -> None:
    seen = "import sys; from gnomon import cli; cli.run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint({"litestar", "sqlalchemy", "psycopg", "aiohttp", "typer"})


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([name, "--help"]) == 0
    assert f"gnomon {name}" in capsys.readouterr().out.partition("Usage")[2].partition("\n")[2]


def test_commands_are_as_documented() -> None:
    assert {entry.name for entry in entry_points(group=cli.GROUP)} == set(COMMANDS)


@pytest.mark.usefixtures("greeting")
def test_a_command_gets_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["greet", "Ada", "--loud"]) == 0
    assert capsys.readouterr().out == "Hello Ada!\n"


@pytest.mark.usefixtures("greeting")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["gret"], 2, "no such command: gret.\nDid you mean greet?"),
        (["greet"], 2, "Missing argument 'name'.\n`gnomon greet --help` shows its use."),
        (["greet", "Ada", "--laut"], 2, "No such option: --laut"),
        (["greet", "nobody"], 2, "GNOMON_X is wrong.\nUse a right one."),
        (["greet", "refused"], 1, "Connection refused"),
    ],
)
def test_an_error_is_one_line_and_a_hint(words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(words) == code
    shown = capsys.readouterr()
    assert says in shown.err
    assert shown.err.startswith("gnomon: ")
    assert shown.out == ""


@pytest.mark.usefixtures("greeting")
def test_scripts_get_errors_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["greet", "nobody", "--json"]) == 2
    assert json.loads(capsys.readouterr().err) == {"error": {"message": "GNOMON_X is wrong.", "hint": "Use a right one."}}


@pytest.mark.usefixtures("greeting")
def test_a_fault_of_ours_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        cli.run(["greet", "bug"])


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out.strip()
