"""The receiver writes down exactly what it answers with 2xx."""

import asyncio
import json
from pathlib import Path

import aiohttp
import pytest

from gnomon.children.child import Child
from gnomon.demo.receipts import Receipts
from gnomon.settings import surroundings
from tests.app.demo.given import DUE


def event(delivery_id: str) -> bytes:
    data = {"schedule_id": "sch_1", "occurrence": 3, "channel": "push", "due_at": "2026-11-30T12:00:00Z", "params": {"a": 1}}
    return json.dumps({"specversion": "1.0", "id": delivery_id, "data": data}).encode()


@pytest.mark.anyio
async def test_it_writes_what_it_takes_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "received.jsonl"
    sink = Child("sink", ["-m", "gnomon.demo.sink", str(file)], surroundings(), lambda *_: None)
    await sink.start()
    try:
        address = await sink.address()
        async with aiohttp.ClientSession() as session:

            async def post(body: bytes) -> int:
                async with session.post(address, data=body) as answer:
                    return answer.status

            assert await asyncio.gather(*(post(event(f"dlv_{number}")) for number in range(20))) == [204] * 20
            assert await post(b"no event") == 400
            assert await post(b'{"id": "dlv_x"}') == 400
            # An answer has been sent, so the line is there: nothing waits in a buffer.
            found = Receipts(file).read()
        assert {receipt.delivery_id for receipt in found} == {f"dlv_{number}" for number in range(20)}
        assert (found[0].schedule_id, found[0].occurrence, found[0].channel, found[0].due_at) == ("sch_1", 3, "push", DUE)
        assert found[0].received_at.tzinfo is not None
    finally:
        await sink.stop()
    assert sink.code == 0
