import logging
from typing import Any

import pytest
from litestar import get
from litestar.testing import TestClient

from gnomon import errors
from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from gnomon.web.asked import Asked
from gnomon.web.problems import STATUS_OF_CODE
from tests.app.http import JSON, LOCAL, ONCE, SCHEDULE, Client, problem, send


def test_every_code_has_a_status() -> None:
    assert STATUS_OF_CODE.keys() == errors.BY_CODE.keys()


def test_unknown_routes_and_methods(client: Client) -> None:
    problem(client.get("/v2/nothing"), 404, "HTTP404")
    problem(client.get("/"), 404, "HTTP404")
    refused = client.put(SCHEDULE)
    problem(refused, 405, "HTTP405")
    assert "POST" in refused.headers["allow"]


def test_other_media_types(client: Client) -> None:
    for given in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""):
        answer = client.post(SCHEDULE, content=b"{}", headers={"Content-Type": given})
        problem(answer, 415, "HTTP415")
    problem(client.post(SCHEDULE, content=b"{}"), 415, "HTTP415")
    problem(send(client, ONCE, **{"Content-Encoding": "gzip"}), 415, "HTTP415")
    assert send(client, ONCE, **{"Content-Type": "application/json; charset=UTF-8"}).status_code == 201


def test_bodies_beyond_the_limit(client: Client) -> None:
    long = b'{"user_id": "' + b"x" * (1 << 20) + b'"}'
    problem(send(client, long), 413, "HTTP413")

    def pieces() -> Any:
        yield from (long[at : at + 65536] for at in range(0, len(long), 65536))

    problem(client.post(SCHEDULE, content=pieces(), headers=JSON), 413, "HTTP413")


def test_bad_json_is_told_with_its_place(client: Client) -> None:
    told = problem(send(client, '{"user_id": "u",\n "template_id": pill}'), 400, "GN024")
    assert "line 2, column 17" in told["detail"]


def test_an_error_of_ours_tells_an_id_and_nothing_else(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    @get("/broken")
    async def broken(request: Asked) -> None:
        raise RuntimeError(f"secret of {request.method}")

    app = build_app(Settings(), database_url)
    app.register(broken)
    with TestClient(app, base_url=LOCAL) as client, caplog.at_level(logging.ERROR):
        answer = client.get("/broken")
    told = problem(answer, 500, "HTTP500")
    assert "secret" not in answer.text
    assert told["instance"].startswith("urn:uuid:")
