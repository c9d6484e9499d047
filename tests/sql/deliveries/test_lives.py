"""No sequence of outcomes, lost leases, cancels and returns moves a delivery back, loses it or sends a bulk one twice."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.sql.acts import cancel, claim, fire, settle
from tests.support.clock import advance, clock
from tests.support.given import given_schedule, rows, value

_LANES: Final = ("critical", "transactional", "bulk")
_NOT_TAKEN: Final = ("retry", "throttled", "transient", "unauthorised")
_NEVER_AGAIN: Final = ("failed", "gone", "refused")
_UNCLEAR: Final = ("unknown", "unclear")
_WORDS: Final = ("sent", *_NEVER_AGAIN, *_UNCLEAR, *_NOT_TAKEN)
_ATTEMPTS: Final = {"critical": 20, "transactional": 16, "bulk": 12}
_LEASE: Final = timedelta(seconds=30)

_PICKS: Final = st.integers(0, 999)
"""Of whatever there is by then: waits are made by chance in the database, so what is drawn must not depend on them."""

_ROWS: Final = """
select gnomon_data.id_text('dlv', d.id) as id, d.due_at_utc, d.ready_at_utc < d.due_at_utc as is_early, d.attempt,
       null as outcome
  from gnomon_data.deliveries as d
union all
select gnomon_data.id_text('dlv', g.id), g.due_at_utc, false, g.attempts, g.outcome from gnomon_data.delivery_log as g
"""

_OF_SCHEDULE: Final = """
select gnomon_data.id_text('dlv', id) as id from gnomon_data.deliveries where schedule_id = gnomon_data.id_of('sch', %s)
"""


@dataclass
class _Life:
    """What is known of one delivery."""

    schedule_id: str
    lane: str
    due_at: datetime
    expires_at: datetime | None
    claims: list[Any] = field(default_factory=list)
    """All that were made of it, the newest last."""
    is_held: bool = False
    """Whether the newest claim was neither settled nor handed back."""
    is_cancelled: bool = False
    lost: int = 0
    """How many of its leases ended without a word."""
    is_used_up: bool = False
    """Whether the attempt that is under way is the last."""
    last_word: str | None = None
    """The newest that was settled."""
    outcome: str | None = None


class _Lives(RuleBasedStateMachine):
    connection: psycopg.Connection

    def __init__(self) -> None:
        super().__init__()
        self.lives: dict[str, _Life] = {}
        self.users = 0
        self.connection.execute("truncate gnomon_data.deliveries, gnomon_data.delivery_log")

    @rule(lane=st.sampled_from(_LANES), expires=st.sampled_from([None, None, 45]), same_user=st.booleans())
    def accept(self, lane: str, expires: int | None, same_user: bool) -> None:  # noqa: FBT001  # drawn
        self.users += not same_user
        extra: dict[str, Any] = {} if expires is None else {"expires_in": f"PT{expires}S"}
        made = given_schedule(self.connection, user_id=f"u_{self.users}", lane=lane, schedule_at="PT0S", **extra)
        fire(self.connection)
        now = clock(self.connection)
        [found] = rows(self.connection, _OF_SCHEDULE, made.schedule_id)
        self.lives[found.id] = _Life(
            made.schedule_id, lane, made.fire_at_utc, now + timedelta(seconds=expires) if expires else None
        )

    @initialize()
    def one_of_each(self) -> None:
        for lane in _LANES:
            self.accept(lane, None, same_user=False)
        self.hand_over()

    @rule()
    def hand_over(self) -> None:
        for claimed in (claimed for lane in _LANES for claimed in claim(self.connection, lane, lease_for=_LEASE)):
            life = self.lives[claimed.delivery_id]
            assert life.outcome is None, "it had ended"
            assert not life.is_cancelled, "it was cancelled"
            assert life.expires_at is None or clock(self.connection) < life.expires_at
            assert life.lane != "bulk" or not life.is_held, "the attempt before may have been sent"
            life.lost += life.is_held
            life.is_held = True
            life.claims.append(claimed)

    @rule(pick=_PICKS, word=st.sampled_from(_WORDS), wait=st.sampled_from([None, "PT20S", "PT8760H"]))
    def settle_one(self, pick: int, word: str, wait: str | None) -> None:
        life, claimed, is_newest = self._some_claim(pick)
        more = {} if wait is None else {"retry_after": wait}
        settled = settle(self.connection, [claimed], word, **more)
        assert settled == int(is_newest and self._is_held(life))
        if settled:
            life.is_held = False
            life.last_word = word
            life.is_used_up = life.is_used_up and word != "unauthorised"

    @rule(pick=_PICKS)
    def hand_back(self, pick: int) -> None:
        life, claimed, is_newest = self._some_claim(pick)
        query = "select gnomon.release_deliveries(%s, array[%s], array[%s]::uuid[])"
        back = value(self.connection, query, life.lane, claimed.delivery_id, str(claimed.claim_id))
        assert back == int(is_newest and self._is_held(life))
        life.is_held = life.is_held and not back
        life.is_used_up = life.is_used_up and not back

    @rule(pick=_PICKS)
    def cancel_one(self, pick: int) -> None:
        life = list(self.lives.values())[pick % len(self.lives)]
        answer = cancel(self.connection, life.schedule_id)
        assert answer.was_fired or not life.claims or life.outcome is not None or not life.is_held
        life.is_cancelled = True

    @rule(pick=_PICKS)
    def use_up(self, pick: int) -> None:
        """The attempt that is under way, or the one before, is the last."""
        life, claimed, _ = self._some_claim(pick)
        query = "update gnomon_data.deliveries set attempt = %s where id = gnomon_data.id_of('dlv', %s)"
        self.connection.execute(query, [_ATTEMPTS[life.lane], claimed.delivery_id])
        life.is_used_up = life.is_held

    @rule(seconds=st.sampled_from([1, 31, 31, 200, 1300]))
    def wait(self, seconds: int) -> None:
        """Leases end at 30 s; whoever held one has crashed."""
        advance(self.connection, timedelta(seconds=seconds))

    @invariant()
    def nothing_is_lost_doubled_or_moved_back(self) -> None:
        found: dict[str, Any] = {}
        for row in rows(self.connection, _ROWS):
            assert row.id not in found, "both queued and over"
            found[row.id] = row
        assert found.keys() == self.lives.keys()
        for name, life in self.lives.items():
            row = found[name]
            assert life.outcome in (None, row.outcome), "an end is an end"
            assert row.due_at_utc == life.due_at
            assert 0 <= row.attempt <= _ATTEMPTS[life.lane] + life.lost + 1
            assert not row.is_early
            life.outcome = row.outcome
            assert row.outcome in _allowed(life)

    def teardown(self) -> None:
        """However it stands now, it comes to an end: receivers take everything."""
        for _ in range(40):
            if not value(self.connection, "select count(*) from gnomon_data.deliveries"):
                break
            advance(self.connection, timedelta(minutes=31))
            self.hand_over()
            for life in self.lives.values():
                if life.is_held:
                    life.is_held = life.is_used_up = False
                    if settle(self.connection, [life.claims[-1]]):
                        life.last_word = "sent"
        self.nothing_is_lost_doubled_or_moved_back()
        assert all(life.outcome for life in self.lives.values())

    def _some_claim(self, pick: int) -> tuple[_Life, Any, bool]:
        tried = [life for life in self.lives.values() if life.claims]
        life = tried[pick % len(tried)]
        place = (-1, -1, 0)[pick // len(tried) % 3]
        return life, life.claims[place], life.claims[place] is life.claims[-1]

    def _is_held(self, life: _Life) -> bool:
        return life.is_held and life.outcome is None


def _allowed(life: _Life) -> set[str | None]:
    """How it may stand, by what was last said of it."""
    if life.last_word == "sent":
        return {"sent"}
    if life.last_word in _NEVER_AGAIN:
        return {"failed"}
    if life.lane == "bulk" and life.last_word in _UNCLEAR:
        return {"unknown"}
    if life.is_used_up and not life.is_held:
        return {"cancelled", "dropped" if life.lane == "bulk" else "failed"}
    if life.lane == "bulk":
        return {None, "expired", "cancelled", "dropped", "unknown"}
    return {None, "expired", "cancelled", "failed"}


def _lives_of(connection: psycopg.Connection) -> type[_Lives]:
    return type("Lives", (_Lives,), {"connection": connection})


def _tried(connection: psycopg.Connection, examples: int, steps: int, **more: Any) -> None:
    run_state_machine_as_test(
        _lives_of(connection),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            **more,
        ),
    )


def test_any_life_goes_forward_and_ends(untouched: psycopg.Connection) -> None:
    _tried(untouched, 20, 20)


@pytest.mark.long
def test_many_lives_go_forward_and_end(untouched: psycopg.Connection) -> None:
    _tried(untouched, 150, 50)
