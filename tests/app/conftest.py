"""The HTTP door over a test's own database, in this process."""

from collections.abc import Iterator

import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.asgi import Application, build_app
from tests.app.http import LOCAL


@pytest.fixture
def client(database_url: str) -> Iterator[TestClient[Application]]:
    """The API over `database_url`, without tokens."""
    with TestClient(build_app(Settings(), database_url), base_url=LOCAL) as opened:
        yield opened
