"""`gnomon psql`."""

import os
import signal
import subprocess
from contextlib import suppress
from typing import Annotated

import typer

from gnomon.settings import read_settings


def psql(
    arguments: Annotated[list[str] | None, typer.Argument(help="More for psql itself, after --.")] = None,
    *,
    command: Annotated[
        list[str] | None, typer.Option("--command", "-c", help="Run this and leave; may be repeated.")
    ] = None,
    file: Annotated[list[str] | None, typer.Option("--file", "-f", help="Run this file and leave; may be repeated.")] = None,
) -> int:
    """Open psql on the database that Gnomon uses.

    The psql on PATH is taken, else the one that comes with Gnomon. Its exit
    code is passed on.

    Examples:
      gnomon psql
      gnomon psql -c "select * from gnomon.pending_schedules('u_abc123')"
      gnomon psql -- --csv -c "select * from gnomon.schedules"
    """
    from gnomon.database import client
    from gnomon.embedded import BinariesMissing, database_for
    from gnomon.embedded.account import server_account
    from gnomon.embedded.binaries import binaries_for

    words = [word for option, texts in (("-c", command), ("-f", file)) for text in texts or [] for word in (option, text)]
    bundled = None
    with suppress(BinariesMissing):
        bundled = binaries_for(server_account()).program("psql")
    with database_for(read_settings()) as url:
        line, added = client.call_of(client.program(bundled), url, [*words, *(arguments or [])])
        # Ctrl-C belongs to psql, which ends a statement by it; this process only keeps an embedded server alive meanwhile.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            done = subprocess.run(
                line,
                env={**os.environ, **added},  # noqa: TID251  # psql's own settings (PAGER, PSQLRC) are passed on unread
                check=False,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        finally:
            signal.signal(signal.SIGINT, before)
    return done.returncode
