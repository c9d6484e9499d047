"""`gnomon up`: everything from one command, kept running, and ended in good order or at once."""

import json
import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import is_alive, parent_of
from tests.support.races import wait_until
from tests.support.roles import GNOMON
from tests.support.sink import running_sink


@dataclass(frozen=True)
class House:
    """A running `gnomon up`."""

    process: subprocess.Popen[str]
    address: str
    log: Path

    def schedule(self, user_id: str) -> None:
        """Schedule something that is due at once."""
        body = json.dumps({"user_id": user_id, "template_id": "hello", "schedule_at": "PT0S"}).encode()
        url = f"{self.address}/v1/notifications/schedule"
        asked = urllib.request.Request(url, body, {"content-type": "application/json"})  # noqa: S310  # ours
        with urllib.request.urlopen(asked, timeout=5) as answer:  # noqa: S310  # ours
            assert answer.status == 201

    def child(self, role: str) -> int:
        """Process id of the child that plays this role."""
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        ours = [pid for pid in pids if is_alive(pid) and parent_of(pid) == self.process.pid]
        (found,) = [pid for pid in ours if role.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]
        return found

    def lines(self) -> list[dict[str, Any]]:
        """What was logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def house(folder: Path, **told: str) -> Iterator[House]:
    """Bring it up with nothing but these GNOMON_* variables, and kill it with the block."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251  # a child's
    log = folder / "log"
    command = [GNOMON, "up", "--data", str(folder / "data"), "--listen", "127.0.0.1:0"]
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, env=environment | told, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            first = process.stdout.readline().split()
            assert first, log.read_text()
            yield House(process, first[1], log)
        finally:
            process.kill()


@pytest.mark.skipif("not __import__('pathlib').Path('/proc/self').exists()", reason="children are looked up in /proc")
def test_a_killed_worker_is_replaced_and_all_end_in_good_order(open_folder: Path) -> None:
    with (
        running_sink(open_folder) as sink,
        house(open_folder, GNOMON_WEBHOOK_URL=sink.url, GNOMON_WEBHOOK_PRIVATE="on", GNOMON_LEASE="PT5S") as up,
    ):
        up.schedule("u_1")
        wait_until(lambda: len(sink.received()) == 1, "the first one arrived")
        killed = up.child("work")
        os.kill(killed, signal.SIGKILL)
        up.schedule("u_2")
        wait_until(lambda: len(sink.received()) == 2, "the second one arrived by another worker")
        children = [up.child(role) for role in ("serve", "poll", "work")]
        assert killed not in children
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(20) == 0
        assert not any(map(is_alive, children))
    said = [line["event"] for line in up.lines() if line["role"] == "up"]
    assert said == ["worker ended with exit code -9 and starts again in 0.5 s", "stopping; once more to kill"]


def test_a_second_signal_kills_what_does_not_end(open_folder: Path) -> None:
    with (
        running_sink(open_folder) as sink,
        house(open_folder, GNOMON_WEBHOOK_URL=sink.url, GNOMON_WEBHOOK_PRIVATE="on") as up,
    ):
        sink.behave(hangs=True)
        up.schedule("u_1")
        wait_until(lambda: sink.asked_count() == 1, "the receiver was asked")
        up.process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            up.process.wait(1)
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(10) == 1


def test_an_api_that_cannot_listen_is_told_and_ends_it_all(open_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [GNOMON, "up", "--data", str(open_folder / "data"), "--listen", f"127.0.0.1:{taken.getsockname()[1]}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "api ended with exit code 1 before it was ready" in done.stderr
    assert "in use" in done.stderr.splitlines()[-1]
