"""Where the embedded database keeps what, and with which rights.

    data/                 one database of one user; as root readable by the server's account
      lock                who may start a server
      postgres/           the cluster, owned by the server's account; postgres.init-.../ while it is being made
      zones/              the server's own rules of time zones, where they are newer than the wheel's (rules)
      watchdog.lock       held as long as a watchdog lives
      server.log          what the server says
      port                the loopback port, kept over restarts
      password            what the port asks for; the socket asks for nothing
      access              who may connect how (pg_hba.conf)
      run/                the sockets, or a short folder elsewhere when their path would be too long for the system

No folder that was there before is ever given other rights.
"""

import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from gnomon.embedded.account import Account, is_root
from gnomon.embedded.faults import DataFolderRefused

SYSTEM_FOLDER: Final = Path("/var/lib/gnomon")

# Bytes of a socket's path without its closing NUL: sun_path of <sys/un.h>.
LONGEST_SOCKET_PATH: Final = 107 if sys.platform == "linux" else 103
_LONGEST_SOCKET_NAME: Final = "pg/.s.PGSQL.65535.lock"
_OPEN_TO_OTHERS: Final = 0o022


@dataclass(frozen=True, slots=True)
class Folders:
    """The places inside one data folder."""

    data: Path

    @property
    def lock(self) -> Path:
        """Locked by whoever makes the cluster or starts a server."""
        return self.data / "lock"

    @property
    def watchdog_lock(self) -> Path:
        """Locked by a watchdog for all its life."""
        return self.data / "watchdog.lock"

    @property
    def cluster(self) -> Path:
        """The data directory of PostgreSQL."""
        return self.data / "postgres"

    @property
    def zones(self) -> Path:
        """Where the server's own rules of time zones are kept."""
        return self.data / "zones"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.data / "server.log"

    @property
    def port(self) -> Path:
        """The file with the loopback port."""
        return self.data / "port"

    @property
    def password(self) -> Path:
        """The file with the superuser's password, for connections by the loopback port."""
        return self.data / "password"

    @property
    def access(self) -> Path:
        """Who may connect how, in the form of pg_hba.conf."""
        return self.data / "access"

    @property
    def run(self) -> Path:
        """The folder of the sockets: inside data, or a short one when the system cannot take so long a path."""
        near = self.data / "run"
        if _fits(near):
            return near
        name = "gnomon-" + hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]
        temporary = Path(tempfile.gettempdir(), name)
        return temporary if _fits(temporary) else Path("/tmp", name)  # noqa: S108  # checked for its owner by make_run

    @property
    def control(self) -> Path:
        """The socket by which processes attach."""
        return self.run / "control"

    @property
    def socket(self) -> Path:
        """The folder of the server's own socket."""
        return self.run / "pg"

    def make(self, account: Account) -> None:
        """Make what is missing. Raises DataFolderRefused when that cannot be or the folder is another account's."""
        if self.lock.exists() and self.lock.stat().st_uid != os.geteuid():
            message = f"The data folder {self.data} belongs to another account of this machine."
            raise DataFolderRefused(message, "Work as that account, or choose another folder with --data or GNOMON_DATA.")
        mode = 0o755 if is_root() else 0o700
        make_folder(self.data, mode=mode)
        _make_run(self.run, mode)
        if not self.socket.is_dir():
            self.socket.mkdir(mode=0o700)
            account.own(self.socket)


def default_data() -> Path:
    """Where an account keeps its embedded database when nothing else is said."""
    return SYSTEM_FOLDER if is_root() else Path(platformdirs.user_data_path("gnomon"))


def make_folder(folder: Path, *, mode: int) -> None:
    """Make a folder and its missing parents with exactly these rights, whatever the umask; leave existing ones alone."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        try:
            path.mkdir(mode=0o700)
            path.chmod(mode)
        except FileExistsError:
            continue
        except OSError as fault:
            message = f"The folder {path} cannot be made: {fault.strerror}."
            raise DataFolderRefused(message, "Choose another one with --data or GNOMON_DATA.") from fault


def _fits(run: Path) -> bool:
    return len(os.fsencode(run / _LONGEST_SOCKET_NAME)) <= LONGEST_SOCKET_PATH


def _make_run(run: Path, mode: int) -> None:
    """Make the folder of the sockets. In a folder open to all, one that somebody else put there is refused."""
    make_folder(run, mode=mode)
    found = run.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & _OPEN_TO_OTHERS:
        message = f"The folder {run} belongs to somebody else."
        raise DataFolderRefused(message, "Remove it, or choose another data folder.")
