from datetime import timedelta

import psycopg

from gnomon_pollers.channels.channel import Answer, Verdict
from gnomon_pollers.outcomes import LARGEST_BATCH, LONGEST_WAIT, Outcomes, outcome_of
from tests.pollers.test_claims import a_claim
from tests.support.given import value


def test_the_words_are_those_that_the_database_takes(connection: psycopg.Connection) -> None:
    words = set(value(connection, "select gnomon_data.outcome_words()"))
    assert {outcome_of(a_claim(), Answer(verdict)).outcome for verdict in Verdict} == words - {"retry", "failed", "unknown"}


def test_texts_are_such_that_the_database_takes_them() -> None:
    outcome = outcome_of(a_claim(), Answer(Verdict.TRANSIENT, detail="a\0b" + "x" * 999, reference=""))
    assert outcome.detail is not None
    assert outcome.detail.startswith("a\ufffdb")
    assert len(outcome.detail) == 500
    assert outcome.provider_reference is None
    assert outcome_of(a_claim(), Answer(Verdict.SENT, reference="r\udcff")).provider_reference == "r?"


def test_outcomes_wait_for_company_but_not_long() -> None:
    outcomes = Outcomes()
    at = timedelta(seconds=7)
    assert outcomes.wait_left(at) is None
    outcome = outcome_of(a_claim(), Answer(Verdict.SENT))
    outcomes.add(outcome, at)
    outcomes.add(outcome, at + LONGEST_WAIT / 2)
    assert outcomes.wait_left(at + LONGEST_WAIT / 2) == LONGEST_WAIT / 2
    assert outcomes.wait_left(at + timedelta(minutes=1)) == timedelta()
    assert outcomes.take() == [outcome, outcome]
    assert outcomes.wait_left(at) is None


def test_a_full_batch_does_not_wait_and_what_could_not_be_settled_comes_first_again() -> None:
    outcomes = Outcomes()
    for number in range(LARGEST_BATCH + 1):
        outcomes.add(outcome_of(a_claim(delivery_id=f"dlv_{number}"), Answer(Verdict.SENT)), timedelta())
    assert outcomes.wait_left(timedelta()) == timedelta()
    batch = outcomes.take()
    assert len(batch) == LARGEST_BATCH
    outcomes.put_back(batch, timedelta(seconds=1))
    assert len(outcomes) == LARGEST_BATCH + 1
    assert [outcome.delivery_id for outcome in outcomes.take()][:2] == ["dlv_0", "dlv_1"]
