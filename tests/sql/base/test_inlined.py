"""The small SQL functions of the hot path are taken into the statements that use them: a call of their own costs 2 us a row.

PostgreSQL does so only when a function is no more stable than what it calls and not strict around a case.
"""

import psycopg
import pytest

from tests.support.given import value


@pytest.mark.parametrize(
    "call",
    [
        "at_of_id(id)",
        "shard_of_id(id)",
        "lane_of_id(id)",
        "new_id(number, at)",
        "lane_name(number)",
        "lane_of(word)",
        "shard_of(word)",
        "hash_of(word)",
        "key_hash(word, word)",
        "rfc3339(at)",
        "local_text(reading)",
        "keeps_order(number)",
        "spread(id, at, duration)",
        "next_stamp(stamp, at)",
        "out_of_tries(number)",
    ],
)
def test_no_call_is_left_in_the_plan(untouched: psycopg.Connection, call: str) -> None:
    row = "(null::uuid, 1::smallint, now(), '', localtimestamp, interval '1 s', 1::bigint, 1)"
    plan = value(
        untouched,
        # Two rows: the values of one would be computed while planning.
        f"explain (verbose, format json) select gnomon_data.{call} from (values {row}, {row})"
        " as v (id, number, at, word, reading, duration, stamp, whole)",
    )
    assert "gnomon_data." not in str(plan)


def test_what_an_outcome_means_is_read_in_the_statement_that_settles(untouched: psycopg.Connection) -> None:
    plan = value(
        untouched,
        "explain (verbose, format json) select m.* from (values ('sent', 1::smallint), ('gone', 2::smallint))"
        " as v (word, lane) cross join lateral gnomon_data.meaning_of(v.word, v.lane) as m",
    )
    assert "meaning_of" not in str(plan)
