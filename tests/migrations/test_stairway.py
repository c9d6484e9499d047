"""Every revision can be taken back, and leads to the same again: the catalogue is compared at each step."""

import psycopg

from gnomon.database import catalogue, migrate
from tests.migrations.conftest import ALL


def test_up_down_and_up_again(empty_database_url: str) -> None:
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        migrate.upgrade(empty_database_url, ALL[0])
        migrate.downgrade(empty_database_url, "base")
        below, stood = "base", catalogue.describe(connection)
        for revision in ALL:
            migrate.upgrade(empty_database_url, revision)
            stands = catalogue.describe(connection)
            assert stands != stood, f"{revision} changes nothing"
            migrate.downgrade(empty_database_url, below)
            assert different(connection, stood) == {}, f"{revision} is not taken back whole"
            migrate.upgrade(empty_database_url, revision)
            assert different(connection, stands) == {}, f"{revision} does not lead to the same again"
            below, stood = revision, stands


def different(connection: psycopg.Connection, expected: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """What is otherwise than expected: name -> (expected, found)."""
    found = catalogue.describe(connection)
    names = {*found, *expected}
    return {name: (expected.get(name), found.get(name)) for name in names if expected.get(name) != found.get(name)}
