"""Batches: one answer or fault an item, in order; a bad item spoils no other."""

from time import monotonic
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import row_counts, schedule_many
from tests.support.given import rows, value

_GOOD = {"user_id": "u_abc123", "template_id": "pill", "schedule_at": "PT1H"}


def test_item_3_of_5_is_wrong(connection: psycopg.Connection) -> None:
    requests = [_GOOD | {"user_id": f"u_{n}"} for n in range(5)]
    requests[2]["schedule_at"] = "24:00"

    answers = schedule_many(connection, requests)

    assert [a.ordinal for a in answers] == [1, 2, 3, 4, 5]
    assert [a.error_code for a in answers] == [None, None, "GN013", None, None]
    assert answers[2].error_pointer == "/schedule_at"
    assert answers[2][1:11] == (None,) * 10
    users = rows(connection, "select user_id from gnomon.schedules order by 1")
    assert [row.user_id for row in users] == ["u_0", "u_1", "u_3", "u_4"]


def test_every_kind_of_bad_item_beside_good_ones(connection: psycopg.Connection) -> None:
    bad: list[tuple[Any, str]] = [
        (None, "GN024"),
        (7, "GN024"),
        ("x", "GN024"),
        ([], "GN024"),
        ({}, "GN024"),
        (_GOOD | {"schedule_at": "2020-01-01T00:00:00Z"}, "GN023"),
        (_GOOD | {"schedule_at": "18:00"}, "GN026"),
        (_GOOD | {"timezone": "Mars/Olympus"}, "GN010"),
        (_GOOD | {"channels": ["pigeon"]}, "GN027"),
        (_GOOD | {"category": "x"}, "GN024"),
        (_GOOD | {"condition": {}}, "GN028"),
    ]
    requests = [item for number, (wrong, _) in enumerate(bad) for item in (wrong, _GOOD | {"user_id": f"u_{number}"})]

    answers = schedule_many(connection, requests)

    assert [a.error_code for a in answers[::2]] == [code for _, code in bad]
    assert {a.status for a in answers[1::2]} == {"scheduled"}
    assert value(connection, "select count(*) from gnomon_data.schedules") == len(bad)
    assert value(connection, "select count(*) from gnomon_data.timers") == len(bad)


def test_an_empty_batch_has_no_answers(untouched: psycopg.Connection) -> None:
    assert schedule_many(untouched, []) == []


@pytest.mark.parametrize("requests", ["{}", '"x"', "null", "7"])
def test_only_an_array_is_taken(untouched: psycopg.Connection, requests: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.schedule_many(%s)", [requests])
    assert fault.value.sqlstate == "GN024"


def test_10_000_and_no_more(connection: psycopg.Connection) -> None:
    requests = [_GOOD | {"user_id": f"u_{n}"} for n in range(10_000)]
    began = monotonic()

    answers = schedule_many(connection, requests)

    took = monotonic() - began
    assert [a.ordinal for a in answers] == list(range(1, 10_001))
    assert value(connection, "select count(*) from gnomon_data.schedules") == 10_000
    # An item costs the same in a large batch as in a small one: nothing here grows with the square.
    began = monotonic()
    for start in range(0, 2000, 100):
        schedule_many(connection, requests[start : start + 100])
    assert took < 15 * (monotonic() - began) + 1

    before = row_counts(connection)
    with pytest.raises(psycopg.Error) as fault:
        connection.execute("select gnomon.schedule_many(%s)", [Jsonb([*requests, _GOOD])])
    assert fault.value.sqlstate == "GN024"
    assert row_counts(connection) == before


def test_an_all_bad_batch_writes_nothing(untouched: psycopg.Connection) -> None:
    before = row_counts(untouched)
    bad = [
        _GOOD | {"schedule_at": "soon", "key": f"k{n}", "dedup_key": f"d{n}", "params": {"x": "y" * 2000}} for n in range(20)
    ]
    past = [item | {"schedule_at": "2020-01-01T00:00:00Z"} for item in bad]
    assert {a.error_code for a in schedule_many(untouched, bad + past)} == {"GN024", "GN023"}
    assert row_counts(untouched) == before


def test_the_answers_are_those_of_schedule(connection: psycopg.Connection) -> None:
    request = _GOOD | {"schedule_at": "2036-01-01T00:00:00Z", "channels": ["push", "log"], "labels": {"course": "7"}}
    [many] = schedule_many(connection, [request])
    [alone] = rows(connection, "select * from gnomon.schedule(%s)", Jsonb(request))

    assert many[2:11] == alone[1:]
    assert many[11:] == (None,) * 4
    assert many.warnings == ["channel push has no sender here and GNOMON_WEBHOOK_URL is not set: it goes to log"]
