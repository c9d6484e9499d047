"""HTTP for the forecast."""

from typing import Final, cast

from litestar import Response, get

from gnomon.timers.forecast import Forecasts
from gnomon.timers.shapes import Forecast
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.documented import Query, documented
from gnomon.web.queries import instant_of, query_of

_INSTANT: Final = {"type": "string", "format": "date-time"}
_FROM: Final = Query("from", "The first minute; else now.", _INSTANT)
_TO: Final = Query("to", "Where it ends, at most 8 days on; else a day after the beginning.", _INSTANT)


@get(
    "/v1/forecast",
    opt=documented(
        summary="What is going to fire, by minute and lane",
        query=(_FROM, _TO),
        answer=Forecast,
        answer_example={
            "from": "2026-11-30T08:12:00Z",
            "to": "2026-12-01T08:12:00Z",
            "counted_at": "2026-11-30T08:12:45.120934Z",
            "due_count": 312,
            "is_estimate": False,
            "minutes": [{"minute": "2026-11-30T09:00:00Z", "lane": "transactional", "due_count": 312}],
        },
        problems=("GN024",),
    ),
)
async def load_forecast(request: Asked) -> Response[bytes]:
    """What is pending now; of a recurrence its next occurrence. One that counts many is kept until the minute is over."""
    asked = query_of(request, "from", "to")
    state = request.app.state
    if state.get("forecasts") is None:
        state.forecasts = Forecasts()
    forecasts = cast("Forecasts", state.forecasts)
    found = await forecasts.forecast(pool_of(request), instant_of(asked, "from"), instant_of(asked, "to"))
    return answer(found)


ROUTES: Final = (load_forecast,)
