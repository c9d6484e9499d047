"""A user's deliveries come in the order of their instants, also when the later one was fired first."""

from datetime import timedelta

from tests.journeys.judge import judge, out_of_order
from tests.journeys.stage import Stage, poll, request, tasks, work
from tests.support.races import wait_until

USERS = 20


def test_what_was_fired_first_waits_for_an_earlier_one_that_is_tried_again(stage: Stage) -> None:
    stage.start(poll("p1"), work("w1"))
    stage.sink.behave(status=500)
    later_at = stage.now_utc() + timedelta(seconds=2.5)
    later = stage.accept([request(f"u{user}", later_at) for user in range(USERS)])
    # Fired ahead, before the earlier ones are accepted.
    wait_until(
        lambda: stage.connection.execute("select count(*) from gnomon_data.deliveries").fetchone() == (USERS,),
        "they are fired",
    )
    earlier = stage.accept([request(f"u{user}", later_at - timedelta(seconds=0.4)) for user in range(USERS)])
    wait_until(lambda: stage.sink.asked_count() >= USERS, "the earlier ones are refused once")
    stage.sink.behave(status=200)

    stage.wait_for(tasks([*later, *earlier]))
    received = stage.received()
    assert judge(received, tasks([*later, *earlier])).is_clean
    assert any(line.attempt > 1 for line in received), "tried again"
    assert out_of_order(received) == []
