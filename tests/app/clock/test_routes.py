from datetime import UTC, datetime

import psycopg

from tests.app.http import PILL, SCHEDULE, Client, problem, row_counts, send
from tests.support.clock import set_clock

HOLIDAYS = "/v1/calendars/holidays"
_LEAVES_OUT = PILL | {"recurrence": {"pattern": "daily", "exclude_calendars": ["holidays"]}}


def test_setting_reading_and_forgetting_a_calendar(client: Client) -> None:
    assert "holidays" in problem(client.get(HOLIDAYS), 404, "HTTP404")["detail"]
    answer = send(client, {"dates": ["2027-12-26", "2027-01-01", "2027-12-26"]}, HOLIDAYS, "PUT")
    assert (answer.status_code, answer.json()) == (
        200,
        {"calendar": "holidays", "date_count": 2, "moved_count": 0, "ended_count": 0},
    )
    kept = client.get(HOLIDAYS).json()
    assert (kept["calendar"], kept["dates"]) == ("holidays", ["2027-01-01", "2027-12-26"])
    assert client.get("/v1/calendars").json()["calendars"][0]["last_on"] == "2027-12-26"
    assert client.delete(HOLIDAYS).json() == {"calendar": "holidays", "deleted": True}
    problem(client.delete(HOLIDAYS), 404, "HTTP404")


def test_a_list_goes_on_behind_a_name(client: Client) -> None:
    for name in ("b", "a%20c", "a"):
        assert send(client, {"dates": []}, f"/v1/calendars/{name}", "PUT").status_code == 200
    page = client.get("/v1/calendars?limit=2").json()
    assert ([found["calendar"] for found in page["calendars"]], page["next"]) == (["a", "a c"], "a c")
    page = client.get("/v1/calendars", params={"limit": 2, "after": page["next"]}).json()
    assert ([found["calendar"] for found in page["calendars"]], page["next"]) == (["b"], None)


def test_a_day_that_closes_moves_what_is_pending_and_keeps_its_calendar(
    client: Client, connection: psycopg.Connection
) -> None:
    set_clock(connection, datetime(2027, 12, 23, 20, tzinfo=UTC))
    send(client, {"dates": []}, HOLIDAYS, "PUT")
    path = send(client, _LEAVES_OUT).headers["location"]

    assert send(client, {"dates": ["2027-12-24", "2027-12-25"]}, HOLIDAYS, "PUT").json()["moved_count"] == 1

    assert client.get(path).json()["fire_at_utc"] == "2027-12-26T17:00:00Z"
    assert "in use by 1 schedule" in problem(client.delete(HOLIDAYS), 400, "GN024")["detail"]


def test_bad_calendars_are_refused_and_nothing_is_written(client: Client, connection: psycopg.Connection) -> None:
    before = row_counts(connection)
    for body, path, pointer in (
        ({"dates": ["2027-02-30"]}, HOLIDAYS, "/dates/0"),
        ({"dates": ["tomorrow"]}, HOLIDAYS, "/dates/0"),
        ({"dates": "2027-02-03"}, HOLIDAYS, "/dates"),
        ({"dates": [20270203]}, HOLIDAYS, "/dates/0"),
        ({}, HOLIDAYS, ""),
        ({"dates": [], "date": []}, HOLIDAYS, "/date"),
        ({"dates": []}, "/v1/calendars/" + "x" * 256, "/calendar"),
        ({"dates": []}, "/v1/calendars/a%07b", "/calendar"),
    ):
        told = problem(send(client, body, path, "PUT"), 400, "GN024")
        assert [error["pointer"] for error in told["errors"]] in ([pointer], [])
    told = problem(send(client, _LEAVES_OUT, SCHEDULE), 400, "GN015")
    assert told["errors"][0]["pointer"] == "/recurrence/exclude_calendars/0"
    assert row_counts(connection) == before
