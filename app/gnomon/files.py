"""Where the SQL files and the migrations are: beside the packages in a checkout, inside the package once installed."""

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent

# Filled by the wheel only (pyproject, force-include). A checkout has none, so that there is one copy to edit.
_INSTALLED: Final = _PACKAGE / "_files"


class FilesMissing(RuntimeError):
    """The installation lacks its SQL files."""

    hint = "Install Gnomon again; in a checkout keep sql/ and migrations/ beside app/."


def sql_folder() -> Path:
    """The folder of today's SQL, with rooms.txt in it. Raises FilesMissing."""
    return _folder("sql")


def migrations_folder() -> Path:
    """The folder of the frozen history, with env.py in it. Raises FilesMissing."""
    return _folder("migrations")


def is_checkout() -> bool:
    """Whether this runs from a source tree, as opposed to an installed wheel."""
    return not _INSTALLED.is_dir()


def _folder(name: str) -> Path:
    top = _PACKAGE.parents[1] if is_checkout() else _INSTALLED
    folder = top / name
    if not folder.is_dir():
        message = f"{name}/ is missing from {top}."
        raise FilesMissing(message)
    return folder
