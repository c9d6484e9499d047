from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import psycopg

from tests.app.http import ONCE, PILL, SCHEDULE, Client, problem, row_counts, scheduled, send
from tests.support.clock import advance, set_clock
from tests.support.given import value

NOW = datetime(2026, 10, 24, 10, tzinfo=UTC)
MERGE = {"Content-Type": "application/merge-patch+json"}


def by_key(key: str, user_id: str = "u_abc123") -> str:
    return f"{SCHEDULE}/by-key/{quote(user_id, safe='')}/{quote(key, safe='')}"


def put(client: Client, key: str, **fields: object) -> tuple[int, dict[str, object]]:
    words = {name: word for name, word in (PILL | fields).items() if name != "user_id"}
    answer = send(client, words, by_key(key), "PUT")
    return answer.status_code, answer.json()


def test_instants_have_no_fraction_when_it_is_zero(client: Client) -> None:
    assert scheduled(client, schedule_at="2030-01-01T00:00:00Z")["fire_at_utc"] == "2030-01-01T00:00:00Z"
    assert scheduled(client, schedule_at="2030-01-01T01:00:00.25+01:00")["fire_at_utc"] == "2030-01-01T00:00:00.250000Z"


def test_a_repeat_of_a_dedup_key_answers_as_the_first_time(client: Client, connection: psycopg.Connection) -> None:
    first = send(client, ONCE | {"dedup_key": "d"})
    before = row_counts(connection)
    again = send(client, {**ONCE, "dedup_key": "d", "params": None})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json() | {"duplicate": True}
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert row_counts(connection) == before


def test_a_key_creates_then_replaces(client: Client) -> None:
    status, first = put(client, "pill-17")
    assert status == 201
    status, same = put(client, "pill-17")
    assert (status, same["schedule_id"], same["version"]) == (200, first["schedule_id"], 1)
    status, changed = put(client, "pill-17", schedule_at="19:00")
    assert status == 200
    assert changed["fire_at_utc"] != first["fire_at_utc"]
    assert client.get(f"{SCHEDULE}/u_abc123/pending").json()["total_pending"] == 1


def test_a_body_may_repeat_what_the_address_says_and_nothing_else(client: Client) -> None:
    same = send(client, PILL | {"key": "k"}, by_key("k"), "PUT")
    assert same.status_code == 201
    for name, other in (("user_id", "u_other"), ("key", "other"), ("user_id", 7)):
        told = problem(send(client, PILL | {name: other}, by_key("k"), "PUT"), 400, "GN024")
        assert told["errors"][0]["pointer"] == f"/{name}"


def test_user_ids_of_any_characters(client: Client) -> None:
    for user_id in ("a/b", "batch", "by-key", "preview", "ü 100%", "a?b#c", ".", "sch_1", "a+b", "x" * 255):
        segment = quote(user_id, safe="").replace(".", "%2E")
        kept = send(client, {"template_id": "t", "schedule_at": "PT1H"}, f"{SCHEDULE}/by-key/{segment}/{segment}", "PUT")
        assert kept.status_code == 201, kept.text
        assert client.get(f"{SCHEDULE}/{kept.json()['schedule_id']}").json()["user_id"] == user_id
        for path in (f"{SCHEDULE}/{segment}/pending", f"/v1/users/{segment}/schedules"):
            assert client.get(path).json()["schedules"][0]["key"] == user_id
        assert send(client, {"timezone": "UTC"}, f"/v1/users/{segment}", "PUT").json()["user_id"] == user_id


def test_reading_a_schedule(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, NOW)
    answer = send(client, PILL | {"key": "pill-17", "offset": "PT5M", "params": {"a": [1, "x"]}, "labels": {"app": "pills"}})
    found = client.get(answer.headers["location"])
    assert found.headers["etag"] == '"1"'
    body = found.json()
    assert body["fire_at_utc"] == "2026-10-24T16:05:00Z"
    assert body["created_at"] == "2026-10-24T10:00:00Z"
    assert body["recurrence"]["pattern"] == "daily"
    assert body["recurrence"]["fired_count"] == 0
    assert (body["params"], body["labels"], body["key"]) == ({"a": [1, "x"]}, {"app": "pills"}, "pill-17")
    assert body["local_time"].startswith("18:00")
    assert (body["fired_at"], body["dedup_key"]) == (None, None)


