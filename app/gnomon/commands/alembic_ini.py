"""`gnomon alembic-ini`."""

import json
from typing import Annotated

import typer


def alembic_ini(
    *,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the path of a configuration for Alembic's own command.

    For those who migrate from their own CI. The file is written for this
    installation and works from any folder; the database is
    GNOMON_DATABASE_URL.

    Example:
      alembic -c "$(gnomon alembic-ini)" upgrade head
    """
    from gnomon.database import ini

    path = ini.write()
    print(json.dumps({"path": str(path)}) if is_json else path)
