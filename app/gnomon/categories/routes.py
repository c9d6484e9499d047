"""HTTP for categories: lane, channels and expiry of the schedules that name one."""

from typing import Final

from litestar import Response, delete, get, put
from litestar.exceptions import NotFoundException

from gnomon.categories import calls
from gnomon.categories.shapes import Category, CategoryDropped, CategoryList, CategorySettings
from gnomon.web.answers import answer
from gnomon.web.asked import Asked, pool_of
from gnomon.web.bodies import SINGLE_LIMIT, object_of
from gnomon.web.documented import documented
from gnomon.web.paths import path_text

_SETTINGS: Final = {"lane": "bulk", "channels": ["email"], "expires_in": "P1D", "description": "The weekly letter"}
_EXAMPLE: Final = {"name": "newsletter"} | _SETTINGS | {"changed_at": "2026-11-30T08:12:45.120934Z"}


@put(
    "/v1/categories/{name:str}",
    request_max_body_size=SINGLE_LIMIT,
    opt=documented(
        summary="Make or replace a category",
        body=CategorySettings,
        body_examples={"newsletter": _SETTINGS},
        answer=Category,
        answer_example=_EXAMPLE,
        problems=("GN024", "GN027", "GN028"),
    ),
)
async def set_category(request: Asked) -> Response[bytes]:
    """What fires from now on has the new channels and expiry, what is accepted from now on the new lane."""
    _, text = await object_of(request)
    return answer(await calls.set_category(pool_of(request), path_text(request, "name"), text))


@get(
    "/v1/categories/{name:str}",
    opt=documented(summary="Read a category", answer=Category, answer_example=_EXAMPLE, statuses=(200, 404)),
)
async def find_category(request: Asked) -> Response[bytes]:
    """One category; 404 when it is not known or was dropped."""
    name = path_text(request, "name")
    found = await calls.find_category(pool_of(request), name)
    if found is None:
        raise _not_known(name)
    return answer(found)


@get(
    "/v1/categories",
    opt=documented(summary="The categories by name", answer=CategoryList, answer_example={"categories": [_EXAMPLE]}),
)
async def categories(request: Asked) -> Response[bytes]:
    """All categories that a request may name."""
    return answer(CategoryList(categories=await calls.categories(pool_of(request))))


@delete(
    "/v1/categories/{name:str}",
    status_code=200,
    opt=documented(
        summary="Drop a category",
        answer=CategoryDropped,
        answer_example={"name": "newsletter", "dropped": True},
        statuses=(200, 404),
    ),
)
async def drop_category(request: Asked) -> Response[bytes]:
    """No new request may name it; what is pending goes on by it. 404 when it is not known."""
    name = path_text(request, "name")
    if not await calls.drop_category(pool_of(request), name):
        raise _not_known(name)
    return answer(CategoryDropped(name=name, dropped=True))


def _not_known(name: str) -> NotFoundException:
    return NotFoundException(f"No category of the name {name[:64]!r} is known.")


ROUTES: Final = (set_category, find_category, categories, drop_category)
