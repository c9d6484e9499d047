import asyncio
import os
from collections.abc import Iterator
from datetime import timedelta

import anyio
import pytest

from gnomon.settings import Settings
from gnomon_pollers.channels import log
from gnomon_pollers.channels.channel import Verdict
from gnomon_pollers.channels.log import LogChannel
from gnomon_pollers.claims import Claim, steady
from tests.pollers.test_claims import a_claim

pytestmark = pytest.mark.anyio


def fresh_claim(event: bytes) -> Claim:
    now = steady()
    return a_claim(asked_at=now, ends_at=now + timedelta(seconds=30), event=event)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Standard output, as a pipe that the test reads."""
    read, write = os.pipe()
    monkeypatch.setattr(log, "STANDARD_OUTPUT", write)
    yield read, write
    os.close(read)


async def test_each_event_is_one_line(pipe: tuple[int, int]) -> None:
    channel = LogChannel(Settings())
    await channel.open()
    claims = [fresh_claim(b'{"n":%d}' % number) for number in range(300)]
    answers = await asyncio.gather(*(channel.send(claim) for claim in claims))
    assert {answer.verdict for answer in answers} == {Verdict.SENT}
    await channel.close()
    lines = os.read(pipe[0], 65_536).splitlines()
    assert sorted(lines) == sorted(b'{"n":%d}' % number for number in range(300))
    os.close(pipe[1])


async def test_a_reader_that_stopped_blocks_no_other_work_and_ends_as_unclear(pipe: tuple[int, int]) -> None:
    channel = LogChannel(Settings())
    await channel.open()
    claim = fresh_claim(b"x" * 200_000)  # more than a pipe holds
    with anyio.move_on_after(0.1) as scope:
        await channel.send(claim)
    assert scope.cancelled_caught
    assert claim.has_begun
    os.set_blocking(pipe[0], False)
    while True:  # let the thread go on, so that it ends
        try:
            if os.read(pipe[0], 65_536).endswith(b"\n"):
                break
        except BlockingIOError:
            await anyio.sleep(0.01)
    await channel.close()
    os.close(pipe[1])


async def test_an_output_that_is_gone_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(read)
    monkeypatch.setattr(log, "STANDARD_OUTPUT", write)
    channel = LogChannel(Settings())
    await channel.open()
    with pytest.raises(BrokenPipeError):
        await channel.send(fresh_claim(b"{}"))
    await channel.close()
    os.close(write)
