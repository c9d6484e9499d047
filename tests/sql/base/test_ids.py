"""Ids: what they carry, how they are written, and what is no id."""

from datetime import timedelta

import psycopg
import pytest

from tests.sql.acts import utc
from tests.support.given import one, value

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def test_an_id_carries_its_instant_shard_and_lane(untouched: psycopg.Connection) -> None:
    made = one(
        untouched,
        "select gnomon_data.shard_of_id(id) as shard, gnomon_data.lane_of_id(id) as lane, gnomon_data.at_of_id(id),"
        " uuid_extract_version(id) as version from gnomon_data.new_id(63::smallint, %s, 2::smallint) as id",
        utc("2026-12-01T10:00:00.123"),
    )
    assert (made.shard, made.lane, made.at_of_id, made.version) == (63, 2, utc("2026-12-01T10:00:00.123"), 7)


def test_the_last_half_millisecond_of_a_day_stays_in_its_day(untouched: psycopg.Connection) -> None:
    midnight = utc("2026-12-02")
    at = value(
        untouched,
        "select gnomon_data.at_of_id(gnomon_data.new_id(0::smallint, %s))",
        midnight - timedelta(microseconds=1),
    )
    assert at < midnight


def test_the_text_form_is_crockford_base32_and_comes_back(untouched: psycopg.Connection) -> None:
    made = one(untouched, "select id::text, gnomon_data.id_text('sch', id) as text from gen_random_uuid() as id")
    prefix, _, body = made.text.partition("_")

    number = 0
    for letter in body:
        number = number * 32 + _ALPHABET.index(letter)

    assert (prefix, len(body)) == ("sch", 26)
    assert f"{number:032x}" == made.id.replace("-", "")
    assert value(untouched, "select gnomon_data.id_of('sch', %s)::text", made.text.replace(body, body.lower())) == made.id


def test_texts_sort_as_their_ids_do(untouched: psycopg.Connection) -> None:
    assert value(
        untouched,
        """
        select array_agg(id order by id) = array_agg(id order by gnomon_data.id_text('sch', id) collate "C")
          from (select gen_random_uuid() as id from generate_series(1, 300)) as made
        """,
    )


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "sch_",
        "dlv_01M8PSTVESE0XR00T9E4VSZD2F",
        "sch_01M8PSTVESE0XR00T9E4VSZD2",
        "sch_81M8PSTVESE0XR00T9E4VSZD2F",
        "sch_01M8PSTVESE0XR00T9E4VSZDIL",
        "sch_01M8PSTVESE0XR00T9E4VSZD2F\n",
        "01a22d9d-6f81-7033-97cb-d9361179292f",
    ],
)
def test_what_is_no_id_of_a_schedule_is_not_found(untouched: psycopg.Connection, given: str | None) -> None:
    with pytest.raises(psycopg.Error) as fault:
        untouched.execute("select gnomon.find_schedule(%s)", [given])
    assert fault.value.sqlstate == "GN020"


def test_a_user_stays_in_one_shard_of_64(untouched: psycopg.Connection) -> None:
    spread = one(
        untouched,
        "select min(shard), max(shard), count(distinct shard) from generate_series(1, 2000) as n"
        " cross join lateral (select gnomon_data.shard_of('u' || n) as shard) as s",
    )
    assert (spread.min, spread.max, spread.count) == (0, 63, 64)
    # First byte of sha256("u_abc123"), its low six bits: other services compute it too.
    assert value(untouched, "select gnomon_data.shard_of('u_abc123')") == 0x33
