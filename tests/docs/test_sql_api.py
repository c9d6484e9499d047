"""docs/sql-api.md is what the catalogue says today."""

import psycopg

from tests.docs.generate_sql_api import PAGE, sql_api


def test_the_page_on_the_sql_api_is_up_to_date(connection: psycopg.Connection) -> None:
    assert PAGE.read_text() == sql_api(connection), "write it anew: python -m tests.docs.generate_sql_api"
