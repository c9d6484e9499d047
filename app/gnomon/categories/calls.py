"""The SQL functions of categories, one typed function each, under the same name."""

from datetime import timedelta
from typing import Any

from gnomon.categories.shapes import Category
from gnomon.database.call import first, one, rows
from gnomon.database.pool import Pool


async def set_category(pool: Pool, name: str, settings: str) -> Category:
    """Make or replace a category by this JSON object; what it does not name has its default."""
    return await one(pool, "select * from gnomon.set_category(%s, %s::jsonb)", (name, settings), shape=_category)


async def find_category(pool: Pool, name: str) -> Category | None:
    """A category, None when it is not known or was dropped."""
    return await first(pool, "select * from gnomon.find_category(%s)", (name,), shape=_category)


async def categories(pool: Pool) -> list[Category]:
    """The categories that a request may name, by name."""
    return await rows(pool, "select * from gnomon.categories()", shape=_category)


async def drop_category(pool: Pool, name: str) -> bool:
    """Let no new request name it; False when it was not known."""
    return bool((await one(pool, "select gnomon.drop_category(%s) as dropped", (name,)))["dropped"])


def duration_text(duration: timedelta) -> str:
    """A duration in ISO 8601: P1DT2H30M, PT0.5S."""
    days, seconds = duration.days, duration.seconds
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    fraction = f".{duration.microseconds:06}".rstrip("0").rstrip(".")
    clock = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    clock += f"{rest}{fraction}S" if rest or fraction else ""
    return "P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "")


def _category(*, expires_for: timedelta | None, **columns: Any) -> Category:  # noqa: ANN401  # the columns of the row
    return Category(expires_in=None if expires_for is None else duration_text(expires_for), **columns)
