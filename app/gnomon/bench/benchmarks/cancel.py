"""Cancels raced against real pollers and workers, judged by what the receiver wrote down.

10,000 single cancels: schedules due in waves of 500, half of each wave cancelled around its fire and half around its
hand-over, by eight callers. `cancelled` is refuted by anything that came, `fired` by anything that came and had not
been handed over, or did not come and had been. Then a label of five million, filled by COPY, and 20,000 more of it that
are due within six seconds: the label is cancelled in the middle of them. What the receiver got must have been handed
over when the call returned. Upkeep sweeps in the background; its rate over --minutes is shown.
"""

import asyncio
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from gnomon.bench import calm
from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.fill import Fill, fill
from gnomon.bench.household import Household, household
from gnomon.bench.race import Answer, contradictions, race
from gnomon.bench.stage import require_empty
from gnomon.bench.storm import LABELS, Storm, storm
from gnomon.database.call import one
from gnomon.database.pool import Pool, open_pool
from gnomon.demo.receipts import Receipts

_SINGLES: Final = 10_000
_SMALL_SINGLES: Final = 200
_USERS: Final = 500_000
_SMALL_USERS: Final = 500
_A_USER: Final = 10
_DUE_SOON: Final = 20_000
_SMALL_DUE_SOON: Final = 500

_P99_MS: Final = 100.0
_CALL_SECONDS: Final = 1.0

_OURS: Final = "gnomon"
_PATIENCE: Final = 60.0
_LOOK_EVERY: Final = 0.2


class NeverSettled(RuntimeError):
    """Deliveries of the race are still there after a minute."""


async def _measure(run: Run) -> Measured:
    await require_empty(run.pool)
    wanted = Fill(users=_SMALL_USERS if run.is_small else _USERS, once=_A_USER, labels=LABELS)
    run.say(f"filling a label of {wanted.schedules:,}")
    filled = await fill(run.pool, wanted, run.say)
    await calm.checkpoint(run.pool)
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-") as folder:
        async with (
            household(run.pool, run.url, Path(folder), pollers=2, workers=2, has_api=False) as house,
            open_pool(run.url, min_size=8, max_size=8, application_name="gnomon bench callers") as callers,
        ):
            receipts = Receipts(house.received)
            answers = await _race(run, house, callers, receipts)
            run.say("cancelling the label")
            sweep_for = 0 if run.is_small else run.minutes * 60
            found = await storm(run.pool, receipts, _SMALL_DUE_SOON if run.is_small else _DUE_SOON, sweep_for)
    return _told(run, answers, len(contradictions(receipts.all, answers)), found, filled.seconds)


async def _race(run: Run, house: Household, callers: Pool, receipts: Receipts) -> list[Answer]:
    count = _SMALL_SINGLES if run.is_small else _SINGLES
    run.say(f"racing {count:,} cancels against {', '.join(house.children)}")
    answers = await race(callers, count, timedelta(seconds=4 + count / 1_000))
    until = time.monotonic() + _PATIENCE
    while (await one(run.pool, "select exists (select from gnomon_data.deliveries) as are_left"))["are_left"]:
        if time.monotonic() > until:
            raise NeverSettled(str(NeverSettled.__doc__))
        await asyncio.sleep(_LOOK_EVERY)
    receipts.read()
    return answers


def _told(run: Run, answers: list[Answer], refuted: int, found: Storm, filled_seconds: float) -> Measured:
    took = [answer.seconds * 1e3 for answer in answers]
    p99 = quantiles(took, n=100)[-1]
    fired = sum(answer.status == "fired" for answer in answers)
    bars = [
        Bar(what="answers that the receiver refutes", value=refuted, bar=0),
        Bar(what="handed over after the mass cancel", value=found.after, bar=0),
    ]
    if not run.is_small:
        bars += [
            Bar(what="single cancel, p99, ms", value=p99, bar=_P99_MS),
            Bar(what="mass cancel, the call, s", value=found.call_seconds, bar=_CALL_SECONDS),
        ]
    lines = [
        Line(what="single cancel, median", values={_OURS: median(took)}, unit="ms"),
        Line(what="single cancel, p99", values={_OURS: p99}, unit="ms"),
        Line(what="single cancel, longest", values={_OURS: max(took)}, unit="ms"),
        Line(what="mass cancel, the call", values={_OURS: found.call_seconds * 1e3}, unit="ms"),
        Line(what="swept, those with deliveries first", values={_OURS: found.swept_a_second}, unit="schedules/s"),
    ]
    soon = found.before + found.after + found.spared
    notes = [
        f"single: {len(answers) - fired:,} answered cancelled, {fired:,} fired",
        f"label: of {soon:,} due soon {found.before:,} were handed over before the call returned, {found.spared:,} never",
    ]
    if run.is_small:
        notes.append("small: too few for times, none was judged")
    return Measured(
        bars=bars,
        lines=lines,
        rounds=[{"refuted": refuted, "answers": len(answers), "fired": fired, "handed_over_after": found.after}],
        versions={},
        settings={
            "singles": len(answers),
            "label": (_SMALL_USERS if run.is_small else _USERS) * _A_USER,
            "filling_s": round(filled_seconds),
            "small": run.is_small,
        },
        notes=notes,
    )


BENCHMARK: Final = Benchmark(
    what="single cancels and a label of millions, raced against pollers and workers", measure=_measure
)
