"""How late the critical ones are that are due at the very instant of a bulk wave, beside the same without the wave.

1,000 critical and 1,000 transactional one-shots are accepted for one instant. With the wave, a million bulk timers and a
million bulk deliveries lie at that instant too, written by COPY. One poller; two workers for the critical lane and one for
each other; one receiver, whose file is what counts: every critical one must be there once, however late it came. A round
is over once all have come and ten seconds more, in which nothing may come again; that bulk was waiting when the last came
is made sure of.
"""

import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from gnomon.bench import calm
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.household import Crew, Household, household
from gnomon.bench.lateness import lateness
from gnomon.bench.race import accept
from gnomon.bench.rounds import ROUNDS, Round, alternate, middle
from gnomon.bench.stage import require_empty
from gnomon.bench.wave import CHANNEL, Wave, make_wave
from gnomon.database.call import one, rows
from gnomon.demo.receipts import Receipt, Receipts

_URGENT: Final = ("critical", "transactional")
_EACH: Final = 1_000
_WAVE: Final = 1_000_000
_WAVE_SMALL: Final = 10_000
_WAVE_FULL: Final = 10_000_000

_P99_MS: Final = 250.0
_LAST_MS: Final = 1_000.0

_CALM: Final = "calm"
_STORM: Final = "with the wave"

# Seconds. Until the instant: for the processes to start and settle down, and for the wave to be written.
_TO_START: Final = 8.0
_ROWS_A_SECOND: Final = 8_000
_AT_LEAST_LEFT: Final = 3.5
_PATIENCE: Final = 60.0
_LINGER: Final = 10.0
_LINGER_SMALL: Final = 1.0
_LOOK_EVERY: Final = 0.25

_CREWS: Final = {
    "worker-critical-1": Crew(("--lane", "critical", "--channel", CHANNEL)),
    "worker-critical-2": Crew(("--lane", "critical", "--channel", CHANNEL)),
    "worker-transactional": Crew(("--lane", "transactional", "--channel", CHANNEL), 5),
    "worker-bulk": Crew(("--lane", "bulk", "--channel", CHANNEL), 15),
}
"""All on one machine: those of the less urgent lanes step back for the others, as `nice` has them do."""

_LEFT: Final = (
    "select coalesce(sum(n.waiting_count), 0)::float8 as waiting from gnomon.lane_numbers() as n where n.lane = 'bulk'"
)


class WaveTooLate(RuntimeError):
    """The wave was not written in time, or was gone before the last critical one came: nothing was measured beside it."""

    hint = "on a slower machine, begin with --small"


@dataclass(frozen=True, slots=True)
class Given:
    """What is due at one instant, by lane."""

    at_utc: datetime
    ids: Mapping[str, frozenset[str]]


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    count = _WAVE_SMALL if run.is_small else _WAVE_FULL if run.is_full else _WAVE
    sides = {_CALM: partial(_side, run, 0), _STORM: partial(_side, run, count)}
    rounds = await alternate(sides, 1 if run.is_small or run.is_full else ROUNDS, run.say)
    return _told(run, rounds, count)


async def _side(run: Run, count: int) -> dict[str, float]:
    """One instant: how late, lost and doubled the urgent ones were."""
    for table in calm.WORKED:
        await rows(run.pool, f"truncate gnomon_data.{table}")
    given = await _accept(run, timedelta(seconds=_TO_START + count / _ROWS_A_SECOND))
    filled = await make_wave(run.pool, Wave(given.at_utc, count), run.say) if count else 0.0
    await calm.checkpoint(run.pool)
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-") as folder:
        async with household(run.pool, run.url, Path(folder), has_api=False, crews=_CREWS) as house:
            found = await _watch(run, house, given)
    run.say(
        ", ".join(f"{lane} p99 {found[f'{lane} p99_ms']:,.0f} ms, last {found[f'{lane} last_ms']:,.0f}" for lane in _URGENT)
    )
    if count and not found["bulk left"]:
        raise WaveTooLate("no bulk delivery was waiting any more when the last urgent one came")
    return found | {"filling_s": filled}


