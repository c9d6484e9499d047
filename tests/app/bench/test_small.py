"""Each benchmark of the SQL core runs at its smallest and judges no times; what the floor must not do is caught."""

import asyncio
import json
from pathlib import Path

import pytest

from gnomon import cli
from gnomon.bench import floor
from gnomon.bench.life import batches, hands
from gnomon.database.call import rows
from gnomon.database.pool import open_pool

_FORGET_ONE = """
delete from gnomon_bench.due_1 where subject_id = (select d.subject_id from gnomon_bench.due_1 as d limit 1)"""

#: Bars that any size has to meet.
_ALWAYS_JUDGED = {"cancel": 2, "lanes": 1}


@pytest.mark.fault
@pytest.mark.parametrize("name", ["peak", "depth", "horizon", "idle", "cancel", "lanes"])
def test_small_runs(
    name: str, database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)
    code = cli.run(["bench", name, "--small", "--json", "--out", str(tmp_path)])
    told = capsys.readouterr()

    assert code == 0, told.err
    found = json.loads(told.out)
    # What must never happen is judged at any size.
    assert (found["name"], len(found["bars"]), found["passed"]) == (name, _ALWAYS_JUDGED.get(name, 0), True)
    assert found["lines"]
    assert found["notes"]
    assert (tmp_path / f"{name}.svg").is_file()


def test_a_life_ends_and_the_floor_moves_the_same_rows(database_url: str) -> None:
    asyncio.run(_live(database_url))


async def _live(url: str) -> None:
    async with open_pool(url, min_size=1, max_size=2, application_name="test") as pool, hands(url, 2) as made:
        lived = await asyncio.gather(*(hand.live(batches(hand, 40)) for hand in made))
        assert lived == [40, 40]
        await floor.clear_logs(pool)
        async with hands(url, 1) as (whole,):
            await floor.prepare(pool, whole, 100, [1])
            await floor.live(whole, 0, 1, with_claim=True)
            await floor.check(pool, 100)
            await floor.clear_logs(pool)
            await rows(pool, _FORGET_ONE)
            await floor.live(whole, 0, 1)
            with pytest.raises(floor.FloorLeaks):
                await floor.check(pool, 100)
        await floor.forget(pool)
