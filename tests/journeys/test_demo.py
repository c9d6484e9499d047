"""`gnomon demo`: kept promises with everything broken on purpose, and a broken one seen for what it is."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gnomon.demo.run import Options
from gnomon.demo.theatre import perform
from tests.support.processes import is_alive
from tests.support.roles import GNOMON

KEYS = {"accepted", "delivered", "cancelled", "pending", "lost", "twice", "resent", "lateness_ms", "faults"}


@contextmanager
def demo(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A running demo that has no other place for its files; killed with the block."""
    environment = os.environ | {"TMPDIR": str(folder)}  # noqa: TID251  # a child's
    command = [GNOMON, "demo", *options]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.alone
def test_every_promise_is_kept_while_processes_are_killed_and_the_database_crashes(open_folder: Path) -> None:
    with demo(open_folder, "--seconds", "4", "--rate", "50", "--json") as process:
        answer, errors = process.communicate()
    assert process.returncode == 0, answer + errors
    told: dict[str, Any] = json.loads(answer)
    assert told.keys() >= KEYS
    assert (told["lost"], told["twice"], told["contradictions"]) == (0, 0, 0)
    assert told["accepted"] == 4 * 50 + 1
    assert told["accepted"] == told["delivered"] + told["cancelled"] + told["pending"]
    assert told["delivered"] > 100
    assert set(told["lateness_ms"]) == {"p50", "p95", "p99", "max"}
    assert [fault["what"].split()[0] for fault in told["faults"]] == ["worker-1", "poller-1", "PostgreSQL"]
    assert told["first_delivery_s"] < 20, "3 s on an idle machine; a test may run on a busy one"
    assert not list(open_folder.iterdir())


@pytest.mark.fault
def test_what_was_lost_and_what_came_twice_is_told_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(length=timedelta(seconds=3), rate=20, is_calm=True, patience=timedelta(seconds=1))
    sink = [str(Path(__file__).with_name("faithless_sink.py"))]
    assert not perform(options, as_json=True, sink=sink)
    told = json.loads(capsys.readouterr().out)
    assert (told["lost"], told["twice"], told["resent"], told["contradictions"]) == (1, 1, 1, 0)
    assert len(told["findings"]) == 2
    assert told["faults"] == []


def test_an_interrupted_demo_leaves_nothing_behind(open_folder: Path) -> None:
    with demo(open_folder, "--seconds", "60") as process:
        assert process.stdout is not None
        assert any("first delivery" in line for line in process.stdout)
        (folder,) = open_folder.iterdir()
        server = int((folder / "data" / "postgres" / "postmaster.pid").read_text().split()[0])
        assert is_alive(server)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert process.returncode == 130
    assert not is_alive(server)
    assert not list(open_folder.iterdir())
