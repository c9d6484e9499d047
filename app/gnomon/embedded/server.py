"""The embedded server as a process of ours sees it: start or attach, use, leave."""

import contextlib
import fcntl
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, Self
from urllib.parse import quote

from gnomon.embedded.account import Account, server_account
from gnomon.embedded.binaries import binaries_for
from gnomon.embedded.cluster import DATABASE, ENVIRONMENT, SUPERUSER, make_cluster
from gnomon.embedded.faults import DataFolderRefused, EmbeddedFault, ServerNotStarted
from gnomon.embedded.folders import Folders, default_data
from gnomon.embedded.rules import Rules, forget_others, rules_for
from gnomon.watchdog.plan import Plan
from gnomon.watchdog.postmaster import end_leftover

# What our own start adds to PostgreSQL's defaults. Each can be given anew.
SETTINGS: Final = {
    "max_connections": "200",  # twice the default: several processes, each with a pool
    "max_locks_per_transaction": "256",  # a migration touches every leaf of every period at once
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",  # fewer checkpoints under a burst
    "checkpoint_timeout": "15min",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    "logging_collector": "off",  # the watchdog gives it the log file
}
# Only for what need not survive a crash.
_NOT_DURABLE: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# The bare interpreter, without the packages of the environment, told only where this one is.
_RUN_WATCHDOG: Final = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('gnomon.watchdog', run_name='__main__')"
)
_WATCHDOG: Final = (sys.executable, "-I", "-S", "-c", _RUN_WATCHDOG, str(Path(__file__).resolve().parents[2]))

_TRIES_FOR_A_PORT: Final = 3
_PORT_TAKEN: Final = "Address already in use"


