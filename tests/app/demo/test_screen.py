"""What people see of a run: its beginning, its middle and its account."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from gnomon.demo.faults import Fault
from gnomon.demo.report import report
from gnomon.demo.run import Options, Run
from gnomon.demo.screen import Lines, account, picture
from gnomon.demo.theatre import answer
from gnomon.demo.wishes import Times
from tests.app.demo.given import UNTIL, promise, receipt


def shown(what: RenderableType, width: int = 120) -> str:
    console = Console(width=width, file=StringIO(), record=True, highlight=False)
    console.print(what)
    return console.export_text()


def middle() -> Run:
    """A run with one delivery due and arrived, once and again, and two to come."""
    run = Run(Options(length=timedelta(seconds=10)), lambda _: None)
    now = run.clock.now_utc()
    due = now - timedelta(seconds=1)
    run.times = Times(begin_utc=now, end_utc=now + timedelta(seconds=10), herd_utc=now + timedelta(seconds=5))
    run.phase = "running"
    run.book.accept(promise("sch_1", next_at=due))
    run.book.accept(replace(promise("sch_2", "push", "email", next_at=now + timedelta(seconds=1)), lane="critical"))
    run.tally.add([receipt(due_at=due), receipt(due_at=due, late=timedelta(seconds=2))])
    run.tally.count(now)
    return run


def test_a_run_that_begins() -> None:
    assert "starting" in shown(picture(Run(Options(), lambda _: None)))


@pytest.mark.parametrize("width", [80, 120])
def test_a_run_in_its_middle(width: int) -> None:
    lines = shown(picture(middle()), width).splitlines()
    assert any("running, 0 of 10 s" in line for line in lines)
    (transactional,) = [line.split() for line in lines if line.startswith("transactional")]
    assert transactional[1:6] == ["1", "0", "1", "1", "0"]
    assert transactional[6:10] == ["40", "ms", "40", "ms"]
    (critical,) = [line.split() for line in lines if line.startswith("critical")]
    assert critical[1:6] == ["1", "2", "0", "0", "0"]
    assert any("postgresql" in line for line in lines)


def test_the_account_says_what_was_broken() -> None:
    run = middle()
    run.faults = [Fault(timedelta(seconds=5), "worker-1 killed")]
    kept = report([promise()], [receipt()], until_utc=UNTIL)
    assert "Every promise was kept." in shown(account(kept, run))
    broken = report([promise(), promise("sch_2")], [receipt()], until_utc=UNTIL)
    told = shown(account(broken, run))
    assert "A promise was broken." in told
    assert "sch_2 was due at 2026-11-30T12:00:00+00:00 and did not arrive by webhook" in told


def test_the_json_object_has_what_the_contract_names() -> None:
    run = middle()
    run.faults = [Fault(timedelta(seconds=5.0001), "worker-1 killed")]
    run.first_delivery = timedelta(seconds=2.5)
    told = answer(report([promise()], [receipt()], until_utc=UNTIL), run)
    assert told == {
        "accepted": 1,
        "delivered": 1,
        "cancelled": 0,
        "pending": 0,
        "lost": 0,
        "twice": 0,
        "resent": 0,
        "contradictions": 0,
        "lateness_ms": {"p50": 40.0, "p95": 40.0, "p99": 40.0, "max": 40.0},
        "faults": [{"at_s": 5.0, "what": "worker-1 killed"}],
        "first_delivery_s": 2.5,
        "findings": [],
    }


def test_without_a_terminal_one_line_says_one_thing() -> None:
    file = StringIO()
    Lines(Console(file=file, width=40)).say("a long thing that would not fit into forty columns\nand more")
    assert file.getvalue() == "a long thing that would not fit into forty columns\n"


@pytest.mark.parametrize(("is_warning", "expected"), [(True, "worker-1: gone"), (False, None)])
def test_what_processes_log_is_told_once(*, is_warning: bool, expected: str | None) -> None:
    said: list[str] = []
    run = Run(Options(), said.append)
    for _ in range(3):
        run._heard("worker-1", is_warning, '{"event": "gone", "level": "warning", "reason": "long"}')
    run._heard("worker-1", True, '{"event": "shards", "level": "info"}')  # noqa: FBT003  # as Hear says it
    assert said == ([expected] if expected else [])
