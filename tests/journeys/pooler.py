"""PgBouncer in transaction mode before a server, a process of its own that a journey may kill.

with running_pooler(pgbouncer(folder), folder, url) as pooler:
    pooler.url           where to connect
    pooler.kill()        it is gone, and every connection with it
    pooler.start()       it is there again, at the same address
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gnomon.embedded.account import server_account
from tests.support.races import wait_until

SESSIONS: Final = 6
"""Of the server; fewer than there are connections to the pooler, so that no client keeps one for long."""

_PACKAGES: Final = ("pgbouncer", "libc-ares2")
_PATIENCE: Final = 60
_SETTINGS: Final = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listens_on}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
server_login_retry = 1
"""


@dataclass(frozen=True)
class Program:
    """How PgBouncer is run."""

    path: Path
    libraries: Path | None
    """Where its libraries lie, when they are not the system's."""


def pgbouncer(folder: Path) -> Program:
    """The system's PgBouncer, or Debian's unpacked into a folder. Skips, saying why, where neither can be had."""
    if installed := shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin"):  # noqa: TID251  # as a shell does
        return Program(Path(installed), None)
    apt_get, dpkg = shutil.which("apt-get"), shutil.which("dpkg")
    if apt_get is None or dpkg is None:
        pytest.skip("PgBouncer is not installed, and cannot be had from Debian: there is no apt-get here")
    try:
        fetched = subprocess.run(
            [apt_get, "download", "-q", *_PACKAGES],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"PgBouncer is not installed, and Debian's was not there within {_PATIENCE} s")
    if fetched.returncode:
        pytest.skip(f"PgBouncer is not installed, and cannot be had from Debian: {fetched.stderr.strip()}")
    for package in folder.glob("*.deb"):
        subprocess.run([dpkg, "-x", package, folder], check=True)
    [ares] = folder.glob("usr/lib/*/libcares.so.2")
    return Program(folder / "usr" / "sbin" / "pgbouncer", ares.parent)


@dataclass
class Pooler:
    """The pooler, seen from the journey."""

    url: str
    _program: Program
    _settings: Path
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        """Start it, and wait until it lets somebody through."""
        environment = {"LD_LIBRARY_PATH": str(self._program.libraries)} if self._program.libraries else {}
        with self._settings.with_suffix(".log").open("ab") as log:
            # It refuses to run as root, as the server does.
            command = server_account().command(self._program.path, "-q", self._settings)
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd="/")
        wait_until(self._answers, "the pooler answers")

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._settings.with_suffix(".log").read_text()
        try:
            with psycopg.connect(self.url, autocommit=True, connect_timeout=2) as connection:
                connection.execute("select 1")
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_pooler(program: Program, folder: Path, url: str) -> Iterator[Pooler]:
    """A pooler before the server of this address, ended with the block. The folder is open to the server's account."""
    address = conninfo_to_dict(url)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listens_on = free.getsockname()[1]
    settings = folder / "pgbouncer.ini"
    named = {"host": address["host"], "port": address["port"], "user": address["user"]}
    settings.write_text(_SETTINGS.format(**named, listens_on=listens_on, sessions=SESSIONS))
    pooler = Pooler(make_conninfo(url, port=listens_on), program, settings)
    pooler.start()
    try:
        yield pooler
    finally:
        pooler.kill()
