"""Every place that lists how a delivery ends, or why an attempt did, lists all of it."""

import re
from pathlib import Path

import psycopg
import pytest

from gnomon.schedules.told import DELIVERY_STATES, REASONS
from tests.support.given import rows, value

_DOCS = Path(__file__).parents[3] / "docs"
_STATES = _DOCS / "states.md"


def _ends(connection: psycopg.Connection) -> set[str]:
    query = (
        "select pg_get_constraintdef(oid) from pg_constraint where conname = 'delivery_log_outcome_known'"
        " and conrelid = 'gnomon_data.delivery_log'::regclass"
    )
    return set(re.findall(r"'([a-z]+)'", value(connection, query)))


def _section(heading: str) -> str:
    return _STATES.read_text().split(f"{heading}\n", 1)[1].split("\n#", 1)[0]


def test_the_page_of_states_has_every_end(untouched: psycopg.Connection) -> None:
    told = set(re.findall(r"^\| `?([a-z]+)`? \|", _section("## A delivery"), re.MULTILINE)) - {"state"}
    assert told - {"queued", "sending"} == _ends(untouched)
    assert told == set(DELIVERY_STATES)


def test_the_picture_has_every_end(untouched: psycopg.Connection) -> None:
    picture = (_DOCS / "states.svg").read_text().split(">A delivery<", 1)[1]
    assert set(re.findall(r'class="name"[^>]*>([a-z]+)<', picture)) - {"queued", "sending"} == _ends(untouched)


def test_every_reason_is_explained_and_told_by_the_api(untouched: psycopg.Connection) -> None:
    meant = rows(
        untouched,
        "select distinct m.reason from unnest(gnomon_data.outcome_words()) as w"
        " cross join gnomon_data.meaning_of(w, 0::smallint) as m where m.reason is not null",
    )
    told = set(re.findall(r"^\| `([a-z]+)` \|", _section("### How an attempt ends"), re.MULTILINE))
    assert told == {row.reason for row in meant} == set(REASONS)


@pytest.mark.parametrize(("lane", "number"), [("critical", 0), ("transactional", 1), ("bulk", 2)])
def test_the_numbers_of_retries_are_those_of_the_page(untouched: psycopg.Connection, lane: str, number: int) -> None:
    line = re.search(rf"^\| {lane} \| (.+) \|$", _section("### Attempts"), re.MULTILINE)
    assert line is not None
    attempts, *spans = line[1].split(" | ")
    limits = (
        "select attempts, array[base, ceiling, obeyed_for, horizon] as spans from gnomon_data.retry_limits(%s::smallint)"
    )
    [found] = rows(untouched, limits, number)
    told = value(untouched, "select array_agg(s::interval) from unnest(%s::text[]) as s", spans)
    assert (int(attempts), told) == (found.attempts, found.spans)


def test_every_end_is_counted_in_lateness_and_told_by_explain(untouched: psycopg.Connection) -> None:
    """Whatever the word: nothing between the log and who reads it keeps a list of its own."""
    sources = rows(
        untouched,
        "select p.proname, p.prosrc from pg_proc as p where p.pronamespace in"
        " ('gnomon'::regnamespace, 'gnomon_data'::regnamespace) and p.prosrc like '%delivery_log as%'",
    )
    named = {row.proname for row in sources if re.search(r"\bg\.outcome\s+(=|in|<>)", row.prosrc)}
    assert named == {"ended_answer"}, "asks whether all of them expired"
