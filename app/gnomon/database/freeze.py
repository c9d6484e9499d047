"""Copies `sql/` into the first revision and writes down the digests of all frozen files.

    python -m gnomon.database.freeze

A developer's tool for a checkout, to be run after every edit of `sql/` until the first release: up to there history
has one revision, and it is today's truth. From the release on its folder never changes again.
"""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from gnomon.database.source import Source
from gnomon.files import migrations_folder, sql_folder

_FIRST = Path("versions", "0001_first")
_DIGESTS = "frozen.sha256"


def refresh(sql: Path, migrations: Path) -> None:
    """Make the first revision's up.sql, routines and views anew, then the digests."""
    folder = migrations / _FIRST
    source = Source(sql)
    shutil.rmtree(folder / "routines", ignore_errors=True)
    for path in source.routines():
        copy = folder / "routines" / path.relative_to(sql)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    _join(source.definitions(), sql, folder / "up.sql")
    _join(source.views(), sql, folder / "views.sql")
    (migrations / _DIGESTS).write_text(digests(migrations), encoding="utf-8")


def digests(migrations: Path) -> str:
    """The lines of frozen.sha256, as `sha256sum` writes and checks them: every file of every revision."""
    frozen = sorted(path for path in (migrations / "versions").rglob("*") if path.suffix in {".py", ".sql", ".txt"})
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(migrations).as_posix()}\n" for path in frozen
    )


def _join(paths: Iterable[Path], sql: Path, target: Path) -> None:
    parts = [f"-- {path.relative_to(sql).as_posix()}\n\n{path.read_text(encoding='utf-8').strip()}\n" for path in paths]
    target.unlink(missing_ok=True)
    if parts:
        target.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    refresh(sql_folder(), migrations_folder())
