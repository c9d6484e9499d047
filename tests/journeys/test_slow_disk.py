"""A disk on which each commit takes its time: firing goes on, and is late by a few flushes at most."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from tests.journeys.aftermath import reckoned, under_load, wait_for_all
from tests.journeys.judge import lateness
from tests.journeys.preload import built, inherited
from tests.journeys.stage import Stage, note, on_stage, poll, work
from tests.support import cluster

pytestmark = [pytest.mark.fault, pytest.mark.alone]

FLUSHES: Final = 10
"""On the way of one delivery: its accepting, the claim and the settling that its worker was busy with, its claim.

Each waits for the flush that others began before it and for its own, with room for one more. Its firing waits for none.
"""

BUSY: Final = timedelta(seconds=1)
"""What the machine itself may add."""


@dataclass(frozen=True)
class Disk:
    """The knob of the disk, and a stage on it."""

    stage: Stage
    knob: Path

    def takes(self, each: timedelta) -> None:
        """Let everything that waits for the disk take so much longer from now on."""
        self.knob.write_text(str(round(each / timedelta(milliseconds=1))))

    def commit_takes(self) -> timedelta:
        """How long a commit takes, seen by a caller."""
        began = time.monotonic()
        self.stage.connection.execute("create table if not exists touched (at timestamptz)")
        self.stage.connection.execute("insert into touched values (clock_timestamp())")
        return timedelta(seconds=time.monotonic() - began)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    folder = tmp_path_factory.mktemp("disk")
    knob = Path("/dev/shm") / f"gnomon-slow-sync-{folder.parent.name}-{folder.name}"  # noqa: S108  # the server's account reads it
    knob.write_text("0")
    library = built(folder, "slow_sync")
    open_library = knob.with_suffix(".so")
    open_library.write_bytes(library.read_bytes())
    open_library.chmod(0o755)
    try:
        with (
            inherited(LD_PRELOAD=str(open_library), SLOW_SYNC=str(knob)),
            cluster.running_server(fsync="on", synchronous_commit="on") as server,
        ):
            template = cluster.load_template(server)
            with server.database(template) as url, on_stage(url, folder) as stage:
                stage.start(poll("p1"), poll("p2"), work("w1"), work("w2"))
                yield Disk(stage, knob)
    finally:
        knob.unlink()
        open_library.unlink()


def late_by(disk: Disk, each: timedelta, seconds: float, name: str) -> timedelta:
    """The worst lateness of a load during which each commit takes so long."""
    stage, before = disk.stage, len(disk.stage.received())
    disk.takes(each)
    assert disk.commit_takes() >= each
    with under_load(stage, name, callers=4) as load:
        time.sleep(seconds)
    wait_for_all(stage, load.owed())
    disk.takes(timedelta())
    received = reckoned(stage, load.owed(), before=before)
    assert len(received) == len(load.accepted)
    latest = max(lateness(line) for line in received)
    note(
        f"each flush {each.total_seconds():g} s longer: {len(received)} sent, the latest {latest.total_seconds():.3f} s late"
    )
    return latest


def test_lateness_is_bounded_by_the_time_of_a_flush(disk: Disk) -> None:
    each = timedelta(milliseconds=150)
    assert late_by(disk, each, 3, "slow") <= FLUSHES * each + BUSY


@pytest.mark.long
@pytest.mark.parametrize("milliseconds", [50, 200, 500])
def test_lateness_stays_bounded_for_half_a_minute(disk: Disk, milliseconds: int) -> None:
    each = timedelta(milliseconds=milliseconds)
    assert late_by(disk, each, 30, f"slow{milliseconds}") <= FLUSHES * each + BUSY
