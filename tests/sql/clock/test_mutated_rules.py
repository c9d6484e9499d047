"""Rules of every pattern with something wrong in them: an error of the contract or instants in order, and soon."""

import json
import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.almanac.draw import SEED, draw
from tests.support.cluster import Server
from tests.support.given import rows

_ZONES: Final = ("Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "UTC", "Antarctica/Troll")
_AFTER: Final = (
    *("2027-01-01Z", "2000-02-29Z", "2096-02-29 12:00Z", "2027-03-14 07:00Z"),
    *("0003-06-01Z", "1969-12-31 23:59:59.999999Z", "9990-01-01Z", "9999-12-31 23:59:59Z", "infinity"),
)
_FIELDS: Final = (
    *("pattern", "schedule_at", "interval", "weekdays", "days_of_month", "nth", "on_missing_day", "every", "cron_expr"),
    *("rrule", "start_date", "end_date", "end_after", "fired_count", "exclude_dates", "exclude_calendars"),
    *("on_gap", "on_overlap", "offset", "unknown"),
)
_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, 0, 1, -1, 31, 32, -31, -32, 1000, 1001, 10**10, 1.5, 1e300, -0.0),
    *("", " ", "09:00", "24:00", "9:00", "23:59:60", "09:00:00", "2027-02-30", "2027-02-28", "0001-01-01", "9999-12-31"),
    *("10000-01-01", "-2027-01-01", "infinity", "epoch", "now", "tomorrow", "allballs", "2027-01-01T00:00:00Z"),
    *("PT15M", "PT0S", "P1M", "PT1S", "-PT5M", "P400Y", "PT999999999999H", "PT0.5S", "in 2 hours"),
    *("* * * * *", "0 0 29 2 *", "0 0 31 2 *", "0 0 */28 2 1#5"),
    *("FREQ=DAILY", "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2", "FREQ=DAILY;COUNT=0", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0"),
    *("FREQ=WEEKLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=6MO", "FREQ=MONTHLY;BYSETPOS=366;BYDAY=MO", "FREQ=DAILY;COUNT=9999"),
    *(
        "MON",
        "mon",
        "last",
        "skip",
        "second",
        "next_valid",
        "\u0661\u0662:00",
        "a" * 5000,
        "daily",
        "cron",
        "rrule",
        "elapsed",
    ),
    *([], [1], [0], [31, 31], [None], [1.0], [1.5], [-1, 31], ["MON"], ["MON", "MON"], ["2027-01-01"] * 367, ["2027-02-30"]),
    *(
        {},
        {"weekday": "MON", "n": 1},
        {"weekday": "MON", "n": 0},
        {"weekday": "MON"},
        [{"weekday": "SUN", "n": -5}],
        {"n": 1},
    ),
)
_CHARACTERS: Final = "0123456789*/-,:;= LTZ#?+."
_LIMIT: Final = timedelta(milliseconds=50)

# Within the server, each with its own fault: a call that fails spoils no other.
_TRY: Final = """
create function public.try_rule(rule jsonb, time_zone text, after_utc timestamptz,
                                out state text, out message text, out has_order boolean, out took interval)
language plpgsql as $$
declare
    began constant timestamptz := clock_timestamp();
    instants timestamptz[];
begin
    begin
        select array_agg(n.at_utc order by n.place) into instants
          from gnomon.next_occurrences(rule, time_zone, after_utc, 3) with ordinality
            as n (at_utc, local_time, utc_offset, kind, place);
        has_order := (select coalesce(bool_and(i.at_utc > i.before), true)
                        from (select u.at_utc, lag(u.at_utc, 1, after_utc) over (order by u.place) as before
                                from unnest(instants) with ordinality as u (at_utc, place)) as i);
    exception when others then
        state := sqlstate;
        message := sqlerrm;
    end;
    took := clock_timestamp() - began;
end
$$
"""
_ASK: Final = """
select t.* from unnest(%s::jsonb[], %s::text[], %s::timestamptz[]) with ordinality as c (rule, time_zone, after_utc, place)
 cross join lateral public.try_rule(c.rule, c.time_zone, c.after_utc) as t order by c.place
"""


@pytest.fixture
def trying(server: Server, template: str) -> Iterator[psycopg.Connection]:
    """A database that has the function that tries."""
    with server.database(template) as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_TRY)
        yield connection


def test_some(trying: psycopg.Connection) -> None:
    _try(trying, SEED, 3_000)


@pytest.mark.long
def test_many(trying: psycopg.Connection) -> None:
    _try(trying, SEED + 1, 200_000)


def _try(trying: psycopg.Connection, seed: int, count: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # drawn again by its seed
    states: set[str | None] = set()
    for _ in range(count // 500):
        asked = [(_mutated(chance), chance.choice(_ZONES), chance.choice(_AFTER)) for _ in range(500)]
        for one, tried in zip(asked, _asked(trying, asked), strict=True):
            states.add(tried.state)
            assert tried.state is None or tried.state.startswith("GN"), (tried.message, _statement(*one))
            assert tried.state or tried.has_order, _statement(*one)
            assert tried.took < _LIMIT or _least(trying, one) < _LIMIT, _statement(*one)
    assert states >= {None, "GN011", "GN013", "GN014", "GN015", "GN024"}


def _least(trying: psycopg.Connection, one: tuple[dict[str, Any], str, str]) -> timedelta:
    """How long it takes when nobody is in the way: the least of five."""
    return min(tried.took for tried in _asked(trying, [one] * 5))


def _asked(trying: psycopg.Connection, asked: list[tuple[dict[str, Any], str, str]]) -> list[Any]:
    columns = [[Jsonb(rule) for rule, _, _ in asked], [zone for _, zone, _ in asked], [after for _, _, after in asked]]
    return rows(trying, _ASK, *columns)


def _mutated(chance: random.Random) -> dict[str, Any]:
    """A rule that fires, with up to three of its words taken away, replaced or misspelt."""
    rule = dict(draw(chance, _ZONES, 1).rule)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        kind = chance.random()
        name = chance.choice(list(rule) or ["pattern"])
        said = rule.get(name)
        if kind < 0.2:
            rule.pop(name, None)
        elif kind < 0.5 and isinstance(said, str) and said:
            place = chance.randrange(len(said))
            rule[name] = said[:place] + chance.choice(_CHARACTERS) + said[place + chance.choice([0, 1]) :]
        elif kind < 0.6 and isinstance(said, list):
            rule[name] = [*said, chance.choice(_VALUES)]
        elif kind < 0.8:
            rule[name] = chance.choice(_VALUES)
        else:
            rule[chance.choice(_FIELDS)] = chance.choice(_VALUES)
    return rule


def _statement(rule: dict[str, Any], time_zone: str, after: str) -> str:
    return f"select * from gnomon.next_occurrences('{json.dumps(rule)}', '{time_zone}', '{after}', 3)"
