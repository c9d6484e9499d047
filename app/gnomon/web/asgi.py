"""The application: the rooms' routes behind one guard, one set of error answers and one pool."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final, cast

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import (
    ControllerRouterHandler,
    HTTPScope,
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Receive,
    Scope,
    Send,
)

from gnomon.categories import routes as category_routes
from gnomon.clock import routes as clock_routes
from gnomon.database.pool import PREPARE_THRESHOLD, open_pool
from gnomon.database.renewal import Renewal
from gnomon.operations import routes as operation_routes
from gnomon.schedules import acts as schedule_acts
from gnomon.schedules import lists as schedule_lists
from gnomon.schedules import routes as schedule_routes
from gnomon.schedules.together import Together
from gnomon.settings import Settings, adopted
from gnomon.timers import routes as timer_routes
from gnomon.users import routes as user_routes
from gnomon.web.access import guard_of
from gnomon.web.calls import set_settings
from gnomon.web.health import healthz, readyz
from gnomon.web.hints import Hints
from gnomon.web.later import later_routes
from gnomon.web.metrics import metrics
from gnomon.web.paths import routed_path
from gnomon.web.pressure import Pressure
from gnomon.web.problems import EXCEPTION_HANDLERS
from gnomon.web.schema import schema

# Connections. A create is one round trip of about a millisecond: more would only queue inside PostgreSQL.
POOL_SIZE: Final = 16

# How long a request waits for a connection before it is 503: a restart of the database, not an outage. And how long for
# what an open transaction holds, with one: whoever forgets a transaction would else keep all of them, one request each.
PATIENCE: Final = timedelta(seconds=5)


class Application(Litestar):
    """Litestar that routes on the path as it was sent (see paths)."""

    async def __call__(
        self, scope: Scope | LifeSpanScope, receive: Receive | LifeSpanReceive, send: Send | LifeSpanSend
    ) -> None:
        """Answer one ASGI event."""
        if scope["type"] == ScopeType.HTTP:
            asked = cast("HTTPScope", scope)
            asked["path"] = routed_path(asked["raw_path"])
        await super().__call__(scope, receive, send)


def build_app(settings: Settings, database_url: str) -> Application:
    """The application over this database; its pool opens with the lifespan and closes with it."""

    @asynccontextmanager
    async def pool_for_life(app: Litestar) -> AsyncIterator[None]:
        # Without hints there may be a transaction pooler on the way, which keeps neither prepared statements nor settings.
        threshold = PREPARE_THRESHOLD if settings.notify else None
        pool = open_pool(
            database_url,
            min_size=1,
            max_size=POOL_SIZE,
            application_name="gnomon serve",
            wait=PATIENCE,
            lock_wait=PATIENCE if settings.notify else None,
            prepare_threshold=threshold,
        )
        async with pool:
            await set_settings(pool, adopted(settings))
            app.state.pool = pool
            app.state.hints = Hints(pool, settings.fire_ahead) if settings.notify else None
            app.state.pressure = pressure = Pressure()
            app.state.together = together = Together(pool, pressure, PATIENCE)
            tasks = [asyncio.create_task(Renewal(pool).go_on_looking()), asyncio.create_task(pressure.watch())]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await together.close()

    return Application(
        _routes(),
        lifespan=[pool_for_life],
        guards=[guard_of(settings.api_tokens)],
        exception_handlers=EXCEPTION_HANDLERS,  # type: ignore[arg-type]  # Litestar wants each handler to take any error
        openapi_config=None,
        logging_config=None,
    )


def _routes() -> list[ControllerRouterHandler]:
    own = [healthz, readyz, metrics, schema]
    schedules = [*schedule_routes.ROUTES, *schedule_acts.ROUTES, *schedule_lists.ROUTES]
    kept = [*user_routes.ROUTES, *category_routes.ROUTES, *clock_routes.ROUTES]
    return [*own, *schedules, *kept, *timer_routes.ROUTES, *operation_routes.ROUTES, *later_routes()]
