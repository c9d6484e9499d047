"""Texts that nobody meant to be read: none crashes, none takes long, none makes a schedule that does not fire."""

import random
from collections import Counter
from typing import Final

import psycopg
import pytest

from tests.support.given import rows

_SEED: Final = 20270328
_LONGEST_MS: Final = 50

_GOOD: Final = (
    *(
        "0 9 * * 1",
        "*/15 9-17 * * MON-FRI",
        "0 0 1,15 * *",
        "0 0 L * *",
        "30 2 * 3 0L",
        "55 6 * * 1#1",
        "@weekly",
        "@hourly",
    ),
    *("0 0 29 2 *", "0 0 29 2 */7", "5/7 1-23/2 1-7 JAN-JUN/2 SAT-SUN", "* * * * *", "0 12 ? * TUE,THU", "59 23 31 12 ?"),
    *("0 9 1 * 1#1,2#3,5L", "0,30 1-3 */2 * *", "00 09 01 01 *", "@Annually", "0 0 31 */2 *", "1,2,3-5,10-20/5 0 * * *"),
)
_LETTERS: Final = "0123456789*/,-?#LWH@ \t~ABCDEFMONTUEsatjan.;=+%_\n\r\\'\"(){}[]|^$\u0663\uff11\u00e9\u4e00\U0001f552"
# Longer pieces: numbers that overflow, names, what other dialects have.
_PIECES: Final = (
    "99999999999999999999",
    "-1",
    "MONDAY",
    "TZ=",
    "@every",
    "*/0",
    "1-",
    "#",
    "L",
    "LW",
    "15W",
    "H/5",
    "*",
    "?",
    "7-0",
)

# Reads a text as a request would be read, in a zone with changes, and times it inside the server.
_READ: Final = """
create function pg_temp.read_text(cron_expr text, out code text, out fires boolean, out took_ms double precision)
language plpgsql as $$
declare
    began constant timestamptz := clock_timestamp();
    compiled record;
    first record;
begin
    compiled := gnomon_data.compile_rule(jsonb_build_object('recurrence',
        jsonb_build_object('pattern', 'cron', 'cron_expr', cron_expr)));
    code := (compiled.fault).code;
    if code is null then
        first := gnomon_data.first_occurrence(compiled.rule, 'America/New_York', timestamptz '2027-03-13 12:00:30+00', null);
        code := (first.fault).code;
        fires := first.due_at_utc > timestamptz '2027-03-13 12:00:30+00';
    end if;
    took_ms := extract(epoch from clock_timestamp() - began) * 1000;
end
$$
"""


def _random_texts(count: int) -> list[str]:
    pick = random.Random(_SEED)  # noqa: S311  # repeatable, no secret
    return ["".join(pick.choices(_LETTERS, k=pick.randrange(40))) for _ in range(count // 2)] + [
        " ".join("".join(pick.choices("0123456789***/,-?#LMON", k=pick.choice([1, 1, 1, 2, 3]))) for _ in range(5))
        for _ in range(count // 2)
    ]


def _mutated_texts(count: int) -> list[str]:
    pick = random.Random(_SEED)  # noqa: S311  # repeatable, no secret
    texts = []
    for _ in range(count):
        text = list(pick.choice(_GOOD))
        for _ in range(pick.randint(1, 3)):
            at = pick.randrange(len(text) + 1)
            text[at : at + pick.randrange(2)] = pick.choice([pick.choice(_LETTERS), pick.choice(_PIECES), ""])
        texts.append("".join(text))
    return texts


@pytest.mark.parametrize("texts", [_random_texts(10_000), _mutated_texts(2_000)], ids=["random", "mutated"])
def test_reads_or_refuses_every_text(room: psycopg.Connection, texts: list[str]) -> None:
    query = "select t as cron_expr, r.* from unnest(%s::text[]) as t cross join lateral pg_temp.read_text(t) as r"
    with room.transaction(force_rollback=True):
        room.execute(_READ)
        found = rows(room, query, texts)

    assert len(found) == len(texts)
    outcomes = Counter(row.code for row in found)
    assert outcomes.keys() <= {None, "GN011", "GN012"}
    # Both kinds of answer were asked for, and not by the way.
    assert outcomes[None] > 20
    assert outcomes["GN011"] > len(texts) / 3
    assert [row.cron_expr for row in found if row.code is None and not row.fires] == []
    # One hiccup of a busy machine is none of the reader's; a text that is slow is slow again.
    slow = [row.cron_expr for row in found if row.took_ms >= _LONGEST_MS]
    with room.transaction(force_rollback=True):
        room.execute(_READ)
        again = rows(room, query, slow)
    assert [(row.cron_expr, row.took_ms) for row in again if row.took_ms >= _LONGEST_MS] == []
