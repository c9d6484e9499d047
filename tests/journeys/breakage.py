"""What must be so after whatever was broken: judged by the sink's file, and the books of the database compared with it.

after = Breakage(stage)                   before the fault: what is in the file already is not ours
after.out(began, ended, via="w1")         who could not settle, and when
after.judge(load.accepted, latest=...)    once everything has come
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from tests.journeys.aftermath import TAKE_OVER, Span, wait_until_settled
from tests.journeys.judge import Task, Verdict, due_of, judge, lateness, task_of
from tests.journeys.stage import LEASE, Accepted, Stage, note, tasks
from tests.support.given import rows
from tests.support.races import NeverHappened, wait_until
from tests.support.sink import Received

_WARM: Final = 150
"""Deliveries; the first of them find processes that have done nothing yet."""

_SLOWNESS: Final = 3
"""So many times the worst lateness before the fault is what this machine may add to what the fault costs."""

_KNOWN: Final = """
select i.schedule_id, s.fire_at_utc, d.channel, d.due_at_utc, d.ready_at_utc, d.attempt, d.claimed_by, l.outcome,
       l.accepted_at_utc, l.fired_at_utc, l.first_claimed_at_utc, l.claimed_at_utc, l.settled_at_utc
  from (select g as schedule_id, gnomon_data.id_of('sch', g) as id from unnest(%s::text[]) as g) as i
  left join gnomon_data.schedules as s on s.shard = gnomon_data.shard_of_id(i.id) and s.id = i.id
  left join gnomon_data.deliveries as d on d.shard = gnomon_data.shard_of_id(i.id) and d.schedule_id = i.id
  left join gnomon_data.delivery_log as l on l.shard = gnomon_data.shard_of_id(i.id) and l.schedule_id = i.id
"""

PATIENCE: Final = LEASE + timedelta(seconds=20)


@dataclass(frozen=True)
class Outage:
    """Seconds of the wall clock in which what was sent could not be settled, by one sender or, without a name, by all."""

    span: Span
    via: str | None = None

    def explains(self, sent: Received, again: Received) -> bool:
        """Whether a delivery that was sent may have had to be sent again."""
        return self.span.explains(sent.at) and self.via in {None, sent.via} and again.attempt > sent.attempt


def unexplained_copies(received: Iterable[Received], outages: Collection[Outage]) -> list[Received]:
    """Lines with a delivery id that was there before, though nothing kept the sender before from settling it."""
    last: dict[str, Received] = {}
    found = []
    for line in received:
        sent = last.get(line.delivery_id)
        if sent is not None and not any(outage.explains(sent, line) for outage in outages):
            found.append(line)
        last[line.delivery_id] = line
    return found


def lost_leases(received: Iterable[Received]) -> dict[str, int]:
    """For each delivery how many leases it had to wait for: its own, and those of the ones before it in its user's order.

    Each attempt but the first is one that a worker took with it.
    """
    groups: dict[tuple[str, str], dict[str, Received]] = {}
    for line in received:
        groups.setdefault((line.user_id, line.channel), {})[line.delivery_id] = line
    found = {}
    for last in groups.values():
        for line in last.values():
            due = due_of(line)
            before = (one for one in last.values() if due_of(one) <= due and due.timestamp() < one.at)
            found[line.delivery_id] = sum(one.attempt - 1 for one in before)
    return found


@dataclass
class Breakage:
    """A fault on a stage, from before it to the judgement."""

    stage: Stage
    outages: list[Outage] = field(default_factory=list)
    before: int = field(init=False)
    calm_latest: timedelta = timedelta()
    """The worst lateness before the fault."""

    def __post_init__(self) -> None:
        """What the file holds already is not of this fault."""
        self.before = len(self.stage.received())

    def out(self, began: float, ended: float, *, via: str | None = None) -> None:
        """Note who could not settle, and when."""
        self.outages.append(Outage(Span(began, ended), via))

    @property
    def slowness(self) -> timedelta:
        """What this machine may add to what the fault costs."""
        return _SLOWNESS * self.calm_latest

    def received(self) -> list[Received]:
        """What has come since the beginning."""
        return self.stage.since(self.before)

    def warm_up(self) -> None:
        """Wait until the load goes, and see how late this machine is when nothing is broken."""
        self.wait_for_more(_WARM)
        self.calm_latest = max(lateness(line) for line in self.received()[_WARM // 2 :])

    def wait_for_more(self, count: int) -> None:
        """Wait until so many more have come."""
        self.stage.wait_for_count(len(self.stage.received()) + count)

    def judge(self, what: str, accepted: Sequence[Accepted], *, latest: timedelta = TAKE_OVER) -> list[Received]:
        """Wait for everything, then assert: nothing lost, nothing fired twice, copies explained, books balanced, in time."""
        try:
            self.stage.wait_for(tasks(accepted), patience=PATIENCE)
        except NeverHappened:
            lost = judge(self.received(), tasks(accepted)).lost
            raise AssertionError(f"{len(lost)} of {len(tasks(accepted))} have not come: {self._known(lost)}") from None
        wait_until_settled(self.stage)
        received = self.received()
        verdict = judge(received, tasks(accepted))
        leases = lost_leases(received)
        slowest = max(received, key=lambda line: lateness(line) - LEASE * leases[line.delivery_id])
        counts = f"{len(accepted)} accepted, {len(verdict.resent)} resent"
        note(f"{what}: {counts}, the latest {lateness(slowest)} late, {self.calm_latest} before the fault")
        assert verdict.is_clean, told(verdict)
        assert unexplained_copies(received, self.outages) == []
        allowed = latest + LEASE * leases[slowest.delivery_id] + self.slowness
        assert lateness(slowest) < allowed, (slowest, self._known([task_of(slowest)]))
        wait_until(lambda: self.stage.unbalanced() == [], "the ledger balances")
        return received

    def _known(self, lost: Collection[Task]) -> list[Any]:
        """What the database says of some that are missing, for whoever has to find out why."""
        return rows(self.stage.connection, _KNOWN, sorted({task.schedule_id for task in lost})[:5])


def told(verdict: Verdict) -> str:
    """A verdict in one line."""
    parts = {"lost": verdict.lost, "unasked": verdict.unasked, "twice": verdict.twice}
    return ", ".join(f"{name} {len(found)}: {sorted(found)[:3]}" for name, found in parts.items() if found)
