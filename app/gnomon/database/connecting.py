"""How every connection of ours is made: what it is called, and how soon it notices that the other side is gone."""

from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

#: Seconds, or milliseconds for the last. A dead network is noticed within half a minute instead of libpq's two hours;
#: what the address itself says goes first.
_PATIENCE: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


def options(url: str, *, application_name: str) -> dict[str, Any]:
    """Keyword arguments for psycopg.connect beside the address.

    Raises psycopg.ProgrammingError when the address cannot be read.
    """
    said = conninfo_to_dict(url)
    chosen = {"application_name": application_name, **_PATIENCE}
    return {name: value for name, value in chosen.items() if name not in said}


def of_database(url: str, name: str) -> str:
    """The address of another database of the same server. Raises psycopg.ProgrammingError when it cannot be read."""
    return make_conninfo(url, dbname=name)
