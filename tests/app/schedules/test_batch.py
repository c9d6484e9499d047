import json
from typing import Any

import psycopg
import pytest

from gnomon.settings import Settings
from gnomon.web.asgi import build_app
from tests.app.http import JSON, ONCE, PILL, SCHEDULE, Client, problem, row_counts, scheduled
from tests.support.given import value

BATCH = f"{SCHEDULE}/batch"
NDJSON = {"Content-Type": "application/x-ndjson"}


def items(count: int = 5) -> list[dict[str, object]]:
    return [ONCE | {"user_id": f"u_{n}"} for n in range(1, count + 1)]


def test_one_bad_item_spoils_no_other(client: Client, connection: psycopg.Connection) -> None:
    batch = items()
    batch[2]["timezone"] = "europe/berlin"
    answer = client.post(BATCH, content=json.dumps(batch), headers=JSON)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["accepted"], body["refused"]) == (4, 1)
    assert [list(result) for result in body["results"]] == [["schedule"]] * 2 + [["error"]] + [["schedule"]] * 2
    error = body["results"][2]["error"]
    assert (error["code"], error["status"], error["errors"][0]["pointer"]) == ("GN010", 422, "/timezone")
    assert "Europe/Berlin" in error["detail"]
    for number, result in enumerate(body["results"], start=1):
        pending = value(connection, "select gnomon.pending_count(%s)", f"u_{number}")
        assert pending == ("schedule" in result)


def test_items_that_no_jsonb_can_hold_spoil_no_other(client: Client) -> None:
    lines = [json.dumps(item) for item in items(3)]
    bad = ['{"user_id": "a\\u0000"}', '{"user_id": "a", "user_id": "b"}', "7", '{"params": 1e999}', '{"a": "\\ud800"}']
    mixed = [lines[0], *bad, lines[1], lines[2]]
    codes = ["", *["GN024"] * 5, "", ""]
    for body, headers in ((f"[{','.join(mixed)}]", JSON), ("\n".join([*mixed, ""]), NDJSON)):
        results = client.post(BATCH, content=body, headers=headers).json()["results"]
        assert [result.get("error", {"code": ""})["code"] for result in results] == codes


def test_a_broken_line_is_that_lines_error(client: Client) -> None:
    body = json.dumps(ONCE) + "\r\n\n{broken\n" + json.dumps(PILL)
    answer = client.post(BATCH, content=body, headers=NDJSON).json()
    assert [list(result) for result in answer["results"]] == [["schedule"], ["error"], ["schedule"]]


def test_what_is_no_list_is_refused_whole(client: Client, connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    for body in (
        b"{}",
        b"[",
        b"[{}",
        b"",
        b"[{},]",
        b"[,{}]",
        b"[{}] x",
        b"[]]",
        b"[{} {}]",
        b"[tru]",
        b"\xff",
        b"[" * 5000,
    ):
        problem(client.post(BATCH, content=body, headers=JSON), 400, "GN024")
    problem(client.post(BATCH, content=f"[{','.join(['{}'] * 10_001)}]", headers=JSON), 413, "HTTP413")
    problem(client.post(BATCH, content=b"{}", headers={"Content-Type": "text/plain"}), 415, "HTTP415")
    assert row_counts(connection) == before


def test_an_empty_batch_does_nothing(client: Client) -> None:
    assert client.post(BATCH, content=b"[]", headers=JSON).json() == {"accepted": 0, "refused": 0, "results": []}


def test_a_repeat_within_and_across_batches(client: Client) -> None:
    batch = [ONCE | {"dedup_key": "d"}, ONCE | {"dedup_key": "d"}, ONCE | {"dedup_key": "d", "params": {"a": 1}}]
    results = client.post(BATCH, content=json.dumps(batch), headers=JSON).json()["results"]
    assert results[1]["schedule"] == results[0]["schedule"] | {"duplicate": True}
    assert results[2]["error"]["code"] == "GN022"
    assert scheduled(client, dedup_key="d")["schedule_id"] == results[0]["schedule"]["schedule_id"]


def test_ten_thousand_items(client: Client, connection: psycopg.Connection) -> None:
    answer = client.post(BATCH, content=json.dumps(items(10_000)), headers=JSON).json()
    assert (answer["accepted"], answer["refused"], len(answer["results"])) == (10_000, 0, 10_000)
    assert value(connection, "select count(*) from gnomon.schedules") == 10_000


@pytest.mark.anyio
async def test_a_body_that_is_cut_off_leaves_nothing(database_url: str, connection: psycopg.Connection) -> None:
    body = "".join(f"{json.dumps(item)}\n" for item in items(2_000)).encode()
    sent: list[dict[str, Any]] = []
    coming = iter([{"type": "http.request", "body": body, "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(coming)

    async def send(message: Any) -> None:
        sent.append(message)

    app = build_app(Settings(), database_url)
    headers = [(b"host", b"localhost"), (b"content-type", b"application/x-ndjson")]
    scope = {"type": "http", "method": "POST", "path": BATCH, "raw_path": BATCH.encode(), "headers": headers}
    async with app.lifespan():
        await app(scope | {"query_string": b"", "app": app}, receive, send)  # type: ignore[arg-type]
    assert [message.get("status", 400) for message in sent] == [400] * len(sent)
    assert value(connection, "select count(*) from gnomon.schedules") == 0