async def _accept(run: Run, lead: timedelta) -> Given:
    now_utc: datetime = (await one(run.pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    at_utc = (now_utc + lead).replace(microsecond=0)
    wanted = {
        lane: [
            {
                "user_id": f"{lane}_{number}",
                "template_id": "urgent",
                "channels": [CHANNEL],
                "lane": lane,
                "schedule_at": at_utc.isoformat(timespec="milliseconds"),
            }
            for number in range(_EACH // 10 if run.is_small else _EACH)
        ]
        for lane in _URGENT
    }
    return Given(at_utc, {lane: frozenset(await accept(run.pool, asked)) for lane, asked in wanted.items()})


async def _watch(run: Run, house: Household, given: Given) -> dict[str, float]:
    """Wait for the instant and for all that is urgent; then for what comes twice."""
    now_utc: datetime = (await one(run.pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    left = (given.at_utc - now_utc).total_seconds()
    if left < _AT_LEAST_LEFT:
        raise WaveTooLate(f"everything was ready {left:.1f} s before the instant")
    await asyncio.sleep(left)
    missing = {schedule_id for ids in given.ids.values() for schedule_id in ids}
    receipts = Receipts(house.received)
    until = time.monotonic() + _PATIENCE
    while missing and time.monotonic() < until:
        await asyncio.sleep(_LOOK_EVERY)
        missing -= {receipt.schedule_id for receipt in receipts.read()}
    waiting = (await one(run.pool, _LEFT))["waiting"]
    await asyncio.sleep(_LINGER_SMALL if run.is_small else _LINGER)
    receipts.read()
    return judged(given, receipts.all) | {"bulk left": waiting}


def judged(given: Given, received: Sequence[Receipt]) -> dict[str, float]:
    """What the receiver's file says of each lane: milliseconds late, lost, twice. Raises ValueError when nothing came."""
    told: dict[str, float] = {}
    urgent = 0
    for lane, ids in given.ids.items():
        came = [receipt for receipt in received if receipt.schedule_id in ids]
        arrived = {receipt.schedule_id for receipt in came}
        late = lateness([(receipt.received_at - given.at_utc).total_seconds() for receipt in came])
        told |= {f"{lane} {what}": value for what, value in late.items()}
        told |= {f"{lane} lost": len(ids) - len(arrived), f"{lane} twice": len(came) - len(arrived)}
        urgent += len(came)
    seconds = max(((receipt.received_at - given.at_utc).total_seconds() for receipt in received), default=0.0)
    return told | {"bulk a second": (len(received) - urgent) / max(seconds, 1.0)}


def _told(run: Run, rounds: Sequence[Round], count: int) -> Measured:
    found = list(rounds)
    kept = [one_round[side] for one_round in found for side in (_CALM, _STORM)]
    bars = [Bar(what="critical ones lost or come twice", value=sum(_astray(side, "critical") for side in kept), bar=0)]
    if not run.is_small:
        last = max(one_round[_STORM]["critical last_ms"] for one_round in found)
        bars = [
            Bar(what="critical, p99, ms late", value=middle(found, _STORM, "critical p99_ms"), bar=_P99_MS),
            Bar(what="critical, last of all, ms late", value=last, bar=_LAST_MS),
            *bars,
        ]
    lines = [
        Line(
            what=f"{lane}, {place}",
            values={side: middle(found, side, f"{lane} {place}_ms") for side in (_CALM, _STORM)},
            unit="ms",
        )
        for lane in _URGENT
        for place in ("p50", "p99", "last")
    ]
    lines.append(Line(what="bulk handed over", values={_STORM: middle(found, _STORM, "bulk a second")}, unit="/s"))
    ratios = [
        f"{lane} p99 {median(r[_STORM][f'{lane} p99_ms'] / r[_CALM][f'{lane} p99_ms'] for r in found):.2f}"
        for lane in _URGENT
    ]
    waiting = min(one_round[_STORM]["bulk left"] for one_round in found)
    notes = [
        f"with the wave, times as late as without: {', '.join(ratios)}",
        f"transactional ones lost or come twice: {sum(_astray(side, 'transactional') for side in kept):g}",
        f"when the last urgent one had come, about {waiting:,.0f} bulk deliveries were waiting",
    ]
    if run.is_small:
        notes.append("small: too few for times, none was judged")
    return Measured(
        bars=bars,
        lines=lines,
        rounds=found,
        versions={},
        settings={
            "urgent": _EACH,
            "wave_timers": count,
            "wave_deliveries": count,
            "pollers": 1,
            "workers": {name: {"options": crew.options, "nice": crew.niceness} for name, crew in _CREWS.items()},
        },
        notes=notes,
    )


def _astray(side: Mapping[str, float], lane: str) -> float:
    return side[f"{lane} lost"] + side[f"{lane} twice"]


BENCHMARK: Final = Benchmark(what="urgent ones that are due together with a bulk wave of millions", measure=_measure)
