"""Makes the cluster: whole or not at all.

It is made beside its place and renamed when it is complete, its database and password included, so that whatever stands in
its place can be started.
"""

import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Final

from gnomon.embedded.account import Account
from gnomon.embedded.binaries import Binaries
from gnomon.embedded.faults import DataFolderRefused, EmbeddedFault
from gnomon.embedded.folders import Folders

SUPERUSER: Final = "postgres"
DATABASE: Final = "gnomon"

# For our programs: nothing of the caller's environment (PGDATA, TZ, a locale) may decide what they do.
ENVIRONMENT: Final = {"PATH": os.defpath, "LC_ALL": "C"}

# The built-in locale: no update of the operating system can shift the order of an index.
_INITDB: Final = (
    *("--username", SUPERUSER, "--auth-local=trust", "--auth-host=reject", "--no-instructions", "--encoding=UTF8"),
    *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
)
# The socket lies in a folder of the server's account and needs no password; the port is open to every user of the machine.
_ACCESS: Final = """\
local all all              trust
host  all all 127.0.0.1/32 scram-sha-256
"""


def make_cluster(folders: Folders, binaries: Binaries, account: Account) -> None:
    """Make the cluster unless it is there. Raises DataFolderRefused, EmbeddedFault.

    The caller holds the folder's lock.
    """
    _write_access(folders)
    if (folders.cluster / "PG_VERSION").exists():
        _refuse_other_version(folders.cluster, binaries)
        return
    _refuse_strangers(folders)
    # A killed start leaves its half, in which programs may still be ending: each attempt has a folder of its own.
    for left in folders.data.glob(f"{folders.cluster.name}.init*"):
        shutil.rmtree(left, ignore_errors=True)
    half = folders.data / f"{folders.cluster.name}.init-{secrets.token_hex(4)}"
    half.mkdir(mode=0o700)
    account.own(half)
    _run(account, binaries.program("initdb"), "--pgdata", half, *_INITDB)
    password = secrets.token_urlsafe(24)
    _run(
        account,
        *(binaries.program("postgres"), "--single", "-D", half, "-c", "log_min_messages=error", SUPERUSER),
        lines=[f"create database {DATABASE}", f"alter role {SUPERUSER} password '{password}'"],
    )
    _write(folders.password, password, mode=0o600)
    half.rename(folders.cluster)
    _sync(folders.data)


def _refuse_other_version(cluster: Path, binaries: Binaries) -> None:
    found = (cluster / "PG_VERSION").read_text().strip()
    if found != str(binaries.major):
        message = f"{cluster} was made by PostgreSQL {found}; this version of Gnomon runs PostgreSQL {binaries.major}."
        hint = "Carry its data over with pg_dump of the old version, or choose another folder with --data or GNOMON_DATA."
        raise DataFolderRefused(message, hint)


def _refuse_strangers(folders: Folders) -> None:
    hint = "Choose another folder with --data or GNOMON_DATA."
    if (folders.data / "PG_VERSION").exists():
        message = f"{folders.data} is a PostgreSQL cluster itself, not a folder of Gnomon."
        raise DataFolderRefused(message, hint)
    if folders.cluster.exists() and any(folders.cluster.iterdir()):
        message = f"{folders.cluster} is there, but no PostgreSQL cluster."
        raise DataFolderRefused(message, hint)


def _write_access(folders: Folders) -> None:
    """Who may connect, outside the cluster, so that only the owner of the data folder can change it."""
    if not folders.access.exists():
        _write(folders.access, _ACCESS, mode=0o644)


def _write(path: Path, text: str, *, mode: int) -> None:
    half = path.with_name(f"{path.name}.half")
    half.unlink(missing_ok=True)
    half.touch(mode=0o600)
    half.chmod(mode)
    half.write_text(text)
    half.rename(path)


def _run(account: Account, *command: str | Path, lines: list[str] | None = None) -> None:
    """Run a program of PostgreSQL to its end, feeding it lines. Raises EmbeddedFault with what it said."""
    done = subprocess.run(
        account.command(*command, dies_with_parent=True),
        input="".join(f"{line}\n" for line in lines or []),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        env=ENVIRONMENT,
    )
    # A single-user server reports a failed statement and still ends with 0.
    if done.returncode or "ERROR:" in done.stdout:
        message = f"The database could not be made (exit code {done.returncode}).\n{done.stdout.strip()}"
        raise EmbeddedFault(message, "Look whether the disk is full, or choose another folder with --data.")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
