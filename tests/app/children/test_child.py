"""Processes of ours: what they say, how they end, and that they end with us."""

import asyncio
import signal
import subprocess
import sys
from datetime import timedelta

import pytest

from gnomon.children.child import Child, ChildEnded, Hear, State
from gnomon.settings import surroundings
from tests.support.processes import is_alive
from tests.support.races import wait_until

SAYS = 'import json, sys, time; print(json.dumps({"address": "http://x"}), flush=True); '
SLEEPS = SAYS + "time.sleep(60)"

pytestmark = pytest.mark.anyio


def child(code: str, hear: Hear = lambda *_: None) -> Child:
    return Child("role", ["-c", code], surroundings(), hear)


async def test_it_says_where_it_answers_and_is_stopped() -> None:
    role = child(SLEEPS)
    seen = [role.state]
    await role.start()
    assert await role.address() == "http://x"
    seen.append(role.state)
    await role.stop()
    assert [*seen, role.state] == [State.WAITING, State.RUNNING, State.ENDED]
    assert role.code == -signal.SIGTERM


async def test_one_that_ends_before_it_is_ready_shows_its_last_lines() -> None:
    role = child("import sys; print('no such thing', file=sys.stderr); sys.exit(3)")
    await role.start()
    with pytest.raises(ChildEnded, match="exit code 3") as caught:
        await role.address()
    assert "no such thing" in caught.value.hint


async def test_a_killed_one_can_be_started_again() -> None:
    role = child(SLEEPS)
    await role.start()
    first = role.pid
    await role.kill()
    assert (role.state, role.code) == (State.KILLED, -signal.SIGKILL)
    await role.start()
    assert role.pid != first
    assert (role.state, role.starts) == (State.RUNNING, 2)
    await role.kill()


async def test_one_that_does_not_listen_is_killed() -> None:
    role = child("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPS)
    await role.start()
    await role.address()
    await role.stop(timedelta(milliseconds=200))
    assert role.state is State.KILLED


async def test_every_line_is_heard_before_the_end_is() -> None:
    heard: list[tuple[bool, str]] = []
    lines = "import sys; [print(n) for n in range(100)]; print('last', file=sys.stderr)"
    role = child(lines, lambda _name, is_error, line: heard.append((is_error, line)))
    await role.start()
    await role.wait()
    assert [line for is_error, line in heard if not is_error] == [str(number) for number in range(100)]
    assert (True, "last") in heard


async def test_it_knows_nothing_of_our_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_API_TOKENS", "secret")
    heard: list[str] = []
    code = "import os; print([name for name in os.environ if name.startswith('GNOMON_')])"
    role = child(code, lambda _name, _is_error, line: heard.append(line))
    await role.start()
    await role.wait()
    assert heard == ["[]"]


@pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux tells a process that its parent is gone")
async def test_it_ends_when_we_are_killed() -> None:
    parent = f"""
import asyncio
from gnomon.children.child import Child
from gnomon.settings import surroundings

async def main():
    role = Child("role", ["-c", {SLEEPS!r}], surroundings(), lambda *_: None)
    await role.start()
    await role.address()
    print(role.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""
    process = await asyncio.to_thread(subprocess.Popen, [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        pid = int(await asyncio.to_thread(process.stdout.readline))
        assert is_alive(pid)
        process.kill()
    wait_until(lambda: not is_alive(pid), "the child has ended")
