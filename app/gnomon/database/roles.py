"""The roles that rights are granted to: group roles without a login, made once for the whole server.

    gnomon_caller   schedules and cancels            gnomon_worker   fires and delivers, and what a caller may
    gnomon_reader   reads lists and views            gnomon_admin    all of it, and sets categories

A login gets one by `grant gnomon_caller to your_login`. Roles belong to the server, not to a database: two databases
that are migrated at the same moment race for them, and a downgrade leaves them, since another database may use them.
"""

from typing import Final

import psycopg
import sqlalchemy as sa

#: Each role with those whose rights it has as well.
ROLES: Final[dict[str, tuple[str, ...]]] = {
    "gnomon_caller": (),
    "gnomon_reader": (),
    "gnomon_worker": ("gnomon_caller",),
    "gnomon_admin": ("gnomon_caller", "gnomon_reader", "gnomon_worker"),
}

#: Somebody else made the same role or membership in this very moment: there already, or its row just changed.
_RACES: Final = ("42710", "23505", "XX000")

_TRIES: Final = 3

_DENIED: Final = "42501"

_PRESENT: Final = sa.text("select rolname from pg_roles where rolname = any(:names)")
_MEMBERSHIPS: Final = sa.text(
    "select roleid::regrole::text, member::regrole::text from pg_auth_members where member::regrole::text = any(:names)"
)


class RolesMissing(RuntimeError):
    """The server lacks Gnomon's roles, and this login may not make them."""

    def __init__(self, statements: list[str]) -> None:
        """Carry the statements an administrator has to run."""
        super().__init__(self.__doc__)
        self.statements = statements
        self.hint = "Have an administrator run these, then migrate again:\n" + "\n".join(statements)


def ensure(connection: sa.Connection) -> None:
    """Make what is missing, in the caller's transaction. Raises RolesMissing without the right to."""
    for tries_left in reversed(range(_TRIES)):
        for statement in missing(connection):
            try:
                with connection.begin_nested():
                    connection.exec_driver_sql(statement)
            except sa.exc.DBAPIError as error:
                if _code(error) == _DENIED:
                    raise RolesMissing(missing(connection)) from error
                if _code(error) not in _RACES or not tries_left:
                    raise


def missing(connection: sa.Connection) -> list[str]:
    """The statements that would complete the roles, in an order that works; none when all is there."""
    names = {"names": list(ROLES)}
    present = set(connection.execute(_PRESENT, names).scalars())
    held = {(group, member) for group, member in connection.execute(_MEMBERSHIPS, names)}
    made = [f"create role {role} nologin;" for role in ROLES if role not in present]
    joined = [f"grant {group} to {role};" for role, groups in ROLES.items() for group in groups if (group, role) not in held]
    return made + joined


def script() -> str:
    """The same for a script that cannot look first: makes each role unless it is there."""
    made = [
        f"do $$ begin create role {role} nologin; exception when duplicate_object or unique_violation then null; end $$;"
        for role in ROLES
    ]
    return "\n".join(made + [f"grant {', '.join(groups)} to {role};" for role, groups in ROLES.items() if groups])


def _code(error: sa.exc.DBAPIError) -> str | None:
    return error.orig.sqlstate if isinstance(error.orig, psycopg.Error) else None
