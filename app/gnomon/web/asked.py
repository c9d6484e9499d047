"""The request as our routes see it, and the pool that the application keeps for them."""

from datetime import datetime
from typing import Any, TypeAlias, cast

from litestar import Request
from litestar.datastructures import State

from gnomon.database.pool import Pool
from gnomon.web.hints import Hints
from gnomon.web.pressure import Pressure

Asked: TypeAlias = Request[Any, Any, State]


def hint(request: Asked, at_utc: datetime | None) -> None:
    """Tell pollers when this is due soon, where hints are switched on."""
    if (hints := request.app.state.get("hints")) is not None:
        cast("Hints", hints).due(at_utc)


def pool_of(request: Asked) -> Pool:
    """The connection pool that lives as long as the application."""
    return cast("Pool", request.app.state.pool)


def pressure_of(request: Asked) -> Pressure:
    """What the application is asked for beyond what it can do."""
    return cast("Pressure", request.app.state.pressure)
