"""The request as our routes see it, and the pool that the application keeps for them."""

from typing import Any, TypeAlias, cast

from litestar import Request
from litestar.datastructures import State

from gnomon.database.pool import Pool

Asked: TypeAlias = Request[Any, Any, State]


def pool_of(request: Asked) -> Pool:
    """The connection pool that lives as long as the application."""
    return cast("Pool", request.app.state.pool)
