"""Programs beside a measurement: what they say is read, that they end is noticed, and their processor's time is counted."""

import asyncio
import os
import sys
import time
from datetime import timedelta

import pytest

from gnomon.bench.cpu import seconds_of_trees
from gnomon.bench.processes import ProgramEnded, running
from tests.support.processes import is_alive

_STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(60)"
_BURN = """import time
print('here', flush=True)
while time.process_time() < 0.3: pass
print('done', flush=True)
time.sleep(60)
"""


async def _said(program: str, *, lines: int = 1) -> tuple[list[str], int]:
    async with running("a program", sys.executable, "-c", program) as found:
        return [(await found.line(10)).strip() for _ in range(lines)], found.pid


def test_its_lines_are_read_and_it_is_gone_afterwards() -> None:
    said, pid = asyncio.run(_said("print('one'); print('two', flush=True); import time; time.sleep(60)", lines=2))

    assert said == ["one", "two"]
    assert not is_alive(pid)


def test_an_end_is_told_with_what_it_complained_of() -> None:
    with pytest.raises(ProgramEnded, match=r"(?s)ended with exit code 3: .*no such luck"):
        asyncio.run(_said("import sys; print('no such luck', file=sys.stderr); sys.exit(3)"))


def test_silence_is_told() -> None:
    async def silent() -> None:
        async with running("a program", sys.executable, "-c", "import time; time.sleep(60)") as found:
            await found.line(0.2)

    with pytest.raises(ProgramEnded, match=r"said nothing within 0\.2 s"):
        asyncio.run(silent())


def test_one_that_will_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.bench.processes._STOP_WITHIN", timedelta(seconds=0.2))

    began = time.monotonic()
    _, pid = asyncio.run(_said(_STUBBORN))

    assert not is_alive(pid)
    assert time.monotonic() - began < 30  # it would end by itself after a minute


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system has no /proc")  # noqa: PTH110  # at import
def test_the_time_of_children_is_counted() -> None:
    async def burned() -> tuple[float, float]:
        async with running("a program", sys.executable, "-c", _BURN) as found:
            await found.line(10)
            before, own = seconds_of_trees(os.getpid()), time.process_time()
            await found.line(30)
            return seconds_of_trees(os.getpid()) - before - (time.process_time() - own), seconds_of_trees(found.pid)

    all_of_it, its = asyncio.run(burned())

    assert its >= 0.29
    assert all_of_it > 0.1  # what it took to start is not in it
