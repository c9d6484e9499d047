"""The benchmarks that have peers, in their smallest form and without any: they run, count right and judge nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from gnomon import cli


def _measured(name: str, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code = cli.run(("bench", name, "--small", "--no-peers", "--json", *words))
    out, err = capsys.readouterr()
    assert code == 0, err
    told: dict[str, Any] = json.loads(out)
    assert told["bars"] == []
    assert len(told["rounds"]) == 1
    assert any("small" in note for note in told["notes"])
    return told


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the embedded server of the benchmark's own, which syncs: a test's server does not, and would be refused."""
    monkeypatch.delenv("GNOMON_DATABASE_URL", raising=False)


@pytest.mark.fault
def test_herd(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = _measured("herd", capsys, "--out", str(tmp_path))

    own = told["rounds"][0]["gnomon"]
    assert 0 <= own["first_ms"] <= own["p50_ms"] <= own["p95_ms"] <= own["last_ms"]
    assert own["cpu_ms"] > 0
    assert json.loads((tmp_path / "herd.json").read_bytes()) == told
    assert (tmp_path / "herd.svg").is_file()


@pytest.mark.fault
def test_create(capsys: pytest.CaptureFixture[str]) -> None:
    own = _measured("create", capsys)["rounds"][0]["gnomon"]

    assert own["us"] > 0
    assert own["bytes"] == pytest.approx(own["schedules"] + own["timers"] + own["keys"])
    assert own["schedules"] > own["keys"] > 0


@pytest.mark.fault
def test_steady(capsys: pytest.CaptureFixture[str]) -> None:
    own = _measured("steady", capsys)["rounds"][0]["gnomon"]

    assert (own["arrived"], own["twice"], own["refused"]) == (300, 0, 0)
    assert 0 <= own["first_ms"] <= own["p99_ms"]
    assert own["us_all"] > own["us_api"] > 0


@pytest.mark.fault
def test_start(capsys: pytest.CaptureFixture[str]) -> None:
    own = _measured("start", capsys)["rounds"][0]["gnomon"]

    assert own["seconds"] > own["told_seconds"] > 0


@pytest.mark.usefixtures("database_url")
def test_a_server_that_does_not_sync_is_refused(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)

    assert cli.run(("bench", "herd", "--small", "--no-peers")) == 1
    assert "fsync is off" in capsys.readouterr().err
