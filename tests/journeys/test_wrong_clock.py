"""Processes on a machine whose clock is 5 s off: they say that they are not ready, and fire and send as if nothing were."""

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import pytest

from tests.journeys.aftermath import reckoned, under_load, wait_for_all
from tests.journeys.judge import lateness
from tests.journeys.preload import built
from tests.journeys.serving import asked, running_api
from tests.journeys.stage import Stage, note, on_stage, poll, work
from tests.support.cluster import Server

pytestmark = [pytest.mark.fault, pytest.mark.alone]

OFF: Final = timedelta(seconds=5)
LATEST: Final = timedelta(seconds=1)


@dataclass(frozen=True)
class Odd:
    """The stage, and the probes of the processes whose clocks are wrong, by name, with how far each is ahead."""

    stage: Stage
    probes: dict[str, tuple[str, timedelta]]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def odd(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Odd]:
    folder = tmp_path_factory.mktemp("odd")
    library = str(built(folder, "other_clock"))

    def wrong(ahead: timedelta) -> dict[str, str]:
        return {"LD_PRELOAD": library, "CLOCK_AHEAD_MS": str(round(ahead / timedelta(milliseconds=1)))}

    ports = {name: (free_port(), ahead) for name, ahead in (("fast", OFF), ("slow", -OFF), ("worker", -OFF))}
    with server.database(template) as url, on_stage(url, folder) as stage:
        stage.start(
            *(
                (work if name == "worker" else poll)(name, "--listen", f"127.0.0.1:{port}", **wrong(ahead))
                for name, (port, ahead) in ports.items()
            )
        )
        with running_api(folder, GNOMON_DATABASE_URL=url, **wrong(OFF)) as api:
            probes = {name: (f"http://127.0.0.1:{port}/readyz", ahead) for name, (port, ahead) in ports.items()}
            yield Odd(stage, probes | {"api": (api.address + "/readyz", OFF)})


def test_all_say_that_they_are_not_ready_and_by_how_much(odd: Odd) -> None:
    for name, (address, ahead) in odd.probes.items():
        status, answer = asked(address)
        assert status == 503, name
        assert "clock" in json.dumps(answer), answer
        if name != "api":
            assert abs(answer["clock_skew_ms"] - ahead / timedelta(milliseconds=1)) < 100, answer


def test_nothing_is_early_or_late_or_twice_by_their_clocks(odd: Odd) -> None:
    stage, before = odd.stage, len(odd.stage.received())
    with under_load(stage, "odd") as load:
        time.sleep(2.5)
    wait_for_all(stage, load.owed())
    received = reckoned(stage, load.owed(), before=before)
    assert len(received) == len(load.accepted)
    late = [lateness(line) for line in received]
    note(f"clocks 5 s off: {len(received)} sent, lateness {min(late)} to {max(late)}")
    assert min(late) >= timedelta()
    assert max(late) <= LATEST
