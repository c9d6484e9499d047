"""Which servers Gnomon runs on."""

from typing import Final

import psycopg

from gnomon.database.connecting import options

OLDEST_SERVER: Final = 17


class ServerTooOld(RuntimeError):
    """The server is older than PostgreSQL 17."""

    hint = "Use PostgreSQL 17 or 18, or unset GNOMON_DATABASE_URL for the embedded one."


def require_supported(url: str) -> None:
    """Connect once and look. Raises ServerTooOld, and psycopg.OperationalError when there is no server."""
    with psycopg.connect(url, **options(url, application_name="gnomon")) as connection:
        refuse_old(connection)


def refuse_old(connection: psycopg.Connection) -> None:
    """Raise ServerTooOld when this connection leads to such a server."""
    if connection.info.server_version // 10_000 < OLDEST_SERVER:
        found = connection.info.parameter_status("server_version")
        message = f"The server is PostgreSQL {found}; Gnomon needs {OLDEST_SERVER} or newer."
        raise ServerTooOld(message)
