"""The two ways in, behind one protocol: SQL functions, and the HTTP API.

A refusal is a GnomonError. No answer is DatabaseUnavailable, whichever side of the API is away: what was asked may have
been done, or not.
"""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeVar

import aiohttp
import msgspec

from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable, error_of
from gnomon.schedules import calls
from gnomon.schedules.shapes import Cancelled, Scheduled
from gnomon.users import calls as users

Answer = TypeVar("Answer")

_SCHEDULE: Final = "/v1/notifications/schedule"
_JSON: Final = {"content-type": "application/json"}
_TIMEOUT: Final = aiohttp.ClientTimeout(total=15)


class Recurring(msgspec.Struct, frozen=True, kw_only=True):
    """How far a recurrence has come."""

    fired_count: int
    last_fired_at: datetime | None


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at after a change."""

    fire_at_utc: datetime | None
    recurrence: Recurring | None


class Door(Protocol):
    """A way to ask for schedules."""

    async def schedule(self, request: Mapping[str, Any]) -> Scheduled:
        """Schedule."""

    async def reschedule(self, schedule_id: str, change: Mapping[str, Any]) -> Scheduled:
        """Change a schedule."""

    async def cancel(self, schedule_id: str) -> Cancelled:
        """Cancel a schedule."""

    async def find(self, schedule_id: str) -> Found:
        """Look at a schedule."""

    async def set_user(self, user_id: str, time_zone: str) -> None:
        """Tell where a user lives."""


class SqlDoor:
    """gnomon's SQL functions, as any service calls them."""

    def __init__(self, pool: Pool) -> None:
        """Ask through this pool."""
        self._pool = pool

    async def schedule(self, request: Mapping[str, Any]) -> Scheduled:
        """gnomon.schedule."""
        return await calls.schedule(self._pool, _text(request))

    async def reschedule(self, schedule_id: str, change: Mapping[str, Any]) -> Scheduled:
        """gnomon.reschedule."""
        return await calls.reschedule(self._pool, schedule_id, _text(change), None)

    async def cancel(self, schedule_id: str) -> Cancelled:
        """gnomon.cancel_schedule."""
        return await calls.cancel_schedule(self._pool, schedule_id)

    async def find(self, schedule_id: str) -> Found:
        """gnomon.find_schedule."""
        found = await calls.find_schedule(self._pool, schedule_id)
        recurring = msgspec.json.decode(found.recurrence, type=Recurring | None)
        return Found(fire_at_utc=found.fire_at_utc, recurrence=recurring)

    async def set_user(self, user_id: str, time_zone: str) -> None:
        """gnomon.set_user."""
        await users.set_user(self._pool, user_id, time_zone, None)


class HttpDoor:
    """The API. To be used within the session it was given."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        """Ask at this address."""
        self._session = session
        self._address = address

    async def schedule(self, request: Mapping[str, Any]) -> Scheduled:
        """POST."""
        return await self._ask("POST", _SCHEDULE, request, Scheduled)

    async def reschedule(self, schedule_id: str, change: Mapping[str, Any]) -> Scheduled:
        """PATCH, without If-Match's guard: this caller is the only one."""
        return await self._ask("PATCH", f"{_SCHEDULE}/{schedule_id}", change, Scheduled, {"if-match": "*"})

    async def cancel(self, schedule_id: str) -> Cancelled:
        """DELETE."""
        return await self._ask("DELETE", f"{_SCHEDULE}/{schedule_id}", None, Cancelled)

    async def find(self, schedule_id: str) -> Found:
        """GET."""
        return await self._ask("GET", f"{_SCHEDULE}/{schedule_id}", None, Found)

    async def set_user(self, user_id: str, time_zone: str) -> None:
        """PUT."""
        await self._ask("PUT", f"/v1/users/{user_id}", {"timezone": time_zone}, dict[str, Any])

    async def _ask(  # what a request is
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        shape: type[Answer],
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        content = None if body is None else msgspec.json.encode(body)
        try:
            async with self._session.request(
                method, self._address + path, data=content, headers={**_JSON, **(headers or {})}, timeout=_TIMEOUT
            ) as response:
                answer = await response.read()
        except (aiohttp.ClientError, TimeoutError) as fault:
            raise DatabaseUnavailable(str(fault) or type(fault).__name__) from fault
        if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise DatabaseUnavailable(f"HTTP {response.status}")
        if response.status >= HTTPStatus.BAD_REQUEST:
            problem = msgspec.json.decode(answer)
            raise error_of(str(problem.get("code")), problem.get("detail") or problem.get("title"))
        return msgspec.json.decode(answer, type=shape)


def _text(body: Mapping[str, Any]) -> str:
    return msgspec.json.encode(body).decode()
