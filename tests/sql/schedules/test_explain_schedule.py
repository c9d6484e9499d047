"""Why a schedule fires when it does: every decision told, in sentences and as data."""

from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from tests.sql.acts import cancel, claim, deliver_all, fire, reschedule, settle, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, value


def _explained(connection: psycopg.Connection, schedule_id: str) -> Any:
    return value(connection, "select gnomon.explain_schedule(%s)", schedule_id)


@pytest.fixture
def in_march(connection: psycopg.Connection) -> psycopg.Connection:
    """Two days before clocks go forward in New York, where the user lives."""
    set_clock(connection, utc("2027-03-12T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    given_user(connection, time_zone="America/New_York")
    return connection


def test_a_life_is_told(in_march: psycopg.Connection) -> None:
    made = given_schedule(in_march, schedule_at="02:30", recurrence={"pattern": "daily"}, params={"dose": 1})
    reschedule(in_march, made.schedule_id, {"params": {"dose": 2}, "template_id": "tablet"})
    in_march.execute("select gnomon.pause_schedule(%s)", [made.schedule_id])
    step_to(in_march, utc("2027-03-20T12:00:00"))
    assert "Paused since 2027-03-12T12:00:00Z" in " ".join(_explained(in_march, made.schedule_id)["summary"])
    in_march.execute("select gnomon.resume_schedule(%s)", [made.schedule_id])
    deliver_all(in_march)
    in_march.execute("select gnomon.run_schedule(%s)", [made.schedule_id])
    in_march.execute("select gnomon.move_user('u_abc123', 'Europe/Berlin')")
    step_to(in_march, utc("2027-03-27T12:00:00"))
    deliver_all(in_march)

    told = _explained(in_march, made.schedule_id)

    assert told["summary"] == [
        "Every day at 02:30, Europe/Berlin.",
        "Europe/Berlin, where the user lives: it follows when the user moves.",
        "Next is 2027-03-28T01:00:00Z, 2027-03-28T03:00 there.",
        (
            "02:30 does not exist there that day, the clock skips it: the first reading after it counts, 03:00. The clock in"
            " Europe/Berlin goes from 2027-03-28T02:00 to 2027-03-28T03:00 at 2027-03-28T01:00:00Z, from +01:00 to +02:00;"
            " at the due instant +02:00 is in force."
        ),
        "It has fired 2 times.",
        "13 of its occurrences were left out; under misfire it is told when and why.",
    ]
    assert (told["status"], told["version"], told["fired_count"]) == ("scheduled", 5, 2)
    assert [(entry["kind"], entry.get("version")) for entry in told["history"]] == [
        ("accepted", 1), ("edited", 2), ("paused", 3), ("resumed", 4), ("moved", 5), ("run", None)
    ]  # fmt: skip
    assert told["history"][1]["what"] == "Changed: params; template_id from pill to tablet."
    assert [(entry["count"], entry["policy"]) for entry in told["misfire"]["past"]] == [(7, "fire_once"), (6, "fire_once")]
    assert told["next"]["change"] == {
        "at": "2027-03-28T01:00:00Z", "offset_before": "+01:00", "offset_after": "+02:00"
    }  # fmt: skip
    assert [entry["due_at"] for entry in told["next"]["then"]] == [f"2027-03-{day}T00:30:00Z" for day in (29, 30, 31)]
    assert sorted(entry["occurrence"] for entry in told["ledger"]) == [0, 1, 2]

    cancel(in_march, made.schedule_id)
    ended = _explained(in_march, made.schedule_id)
    assert (ended["status"], ended["next"], ended["summary"][0]) == ("cancelled", None, "Over: cancelled.")
    assert ended["history"] == told["history"]
    assert ended["ledger"][-1]["outcome"] == "cancelled"


def test_deliveries_are_told_with_their_reasons(in_march: psycopg.Connection) -> None:
    made = given_schedule(in_march, schedule_at="PT0S", lane="bulk", channels=["log", "email"])
    fire(in_march)
    settle(in_march, claim(in_march, "bulk"), "gone", detail="HTTP 410")
    [claimed] = claim(in_march, "bulk", "email")
    told = _explained(in_march, made.schedule_id)["deliveries"]
    assert {entry["channel"]: entry["state"] for entry in told} == {"log": "failed", "email": "sending"}

    settle(in_march, [claimed], "throttled", detail="HTTP 429", retry_after="PT10M")
    queued, failed = sorted(_explained(in_march, made.schedule_id)["deliveries"], key=lambda entry: str(entry["channel"]))

    assert (failed["state"], failed["reason"], failed["channel"], failed["attempts"]) == ("failed", "gone", "log", 1)
    assert failed["what"] == "log: failed, attempts 1, gone, HTTP 410."
    assert (queued["state"], queued["reason"], queued["delivery_id"]) == ("queued", "throttled", claimed.delivery_id)
    assert utc("2027-03-12T12:10:00") < datetime.fromisoformat(queued["next_attempt_at"])

    in_march.execute("update gnomon_data.deliveries set attempt = 12, ready_at_utc = gnomon_data.now_utc()")
    settle(in_march, claim(in_march, "bulk", "email"), "transient", detail="HTTP 500")
    told = _explained(in_march, made.schedule_id)["deliveries"]
    [ended] = [entry for entry in told if entry["channel"] == "email"]
    assert (ended["state"], ended["reason"]) == ("dropped", "transient")
    assert ended["detail"] == "HTTP 500; no attempt left of 12"


_SENTENCES: Final[list[tuple[dict[str, Any], str]]] = [
    ({"schedule_at": "01:30", "schedule_date": "2027-11-07"}, "01:30 comes twice there that day: the first counts."),
    (
        {"schedule_at": "01:30", "schedule_date": "2027-11-07", "on_overlap": "second"},
        "at the due instant -05:00 is in force.",
    ),
    ({"schedule_at": "09:00"}, "At that time America/New_York is at -05:00."),
    ({"schedule_at": "09:00", "timezone": "Asia/Kathmandu"}, "Asia/Kathmandu, named by the request: it stays"),
    ({"schedule_at": "PT1H"}, "No zone plays a part: instants and elapsed time are the same everywhere."),
    ({"schedule_at": "PT1H"}, "It fires at 2027-03-12T13:00:00Z."),
    ({"recurrence": {"pattern": "elapsed", "every": "PT15M"}}, "Every 15 minutes of elapsed time"),
]


def test_each_decision_has_its_sentence(in_march: psycopg.Connection) -> None:
    for words, sentence in _SENTENCES:
        told = _explained(in_march, given_schedule(in_march, words).schedule_id)
        assert sentence in " ".join(told["summary"])


def test_the_spread_and_what_is_on_its_way(in_march: psycopg.Connection) -> None:
    spread = given_schedule(
        in_march, schedule_at="09:00", window="PT1H", misfire="catch_up", recurrence={"pattern": "daily"}
    )
    told = _explained(in_march, spread.schedule_id)
    assert told["next"]["spread"]["window"] == "1 hour"
    assert (told["misfire"]["policy"], told["misfire"]["misfire_limit"], told["misfire"]["missed_count"]) == (
        "catch_up",
        10,
        0,
    )
    step_to(in_march, spread.fire_at_utc - timedelta(seconds=1))
    fire(in_march)
    assert sum("One is on its way" in sentence for sentence in _explained(in_march, spread.schedule_id)["summary"]) == 1
    once = given_schedule(in_march, schedule_at="PT1S")
    fire(in_march)
    assert "On its way: it fires at" in _explained(in_march, once.schedule_id)["summary"][0]


def test_an_unknown_one(in_march: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as fault:
        _explained(in_march, "sch_01M3X2Q9T5000V8ZK3W7R1QH4C")
    assert fault.value.sqlstate == "GN020"
