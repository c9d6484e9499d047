"""The watchdog: a small process that runs the server as its child, as long as somebody is attached.

    process A --socketpair--+
    process B --socket------+--> watchdog ---child---> postgres
    process C --socket------+

Whoever uses the server holds an open connection to the watchdog. The kernel closes it when that process ends, however it
ends; a list of process ids would keep the dead ones. With the last connection the server is shut down. The other way round,
the server is interrupted by the kernel when the watchdog is gone (where the system can do that), so neither outlives the
other.

To leave, a process shuts its sending side and reads until the end: the end comes at once while others are attached, and
after the server is down for the last one. Otherwise what travels is one JSON object a line:

    watchdog -> process   {"pid": ..., "port": ...}                the server is ready
    watchdog -> process   {"fact": ..., "tail": ...}               it did not start
    process -> watchdog   {"restart": "fast" or "immediate"}       answered as above

This file is run by path with the bare interpreter and must import nothing but the standard library: it starts in
hundredths of a second, and no later change of the installation can reach into a running one.
"""

import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

# How PostgreSQL is told to end: fast rolls open transactions back, immediate leaves the rest to crash recovery.
SIGNALS: Final = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}

# Seconds. A fast shutdown writes a checkpoint, which may take a while on a slow disk; then it ends the hard way.
_FAST_WITHIN: Final = 120.0
_IMMEDIATE_WITHIN: Final = 10.0
_LOOK_EVERY: Final = 0.02

# After a crash of the server: pauses in seconds before it is started again, then it is given up.
_PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

# Lines of the log that an error shows.
_TAIL_LINES: Final = 15

# Line of postmaster.pid that holds the status, counted from 0.
_STATUS_LINE: Final = 7

# Bytes of the log after which a start begins a new one and keeps the old one beside it.
_LONGEST_LOG: Final = 16 * 1024 * 1024


