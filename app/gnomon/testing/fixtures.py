"""Fixtures for pytest: name this module in your conftest.py, and say there where the database is.

    pytest_plugins = ["gnomon.testing.fixtures"]

    @pytest.fixture
    def gnomon_url(shop_database):
        return shop_database.url

It is the libpq address of a database that is marked for tests and holds Gnomon. Then `virtual_time` is an argument of your
tests.
"""

from collections.abc import Iterator

import pytest

from gnomon.testing.virtual_time import VirtualTime


@pytest.fixture
def gnomon_url() -> str:
    """The address of the test database; define this fixture in your own conftest."""
    pytest.fail("define a fixture gnomon_url that gives the address of a database marked for tests", pytrace=False)


@pytest.fixture
def virtual_time(gnomon_url: str) -> Iterator[VirtualTime]:
    """Time that stands and jumps, for one test."""
    with VirtualTime(gnomon_url) as taken:
        yield taken
