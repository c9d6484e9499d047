"""The server process: started, awaited and ended, whatever state it is in."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from gnomon.watchdog.plan import Plan

# How PostgreSQL is told to end: fast rolls open transactions back, immediate leaves the rest to crash recovery.
SIGNALS: Final = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}

# Seconds. A fast shutdown ends the sessions, which is soon done, and then writes a checkpoint, which a slow disk may draw
# out. One that is told while the server recovers from a crash may hang for ever (18.6: the checkpointer is never told).
_SESSIONS_END_WITHIN: Final = 5.0
_CHECKPOINT_WITHIN: Final = 120.0
_IMMEDIATE_WITHIN: Final = 10.0
_LEFTOVER_WITHIN: Final = 30.0
_LOOK_EVERY: Final = 0.02

# What the server says once the sessions have ended and the checkpoint begins.
_CHECKPOINT_BEGINS: Final = b"shutting down"

# Lines of the log that an error shows.
_TAIL_LINES: Final = 15

# Line of postmaster.pid that holds the status, counted from 0.
_STATUS_LINE: Final = 7

# Bytes of the log after which a start begins a new one and keeps the old one beside it.
_LONGEST_LOG: Final = 16 * 1024 * 1024


class NotStarted(Exception):
    """The server ended before it was ready."""


class Postmaster:
    """The server process, our child."""

    def __init__(self, plan: Plan) -> None:
        """Start nothing yet."""
        self._plan = plan
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    @property
    def pid(self) -> int | None:
        """Process id of the server, when one was started."""
        return self._process.pid if self._process else None

    def is_running(self) -> bool:
        """Whether the process exists."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process; ready it is later."""
        log = Path(self._plan.log)
        if log.exists() and log.stat().st_size > _LONGEST_LOG:
            log.replace(log.with_suffix(".log.old"))
        with log.open("ab") as file:
            self._log_start = file.tell()
            self._process = subprocess.Popen(
                self._plan.command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd="/",
                env=self._plan.environment,
            )

    def is_ready(self) -> bool:
        """Whether it answers queries. Raises NotStarted when it has ended instead."""
        if not self.is_running():
            code = self._process.returncode if self._process else None
            message = f"PostgreSQL did not start (exit code {code})."
            raise NotStarted(message)
        lines = _pid_file(self._plan.cluster)
        # A crashed server leaves its file behind, "ready" and all: only one with our child's number counts.
        return len(lines) > _STATUS_LINE and lines[0] == str(self.pid) and lines[_STATUS_LINE].strip() == "ready"

    def stop(self, mode: str) -> None:
        """End the process and wait until it is gone; one that hangs is ended the hard way, which loses nothing committed."""
        log = Path(self._plan.log)
        start = log.stat().st_size
        if self._ends(SIGNALS[mode], _SESSIONS_END_WITHIN):
            return
        with log.open("rb") as file:
            file.seek(start)
            is_writing = _CHECKPOINT_BEGINS in file.read()
        if is_writing and self._ends(None, _CHECKPOINT_WITHIN):
            return
        if not self._ends(signal.SIGQUIT, _IMMEDIATE_WITHIN):
            self._ends(signal.SIGKILL, None)

    def _ends(self, told: signal.Signals | None, within: float | None) -> bool:
        """Send a signal, or none, and wait some seconds for the end."""
        if self._process is None or self._process.poll() is not None:
            return True
        if told is not None:
            self._process.send_signal(told)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return not self.is_running()

    def tail(self) -> str:
        """The last lines the server wrote since its start."""
        with Path(self._plan.log).open("rb") as file:
            file.seek(self._log_start)
            lines = file.read().decode(errors="replace").strip().splitlines()
        return "\n".join(lines[-_TAIL_LINES:])

    def note(self, line: str) -> None:
        """Write a line of ours into the server's log."""
        with Path(self._plan.log).open("a") as file:
            file.write(f"gnomon: {line}\n")


def end_leftover(cluster: str) -> None:
    """End a server whose watchdog was killed, and wait until it is gone: two may not share a cluster."""
    lines = _pid_file(cluster)
    pid = int(lines[0]) if lines and lines[0].isdigit() else 0
    end = time.monotonic() + _LEFTOVER_WITHIN
    while pid and _is_server(pid, cluster):
        os.kill(pid, signal.SIGINT if time.monotonic() < end else signal.SIGQUIT)
        time.sleep(_LOOK_EVERY * 5)


def _is_server(pid: int, cluster: str) -> bool:
    """Whether this number is a server on this cluster, and not some other process that got it since."""
    command = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self").exists():
        with suppress(OSError):
            return os.fsencode(cluster) in command.read_bytes().split(b"\0")
        return False
    listed = subprocess.run(["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return f"-D {cluster} " in listed.stdout


def _pid_file(cluster: str) -> list[str]:
    with suppress(OSError):
        return Path(cluster, "postmaster.pid").read_text().splitlines()
    return []
