"""The account: every fault that could be planted in the sink's file is found, and nothing else is."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from gnomon.demo.book import Ended, Promise
from gnomon.demo.clocks import Clock
from gnomon.demo.receipts import Receipt
from gnomon.demo.report import Report, lateness_of, report
from tests.app.demo.given import DUE, LATER, UNTIL, promise, receipt

CANCELLED = Ended(status="cancelled", fired_count=0)
SECOND = timedelta(seconds=1)


def account(promises: Sequence[Promise], receipts: Sequence[Receipt], **given: object) -> Report:
    return report(promises, receipts, until_utc=UNTIL, **given)  # type: ignore[arg-type]


def counts(found: Report) -> dict[str, int]:
    names = ("accepted", "delivered", "cancelled", "pending", "lost", "twice", "resent", "contradictions")
    return {name: count for name in names if (count := getattr(found, name))}


def test_a_clean_run() -> None:
    promises = [
        promise("sch_1"),
        promise("sch_2", "push", "email"),
        promise("sch_3", next_at=LATER),
        promise("sch_4", ended=CANCELLED),
    ]
    receipts = [
        receipt("dlv_1", "sch_1"),
        receipt("dlv_2", "sch_2", channel="push"),
        receipt("dlv_3", "sch_2", channel="email"),
    ]
    found = account(promises, receipts)
    assert counts(found) == {"accepted": 4, "delivered": 2, "cancelled": 1, "pending": 1}
    assert found.is_kept
    assert found.findings == ()


def test_what_did_not_arrive_is_lost() -> None:
    found = account([promise("sch_1"), promise("sch_2")], [receipt("dlv_2", "sch_2")])
    assert counts(found) == {"accepted": 2, "delivered": 1, "lost": 1}
    assert not found.is_kept
    assert "sch_1" in found.findings[0]


def test_one_of_two_channels_missing_is_lost() -> None:
    found = account([promise("sch_1", "push", "email")], [receipt(channel="push")])
    assert counts(found) == {"accepted": 1, "lost": 1}


def test_two_ids_for_one_occurrence_and_channel_is_twice() -> None:
    found = account([promise()], [receipt("dlv_1"), receipt("dlv_2")])
    assert counts(found) == {"accepted": 1, "delivered": 1, "twice": 1}
    assert not found.is_kept
    assert "dlv_1, dlv_2" in found.findings[0]


def test_one_id_seen_again_is_resent_and_breaks_nothing() -> None:
    found = account([promise()], [receipt(), receipt(), receipt(late=SECOND)])
    assert counts(found) == {"accepted": 1, "delivered": 1, "resent": 1}
    assert found.is_kept


def test_two_occurrences_are_two_deliveries() -> None:
    twice_due = promise(fired_count=1, next_at=DUE + SECOND, earlier=frozenset({DUE}))
    receipts = [receipt("dlv_1"), receipt("dlv_2", occurrence=2, due_at=DUE + SECOND)]
    assert counts(account([twice_due], receipts)) == {"accepted": 1, "delivered": 1}
    assert counts(account([twice_due], receipts[:1])) == {"accepted": 1, "lost": 1}


def test_what_was_fired_before_a_change_is_owed_and_what_comes_later_is_not() -> None:
    moved = promise(fired_count=1, next_at=LATER, earlier=frozenset({DUE}))
    assert counts(account([moved], [receipt()])) == {"accepted": 1, "delivered": 1}
    assert counts(account([moved], [])) == {"accepted": 1, "lost": 1}


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ([receipt()], "although its cancel answered cancelled"),
        ([receipt(), receipt()], "although its cancel answered cancelled"),
    ],
)
def test_what_was_cancelled_and_arrived_is_a_contradiction(planted: list[Receipt], words: str) -> None:
    found = account([promise(ended=CANCELLED)], planted)
    assert found.contradictions == 1
    assert not found.is_kept
    assert words in found.findings[-1]


def test_a_recurrence_cancelled_after_its_first_occurrence_has_arrived_once() -> None:
    ended = promise(next_at=LATER, earlier=frozenset({DUE}), ended=replace(CANCELLED, fired_count=1))
    assert counts(account([ended], [receipt()])) == {"accepted": 1, "cancelled": 1}
    assert counts(account([ended], [])) == {"accepted": 1, "lost": 1}


@pytest.mark.parametrize(
    ("handed_over", "stopped", "arrived", "expected"),
    [
        (1, 0, 1, {"delivered": 1}),
        (1, 0, 0, {"lost": 1}),
        (1, 1, 1, {"delivered": 1}),
        (1, 1, 0, {"cancelled": 1}),
        (0, 0, 1, {"delivered": 1, "contradictions": 1}),
    ],
)
def test_a_cancel_that_came_too_late(handed_over: int, stopped: int, arrived: int, expected: dict[str, int]) -> None:
    ended = Ended(status="fired", fired_count=1, handed_over_count=handed_over, stopped_count=stopped)
    found = account([promise(ended=ended)], [receipt()] * arrived)
    assert counts(found) == {"accepted": 1, **expected}


def test_a_repeated_cancel_may_speak_of_the_earlier_try() -> None:
    ended = Ended(status="fired", fired_count=1, handed_over_count=1, is_repeated=True)
    assert account([promise(ended=ended)], []).is_kept
    assert account([promise(ended=ended)], [receipt()]).is_kept


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (receipt("dlv_9", "sch_9"), "promised to nobody"),
        (receipt(channel="sms"), "sms, which nobody asked for"),
        (receipt(due_at=DUE - SECOND), "an instant that no answer named"),
        (receipt(late=-SECOND), "before it was due"),
    ],
)
def test_what_nobody_was_promised_is_a_contradiction(planted: Receipt, words: str) -> None:
    found = account([promise()], [planted])
    assert found.contradictions == 1
    assert not found.is_kept
    assert any(words in finding for finding in found.findings)


def test_one_arrival_too_many_is_a_contradiction() -> None:
    found = account([promise()], [receipt(), receipt("dlv_2", occurrence=2)])
    assert counts(found) == {"accepted": 1, "delivered": 1, "contradictions": 1}
    assert "arrived 2 times, 1 were due" in found.findings[0]


def test_an_answer_nobody_should_have_got_is_a_contradiction() -> None:
    found = account([promise()], [receipt()], refusals=["daily was refused: no such zone"])
    assert found.contradictions == 1
    assert not found.is_kept


def test_the_offset_of_the_clocks_is_taken_out() -> None:
    ahead = Clock(offset=timedelta(seconds=3), uncertainty=timedelta(milliseconds=1))
    found = account([promise()], [receipt(late=timedelta(seconds=3, milliseconds=20))], clock=ahead)
    assert found.lateness_ms.max == 20.0
    assert found.is_kept
    assert not account([promise()], [receipt(late=timedelta(seconds=2))], clock=ahead).is_kept


def test_the_first_arrival_counts_and_the_warm_up_does_not() -> None:
    promises = [promise(), replace(promise("sch_2"), is_warm_up=True)]
    receipts = [receipt(), receipt(late=5 * SECOND), receipt("dlv_2", "sch_2", late=3 * SECOND)]
    found = account(promises, receipts)
    assert found.lateness_ms.max == 40.0
    assert found.delivered == 2


def test_percentiles_are_of_all_samples_by_nearest_rank() -> None:
    late = lateness_of([timedelta(milliseconds=number) for number in range(1, 101)])
    assert (late.p50, late.p95, late.p99, late.max) == (50.0, 95.0, 99.0, 100.0)
    assert lateness_of([SECOND]).p50 == 1000.0
    assert lateness_of([]).p50 is None


def test_every_schedule_is_exactly_one_thing() -> None:
    promises = [
        promise("sch_1"),
        promise("sch_2"),
        promise("sch_3", next_at=LATER),
        promise("sch_4", ended=CANCELLED),
        promise("sch_5", next_at=None),
    ]
    found = account(promises, [receipt("dlv_1", "sch_1")])
    assert found.accepted == found.delivered + found.cancelled + found.pending + found.lost == 5
