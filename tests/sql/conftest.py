"""Fixtures of the rooms of SQL."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.sql.acts import utc
from tests.support.clock import set_clock
from tests.support.cluster import Server


@pytest.fixture(scope="module")
def untouched(server: Server, template: str) -> Iterator[psycopg.Connection]:
    """One database for all tests of a file that leave nothing behind; its clock stands at noon."""
    with server.database(template) as url, psycopg.connect(url, autocommit=True) as connection:
        set_clock(connection, utc("2026-12-01T12:00:00"))
        yield connection
