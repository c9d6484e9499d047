"""Journeys: the whole product as real processes, judged by what a sink of its own wrote down."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.durable import Durable, running_durable
from tests.journeys.stage import Stage, on_stage


@pytest.fixture
def stage(database_url: str, tmp_path: Path) -> Iterator[Stage]:
    """A stage of this journey's own, on the fast server."""
    with on_stage(database_url, tmp_path) as set_up:
        yield set_up


@pytest.fixture(scope="session")
def durable() -> Iterator[Durable]:
    """The one server of this run that waits for its disk."""
    with running_durable() as running:
        yield running
