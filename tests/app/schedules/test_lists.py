from datetime import UTC, datetime

import psycopg

from tests.app.http import ONCE, PILL, SCHEDULE, Client, problem, scheduled, send
from tests.support.clock import set_clock

OVER_A_GAP = {
    "schedule_at": "02:30",
    "timezone": "America/New_York",
    "recurrence": {"pattern": "daily"},
    "from": "2027-03-13T05:00:00Z",
    "n": 2,
}


def test_pages_join_up(client: Client) -> None:
    made = [scheduled(client, schedule_at=f"PT{hours}H")["schedule_id"] for hours in (3, 1, 2, 5, 4)]
    expected = [made[1], made[2], made[0], made[4], made[3]]
    path, found, after = f"{SCHEDULE}/u_abc123/pending", [], ""
    for _ in range(4):
        page = client.get(f"{path}?limit=2{after}").json()
        assert page["total_pending"] == 5
        found += [entry["schedule_id"] for entry in page["schedules"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == expected


def test_nobody_has_nothing_pending(client: Client) -> None:
    assert client.get(f"{SCHEDULE}/nobody/pending").json() == {"schedules": [], "total_pending": 0, "next": None}


def test_a_users_schedules_by_key(client: Client) -> None:
    kept = scheduled(client, key="pill-17")["schedule_id"]
    scheduled(client)
    path = "/v1/users/u_abc123/schedules"
    assert client.get(path).json()["total_pending"] == 2
    found = client.get(f"{path}?key=pill-17").json()
    assert [entry["schedule_id"] for entry in found["schedules"]] == [kept]
    assert (found["total_pending"], found["next"]) == (1, None)
    assert client.get(f"{path}?key=other").json() == {"schedules": [], "total_pending": 0, "next": None}


def test_queries_are_read_strictly(client: Client) -> None:
    path = f"{SCHEDULE}/u_abc123/pending"
    bad_limits = ("limit=0", "limit=201", "limit=x", "limit=", "limit=-1", "limit=1&limit=2", "limt=1")
    for query in (*bad_limits, "after=nonsense", "after=%ff", "after=%00", "key=k"):
        problem(client.get(f"{path}?{query}"), 400, "GN024")
    assert client.get(f"{path}?limit=200").status_code == 200


def test_a_rule_is_previewed_over_a_gap(client: Client) -> None:
    found = send(client, OVER_A_GAP, f"{SCHEDULE}/preview")
    assert found.status_code == 200, found.text
    assert found.json() == {
        "sentence": "every day at 02:30, America/New_York",
        "occurrences": [
            {"at_utc": "2027-03-13T07:30:00Z", "local_time": "2027-03-13T02:30", "utc_offset": "-05:00", "kind": "exact"},
            {"at_utc": "2027-03-14T07:00:00Z", "local_time": "2027-03-14T03:00", "utc_offset": "-04:00", "kind": "gap"},
        ],
    }


def test_a_cron_rule_is_previewed_and_scheduled(client: Client) -> None:
    rule = {"timezone": "America/New_York", "recurrence": {"pattern": "cron", "cron_expr": "30 * * * *"}}
    told = send(client, rule | {"from": "2027-11-07T05:00:00Z", "n": 2}, f"{SCHEDULE}/preview").json()
    assert told["sentence"] == "every hour, at 30 minutes past, America/New_York"
    assert [(entry["local_time"], entry["utc_offset"]) for entry in told["occurrences"]] == [
        ("2027-11-07T01:30", "-04:00"),
        ("2027-11-07T01:30", "-05:00"),
    ]
    made = send(client, rule | {"user_id": "u_cron", "template_id": "report"})
    assert made.status_code == 201, made.text
    found = client.get(made.headers["location"]).json()
    assert (found["local_time"], found["recurrence"]["cron_expr"]) == (None, "30 * * * *")
    listed = client.get(f"{SCHEDULE}/u_cron/pending").json()["schedules"]
    assert [entry["recurrence"] for entry in listed] == ["cron"]


def test_a_bad_rule_is_pointed_at_where_it_stands(client: Client) -> None:
    for change, status, code, pointer in (
        ({"timezone": "Europe/Berlni"}, 422, "GN010", "/timezone"),
        ({"recurrence": {"pattern": "cron"}}, 400, "GN024", "/recurrence/cron_expr"),
        ({"recurrence": {"pattern": "cron", "cron_expr": "0 9 * * *"}}, 400, "GN024", "/schedule_at"),
        (
            {"schedule_at": None, "recurrence": {"pattern": "cron", "cron_expr": "60 9 * * *"}},
            400,
            "GN011",
            "/recurrence/cron_expr",
        ),
        (
            {"schedule_at": None, "recurrence": {"pattern": "cron", "cron_expr": "0 9 30 2 *"}},
            422,
            "GN012",
            "/recurrence/cron_expr",
        ),
        ({"recurrence": {"pattern": "daily", "interval": 0}}, 400, "GN015", "/recurrence/interval"),
        ({"schedule_at": "24:00"}, 400, "GN013", "/schedule_at"),
        ({"n": 0}, 400, "GN024", "/n"),
        ({"n": "5"}, 400, "GN024", "/n"),
        ({"from": "2027-03-13T05:00:00"}, 400, "GN024", "/from"),
        ({"extra": 1}, 400, "GN024", "/extra"),
    ):
        told = problem(send(client, OVER_A_GAP | change, f"{SCHEDULE}/preview"), status, code)
        assert [error["pointer"] for error in told["errors"]] == [pointer]


def test_a_schedule_is_previewed(client: Client, connection: psycopg.Connection) -> None:
    set_clock(connection, datetime(2026, 10, 24, 10, tzinfo=UTC))
    location = send(client, PILL | {"offset": "PT5M"}).headers["location"]
    told = client.get(f"{location}/preview?n=2").json()
    assert told["sentence"] == "every day at 18:00, 5 minutes later, Europe/Berlin"
    found = told["occurrences"]
    assert [entry["at_utc"] for entry in found] == ["2026-10-24T16:05:00Z", "2026-10-25T17:05:00Z"]
    once = send(client, ONCE).headers["location"]
    assert len(client.get(f"{once}/preview").json()["occurrences"]) == 1
    problem(client.get(f"{location}/preview?n=101"), 400, "GN024")
