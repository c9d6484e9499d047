"""Probes: alive, and ready to serve. Neither needs a token."""

import asyncio
import time
from functools import cache
from typing import Final

import msgspec
from litestar import Response, get
from msgspec import UNSET, UnsetType

from gnomon.errors import DatabaseUnavailable, GnomonError
from gnomon.web import calls
from gnomon.web.access import PUBLIC
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.documented import documented
from gnomon.web.problems import FieldProblem, http_problem, response_of

# Milliseconds. A process whose clock differs by more would log and sleep by another time than the one that decides.
LARGEST_SKEW: Final = 100


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`live`: the process answers. `ready`: it can also do what it is asked."""

    status: str
    revision: str | UnsetType = UNSET
    clock_skew_ms: int | UnsetType = UNSET


@get("/healthz", opt={PUBLIC: True, **documented(summary="Alive", answer=Health, answer_example={"status": "live"})})
async def healthz(request: Asked) -> Response[bytes]:  # noqa: ARG001  # routes take the request
    """The process answers; the database is not asked, or its restart would restart every API too."""
    return answer(Health(status="live"))


@get(
    "/readyz",
    opt={
        PUBLIC: True,
        **documented(
            summary="Ready to serve",
            answer=Health,
            answer_example={"status": "ready", "revision": "0001", "clock_skew_ms": 2},
        ),
    },
)
async def readyz(request: Asked) -> Response[bytes]:
    """The database answers, its schema is the one this version was built for, and both clocks agree within 100 ms."""
    wrong: list[FieldProblem] = []
    try:
        revision = await calls.schema_revision(pool_of(request))
        skew_ms = await _skew_ms(request)
    except (DatabaseUnavailable, GnomonError) as fault:
        wrong.append(FieldProblem("/database", str(fault)))
        return _not_ready(wrong)
    needed = await asyncio.to_thread(_newest_revision)
    # Revisions are numbered. A newer schema still serves us: a step that takes something away comes only when no version
    # that needs it is left; were it an error, a migration would take every running API out of service.
    if revision is None or revision < needed:
        wrong.append(FieldProblem("/revision", f"the schema is at {revision}, this version needs {needed}"))
    if abs(skew_ms) > LARGEST_SKEW:
        wrong.append(FieldProblem("/clock_skew_ms", f"the database's clock is {skew_ms} ms from this process's"))
    return _not_ready(wrong) if wrong else answer(Health(status="ready", revision=revision or UNSET, clock_skew_ms=skew_ms))


async def _skew_ms(request: Asked) -> int:
    """The database's clock minus ours; what the round trip leaves open is not held against either."""
    before = time.time()
    database = (await calls.clock_utc(pool_of(request))).timestamp()
    after = time.time()
    if before <= database <= after:
        return 0
    return round((database - after if database > after else database - before) * 1000)


@cache
def _newest_revision() -> str:
    # Alembic takes most of a second to import, so the first probe pays for it and not the start.
    from gnomon.database.migrate import head_revision

    return head_revision()


def _not_ready(wrong: list[FieldProblem]) -> Response[bytes]:
    problem = http_problem(503, "; ".join(field.detail for field in wrong))
    return response_of(msgspec.structs.replace(problem, errors=wrong), {"Retry-After": "1"})
