"""The judge finds what it is there for, in files that were doctored."""

from datetime import timedelta
from typing import Any

from tests.journeys.aftermath import Span
from tests.journeys.breakage import Outage, lost_leases, unexplained_copies
from tests.journeys.cancels import Answer, contradictions, without_drops
from tests.journeys.judge import Task, copies, due_of, judge, lateness, out_of_order, task_of, unexplained
from tests.support.sink import Received

SECOND = timedelta(seconds=1)


def a_line(number: int, **fields: Any) -> Received:
    whole: dict[str, Any] = {
        "delivery_id": f"dlv_{number:026}",
        "user_id": "u1",
        "attempt": 1,
        "schedule_id": f"sch_{number:026}",
        "occurrence": 1,
        "due_at": f"2026-11-30T17:05:{number:02}Z",
        "channel": "webhook",
        "at": 1_000.0 + number,
        "via": "w1",
    }
    return Received(**(whole | fields))


GOOD = [a_line(number) for number in range(5)]
EXPECTED = {task_of(line) for line in GOOD}


def test_a_file_that_holds_everything_once_is_clean() -> None:
    assert judge(GOOD, EXPECTED).is_clean
    assert judge(GOOD, EXPECTED).resent == []


def test_a_line_that_is_missing_is_lost() -> None:
    verdict = judge(GOOD[1:], EXPECTED)
    assert verdict.lost == {task_of(GOOD[0])}
    assert not verdict.is_clean


def test_each_channel_and_each_occurrence_counts_for_itself() -> None:
    expected = EXPECTED | {Task(GOOD[0].schedule_id, 1, "push"), Task(GOOD[0].schedule_id, 2, "webhook")}
    assert len(judge(GOOD, expected).lost) == 2


def test_a_line_that_nobody_asked_for_is_seen() -> None:
    verdict = judge([*GOOD, a_line(9)], EXPECTED)
    assert verdict.unasked == {task_of(a_line(9))}
    assert not verdict.is_clean


def test_two_ids_for_one_occurrence_and_channel_are_seen() -> None:
    verdict = judge([*GOOD, GOOD[2]._replace(delivery_id="dlv_other")], EXPECTED)
    assert verdict.twice == {task_of(GOOD[2])}
    assert not verdict.is_clean


def test_a_copy_with_the_same_id_is_a_resend_and_no_double() -> None:
    copy = GOOD[2]._replace(attempt=2)
    verdict = judge([*GOOD, copy], EXPECTED)
    assert verdict.is_clean
    assert verdict.resent == [copy] == copies([*GOOD, copy])


def test_a_copy_is_explained_by_the_end_of_its_first_sender_only() -> None:
    first = GOOD[4]
    copy = first._replace(attempt=2, via="w2", at=first.at + 5)

    def found(copy: Received, via: str = "w1", ended_at: float = first.at + 0.1) -> bool:
        return bool(unexplained([*GOOD, copy], via, ended_at, grace=SECOND))

    assert not found(copy)
    assert found(copy, via="w2"), "another one was killed"
    assert found(copy, ended_at=first.at - 1.1), "it was sent after the end"
    assert found(copy, ended_at=first.at + 1.1), "it had time to settle"
    assert found(copy._replace(via="w1")), "the dead sent it"
    assert found(copy._replace(attempt=1)), "the first attempt was not counted"


def test_order_is_by_due_instant_and_id_within_user_and_channel() -> None:
    assert out_of_order(GOOD) == []
    assert out_of_order([GOOD[1], GOOD[0], *GOOD[2:]]) == [GOOD[0]]
    assert out_of_order([GOOD[1], GOOD[0]._replace(user_id="u2")]) == []
    assert out_of_order([GOOD[1], GOOD[0]._replace(channel="push")]) == []
    same = [line._replace(due_at=GOOD[0].due_at) for line in GOOD]
    assert out_of_order([same[1], same[0]]) == [same[0]]
    half = GOOD[0]._replace(due_at="2026-11-30T17:05:00.5Z", delivery_id="dlv_0")
    assert out_of_order([GOOD[0], half]) == []
    assert out_of_order([half, GOOD[0]]) == [GOOD[0]]


def test_a_copy_is_not_out_of_order() -> None:
    assert out_of_order([GOOD[0], GOOD[1], GOOD[0]._replace(attempt=2), GOOD[2]]) == []


def test_lateness_is_counted_from_the_scheduled_instant() -> None:
    late = a_line(0, due_at="1970-01-01T00:16:40.25Z", at=1_000.5)
    assert lateness(late) == timedelta(milliseconds=250)


def test_an_answer_to_a_cancel_is_held_against_the_file() -> None:
    first = GOOD[0]

    def found(answer: Answer, *lines: Received) -> bool:
        return bool(contradictions(lines, [answer]))

    cancelled = Answer(first.schedule_id, "cancelled", 0, 0)
    assert not found(cancelled, *GOOD[1:])
    assert found(cancelled, *GOOD)
    fired = Answer(first.schedule_id, "fired", 1, 1)
    assert not found(fired, first)
    assert not found(fired, first, first._replace(attempt=2)), "a resend is no contradiction"
    assert not found(fired), "it was dropped unsent"
    assert contradictions([], without_drops([fired])), "nobody was told to drop it"
    assert found(fired, first, first._replace(delivery_id="dlv_other"))
    assert found(fired, first, first._replace(delivery_id="dlv_other", channel="push")), "only one was handed over"
    assert found(Answer(first.schedule_id, "expired", 0, 0))


def test_a_copy_is_explained_by_an_outage_of_its_sender_and_by_nothing_else() -> None:
    sent = a_line(0)
    again = a_line(0, via="w2", attempt=2, at=sent.at + 6)
    then = Span(sent.at - 0.5, sent.at + 0.5)
    assert unexplained_copies([sent, again], [Outage(then, via="w1")]) == []
    assert unexplained_copies([sent, again], [Outage(then)]) == []
    for other in (
        Outage(then, via="w2"),
        Outage(Span(sent.at + 1.5, sent.at + 5)),
        Outage(Span(sent.at - 9, sent.at - 1.5)),
    ):
        assert unexplained_copies([sent, again], [other]) == [again]
    # The same attempt again was sent by one who had no right to.
    same = again._replace(attempt=1)
    assert unexplained_copies([sent, same], [Outage(then)]) == [same]


def test_each_copy_needs_an_outage_of_the_one_before_it() -> None:
    lines = [a_line(0, via=f"w{number}", attempt=number, at=1_000.0 + 6 * number) for number in (1, 2, 3)]
    first, second = (Outage(Span(line.at, line.at), via=line.via) for line in lines[:2])
    assert unexplained_copies(lines, [first, second]) == []
    assert unexplained_copies(lines, [first]) == [lines[2]]
    assert unexplained_copies(lines, [second]) == [lines[1]]


def test_a_delivery_waits_for_its_own_leases_and_for_those_before_it_in_its_order() -> None:
    at = due_of(a_line(5)).timestamp()
    first = a_line(1, attempt=3, at=at + 10)
    second = a_line(2, attempt=2, at=at + 15)
    other = a_line(3, user_id="u2", at=at + 15)
    later = a_line(30, at=at + 40)
    lost = lost_leases([first, second, other, later])
    assert [lost[line.delivery_id] for line in (first, second, other, later)] == [2, 3, 0, 0]
