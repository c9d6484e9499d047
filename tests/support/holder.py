"""Processes that hold the embedded server, so that a test can end them the hard way."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HOLD: Final = """
import json, pathlib, sys
from gnomon.embedded import Embedded
held = Embedded(pathlib.Path(sys.argv[1])).start()
print(json.dumps({"pid": held.pid, "url": held.url}), flush=True)
sys.stdin.read()
held.stop()
"""


@dataclass(frozen=True)
class Holder:
    """A process attached to the server with process id `server`."""

    process: subprocess.Popen[str]
    server: int
    url: str

    def leave(self) -> None:
        """Let it leave in order; returns when it has ended."""
        self.process.communicate()

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.process.kill()
        self.process.wait()


def start_holding(data: Path) -> subprocess.Popen[str]:
    """Start a process that starts or attaches to the server; it prints a line once it has."""
    return subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def held(process: subprocess.Popen[str]) -> Holder:
    """Wait until a started process holds the server."""
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    return Holder(process, told["pid"], told["url"])


@contextmanager
def holding(data: Path) -> Iterator[Holder]:
    """A process that holds the server of a data folder; killed at the end when it still is there."""
    process = start_holding(data)
    try:
        yield held(process)
    finally:
        process.kill()
        process.communicate()