class Embedded:
    """A PostgreSQL of our own in a data folder, shared by every process that attaches to it.

    The first process makes the cluster and starts the server, later ones attach. The server ends when the last of them has
    stopped or died. Settings count for the process that starts it.
    """

    def __init__(self, data: Path | None = None, settings: dict[str, str] | None = None, *, is_durable: bool = True) -> None:
        """Choose the data folder (None: the place of this account) and settings of postgresql.conf; start nothing."""
        self.data = (data or default_data()).expanduser().resolve()
        self._folders = Folders(self.data)
        self._settings = SETTINGS | ({} if is_durable else _NOT_DURABLE) | (settings or {})
        self._attached: socket.socket | None = None
        self._told: dict[str, Any] = {}

    def __enter__(self) -> Self:
        """Start or attach."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Leave."""
        self.stop()

    @property
    def url(self) -> str:
        """The libpq address of the database, by the socket: no password, no network."""
        return f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(self._folders.socket), safe='')}&port={self.port}"

    @property
    def loopback_url(self) -> str:
        """The libpq address by the loopback port, password included: for programs that know no sockets."""
        password = self._folders.password.read_text()
        return f"postgresql://{SUPERUSER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def port(self) -> int:
        """The loopback port; it also is part of the socket's name."""
        return int(self._told["port"])

    @property
    def pid(self) -> int:
        """Process id of the server, as of the last start or restart that this process knows of."""
        return int(self._told["pid"])

    @property
    def log(self) -> Path:
        """The server's log."""
        return self._folders.log

    def start(self) -> Self:
        """Attach to the server of this data folder, or make and start it; returns when it answers, however long that takes.

        Raises DataFolderRefused, BinariesMissing, ServerNotStarted, EmbeddedFault.
        """
        account = server_account()
        self._folders.make(account)
        with _locked(self._folders.lock):
            self._attach()
            if self._attached is None:
                self._make_and_launch(account)
        return self

    def stop(self) -> None:
        """Leave the server; when nobody else is attached, return only after it is down. Safe to repeat."""
        attached, self._attached = self._attached, None
        if attached is None:
            return
        with attached, contextlib.suppress(OSError):
            attached.shutdown(socket.SHUT_WR)
            while attached.recv(4096):
                pass

    def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Restart the server for everybody; `immediate` is a crash of it, with recovery. Raises ServerNotStarted."""
        if self._attached is None:
            message = "The server cannot be restarted by a process that is not attached to it."
            raise EmbeddedFault(message, "Call start first.")
        self._attached.sendall(json.dumps({"restart": mode}).encode())
        self._listen_to(self._attached)

    def _attach(self) -> None:
        door = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            door.connect(str(self._folders.control))
            if told := _line(door):
                self._attached, self._told = door, json.loads(told)
                return
        # Nobody there, or a watchdog that is just ending; the next one waits for it.
        door.close()

    def _make_and_launch(self, account: Account) -> None:
        binaries = binaries_for(account)
        # Both: the sockets of a folder with a long name lie elsewhere.
        if not (account.can_enter(self.data) and account.can_write(self._folders.socket)):
            message = f"The account that runs the server cannot reach {self.data}."
            hint = "PostgreSQL does not run as root; choose a folder open to others with --data, or leave --data out."
            raise DataFolderRefused(message, hint)
        make_cluster(self._folders, binaries, account)
        with _locked(self._folders.watchdog_lock):
            # The last watchdog has ended. One that was killed may have left its server, which still holds the port.
            end_leftover(str(self._folders.cluster))
        rules = rules_for(self._folders.zones, binaries, account)
        forget_others(self._folders.zones, rules)
        for attempt in range(1, _TRIES_FOR_A_PORT + 1):
            try:
                self._launch(account, rules, _choose_port(self._folders.port))
            except ServerNotStarted as fault:
                if _PORT_TAKEN not in fault.tail or attempt == _TRIES_FOR_A_PORT:
                    raise
                self._folders.port.unlink()
            else:
                return

    def _launch(self, account: Account, rules: Rules, port: int) -> None:
        settings = {
            "port": str(port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self._folders.socket),
            "hba_file": str(self._folders.access),
            "gnomon.zone_rules": rules.version,
            **self._settings,
        }
        arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        server = [str(rules.server), "-D", str(self._folders.cluster), *arguments]
        plan = Plan(
            command=account.command(*server, dies_with_parent=True),
            cluster=str(self._folders.cluster),
            control=str(self._folders.control),
            lock=str(self._folders.watchdog_lock),
            log=str(self._folders.log),
            port=port,
            environment=ENVIRONMENT,
        )
        self.log.touch(mode=0o600)  # statements that failed stand in it
        ours, theirs = socket.socketpair()
        with theirs, self._folders.log.open("ab") as log:
            # Its own session: a Ctrl-C in our terminal is for us, and we tell it when we have finished.
            subprocess.run(
                [*_WATCHDOG, plan.text(), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                check=True,
                cwd="/",
                env=ENVIRONMENT,
            )
        try:
            self._listen_to(ours)
        except BaseException:
            ours.close()
            raise
        self._attached = ours

    def _listen_to(self, attached: socket.socket) -> None:
        """Wait until the watchdog says that the server is ready. Raises ServerNotStarted."""
        line = _line(attached)
        told = json.loads(line) if line else {"fact": "The watchdog of PostgreSQL ended unexpectedly.", "tail": ""}
        if "fact" in told:
            raise ServerNotStarted(told["fact"], self.log, told["tail"])
        self._told = told


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _line(attached: socket.socket) -> bytes:
    """One line of the watchdog, or nothing when it is gone."""
    line = b""
    while not line.endswith(b"\n"):
        part = attached.recv(4096)
        if not part:
            return b""
        line += part
    return line


def _choose_port(kept: Path) -> int:
    """The port of the last time when it is free, so that addresses stay valid; else a free one, which is kept."""
    last = int(kept.read_text()) if kept.exists() else 0
    for wanted in (last, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as PostgreSQL does
            probe.bind(("127.0.0.1", wanted))
            port = int(probe.getsockname()[1])
            kept.write_text(str(port))
            return port
    message = "No free port on the loopback address."
    raise EmbeddedFault(message, "Close some programs that listen on 127.0.0.1.")
