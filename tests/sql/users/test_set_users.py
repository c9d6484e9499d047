"""set_user and set_users: what is known of a user, from the caller's own table, as often as he likes."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import given_schedule, one, rows, value
from tests.support.races import sessions

_SET = "select * from gnomon.set_users(%s)"


def _users(count: int, time_zone: str = "Europe/Berlin") -> list[dict[str, Any]]:
    return [{"user_id": f"u_{n}", "time_zone": time_zone} for n in range(count)]


def test_null_leaves_what_is_known(connection: psycopg.Connection) -> None:
    first = one(connection, "select * from gnomon.set_user('u_abc123', 'Europe/Berlin', 'de-AT')")
    second = one(connection, "select * from gnomon.set_user('u_abc123')")
    third = one(connection, "select * from gnomon.set_user('u_abc123', locale => 'en')")

    assert (first.time_zone, first.locale, first.moved_count, first.pinned_count) == ("Europe/Berlin", "de-AT", 0, 0)
    assert second == first
    assert (third.time_zone, third.locale) == ("Europe/Berlin", "en")


def test_a_user_that_was_never_told_has_no_row(connection: psycopg.Connection) -> None:
    assert rows(connection, "select * from gnomon.find_user('u_abc123')") == []


def test_a_bad_item_spoils_no_other_and_the_order_stays(connection: psycopg.Connection) -> None:
    given = [
        {"user_id": "u_1", "time_zone": "Europe/Berlin"},
        {"user_id": "u_2", "time_zone": "europe/berlin"},
        {"user_id": "", "time_zone": "UTC"},
        {"user_id": "u_3", "timezone": "UTC", "locale": "de"},
        "u_4",
        {"user_id": "u_5", "colour": "red"},
        {"user_id": "u_6", "locale": "no locale"},
        {"user_id": "u_7", "time_zone": 7},
        None,
        {"user_id": 8},
        {"time_zone": "UTC"},
        {"user_id": "u_0"},
    ]

    answers = rows(connection, _SET, Jsonb(given))

    assert [a.ordinal for a in answers] == list(range(1, 13))
    wrong = {a.ordinal: a.error_code for a in answers if a.error_code}
    assert wrong == {2: "GN010"} | dict.fromkeys((3, 5, 6, 7, 8, 9, 10, 11), "GN024")
    known = rows(connection, "select user_id from gnomon_data.users order by 1")
    assert [row.user_id for row in known] == ["u_0", "u_1", "u_3"]


@pytest.mark.parametrize("users", [{}, "x", None, 7])
def test_only_an_array_is_taken(untouched: psycopg.Connection, users: Any) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute(_SET, [Jsonb(users)])
    assert fault.value.sqlstate == "GN024"


def test_no_more_than_10_000(untouched: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute(_SET, [Jsonb([{"user_id": "u"}] * 10_001)])
    assert fault.value.sqlstate == "GN024"


def test_a_nightly_repeat_writes_nothing(connection: psycopg.Connection) -> None:
    connection.execute(_SET, [Jsonb(_users(300))])
    before = rows(connection, "select ctid from gnomon_data.users order by user_id")
    connection.execute(_SET, [Jsonb(_users(300))])
    assert rows(connection, "select ctid from gnomon_data.users order by user_id") == before


def test_two_of_these_at_once_in_opposite_order_do_not_deadlock(connection: psycopg.Connection, database_url: str) -> None:
    with sessions(database_url, 2) as opened, ThreadPoolExecutor(2) as pool:
        batches = [_users(300), _users(300, "America/New_York")[::-1]]
        answers = list(pool.map(lambda session, batch: rows(session, _SET, Jsonb(batch)), opened, batches))
    assert [len(answer) for answer in answers] == [300, 300]
    assert value(connection, "select count(distinct time_zone) from gnomon_data.users") == 1


def test_followers_move_with_it(connection: psycopg.Connection) -> None:
    connection.execute(_SET, [Jsonb(_users(2))])
    for number in (0, 0, 1):
        given_schedule(connection, user_id=f"u_{number}", schedule_at="18:00")
    answers = rows(connection, _SET, Jsonb(_users(2, "America/New_York")))
    assert [a.moved_count for a in answers] == [2, 1]
    assert value(connection, "select array_agg(distinct time_zone) from gnomon.schedules") == ["America/New_York"]


@pytest.mark.parametrize(
    ("user_id", "time_zone", "locale", "pointer"),
    [
        ("u" * 256, None, None, "/user_id"),
        ("u\x01", None, None, "/user_id"),
        (None, None, None, "/user_id"),
        ("u", "UTC+3", None, "/timezone"),
        ("u", "EST", None, "/timezone"),
        ("u", "", None, "/timezone"),
        ("u", None, "d" * 36, "/locale"),
    ],
)
def test_a_bad_user_is_refused_and_nothing_written(
    untouched: psycopg.Connection, user_id: Any, time_zone: Any, locale: Any, pointer: str
) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.set_user(%s, %s, %s)", [user_id, time_zone, locale])
    assert fault.value.sqlstate in {"GN010", "GN024"}
    assert fault.value.diag.column_name == pointer
    assert value(untouched, "select count(*) from gnomon_data.users") == 0
