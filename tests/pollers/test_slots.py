import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from gnomon.settings import Settings
from gnomon_pollers.channels.channel import Answer, Verdict
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.slots import MOST_WAITING, Slots
from tests.pollers.test_claims import a_claim

pytestmark = pytest.mark.anyio

Send = Callable[[Claim], Awaitable[Answer]]


class FakeChannel:
    """Does what the test says."""

    def __init__(self, _settings: Settings | None = None, *, send: Send | None = None, timeout: float = 10) -> None:
        """Send by `send`, or at once."""
        self.timeout = timedelta(seconds=timeout)
        self.sent: list[str] = []
        self._send = send

    async def open(self) -> None:
        return

    async def close(self) -> None:
        return

    async def send(self, claim: Claim) -> Answer:
        self.sent.append(claim.delivery_id)
        if self._send is None:
            claim.begin()
            return Answer(Verdict.SENT)
        return await self._send(claim)


class Heard:
    """Remembers what it is told."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.answers: dict[str, Answer] = {}
        self.back: list[str] = []

    def ended(self, claim: Claim, answer: Answer, took: timedelta) -> None:
        assert took >= timedelta()
        self.answers[claim.delivery_id] = answer

    def given_up(self, claim: Claim) -> None:
        self.back.append(claim.delivery_id)


def fresh(number: int, lease: float = 30) -> Claim:
    now = steady()
    return a_claim(delivery_id=f"dlv_{number}", asked_at=now, ends_at=now + timedelta(seconds=lease))


async def forever(claim: Claim) -> Answer:
    claim.begin()
    await asyncio.Event().wait()
    raise AssertionError


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110  # what is waited for sets no event
            await asyncio.sleep(0.001)


async def test_what_has_ended_counts_no_more_when_its_end_is_told() -> None:
    held: list[int] = []

    class Counts(Heard):
        def ended(self, claim: Claim, answer: Answer, took: timedelta) -> None:
            super().ended(claim, answer, took)
            held.append(slots.held)

    slots = Slots(FakeChannel(), 2, Counts())
    slots.accept([fresh(number) for number in range(3)])
    await until(lambda: len(held) == 3)
    assert held == [2, 1, 0]


async def test_what_may_not_start_any_more_is_given_up_and_what_runs_goes_on() -> None:
    gate = asyncio.Event()

    async def gated(_claim: Claim) -> Answer:
        await gate.wait()
        return Answer(Verdict.SENT)

    channel, heard = FakeChannel(send=gated), Heard()
    slots = Slots(channel, 2, heard, lambda: not gate.is_set())
    slots.accept([fresh(number) for number in range(5)])
    await until(lambda: len(channel.sent) == 2)
    gate.set()
    await until(lambda: slots.held == 0)
    assert heard.answers.keys() == {"dlv_0", "dlv_1"}
    assert heard.back == ["dlv_2", "dlv_3", "dlv_4"]


async def test_as_many_run_as_there_are_slots_and_the_rest_in_order() -> None:
    gates = {f"dlv_{number}": asyncio.Event() for number in range(5)}

    async def gated(claim: Claim) -> Answer:
        await gates[claim.delivery_id].wait()
        return Answer(Verdict.SENT)

    channel, heard = FakeChannel(send=gated), Heard()
    slots = Slots(channel, 2, heard)
    slots.accept([fresh(number) for number in range(5)])
    await until(lambda: len(channel.sent) == 2)
    assert slots.held == 5
    gates["dlv_1"].set()
    await until(lambda: len(channel.sent) == 3)
    assert channel.sent == ["dlv_0", "dlv_1", "dlv_2"]
    for gate in gates.values():
        gate.set()
    await until(lambda: slots.held == 0)
    assert set(heard.answers) == set(gates)


async def test_what_waited_until_its_lease_was_short_is_not_sent() -> None:
    channel, heard = FakeChannel(send=forever, timeout=0.2), Heard()
    slots = Slots(channel, 1, heard)
    slots.accept([fresh(0), fresh(1, lease=0.3), fresh(2)])
    await until(lambda: "dlv_0" in heard.answers)
    await until(lambda: "dlv_2" in heard.answers)
    assert heard.back == ["dlv_1"]
    assert channel.sent == ["dlv_0", "dlv_2"]


async def test_the_late_are_given_up_while_all_slots_hang() -> None:
    slots = Slots(FakeChannel(send=forever), 1, heard := Heard())
    slots.accept([fresh(0), fresh(1, lease=10.01), fresh(2)])
    await asyncio.sleep(0.02)
    slots.drop_late()
    assert heard.back == ["dlv_1"]
    await slots.cut()


async def test_a_cancelled_delivery_that_waits_is_dropped_and_one_that_runs_goes_on() -> None:
    slots = Slots(FakeChannel(send=forever), 1, heard := Heard())
    slots.accept([fresh(0), fresh(1)])
    await asyncio.sleep(0)
    slots.drop("dlv_1")
    slots.drop("dlv_0")
    slots.drop("dlv_9")
    assert heard.back == ["dlv_1"]
    assert slots.held == 1
    await slots.cut()


async def test_a_cut_is_unclear_once_a_byte_may_have_left_and_nothing_before() -> None:
    async def connecting(claim: Claim) -> Answer:
        await asyncio.Event().wait()
        claim.begin()
        raise AssertionError

    heard = Heard()
    begun, not_begun = Slots(FakeChannel(send=forever), 8, heard), Slots(FakeChannel(send=connecting), 8, heard)
    begun.accept([fresh(0)])
    not_begun.accept([fresh(1)])
    await asyncio.sleep(0.01)
    not_begun.accept([fresh(2)])  # not even its first step is taken
    await begun.cut()
    await not_begun.cut()
    assert heard.answers["dlv_0"].verdict is Verdict.UNCLEAR
    assert sorted(heard.back) == ["dlv_1", "dlv_2"]


async def test_a_channel_that_does_not_answer_in_time_is_cut() -> None:
    async def slow_to_connect(_claim: Claim) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    heard = Heard()
    Slots(FakeChannel(send=forever, timeout=0.02), 8, heard).accept([fresh(0)])
    Slots(FakeChannel(send=slow_to_connect, timeout=0.02), 8, heard).accept([fresh(1)])
    await until(lambda: len(heard.answers) == 2)
    assert heard.answers["dlv_0"] == Answer(Verdict.UNCLEAR, detail="no answer within 0.02 s")
    assert heard.answers["dlv_1"].verdict is Verdict.TRANSIENT


async def test_whatever_a_channel_raises_is_an_end_of_its_attempt() -> None:
    async def before(_claim: Claim) -> Answer:
        raise ZeroDivisionError("oh")

    async def after(claim: Claim) -> Answer:
        claim.begin()
        raise ConnectionResetError("gone")

    heard = Heard()
    Slots(FakeChannel(send=before), 8, heard).accept([fresh(0)])
    Slots(FakeChannel(send=after), 8, heard).accept([fresh(1)])
    await until(lambda: len(heard.answers) == 2)
    assert heard.answers["dlv_0"] == Answer(Verdict.TRANSIENT, detail="ZeroDivisionError: oh")
    assert heard.answers["dlv_1"] == Answer(Verdict.UNCLEAR, detail="ConnectionResetError: gone")


async def test_a_lease_that_ended_while_connecting_is_no_attempt() -> None:
    async def late(claim: Claim) -> Answer:
        claim.ends_at = steady()
        claim.begin()
        raise AssertionError

    Slots(FakeChannel(send=late), 8, heard := Heard()).accept([fresh(0)])
    await until(lambda: heard.back == ["dlv_0"])
    assert not heard.answers


async def test_no_more_is_claimed_than_about_a_second_sends() -> None:
    async def takes_10_ms(claim: Claim) -> Answer:
        claim.begin()
        await asyncio.sleep(0.01)
        return Answer(Verdict.SENT)

    slots = Slots(FakeChannel(send=takes_10_ms), 4, Heard())
    assert slots.room == 4
    slots.accept([fresh(number) for number in range(40)])
    await until(lambda: slots.held == 0)
    assert 40 < slots.room <= 400
    slots.accept([fresh(number) for number in range(40)])
    assert 0 < slots.room <= 360
    await until(lambda: slots.held == 0)


async def test_a_receiver_that_begins_to_hang_is_noticed_before_an_attempt_ends() -> None:
    async def at_once(_claim: Claim) -> Answer:
        return Answer(Verdict.SENT) if hanging.is_set() is False else await forever(_claim)

    hanging = asyncio.Event()
    slots = Slots(FakeChannel(send=at_once), 4, Heard())
    slots.accept([fresh(number) for number in range(40)])
    await until(lambda: slots.held == 0)
    assert slots.room == MOST_WAITING
    hanging.set()
    slots.accept([fresh(number) for number in range(4)])
    await asyncio.sleep(0.1)
    assert slots.room <= 40
    await slots.cut()
