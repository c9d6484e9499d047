"""Requests read by their shape and requests read word by word are the same drafts, faults included."""

from datetime import UTC, datetime
from random import Random
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.support.clock import set_clock
from tests.support.given import given_user, rows, value

_NOW = datetime(2027, 3, 27, 9, 30, tzinfo=UTC)  # the night before clocks change in Europe

_ALIKE: list[dict[str, Any]] = [
    {"schedule_at": "18:00", "recurrence": {"pattern": "daily"}},
    {"schedule_at": "02:30", "timezone": "Europe/Berlin", "recurrence": {"pattern": "daily"}, "on_gap": "skip"},
    {"schedule_at": "09:15:30", "timezone": "Asia/Kathmandu", "recurrence": {"pattern": "weekly", "interval": 2}},
    {"schedule_at": "07:00", "recurrence": {"pattern": "monthly", "end_after": 3}, "offset": "-PT1H", "window": "PT10M"},
    {"schedule_at": "06:00", "timezone": "America/New_York"},
    {"schedule_at": "23:00", "timezone": "Pacific/Apia", "schedule_date": "2027-04-01", "expires_in": "PT2H"},
    {"schedule_at": "2027-06-01T09:00:00+02:00", "timezone": "Europe/Berlin"},
    {"schedule_at": "2027-06-01T07:00:00Z", "offset": "PT5M", "window": "PT1H", "misfire": "skip"},
    {"schedule_at": "PT2H", "lane": "bulk", "channels": ["log", "push"]},
    {"schedule_at": "18:00", "timezone": "UTC", "category": "marketing"},
    {"schedule_at": "PT3H", "category": "otp", "lane": "bulk"},
    {"timezone": "Europe/Berlin", "recurrence": {"pattern": "cron", "cron_expr": "0 9 * * 1-5"}},
    {"schedule_at": "2027-06-01T07:00:00Z", "recurrence": {"pattern": "elapsed", "every": "PT6H"}},
]
_TWISTS: list[dict[str, Any]] = [
    {"user_id": "", "key": "k"},
    {"user_id": 7},
    {"user_id": None},
    {"user_id": "u\x01"},
    {"key": "x" * 256},
    {"key": None},
    {"dedup_key": ["e"]},
    {"params": {"a": None, "b": "null"}},
    {"params": {"a": "x" * 70_000}},
    {"params": []},
    {"params": {}},
    {"labels": {"team": "a"}},
    {"labels": {"team": 1}},
    {"labels": {}},
    {"labels": None},
    {"template_id": "null"},
    {"template_id": " "},
    {"template_id": None, "template": "pill"},
    {"variables": {"a": 1}},
    {"priority": "critical"},
    {"lane": "fast"},
    {"category": "x"},
    {"category": "social"},
    {"category": 7},
    {"colour": "red"},
    {"timezone": "europe/berlin"},
    {"timezone": 3},
    {"timezone": None},
    {"schedule_at": "24:00"},
    {"schedule_at": "2027-02-30T09:00:00Z"},
    {"schedule_at": "2027-03-27T09:28:00Z"},
    {"schedule_at": "2020-01-01T09:00:00Z"},
    {"schedule_at": "2020-01-01T09:00:00Z", "if_past": "skip"},
    {"schedule_at": "2099-01-01T09:00:00Z"},
    {"schedule_at": "2027-05-01T09:00:00Z", "if_past": "next"},
    {"schedule_at": "2027-05-01T09:00:00Z", "expires_at": "2027-04-01T09:00:00Z"},
    {"schedule_at": "2027-05-01T09:00:00Z", "expires_at": "2027-06-01T09:00:00Z"},
    {"schedule_at": "09:00", "if_past": "now"},
    {"schedule_at": 900},
    {"schedule_at": None},
    {"schedule_type": "user_local_time"},
    {"schedule_type": "absolute_utc"},
    {"schedule_date": "2027-03-27"},
    {"recurrence": {"pattern": "daily", "end_date": "2020-01-01"}},
    {"recurrence": {"pattern": "daily", "end_date": None}},
    {"recurrence": {"pattern": "daily", "exclude_calendars": ["nobody"]}},
    {"recurrence": {"pattern": "dayly"}},
    {"recurrence": []},
    {"channels": ["pigeon"]},
    {"expires_in": "PT1M", "window": "PT1H"},
    {"misfire": "catch_up", "misfire_limit": 3},
]


