"""Who ends without being asked to is started again."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from gnomon.children.child import Child, ChildEnded
from gnomon.children.keep import Pauses, keep
from gnomon.settings import surroundings
from tests.support.races import wait_until

pytestmark = pytest.mark.anyio

QUICK = Pauses(first=timedelta(milliseconds=10), longest=timedelta(milliseconds=20))


async def started(code: str) -> Child:
    child = Child("role", ["-c", code], surroundings(), lambda *_: None)
    await child.start()
    return child


async def test_it_is_started_again_until_the_end_is_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    stop = asyncio.Event()
    file = tmp_path / "starts"
    child = await started(f"open({str(file)!r}, 'a').write('x'); raise SystemExit(1)")
    keeping = asyncio.create_task(keep(child, stop, said.append, QUICK))
    await asyncio.to_thread(wait_until, lambda: child.starts >= 3, "it has been started again twice")
    stop.set()
    await child.kill()
    await asyncio.wait_for(keeping, 5)
    assert "role ended with exit code 1 and starts again in 0.01 s" in said
    assert "role ended with exit code 1 and starts again in 0.02 s" in said, "pauses grow"
    assert len(file.read_text()) >= 2


async def test_wrong_use_is_not_repeated() -> None:
    child = await started("raise SystemExit(2)")
    with pytest.raises(ChildEnded, match="exit code 2"):
        await keep(child, asyncio.Event(), lambda _: None, QUICK)
    assert child.starts == 1


async def test_one_that_was_asked_to_end_stays_ended() -> None:
    stop = asyncio.Event()
    child = await started("import time; time.sleep(60)")
    keeping = asyncio.create_task(keep(child, stop, lambda _: None, QUICK))
    stop.set()
    await child.stop()
    await asyncio.wait_for(keeping, 5)
    assert child.starts == 1
