"""From the command to the first delivery: `gnomon demo` on a data folder that does not exist yet."""

import re
import sys
import time
from typing import Final

from gnomon.bench.benchmark import Bar, Benchmark, Line, Measured, Run
from gnomon.bench.processes import Program, ProgramEnded, running
from gnomon.bench.rounds import alternate, middle

_OURS: Final = "gnomon"
_BAR_S: Final = 10
_PATIENCE_S: Final = 120
_COMMAND: Final = ("-m", "gnomon", "demo", "--calm", "--seconds", "3", "--rate", "20")
_FIRST: Final = re.compile(r"first delivery arrived ([0-9.]+) s after")


async def _measure(run: Run) -> Measured:
    rounds = await alternate({_OURS: _start}, count=1 if run.is_small else 3, say=run.say)
    bars = [Bar(what="s from the command to the first delivery", value=middle(rounds, _OURS, "seconds"), bar=_BAR_S)]
    return Measured(
        bars=() if run.is_small else bars,
        lines=[
            Line(what=what, unit="s", values={_OURS: middle(rounds, _OURS, key)})
            for what, key in (("from the command", "seconds"), ("from its first line of code", "told_seconds"))
        ],
        rounds=rounds,
        versions={},
        settings={"command": " ".join(_COMMAND), "small": run.is_small},
        notes=["small: one round, no bar was judged", *_NOTES] if run.is_small else _NOTES,
    )


_NOTES: Final = ["cold: cluster, schema and processes are made; the files of the program have been read before"]


async def _start() -> dict[str, float]:
    began = time.perf_counter()
    async with running("gnomon demo", sys.executable, *_COMMAND) as demo:
        told = await _first_delivery(demo, began + _PATIENCE_S)
        return {"seconds": time.perf_counter() - began, "told_seconds": told}


async def _first_delivery(demo: Program, give_up_at: float) -> float:
    while (left := give_up_at - time.perf_counter()) > 0:
        if found := _FIRST.search(await demo.line(left)):
            return float(found[1])
    raise ProgramEnded(f"nothing was delivered within {_PATIENCE_S} s")


BENCHMARK: Final = Benchmark(what="gnomon demo on a new folder, to the first delivery", measure=_measure)
