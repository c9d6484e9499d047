"""HTTP for users: their time zone and locale."""

from typing import Final

from litestar import Response, get, put
from litestar.exceptions import NotFoundException

from gnomon.users import calls
from gnomon.users.shapes import User, UserRequest, UserSet
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, shape_of
from gnomon.web.documented import documented
from gnomon.web.paths import path_text

_EXAMPLE: Final = {"user_id": "u_abc123", "timezone": "Europe/Berlin", "locale": "de"}


@put(
    "/v1/users/{user_id:str}",
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Set a user's time zone and locale",
        body=UserRequest,
        body_examples={"moved": {"timezone": "Asia/Tashkent"}},
        answer=UserSet,
        answer_example=_EXAMPLE | {"moved_count": 3, "pinned_count": 1},
        problems=("GN010", "GN024"),
    ),
)
async def set_user(request: Asked) -> Response[bytes]:
    """What took its zone from the user moves in the same transaction; what named its own zone stays."""
    asked = await shape_of(request, UserRequest)
    user_id = path_text(request, "user_id")
    return answer(await calls.set_user(pool_of(request), user_id, asked.timezone, asked.locale))


@get(
    "/v1/users/{user_id:str}",
    opt=documented(summary="Read a user", answer=User, answer_example=_EXAMPLE, statuses=(200, 404)),
)
async def find_user(request: Asked) -> Response[bytes]:
    """What is known of a user; 404 when nothing was ever set."""
    user_id = path_text(request, "user_id")
    found = await calls.find_user(pool_of(request), user_id)
    if found is None:
        raise NotFoundException(f"Nothing is known of the user {user_id[:64]!r}.")
    return answer(found)


ROUTES: Final = (set_user, find_user)
