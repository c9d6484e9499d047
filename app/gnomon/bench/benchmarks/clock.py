"""How long the clock takes: one occurrence of a daily and of a cron rule, one resolved reading; beside croniter and cronsim.

Ours is measured as a scheduler uses it, by set-based statements, the statement's own way included. The peers walk on with
the iterator they offer, which parses the text once, as we do.
"""

import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any, Final

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.installed import Peers
from gnomon.bench.rounds import alternate, middle
from gnomon.database.call import one
from gnomon.database.pool import Pool

_OURS: Final = "gnomon"
_PEERS: Final = ("croniter", "cronsim")

_DAILY_US: Final = 10.0
_CRON_US: Final = 40.0
_TIMES_CRONITER: Final = 3.0

_TIME_ZONE: Final = "Europe/Berlin"
_YEARS: Final = (2027, 2028, 2029, 2030, 2031)

# Texts people write, one with a date that comes every four years, and how many occurrences each is walked from each year.
_TEXTS: Final[tuple[tuple[str, int], ...]] = (
    ("0 9 * * *", 400),
    ("*/15 * * * *", 400),
    ("0 9 * * 1-5", 400),
    ("*/15 9-17 * * 1-5", 400),
    ("0 0 1,15 * *", 400),
    ("30 2 L * *", 400),
    ("0 9 * * 5#2", 400),
    ("0 0 29 2 *", 20),
)

# Every zone at instants 1,103 hours apart over five years, so that readings lie before, in and behind changes.
_DAILY: Final = """
with compiled as materialized (
    select gnomon_data.compile_preview('{"pattern": "daily", "schedule_at": "02:30"}') as rule)
select count(o.due_at_utc) as calls
  from compiled as c
 cross join gnomon_data.time_zones as z
 cross join generate_series(1, %s) as n
 cross join lateral gnomon_data.next_occurrence(
       c.rule, z.time_zone, timestamptz '2027-01-01 00:00+00' + make_interval(hours => n * 1103)) as o"""
_RESOLVE: Final = """
select count(r.at_utc) as calls
  from gnomon_data.time_zones as z
 cross join generate_series(1, %s) as n
 cross join lateral gnomon.resolve_local(date '2027-01-01' + n * 46, time '02:30', z.time_zone) as r"""
_CRON: Final = """
select count(o.at_utc) as calls
  from unnest(%s::int[]) as y
 cross join lateral gnomon.next_occurrences(
       %s, %s, timestamptz '2026-12-31 23:00+00' + make_interval(hours => (y - 2027) * 8766), %s) as o"""
_PARSE: Final = """
select count(c.rule) as calls
  from unnest(%s::text[]) as t
 cross join generate_series(1, %s) as n
 cross join lateral gnomon_data.compile_cron(t, case when n > 0 then '/cron_expr' end) as c"""


async def _measure(run: Run) -> Measured:
    peers = Peers("clock", _PEERS)
    if run.has_peers:
        await peers.install(run.say)
    work = [(text, max(2, count // 100) if run.is_small else count) for text, count in _TEXTS]
    instants = 1 if run.is_small else 40
    wanted = {"time_zone": _TIME_ZONE, "years": _YEARS, "work": work}
    sides = {_OURS: partial(_ours, run.pool, instants, work)}
    if run.has_peers:
        sides |= {peer: partial(_peer, peers, wanted | {"peer": peer}) for peer in _PEERS}
    run.say("warming up")
    await _ours(run.pool, 1, [(text, 2) for text, _ in work])
    rounds = await alternate(sides, say=run.say)
    return Measured(
        bars=() if run.is_small else _bars(rounds, has_peers=run.has_peers),
        lines=_lines(rounds, [text for text, _ in work]),
        rounds=rounds,
        versions=peers.versions if run.has_peers else {},
        settings={
            "time_zone": _TIME_ZONE,
            "years": _YEARS,
            "work": work,
            "instants_a_zone": instants,
            "small": run.is_small,
        },
        notes=_notes(run),
    )


async def _ours(pool: Pool, instants: int, work: Sequence[tuple[str, int]]) -> dict[str, float]:
    """Microseconds a call: daily, resolve_local, parse, cron in all and by text."""
    found = {
        "daily": await _us_a_call(pool, _DAILY, (instants,)),
        "resolve_local": await _us_a_call(pool, _RESOLVE, (instants,)),
        "parse": await _us_a_call(pool, _PARSE, ([text for text, _ in work], instants * 10)),
    }
    for text, count in work:
        rule = json.dumps({"pattern": "cron", "cron_expr": text})
        found[text] = await _us_a_call(pool, _CRON, (list(_YEARS), rule, _TIME_ZONE, count))
    return found | {"cron": _over_all(found, work)}


async def _peer(peers: Peers, wanted: Mapping[str, Any]) -> dict[str, float]:
    seconds = await peers.run("cron.py", wanted)
    found = {text: seconds[text] / (count * len(_YEARS)) * 1e6 for text, count in wanted["work"]}
    return found | {"cron": _over_all(found, wanted["work"])}


async def _us_a_call(pool: Pool, statement: str, parameters: tuple[object, ...]) -> float:
    began = time.perf_counter()
    found = await one(pool, statement, parameters)
    return (time.perf_counter() - began) / int(found["calls"]) * 1e6


def _over_all(found: Mapping[str, float], work: Sequence[tuple[str, int]]) -> float:
    """Microseconds a call over all texts, each by how often it was asked."""
    return sum(found[text] * count for text, count in work) / sum(count for _, count in work)


def _bars(rounds: list[dict[str, dict[str, float]]], *, has_peers: bool) -> list[Bar]:
    bars = [
        Bar(what="next occurrence, daily, all zones, us", value=middle(rounds, _OURS, "daily"), bar=_DAILY_US),
        Bar(what="next occurrence, cron, us", value=middle(rounds, _OURS, "cron"), bar=_CRON_US),
    ]
    if has_peers:
        ratio = median(found["croniter"]["cron"] / found[_OURS]["cron"] for found in rounds)
        bars.append(Bar(what="cron rate, times croniter's", value=ratio, bar=_TIMES_CRONITER, is_ceiling=False))
    return bars


def _lines(rounds: list[dict[str, dict[str, float]]], texts: Sequence[str]) -> list[Line]:
    own = {"daily, all zones": "daily", "resolve_local, all zones": "resolve_local", "parse a cron text": "parse"}
    return [
        *(Line(what=what, values={_OURS: middle(rounds, _OURS, key)}) for what, key in own.items()),
        *(
            Line(what=what, values={side: middle(rounds, side, key) for side in rounds[0]})
            for what, key in [("cron, all texts", "cron"), *((text, text) for text in texts)]
        ),
    ]


def _notes(run: Run) -> list[str]:
    notes = []
    if run.is_small:
        notes.append("small: too short for bars, none was judged")
    if not run.has_peers:
        notes.append("without peers: no ratio was judged")
    return notes


BENCHMARK: Final = Benchmark(what="next occurrences and resolved readings, beside croniter and cronsim", measure=_measure)
