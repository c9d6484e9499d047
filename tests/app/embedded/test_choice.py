"""Which database a command works on."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from gnomon.database.version import ServerTooOld
from gnomon.embedded import database_for
from gnomon.settings import Settings


@contextmanager
def old_server(version: str) -> Iterator[str]:
    """A socket that greets as PostgreSQL of another version does; as much of the protocol as a client needs to learn it."""

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("!i", len(body) + 4) + body

    def greet(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(8)  # a wish for TLS, which is refused
            connection.sendall(b"N")
            connection.recv(4096)
            status = b"server_version\0" + version.encode() + b"\0"
            connection.sendall(message(b"R", struct.pack("!i", 0)) + message(b"S", status) + message(b"Z", b"I"))
            connection.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet, args=[listener], daemon=True)
        thread.start()
        yield f"postgresql://u@127.0.0.1:{listener.getsockname()[1]}/gnomon?gssencmode=disable"
        thread.join(timeout=10)


def test_an_older_server_is_refused_by_its_version() -> None:
    with (
        old_server("16.4") as url,
        pytest.raises(ServerTooOld, match=r"The server is PostgreSQL 16\.4; Gnomon needs 17 or newer\.") as caught,
        database_for(Settings(database_url=url)),
    ):
        pass
    assert "17 or 18" in caught.value.hint


def test_a_server_of_the_users_own_is_used_as_it_is(empty_database_url: str, open_folder: Path) -> None:
    with database_for(Settings(database_url=empty_database_url, data=open_folder / "data")) as url:
        assert url == empty_database_url
    assert not (open_folder / "data").exists()


def test_without_an_address_the_embedded_server_is_used(open_folder: Path) -> None:
    with (
        database_for(Settings(data=open_folder / "data")) as url,
        psycopg.connect(url) as connection,
    ):
        assert connection.info.dbname == "gnomon"
        assert connection.info.host.startswith(str(open_folder))
