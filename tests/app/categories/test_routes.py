import psycopg
import pytest

from tests.app.http import ONCE, SCHEDULE, Client, problem, send
from tests.support.given import rows, value

_NEWS = "/v1/categories/news"
_SETTINGS = {"lane": "bulk", "channels": ["email"], "expires_in": "P1DT2H", "description": "Letters"}


def test_setting_reading_listing_and_dropping(client: Client) -> None:
    made = send(client, _SETTINGS, _NEWS, "PUT")
    assert (made.status_code, {k: v for k, v in made.json().items() if k != "changed_at"}) == (
        200,
        {"name": "news"} | _SETTINGS,
    )
    assert client.get(_NEWS).json() == made.json()
    listed = client.get("/v1/categories").json()["categories"]
    assert [category["name"] for category in listed][:4] == ["digest", "marketing", "news", "otp"]
    assert client.delete(_NEWS).json() == {"name": "news", "dropped": True}
    for call in (client.get, client.delete):
        problem(call(_NEWS), 404, "HTTP404")


@pytest.mark.parametrize(
    ("body", "path", "code", "pointer"),
    [
        ({"mandatory": True}, _NEWS, "GN028", "/mandatory"),
        ({"colour": "red"}, _NEWS, "GN024", "/colour"),
        ({"lane": "fast"}, _NEWS, "GN024", "/lane"),
        ({"channels": ["pigeon"]}, _NEWS, "GN027", "/channels/0"),
        ({}, "/v1/categories/News", "GN024", "/name"),
    ],
)
def test_a_bad_category_is_refused_and_nothing_is_written(
    client: Client, connection: psycopg.Connection, body: dict[str, object], path: str, code: str, pointer: str
) -> None:
    told = problem(send(client, body, path, "PUT"), 400, code)
    assert told["errors"][0]["pointer"] == pointer
    assert value(connection, "select count(*) from gnomon.categories()") == 7


def test_a_schedule_has_its_category_in_every_answer(client: Client) -> None:
    path = send(client, ONCE | {"category": "marketing", "key": "k"}).headers["location"]
    other = send(client, ONCE | {"key": "n"}).headers["location"]

    def shown() -> tuple[tuple[str, str], ...]:
        page = client.get(f"{SCHEDULE}/{ONCE['user_id']}/pending").json()["schedules"]
        answers = [client.get(path).json(), *(row for row in page if row["key"] == "k")]
        return tuple((told["category"], told["lane"]) for told in answers)

    assert shown() == (("marketing", "bulk"),) * 2
    assert (client.get(other).json()["category"], client.get(other).json()["lane"]) == (None, "transactional")
    explained = client.get(f"{path}/explain").json()
    assert explained["category"] == "marketing"
    assert "Its category is marketing, of which it has the lane bulk." in explained["summary"]
    assert send(client, {"category": "otp"}, path, "PATCH", **{"If-Match": '"1"'}).status_code == 200
    assert shown() == (("otp", "critical"),) * 2
    body = {name: word for name, word in ONCE.items() if name != "user_id"} | {"category": "digest"}
    assert send(client, body, f"{SCHEDULE}/by-key/{ONCE['user_id']}/k", "PUT").status_code == 200
    assert shown() == (("digest", "bulk"),) * 2


def test_a_batch_names_them_item_by_item(client: Client, connection: psycopg.Connection) -> None:
    kinds = ["otp", "digest", "nobody", "transaction", "otp"] * 10
    batch = [ONCE | {"user_id": f"u_{n}", "category": kind} for n, kind in enumerate(kinds)]
    told = client.post(f"{SCHEDULE}/batch", json=batch).json()
    assert (told["accepted"], len(told["results"])) == (40, 50)
    lanes = rows(connection, "select distinct category, lane from gnomon_data.schedules")
    assert {row.category: row.lane for row in lanes} == {"otp": 0, "digest": 2, "transaction": 1}
