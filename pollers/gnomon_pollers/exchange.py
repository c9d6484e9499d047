"""The calls of one lane: outcomes and unsent claims go to the database, new claims come back.

What could not be told stays here: outcomes while the database is away, and those whose delivery a caller's open
transaction holds. A claim that has passed to somebody else meanwhile settles nothing.
"""

from datetime import timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger
from gnomon_pollers.bounds import View
from gnomon_pollers.calls import deliveries
from gnomon_pollers.calls.deliveries import LaneChannelShard, Worker
from gnomon_pollers.claims import Claim, steady
from gnomon_pollers.lanes import LANES
from gnomon_pollers.metrics import Metrics
from gnomon_pollers.outcomes import Outcome, Outcomes

NO_PLACE: Final[View[LaneChannelShard]] = View({})

_log: Final = logger(__name__)


class Exchange:
    """What one lane owes the database, and the calls that tell it."""

    def __init__(self, lane: int, pool: Pool, worker: Worker, metrics: Metrics) -> None:
        """Owe nothing yet."""
        self._lane = LANES[lane]
        self._pool = pool
        self._worker = worker
        self._metrics = metrics
        self._given_up: list[Claim] = []
        self.outcomes = Outcomes()
        self.is_held_up = False
        """Whether an outcome came back unsettled, since a caller's open transaction holds its delivery."""

    @property
    def owes_claims(self) -> bool:
        """Whether claims wait to be handed back."""
        return bool(self._given_up)

    @property
    def owes(self) -> bool:
        """Whether anything waits to be told."""
        return bool(self._given_up) or len(self.outcomes) > 0

    def give_up(self, claim: Claim) -> None:
        """Keep a claim that was not tried, to hand it back."""
        self._given_up.append(claim)

    async def hand_back(self) -> None:
        """Hand back what was claimed and not tried; its attempt does not count."""
        self.is_held_up = False
        batch, self._given_up = self._given_up, []
        if not batch:
            return
        try:
            await deliveries.release_deliveries(self._pool, self._lane, batch)
        except DatabaseUnavailable:
            self._given_up = batch + self._given_up
            raise
        self._metrics.released(self._lane, len(batch))

    async def claim(self, channel: str, view: View[LaneChannelShard], at_most: int) -> list[Claim]:
        """Settle a batch and claim what is ready in a channel above these bounds; 0 settles only."""
        batch = self.outcomes.take()
        try:
            claims, unsettled_ids = await self._call(batch, channel, view, at_most)
        except DatabaseUnavailable:
            self.outcomes.put_back(batch, steady())
            raise
        except Exception as fault:  # noqa: BLE001  # raised again when it is no fault of a row
            _log.warning("an exchange failed and is made one by one", lane=self._lane, channel=channel, reason=str(fault))
            await self._settle_one_by_one(batch)
            claims, unsettled_ids = [], frozenset()
            if at_most:
                claims = await deliveries.claim_carefully(self._pool, self._worker, view, (self._lane, channel), at_most)
        # Handed in again after the wait of a fresh outcome: an open cancel ends when its caller likes.
        self.is_held_up = bool(unsettled_ids)
        for outcome in batch:
            if outcome.delivery_id in unsettled_ids:
                self.outcomes.add(outcome, steady())
        if claims:
            self._metrics.claimed(self._lane, channel, len(claims))
        return claims

    async def settle(self, *, patience: timedelta | None = None) -> None:
        """Settle what waits; with patience only while the oldest has none left."""
        while self.outcomes and not self.is_held_up:
            wait = self.outcomes.wait_left(steady())
            if patience is not None and wait is not None and wait > patience:
                return
            await self.claim("", NO_PLACE, 0)

    async def _call(
        self, batch: list[Outcome], channel: str, view: View[LaneChannelShard], at_most: int
    ) -> deliveries.Exchanged:
        place = (self._lane, channel)
        return await deliveries.exchange_deliveries(self._pool, self._worker, batch, view, place, at_most)

    async def _settle_one_by_one(self, batch: list[Outcome]) -> None:
        """After a call that failed for good: one outcome that cannot be settled must not keep back the others."""
        while batch:
            try:
                await self._call(batch[:1], "", NO_PLACE, 0)
            except DatabaseUnavailable:
                self.outcomes.put_back(batch, steady())
                raise
            except Exception as fault:  # noqa: BLE001  # whatever it is, the other outcomes can do nothing for it
                await self._set_aside(batch[0], fault)
            batch.pop(0)

    async def _set_aside(self, outcome: Outcome, fault: Exception) -> None:
        """Keep from being sent at every end of its lease what was sent and cannot be settled."""
        _log.error("an outcome cannot be settled", delivery_id=outcome.delivery_id, reason=str(fault))
        try:
            await deliveries.set_aside_delivery(self._pool, outcome.delivery_id, outcome.claim_id, fault)
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001  # its lease ends, and it is tried again or ends as unknown, by its lane
            _log.exception("nor can it be set aside", delivery_id=outcome.delivery_id)
