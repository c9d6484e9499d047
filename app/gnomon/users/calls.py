"""The SQL functions of users, one typed function each, under the same name."""

from gnomon.database.call import first, one
from gnomon.database.pool import Pool
from gnomon.users.shapes import User, UserSet


async def set_user(pool: Pool, user_id: str, time_zone: str | None, locale: str | None) -> UserSet:
    """Set what is given; None leaves as it is. What took its zone from the user moves in the same transaction."""
    return await one(pool, "select * from gnomon.set_user(%s, %s, %s)", (user_id, time_zone, locale), shape=UserSet)


async def find_user(pool: Pool, user_id: str) -> User | None:
    """What is known of a user, None when nothing is."""
    sql = "select user_id, time_zone, locale from gnomon.find_user(%s)"
    return await first(pool, sql, (user_id,), shape=User)
