"""Fixtures of the clock room: it computes and stores nothing, so its tests share one database."""

import contextlib
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.composite import CompositeInfo, register_composite

from tests.support.cluster import Server

# An ordinary one, one with a change of clocks on other nights than most zones, one that skipped a whole day in 2011.
SESSION_ZONES = ("UTC", "America/New_York", "Pacific/Apia")


@pytest.fixture(scope="session")
def room_url(server: Server, template: str) -> Iterator[str]:
    """The address of the database that the tests of this room read."""
    with server.database(template) as url:
        yield url


@pytest.fixture(scope="session")
def room(room_url: str) -> Iterator[psycopg.Connection]:
    """A connection to it, in the odd session zone that the server has by default; faults come back with their fields."""
    with psycopg.connect(room_url, autocommit=True) as connection:
        info = CompositeInfo.fetch(connection, "gnomon_data.fault")
        assert info is not None
        register_composite(info, connection)
        yield connection


@pytest.fixture(scope="session")
def rooms_by_zone(room_url: str) -> Iterator[dict[str, psycopg.Connection]]:
    """A connection in each of the session zones under which the answers have to be the same."""
    with contextlib.ExitStack() as stack:
        yield {
            zone: stack.enter_context(psycopg.connect(room_url, autocommit=True, options=f"-c timezone={zone}"))
            for zone in SESSION_ZONES
        }
