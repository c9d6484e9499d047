"""The server's roles: made when missing, or asked for. On a server of its own, since roles belong to the whole server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import sqlalchemy as sa

from gnomon.database import environment, migrate, roles
from gnomon.database.roles import RolesMissing
from tests.migrations.conftest import ALL, HEAD
from tests.support.cluster import Server, running_server
from tests.support.given import value

MAY_USE = "select pg_has_role(%s, %s, 'usage')"


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    with running_server(shared_buffers="16MB") as running:
        yield running


@pytest.fixture
def url(own_server: Server) -> Iterator[str]:
    """A database on a server without our roles, owned by a login that may make none."""
    own_server.execute("create role owner login")
    with own_server.database() as url:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(f"alter database {admin.info.dbname} owner to owner")
        yield url
    own_server.execute("drop role if exists gnomon_admin, gnomon_worker, gnomon_reader, gnomon_caller", "drop role owner")


def owned(url: str) -> str:
    return url.replace("postgres@", "owner@")


def test_without_the_right_the_statements_are_told_and_suffice(url: str) -> None:
    with pytest.raises(RolesMissing) as refused:
        migrate.upgrade(owned(url))
    assert "create role gnomon_caller nologin;" in refused.value.hint

    with psycopg.connect(url, autocommit=True) as admin:
        assert value(admin, "select count(*) from pg_roles where rolname like 'gnomon%'") == 0
        for statement in refused.value.statements:
            admin.execute(statement.encode())
        assert migrate.upgrade(owned(url)).applied == ALL
        assert value(admin, "select gnomon.schema_revision()") == HEAD


def test_the_right_to_make_roles_is_enough(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("alter role owner createrole")
        assert migrate.upgrade(owned(url)).applied == ALL
        assert value(admin, MAY_USE, "gnomon_admin", "gnomon_worker")


def test_part_of_them_is_completed(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("create role gnomon_worker nologin")
        migrate.upgrade(url)
        for role, groups in roles.ROLES.items():
            for group in groups:
                assert value(admin, MAY_USE, role, group)
        assert not value(admin, MAY_USE, "gnomon_caller", "gnomon_worker")
        assert value(admin, "select bool_and(not rolcanlogin) from pg_roles where rolname = any(%s)", list(roles.ROLES))


def test_two_databases_may_race_for_them(url: str) -> None:
    """The one that comes second waits for the first one's transaction, then finds them there."""
    engine = sa.create_engine("postgresql+psycopg://", creator=environment.connector(url), poolclass=sa.NullPool)

    def make() -> None:
        with engine.begin() as connection:
            roles.ensure(connection)

    with ThreadPoolExecutor(4) as racers:
        for done in [racers.submit(make) for _ in range(4)]:
            done.result(10)
    with engine.begin() as connection:
        assert roles.missing(connection) == []


def test_the_script_may_be_repeated(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        for _ in range(2):
            admin.execute(roles.script().encode())
        assert value(admin, MAY_USE, "gnomon_admin", "gnomon_caller")
