"""The loop: who attaches, who leaves, and whether the server still runs."""

import fcntl
import json
import os
import selectors
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gnomon.watchdog.plan import Plan
from gnomon.watchdog.postmaster import NotStarted, Postmaster

# After a crash of the server: pauses in seconds before it is started again, then it is given up.
_PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

_LOOK_EVERY: Final = 0.02


class Abandoned(Exception):
    """Everybody left while the server was starting."""


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


def _is_open(attached: socket.socket) -> bool:
    """Whether the other end still is there; what it sent stays unread."""
    try:
        return attached.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
