"""Roles as real processes: what a test kills, stops and waits for.

with running_role(folder, "work", "--lane", "bulk", GNOMON_DATABASE_URL=url) as worker:
    worker.kill()
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.support.races import wait_until

# The console script beside the interpreter that runs the tests: `gnomon` of a PATH could be another one.
GNOMON = str(Path(sys.executable).with_name("gnomon"))


@dataclass(slots=True)
class Role:
    """A running `gnomon` command."""

    process: subprocess.Popen[bytes]
    log: Path
    out: Path

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines() if line.startswith("{")]

    def printed(self) -> list[dict[str, Any]]:
        """The objects it has printed, one a line."""
        return [json.loads(line) for line in self.out.read_text(encoding="utf-8").splitlines()]

    def has_said(self, event: str) -> bool:
        """Whether it has logged this event."""
        return any(line.get("event") == event for line in self.lines())

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def ended(self, within: timedelta) -> int:
        """Its exit code; raises subprocess.TimeoutExpired when it has not ended by then."""
        return self.process.wait(within.total_seconds())


@contextmanager
def running_role(folder: Path, *command: str, **environment: str) -> Iterator[Role]:
    """Start a command with nothing but these GNOMON_* variables, wait until it says so, and kill it with the block."""
    number = len(list(folder.glob("role-*.log")))
    log, out = folder / f"role-{number}.log", folder / f"role-{number}.out"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251  # a child's
    with log.open("wb") as errors, out.open("wb") as answers:
        process = subprocess.Popen([GNOMON, *command], env=inherited | environment, stdout=answers, stderr=errors)
    role = Role(process, log, out)
    try:
        wait_until(lambda: role.has_said("started") or process.poll() is not None, f"{command[0]} has started")
        assert process.poll() is None, log.read_text(encoding="utf-8")
        yield role
    finally:
        process.kill()
        process.wait()
