"""What tests of the clockwork start from: a pool on the test's database, a sink, real processes."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gnomon.database.pool import Pool, open_pool
from gnomon_pollers.loop import Loop
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.stop import Stop
from tests.support.roles import Role, running_role
from tests.support.sink import Sink, running_sink


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    async with open_pool(database_url, min_size=2, max_size=8, application_name="test") as opened:
        yield opened


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def loop(metrics: Metrics) -> Loop:
    return Loop(Stop(), metrics)


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[Sink]:
    with running_sink(tmp_path) as running:
        yield running


@pytest.fixture
def start(database_url: str, tmp_path: Path) -> Iterator[Callable[..., Role]]:
    """Start a role against the test's database; every one ends with the test."""
    with ExitStack() as stack:

        def start_role(*command: str, **environment: str) -> Role:
            environment = {"GNOMON_DATABASE_URL": database_url} | environment
            return stack.enter_context(running_role(tmp_path, *command, **environment))

        yield start_role
