"""docs/http-api.md is true: every call on it is made, and every call that is built is on it."""

from pathlib import Path
from typing import Final

import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from tests.docs.blocks import differences
from tests.docs.documents import TOP, played

PAGE: Final = Path(TOP, "docs", "http-api.md")


@pytest.mark.session_time_zone("UTC")
def test_the_page_on_the_http_api_is_true(database_url: str) -> None:
    assert not differences(PAGE, played(PAGE, database_url))


def test_every_call_that_is_built_is_on_the_page(database_url: str) -> None:
    with TestClient(build_app(Settings(), database_url), base_url="http://127.0.0.1:8080") as client:
        paths = client.get("/schema").json()["paths"]
    text = PAGE.read_text()
    assert [path for path in paths if path not in text] == []
