"""`gnomon bench`: one object, a table, a picture, and exit code 1 for a missed bar. Small runs judge no bar."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon import cli
from gnomon.bench import catalogue
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command line on the test's database: exit code, standard output, standard error."""
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    monkeypatch.setenv("COLUMNS", "200")

    def called(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return called


def _told(out: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(out)
    assert {"name", "passed", "bars", "rounds", "machine", "versions", "settings"} <= told.keys()
    return told


def test_clock_small(call: Call, tmp_path: Path) -> None:
    code, out, err = call("bench", "clock", "--small", "--no-peers", "--json", "--out", str(tmp_path))

    assert code == 0, err
    told = _told(out)
    assert (told["name"], told["passed"], told["bars"], len(told["rounds"])) == ("clock", True, [], 3)
    assert len(told["notes"]) == 2
    own = told["rounds"][0]["gnomon"]
    assert {"daily", "resolve_local", "parse", "cron", "0 0 29 2 *"} <= own.keys()
    assert all(0 < value < 1e6 for value in own.values())
    assert json.loads((tmp_path / "clock.json").read_bytes()) == told
    assert ET.parse(tmp_path / "clock.svg").getroot().tag.endswith("svg")  # noqa: S314  # we wrote it


@pytest.mark.long
def test_clock_with_peers(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code, out, err = call("bench", "clock", "--small", "--json")

    assert code == 0, err
    told = _told(out)
    assert {"croniter", "cronsim"} <= told["versions"].keys()
    assert told["rounds"][1].keys() == {"gnomon", "croniter", "cronsim"}
    assert told["rounds"][0]["croniter"].keys() <= told["rounds"][0]["gnomon"].keys()


@pytest.mark.long
def test_http_small(call: Call) -> None:
    code, out, err = call("bench", "http", "--small", "--json")

    assert code == 0, err
    told = _told(out)
    assert (told["name"], told["bars"], len(told["rounds"])) == ("http", [], 3)
    for found in told["rounds"]:
        assert found.keys() == {"gnomon", "constant", "bare"}
        assert all(side["16"] > 0 for side in found.values())
        assert found["gnomon"]["batch 4"] > 0
    assert "generator and application" in told["notes"][0]


@pytest.mark.parametrize(
    ("judged", "code"),
    [
        (Bar(what="so long", value=9, bar=10), 0),
        (Bar(what="so long", value=11, bar=10), 1),
        (Bar(what="so long", value=2.9, bar=3, is_ceiling=False), 1),
    ],
)
def test_a_missed_bar_is_a_failure(call: Call, monkeypatch: pytest.MonkeyPatch, judged: Bar, code: int) -> None:
    async def measure(_run: Run) -> Measured:
        line = Line(what="[work]", values={"gnomon": judged.value, "peer": 2 * judged.value})
        return Measured(bars=[judged], lines=[line], rounds=[], versions={}, settings={})

    monkeypatch.setattr(catalogue, "find", lambda _name: Benchmark(what="nothing", measure=measure))

    assert call("bench", "any", "--json")[0] == code
    ended, out, _ = call("bench", "any")
    assert ended == code
    assert ("MISSED" in out) == bool(code)
    assert "so long" in out


def test_an_unknown_benchmark_is_wrong_use(call: Call) -> None:
    code, _, err = call("bench", "clok")

    assert code == 2
    assert "did you mean clock?" in err
