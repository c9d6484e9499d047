from datetime import timedelta
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from gnomon_pollers.channels.channel import Answer, Verdict
from gnomon_pollers.pauses import LONGEST_QUIET, Pauses

CRITICAL, TRANSACTIONAL, BULK = range(3)
LANES = (CRITICAL, TRANSACTIONAL, BULK)
SENDER = "webhook"
NOW = timedelta(hours=1)
SECOND = timedelta(seconds=1)


def throttled(wait: timedelta | None) -> Answer:
    return Answer(Verdict.THROTTLED, detail="HTTP 429", retry_after=wait)


UNAUTHORISED = Answer(Verdict.UNAUTHORISED, detail="HTTP 401")
SENT = Answer(Verdict.SENT)


def rooms(pauses: Pauses, at: timedelta, sender: str = SENDER) -> list[int | None]:
    return [pauses.room(sender, lane, at) for lane in LANES]


@pytest.mark.parametrize(
    "answer",
    [SENT, Answer(Verdict.TRANSIENT), Answer(Verdict.UNCLEAR), Answer(Verdict.GONE), throttled(None), throttled(0 * SECOND)],
)
def test_most_answers_hold_back_nobody(answer: Answer) -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", answer, NOW, NOW)
    assert rooms(pauses, NOW) == [None] * 3


def test_who_asks_for_quiet_has_it_but_for_critical() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", throttled(40 * SECOND), NOW, NOW)

    assert rooms(pauses, NOW + 39 * SECOND) == [None, 0, 0]
    assert rooms(pauses, NOW + 39 * SECOND, "email") == [None] * 3
    assert [pauses.may_start(SENDER, lane, NOW + 39 * SECOND) for lane in LANES] == [True, False, False]
    assert rooms(pauses, NOW + 51 * SECOND) == [None, 1, 1], "40 s and a quarter at most"


def test_processes_that_were_sent_away_together_do_not_come_back_together() -> None:
    back = set()
    for _ in range(50):
        pauses = Pauses()
        pauses.answered(SENDER, "dlv_1", throttled(40 * SECOND), NOW, NOW)
        back.add(next(tenth for tenth in range(390, 520) if pauses.room(SENDER, BULK, NOW + tenth * SECOND / 10)))
    assert min(back) >= 400
    assert len(back) > 20


def test_a_year_of_quiet_is_not_given() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", throttled(timedelta(days=365)), NOW, NOW)
    assert rooms(pauses, NOW + LONGEST_QUIET * 1.25) == [None, 1, 1]


def test_one_attempt_decides_and_all_others_wait_for_its_answer() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", throttled(10 * SECOND), NOW, NOW)
    at = NOW + 13 * SECOND

    assert [pauses.may_start(SENDER, BULK, at) for _ in range(5)] == [True, False, False, False, False]
    assert rooms(pauses, at) == [None, 0, 0]

    pauses.answered(SENDER, "dlv_1", throttled(10 * SECOND), at, at + SECOND)
    assert rooms(pauses, at + 10 * SECOND) == [None, 0, 0]
    at += 20 * SECOND
    assert pauses.may_start(SENDER, TRANSACTIONAL, at)
    pauses.answered(SENDER, "dlv_1", SENT, at, at + SECOND)
    assert rooms(pauses, at + SECOND) == [None] * 3


def test_an_answer_to_what_was_on_its_way_says_nothing_of_the_pause() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", throttled(10 * SECOND), NOW, NOW)
    pauses.answered(SENDER, "dlv_1", SENT, NOW - SECOND, NOW + SECOND)
    pauses.answered(SENDER, "dlv_1", SENT, NOW + SECOND, NOW + 2 * SECOND)  # a critical one
    assert rooms(pauses, NOW + 2 * SECOND) == [None, 0, 0]

    at = NOW + 13 * SECOND
    assert pauses.may_start(SENDER, BULK, at)
    pauses.answered(SENDER, "dlv_1", SENT, NOW - SECOND, at + SECOND)
    assert rooms(pauses, at + SECOND) == [None, 0, 0]


def test_an_attempt_without_an_answer_is_followed_by_another() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_1", throttled(SECOND), NOW, NOW)
    at = NOW + 2 * SECOND
    assert pauses.may_start(SENDER, BULK, at)
    assert not pauses.may_start(SENDER, BULK, at + 10 * SECOND)
    assert pauses.may_start(SENDER, BULK, at + 15 * SECOND)


def test_without_valid_credentials_one_attempt_a_minute_is_made_by_whatever_lane() -> None:
    pauses = Pauses()
    made = []
    with capture_logs() as logs:
        for second in range(600):
            at = NOW + second * SECOND
            for lane in LANES:
                if pauses.may_start(SENDER, lane, at):
                    made.append(second)
                    pauses.answered(SENDER, "dlv_1", UNAUTHORISED, at, at)
        pauses.may_start(SENDER, BULK, at + 100 * SECOND)
        pauses.answered(SENDER, "dlv_1", SENT, at + 100 * SECOND, at + 101 * SECOND)
    assert 8 <= len(made) <= 10
    assert all(later - earlier >= 60 for earlier, later in pairwise(made))
    assert [log["event"] for log in logs] == ["a receiver does not accept our credentials", "a receiver takes again"]


def test_one_that_alone_is_refused_holds_up_nobody_however_often_it_is_tried() -> None:
    pauses = Pauses()
    pauses.answered(SENDER, "dlv_good", SENT, NOW, NOW)
    for minute in range(100):
        at = NOW + minute * 60 * SECOND
        pauses.answered(SENDER, "dlv_bad", UNAUTHORISED, at, at)
        assert rooms(pauses, at) == [None] * 3


def test_when_all_are_refused_that_were_taken_before_it_is_our_credentials() -> None:
    pauses = Pauses()
    for _ in range(3):
        pauses.answered(SENDER, "dlv_good", SENT, NOW, NOW)
        for number in range(4):
            pauses.answered(SENDER, f"dlv_{number}", UNAUTHORISED, NOW, NOW)
        assert rooms(pauses, NOW) == [None] * 3
    pauses.answered(SENDER, "dlv_4", UNAUTHORISED, NOW, NOW)
    assert rooms(pauses, NOW) == [0] * 3

    at = NOW + 76 * SECOND
    assert pauses.may_start(SENDER, CRITICAL, at)
    pauses.answered(SENDER, "dlv_4", UNAUTHORISED, at, at)
    assert rooms(pauses, at + SECOND) == [0] * 3, "the same wait once more"
