"""Alembic's configuration as a file, for those who run Alembic themselves."""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

from gnomon.database.migrate import options

_HEADER = "# Written by `gnomon alembic-ini` for one installation. The database is GNOMON_DATABASE_URL.\n"


def write(folder: Path | None = None) -> Path:
    """Write the file and return its path: in the user's cache, or, where that cannot be written, in a new private folder.

    Its name tells the installation, so that two of them on one machine do not take each other's.
    """
    text = _HEADER + "[alembic]\n" + "".join(f"{name} = {value.replace('%', '%%')}\n" for name, value in options().items())
    name = f"alembic-{hashlib.sha256(text.encode()).hexdigest()[:12]}.ini"
    try:
        return _replaced(folder or platformdirs.user_cache_path("gnomon"), name, text)
    except OSError:  # no home, or a read-only one, as in many containers
        return _replaced(Path(tempfile.mkdtemp(prefix="gnomon-")), name, text)


def _replaced(folder: Path, name: str, text: str) -> Path:
    """Put the file there whole: another process may be reading it."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(written).replace(folder / name)
