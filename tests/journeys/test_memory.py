"""More is due than the receiver takes, and all of it is large: no process keeps in its memory what waits in the database."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from tests.journeys.aftermath import reckoned
from tests.journeys.judge import Task
from tests.journeys.serving import Api, running_api
from tests.journeys.stage import Stage, note, poll, request, work
from tests.support.given import value
from tests.support.races import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

SIZE: Final = 8_000
"""Characters of the params of each."""

BATCH: Final = 500
CONCURRENCY: Final = 16

MOST: Final = 25
"""Megabytes that a process may grow by, at its peak, over what it had after the first 500; the API takes 4 MB at a time.

A worker claims what it can send within a second: with all slots full some hundred of each lane, a few copies of which are
alive at once.
"""


@dataclass(frozen=True)
class Watched:
    """The stage, the API, and the process ids whose memory counts, by name."""

    stage: Stage
    api: Api
    pids: dict[str, int]

    def peaks(self) -> dict[str, float]:
        """The most that each has had in memory so far, in megabytes."""
        return {name: peak_of(pid) for name, pid in self.pids.items()}


def peak_of(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


@pytest.fixture
def watched(stage: Stage, tmp_path: Path) -> Iterator[Watched]:
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of a process's memory is read from /proc")
    p1, w1 = stage.start(poll("p1"), work("w1", "--concurrency", str(CONCURRENCY)))
    with running_api(tmp_path, GNOMON_DATABASE_URL=stage.url) as api:
        yield Watched(stage, api, {"poller": p1.process.pid, "worker": w1.process.pid, "api": api.process.pid})


def create(watched: Watched, name: str, count: int) -> set[Task]:
    """Let so many be due now, through the API; what they owe the sink."""
    owed = set()
    for begin in range(0, count, BATCH):
        items = [
            request(f"{name}{number}", "PT0S", params={"text": f"{number:08}" * (SIZE // 8)})
            for number in range(begin, min(begin + BATCH, count))
        ]
        status, answer = watched.api.ask("POST", "/v1/notifications/schedule/batch", items)
        assert (status, answer["refused"]) == (200, 0), answer
        owed |= {Task(item["schedule"]["schedule_id"], 1, "webhook") for item in answer["results"]}
    assert len(owed) == count
    return owed


@pytest.mark.parametrize("count", [4_000, pytest.param(50_000, marks=pytest.mark.long)])
def test_no_process_grows_with_what_is_due(watched: Watched, count: int) -> None:
    stage = watched.stage
    owed = create(watched, "first", BATCH)
    stage.wait_for(owed)
    before = watched.peaks()
    stage.sink.behave(delay=1.0)
    owed |= create(watched, "more", count)
    fired = "select count(*) from gnomon_data.timers"
    wait_until(lambda: value(stage.connection, fired) == 0, "all are fired", patience=timedelta(seconds=60))
    waiting = count - (len(stage.received()) - BATCH)
    stage.sink.behave(delay=0)
    stage.wait_for(owed, patience=timedelta(seconds=30 + count / 200))
    grown = {name: peak - before[name] for name, peak in watched.peaks().items()}
    reckoned(stage, owed)
    told = ", ".join(f"{name} {before[name]:.0f} + {more:.0f} MB" for name, more in grown.items())
    note(f"{waiting} of {count} times {SIZE // 1000} KB waited at once: {told}")
    assert waiting > count / 2
    assert max(grown.values()) < MOST, told