def test_a_patch_merges(client: Client) -> None:
    first = scheduled(client, params={"a": 1, "b": 2}, schedule_at="PT1H")
    path = f"{SCHEDULE}/{first['schedule_id']}"
    changed = send(client, {"params": {"a": None, "c": 3}}, path, "PATCH", **MERGE, **{"If-Match": '"1"'})
    assert changed.status_code == 200, changed.text
    assert changed.headers["etag"] == '"2"'
    assert changed.json()["version"] == 2
    assert client.get(path).json()["params"] == {"b": 2, "c": 3}


def test_if_match_takes_the_tags_that_clients_send(client: Client) -> None:
    path = f"{SCHEDULE}/{scheduled(client)['schedule_id']}"
    for version, tag in enumerate(('"1"', 'W/"2"', "*", '"4"'), start=1):
        changed = send(client, {"params": {"n": version}}, path, "PATCH", **{"If-Match": tag})
        assert changed.status_code == 200, changed.text
    problem(send(client, {"params": {}}, path, "PATCH"), 428, "HTTP428")
    for stale in ('"1"', 'W/"1"', '"99"', '"abc"', '""', '"05"', f'"{2**40}"'):
        problem(send(client, {"params": {}}, path, "PATCH", **{"If-Match": stale}), 412, "GN021")
    for broken in ("5", '"5', '"4", "5"'):
        problem(send(client, {"params": {}}, path, "PATCH", **{"If-Match": broken}), 400, "GN024")
    assert client.get(path).headers["etag"] == '"5"'


def test_what_names_a_schedule_cannot_change(client: Client) -> None:
    path = f"{SCHEDULE}/{scheduled(client)['schedule_id']}"
    for change in ({"user_id": "u_2"}, {"dedup_key": "d"}, {"key": "k"}):
        problem(send(client, change, path, "PATCH", **{"If-Match": "*"}), 400, "GN024")


def test_cancelling_is_final_and_repeatable(client: Client) -> None:
    path = f"{SCHEDULE}/{scheduled(client)['schedule_id']}"
    told = {"schedule_id": path.rpartition("/")[2], "status": "cancelled", "was_fired": False, "fired_count": 0}
    assert client.delete(path).json() == told
    assert client.delete(path).json() == told
    assert client.get(path).json()["status"] == "cancelled"
    problem(send(client, {"params": {}}, path, "PATCH", **{"If-Match": "*"}), 409, "GN025")


def test_a_cancel_after_the_hand_over_says_so(client: Client, connection: psycopg.Connection) -> None:
    path = f"{SCHEDULE}/{scheduled(client, channels=['log'])['schedule_id']}"
    advance(connection, timedelta(hours=1, seconds=1))
    connection.execute("select gnomon.fire_due(array(select n::smallint from generate_series(0, 63) as n), 100)")
    claimed = value(
        connection,
        "select count(*) from gnomon.claim_deliveries('transactional', 'log', 10, interval '30 seconds', 'test')",
    )
    assert claimed == 1
    told = client.delete(path).json()
    assert (told["status"], told["was_fired"], told["fired_count"]) == ("fired", True, 1)
    assert (told["handed_over_count"], told["stopped_count"]) == (1, 1)
    assert told["fired_at"].endswith("Z")


def test_unknown_ids_and_ids_of_another_kind(client: Client) -> None:
    known = scheduled(client)["schedule_id"]
    for other in ("sch_00000000000000000000000000", known.replace("sch_", "ntf_"), "sch_", "x", "sch_%2F", known + "0"):
        path = f"{SCHEDULE}/{other}"
        problem(client.get(path), 404, "GN020")
        problem(client.delete(path), 404, "GN020")
        problem(client.get(f"{path}/preview"), 404, "GN020")
        problem(send(client, {"params": {}}, path, "PATCH", **{"If-Match": "*"}), 404, "GN020")
    problem(client.get(f"{SCHEDULE}/sch_%zz"), 400, "GN024")
    problem(client.get(f"{SCHEDULE}/sch_%00"), 400, "GN024")


def test_one_that_is_over_has_no_version_to_match(client: Client) -> None:
    path = f"{SCHEDULE}/{scheduled(client)['schedule_id']}"
    client.delete(path)
    over = client.get(path)
    assert (over.status_code, over.json()["status"], over.json()["version"]) == (200, "cancelled", None)
    assert "ETag" not in over.headers
