from datetime import timedelta

from gnomon.demo.book import Book, Ended
from tests.app.demo.given import DUE, LATER, UNTIL, promise


def test_the_repeat_of_an_answer_changes_nothing() -> None:
    book = Book()
    book.accept(promise(next_at=DUE))
    book.change("sch_1", LATER)
    book.accept(promise(next_at=DUE))
    assert [kept.next_at for kept in book] == [LATER]
    assert len(book) == 1


def test_a_change_forgets_the_instant_before_it() -> None:
    book = Book()
    book.accept(promise(next_at=DUE))
    book.change("sch_1", LATER)
    kept = book.find("sch_1")
    assert kept is not None
    assert kept.instants == {LATER}
    assert kept.owed(UNTIL).most == 0


def test_a_look_keeps_every_instant_that_may_have_fired() -> None:
    book = Book()
    book.accept(promise(next_at=DUE))
    book.look("sch_1", LATER, 2, {DUE + timedelta(seconds=1)})
    kept = book.find("sch_1")
    assert kept is not None
    assert kept.instants == {DUE, DUE + timedelta(seconds=1), LATER}
    assert kept.owed(UNTIL).least == 2


def test_a_cancel_decides_what_is_owed() -> None:
    book = Book()
    book.accept(promise("sch_1", "push", "email", next_at=DUE))
    book.end("sch_1", Ended(status="fired", fired_count=2, handed_over_count=2, stopped_count=1))
    kept = book.find("sch_1")
    assert kept is not None
    assert (kept.owed(UNTIL).least, kept.owed(UNTIL).most) == (3, 4)
    assert book.find("sch_2") is None


def test_one_that_was_changed_while_it_was_due_may_come_once_more() -> None:
    book = Book()
    book.accept(promise(next_at=DUE))
    book.look("sch_1", DUE, 0, {DUE}, is_open=True)
    kept = book.find("sch_1")
    assert kept is not None
    assert (kept.owed(UNTIL).least, kept.owed(UNTIL).most) == (1, 2)
