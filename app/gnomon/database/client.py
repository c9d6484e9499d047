"""How psql is called on a database: which program, with which words, and the password out of everybody's sight."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class PsqlMissing(RuntimeError):
    """There is no psql on this machine."""

    hint = "Install PostgreSQL's client programs, or put psql on PATH."


def program(otherwise: Path | None = None) -> Path:
    """The psql to run: the one on PATH, which can edit lines and keeps a history, else the wheel's, which cannot.

    Raises PsqlMissing when neither is there.
    """
    found = shutil.which("psql")
    if found is not None:
        return Path(found)
    if otherwise is None or not otherwise.is_file():
        raise PsqlMissing(PsqlMissing.__doc__)
    return otherwise


def call_of(psql: Path, url: str, arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command line and what it needs in its environment.

    A password travels there: command lines can be read by every user of the machine.
    """
    said: dict[str, Any] = conninfo_to_dict(url)
    password = said.pop("password", None)
    environment = {} if password is None else {"PGPASSWORD": str(password)}
    return [str(psql), "--dbname", make_conninfo(**said), *arguments], environment
