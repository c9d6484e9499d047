from collections.abc import Iterator

import psycopg
import pytest
from litestar.testing import TestClient

from gnomon.settings import Settings
from gnomon.web.access import AddressRefused, check_address
from gnomon.web.asgi import build_app
from tests.app.http import LOCAL, ONCE, SCHEDULE, Client, problem, row_counts, send

TOKENS = ("first-token", "second-token")


@pytest.fixture
def guarded(database_url: str) -> Iterator[Client]:
    with TestClient(build_app(Settings(api_tokens=TOKENS), database_url), base_url="http://api.example.com") as opened:
        yield opened


def test_a_token_opens_and_its_absence_does_not(guarded: Client) -> None:
    for given in (None, "Bearer nobody", "Basic first-token", "Bearer ", "first-token", "Bearer first-token,second-token"):
        refused = send(guarded, ONCE, **({} if given is None else {"Authorization": given}))
        problem(refused, 401, "HTTP401")
        assert refused.headers["www-authenticate"] == "Bearer"
    for token in TOKENS:
        assert send(guarded, ONCE, Authorization=f"Bearer {token}").status_code == 201
        assert send(guarded, ONCE, Authorization=f"bearer {token}").status_code == 201


def test_everything_but_the_probes_needs_a_token(guarded: Client) -> None:
    for path in ("/metrics", "/schema", f"{SCHEDULE}/sch_1", "/v1/campaigns"):
        problem(guarded.get(path), 401, "HTTP401")
    assert guarded.get("/healthz").status_code == 200
    assert guarded.get("/readyz").status_code in {200, 503}


def test_a_request_without_token_writes_nothing(guarded: Client, connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    send(guarded, ONCE)
    assert row_counts(connection) == before


def test_without_tokens_a_foreign_host_is_refused(client: Client) -> None:
    for host in ("evil.example.com", "127.0.0.1.evil.example.com", "10.0.0.7:8080", "", "localhost.evil"):
        problem(client.get(f"{SCHEDULE}/sch_1", headers={"Host": host}), 403, "HTTP403")
    for host in ("127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "[::1]", "127.8.9.1"):
        assert client.get("/healthz", headers={"Host": host}).status_code == 200
        assert client.get("/schema", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("listen", ["0.0.0.0:8080", "[::]:8080", "10.1.2.3:80", "api.example.com:80"])
def test_without_tokens_no_other_address_is_listened_on(listen: str) -> None:
    with pytest.raises(AddressRefused, match="GNOMON_API_TOKENS") as caught:
        check_address(Settings(listen=listen))
    assert caught.value.exit_code == 2
    check_address(Settings(listen=listen, api_tokens=TOKENS))


def test_loopback_needs_no_tokens() -> None:
    for listen in ("127.0.0.1:8080", "localhost:0", "[::1]:8080"):
        check_address(Settings(listen=listen))
    assert LOCAL.startswith("http://127.")