@dataclass(frozen=True)
class Plan:
    """What a watchdog is told to run; paths as text, since it travels as JSON."""

    command: list[str]
    cluster: str
    control: str
    lock: str
    log: str
    port: int
    environment: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The form in which it is handed over."""
        return json.dumps(asdict(self))


class NotStarted(Exception):
    """The server ended before it was ready."""


class Abandoned(Exception):
    """Everybody left while the server was starting."""


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
        """End the process and wait until it is gone; one that does not end is ended harder."""
        steps = ((SIGNALS[mode], _FAST_WITHIN), (signal.SIGQUIT, _IMMEDIATE_WITHIN), (signal.SIGKILL, None))
        for step, within in steps:
            if self._process is None or self._process.poll() is not None:
                return
            self._process.send_signal(step)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(within)

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


class Watchdog:
    """Waits for whoever attaches and leaves, and for the server's end."""

    def __init__(self, plan: Plan, first: socket.socket) -> None:
        """Begin with the process that started us as the only one attached."""
        self._plan = plan
        self._postmaster = Postmaster(plan)
        self._selector = selectors.DefaultSelector()
        self._attached: set[socket.socket] = set()
        self._last: socket.socket | None = None
        self._is_told_to_stop = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._add(first)

    def run(self) -> int:
        """Run the server until nobody is attached; the exit code."""
        wakes = self._watch_signals()
        with Path(self._plan.lock).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._listen()
            try:
                self._start()
                self._tell_all()
                self._watch(wakes)
            except NotStarted as fault:
                self._tell_all(fact=str(fault), tail=self._postmaster.tail())
                return 1
            except Abandoned:
                return 0
            finally:
                self._unlisten()
                self._postmaster.stop("fast")
        return 0

    def _watch(self, wakes: socket.socket) -> None:
        while self._attached and not self._is_told_to_stop:
            for key, _ in self._selector.select():
                if key.fileobj is wakes:
                    wakes.recv(1024)
                elif key.fileobj is self._listener:
                    self._accept()
                else:
                    self._read(key.fileobj)  # type: ignore[arg-type]  # only sockets are registered
            if not self._postmaster.is_running() and not self._is_told_to_stop:
                self._revive()

    def _start(self) -> None:
        """Start the server and wait until it is ready, however long its recovery takes. Raises NotStarted, Abandoned."""
        self._postmaster.start()
        while not self._postmaster.is_ready():
            time.sleep(_LOOK_EVERY)
            if self._is_told_to_stop or not any(map(_is_open, self._attached)):
                raise Abandoned

    def _revive(self) -> None:
        """Start a server that crashed again. Its old processes may need a moment to end and let the memory go."""
        self._postmaster.note("the server is gone, starting it again")
        for pause in _PAUSES:
            time.sleep(pause)
            with suppress(NotStarted):
                self._start()
                return
        message = "PostgreSQL crashed and did not start again."
        raise NotStarted(message)

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            attached, _ = self._listener.accept()
            self._add(attached)
            self._tell(attached)

    def _add(self, attached: socket.socket) -> None:
        attached.settimeout(None)
        self._attached.add(attached)
        self._selector.register(attached, selectors.EVENT_READ)

    def _read(self, attached: socket.socket) -> None:
        try:
            asked = attached.recv(1024)
        except OSError:
            asked = b""
        if not asked:
            self._leave(attached)
        elif mode := json.loads(asked).get("restart"):
            self._postmaster.stop(mode)
            self._start()
            self._tell(attached)

    def _leave(self, attached: socket.socket) -> None:
        self._selector.unregister(attached)
        self._attached.discard(attached)
        if not self._attached:
            self._accept()  # somebody may be waiting at the door in this very moment
        if self._attached:
            attached.close()
        else:
            self._last = attached  # stays open until we end, which tells the last one that the server is down

    def _tell(self, attached: socket.socket, **fault: str) -> None:
        told: dict[str, Any] = fault or {"pid": self._postmaster.pid, "port": self._plan.port}
        with suppress(OSError):
            attached.sendall(json.dumps(told).encode() + b"\n")

    def _tell_all(self, **fault: str) -> None:
        for attached in self._attached:
            self._tell(attached, **fault)

    def _listen(self) -> None:
        Path(self._plan.control).unlink(missing_ok=True)
        os.umask(0o077)
        self._listener.bind(self._plan.control)
        self._listener.listen()
        self._listener.settimeout(0)
        self._selector.register(self._listener, selectors.EVENT_READ)

    def _unlisten(self) -> None:
        self._selector.unregister(self._listener)
        self._listener.close()
        Path(self._plan.control).unlink(missing_ok=True)

    def _watch_signals(self) -> socket.socket:
        """Make the end of the server and a wish to stop wake the selector."""
        reads, writes = socket.socketpair()
        for end in (reads, writes):
            end.settimeout(0)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._stop_soon)
        signal.signal(signal.SIGINT, self._stop_soon)
        signal.set_wakeup_fd(writes.fileno(), warn_on_full_buffer=False)
        self._wakes = (reads, writes)
        self._selector.register(reads, selectors.EVENT_READ)
        return reads

    def _stop_soon(self, *_: object) -> None:
        self._is_told_to_stop = True


def end_leftover(cluster: str) -> None:
    """End a server whose watchdog was killed, and wait until it is gone: two may not share a cluster."""
    lines = _pid_file(cluster)
    pid = int(lines[0]) if lines and lines[0].isdigit() else 0
    while pid and _is_server(pid, cluster):
        os.kill(pid, signal.SIGINT)
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


def _is_open(attached: socket.socket) -> bool:
    """Whether the other end still is there; what it sent stays unread."""
    try:
        return attached.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def _pid_file(cluster: str) -> list[str]:
    with suppress(OSError):
        return Path(cluster, "postmaster.pid").read_text().splitlines()
    return []


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # nobody's child: whoever started us may leave before us, or outlive us
    sys.exit(Watchdog(Plan(**json.loads(sys.argv[1])), socket.socket(fileno=int(sys.argv[2]))).run())
