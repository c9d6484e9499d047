"""`gnomon migrate`."""

import json
import sys
import time
from datetime import timedelta
from typing import Annotated

import typer

from gnomon.settings import read_settings


def migrate(
    *,
    patience: Annotated[float, typer.Option(help="Seconds to go on trying while others hold locks.", min=0)] = 600,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Bring the database to this version's schema.

    Safe to repeat, and to run from many pods at once: one migrates, the
    others wait. Works on GNOMON_DATABASE_URL, else on the embedded database.

    The login needs the right to create in the database. Roles that are
    missing are made, or their statements printed for an administrator.

    Examples:
      gnomon migrate
      GNOMON_DATABASE_URL=postgresql://owner@db.example.com/gnomon gnomon migrate --json
    """
    from gnomon.database.migrate import upgrade
    from gnomon.embedded import database_for

    begun = time.monotonic()

    def tell(line: str) -> None:
        print(f"gnomon migrate: {line}", file=sys.stderr)

    with database_for(read_settings()) as url:
        done = upgrade(url, report=tell, patience=timedelta(seconds=patience))
    if is_json:
        seconds = round(time.monotonic() - begun, 3)
        print(json.dumps({"revision": done.revision, "applied": done.applied, "seconds": seconds}))
    elif done.applied:
        print(f"The database is at revision {done.revision}.")
    else:
        print(f"The database is at revision {done.revision} already; nothing to do.")
