from collections.abc import Iterator

import psycopg
import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from tests.app.http import LOCAL, ONCE, PILL, SCHEDULE, Client, problem, send
from tests.support import cluster

LOGIN = "an_api_login"


@pytest.fixture
def lowly(server: cluster.Server, database_url: str) -> Iterator[Client]:
    """The API as a login that has the three public roles and nothing else."""
    server.execute(f"create role {LOGIN} login", f"grant gnomon_caller, gnomon_reader, gnomon_worker to {LOGIN}")
    url = psycopg.conninfo.make_conninfo(database_url, user=LOGIN)
    settings = Settings(default_time_zone="UTC", given=frozenset({"default_time_zone"}))
    with TestClient(build_app(settings, url), base_url=LOCAL) as opened:
        yield opened
    server.execute(f"drop role {LOGIN}")


def test_the_public_roles_are_enough(lowly: Client) -> None:
    path = send(lowly, PILL | {"key": "k"}).headers["location"]
    assert send(lowly, ONCE, f"{SCHEDULE}/by-key/u_abc123/k", "PUT").status_code == 200
    assert send(lowly, {"timezone": "UTC"}, "/v1/users/u_abc123", "PUT").status_code == 200
    assert send(lowly, {"params": {}}, path, "PATCH", **{"If-Match": "*"}).status_code == 200
    calendar = "/v1/calendars/holidays"
    assert send(lowly, {"dates": []}, calendar, "PUT").status_code == 200
    assert {lowly.get(read).status_code for read in (calendar, "/v1/calendars")} == {200}
    assert lowly.delete(calendar).status_code == 200
    batch = lowly.post(f"{SCHEDULE}/batch", json=[ONCE])
    assert batch.json()["accepted"] == 1
    reads = ("/readyz", "/metrics", path, f"{path}/preview", f"{SCHEDULE}/u_abc123/pending", "/v1/users/u_abc123")
    assert {read: lowly.get(read).status_code for read in reads} == dict.fromkeys(reads, 200)
    assert lowly.delete(path).json()["status"] == "cancelled"


def test_categories_are_for_admins_to_write_and_for_all_to_read(lowly: Client) -> None:
    for method in ("PUT", "DELETE"):
        told = problem(send(lowly, {}, "/v1/categories/otp", method), 403, "HTTP403")
        assert "gnomon_admin" in told["detail"]
    assert {lowly.get(read).status_code for read in ("/v1/categories", "/v1/categories/otp")} == {200}
