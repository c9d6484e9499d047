"""Fixtures of every test: one server a run, one template, one cloned database a test."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from gnomon.embedded import Embedded
from gnomon.testing.fixtures import virtual_time as virtual_time  # noqa: PLC0414  # a fixture of every test
from tests.support import cluster

pytest_plugins = ["tests.support.side_by_side"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session")
def server() -> Iterator[cluster.Server]:
    """The one fast server of this run."""
    with cluster.running_server() as running:
        yield running


@pytest.fixture(scope="session")
def template(server: cluster.Server) -> str:
    """Name of the database that holds today's `sql/` and nothing else."""
    return cluster.load_template(server)


@pytest.fixture
def session_time_zone(request: pytest.FixtureRequest) -> str | None:
    """Zone of the sessions of `database_url`; say another one by `@pytest.mark.session_time_zone("UTC")`."""
    mark = request.node.get_closest_marker("session_time_zone")
    return str(mark.args[0]) if mark else None


@pytest.fixture
def database_url(server: cluster.Server, template: str, session_time_zone: str | None) -> Iterator[str]:
    """The address of a fresh database with everything loaded, for this test alone."""
    with server.database(template, time_zone=session_time_zone) as url:
        yield url


@pytest.fixture
def gnomon_url(server: cluster.Server, database_url: str) -> str:
    """The same, marked for tests, as the fixture `virtual_time` wants it: then its clock stands, see gnomon.testing."""
    server.mark_for_tests(database_url)
    return database_url


@pytest.fixture
def empty_database_url(server: cluster.Server) -> Iterator[str]:
    """The address of a database with nothing in it."""
    with server.database() as url:
        yield url


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection to `database_url`, each statement its own transaction."""
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the server's account may enter too; pytest's own ones are closed to others."""
    with tempfile.TemporaryDirectory(prefix="gnomon-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def embedded_server(open_folder: Path) -> Iterator[Embedded]:
    """Our own launcher's server, with fsync on, for tests of crashes; its database is empty."""
    with Embedded(open_folder / "data") as embedded:
        yield embedded