def _requests(random: Random, count: int) -> list[Any]:
    made: list[Any] = [None, 7, [], {}]
    for number in range(count - len(made)):
        whole = {"user_id": f"u_{random.randrange(9)}", "template_id": random.choice(["pill", "note"])} | random.choice(
            _ALIKE
        )
        whole |= random.choice([{}, {"key": f"k{number}"}, {"dedup_key": f"e{number}"}, {"params": {"n": number}}])
        for _ in range(random.choice([0, 0, 0, 1, 2])):
            whole |= random.choice(_TWISTS)
        made.append(whole)
    random.shuffle(made)
    return made


def test_both_ways_of_reading_make_the_same_drafts(connection: psycopg.Connection) -> None:
    set_clock(connection, _NOW)
    for number in range(5):
        given_user(connection, f"u_{number}", ["Europe/Berlin", "Asia/Tashkent", "Pacific/Apia"][number % 3])
    requests = _requests(Random(2027), 1_500)  # noqa: S311  # the same items in every run

    found = rows(
        connection,
        """
        with given as materialized (select %s::jsonb as requests, gnomon_data.now_utc() as now_utc),
             alike as (select a.* from given as g, unnest(gnomon_data.read_alike(g.requests, g.now_utc)) as a
                        where a.ordinal is not null),
             word as (select w.* from given as g, jsonb_array_elements(g.requests) with ordinality as e (request, place),
                             unnest(gnomon_data.read_drafts(jsonb_build_array(e.request), g.now_utc)) with ordinality as x,
                             lateral (select e.place::int as place,
                                             to_jsonb(x)
                                                 - '{ordinality,ordinal,schedule_id,fire_at_utc}'::text[] as draft) as w)
        select w.place, w.draft as word,
               to_jsonb(a) - '{ordinal,schedule_id,fire_at_utc}'::text[] as alike,
               gnomon_data.shard_of_id(a.schedule_id) = a.shard as is_of_shard,
               a.is_skipped or (a.place_fault).code is not null
                   or a.fire_at_utc = gnomon_data.spread(a.schedule_id, a.due_at_utc, a.window_for) as is_spread
          from word as w join alike as a on a.ordinal = w.place order by w.place""",
        Jsonb(requests),
    )

    for row in found:
        assert row.alike == row.word, requests[row.place - 1]
        assert row.is_of_shard
        assert row.is_spread
    assert 700 < len(found) < 1_400  # both ways are taken


def test_what_a_batch_answers_does_not_depend_on_its_size(connection: psycopg.Connection) -> None:
    set_clock(connection, _NOW)
    made = _requests(Random(7), 200)  # noqa: S311  # the same items in every run
    requests = [{"user_id": f"u_{n}"} | whole for n, whole in enumerate(made) if isinstance(whole, dict)]
    columns = (
        "status, time_zone, resolution, if_past, version, warnings, error_code, error_detail, error_hint, error_pointer"
    )
    with connection.transaction(force_rollback=True):
        together = rows(connection, f"select {columns} from gnomon.schedule_many(%s) order by ordinal", Jsonb(requests))

    for request, answer in zip(requests, together, strict=True):
        with connection.transaction(force_rollback=True):
            assert rows(connection, f"select {columns} from gnomon.schedule_many(%s)", Jsonb([request])) == [answer], request


def test_many_alike_are_all_read_by_their_shape(connection: psycopg.Connection) -> None:
    requests = [
        {"user_id": f"u_{n}", "template_id": "pill", "key": "k", "schedule_at": f"{n % 24:02}:30", "timezone": "UTC"}
        | {"recurrence": {"pattern": "daily"}}
        for n in range(500)
    ]
    assert value(
        connection,
        "select count(*) from unnest(gnomon_data.read_alike(%s, gnomon_data.now_utc())) as d where d.ordinal is not null",
        Jsonb(requests),
    ) == len(requests)
