"""The errors of Python mirror those of SQL."""

import psycopg

from gnomon.errors import BY_CODE, GnomonError, RequestInvalid, error_of
from tests.support.given import rows


def test_the_codes_are_those_of_sql(connection: psycopg.Connection) -> None:
    assert BY_CODE.keys() == {row.code for row in rows(connection, "select code from gnomon_data.error_codes()")}


def test_a_class_states_its_fact() -> None:
    assert str(RequestInvalid()) == "The request cannot be read."
    assert all(kind.__doc__ and kind.__doc__.endswith(".") for kind in BY_CODE.values())


def test_a_code_makes_its_class() -> None:
    error = error_of("GN024", "no such field", hint="", pointer="/userid")
    assert type(error) is RequestInvalid
    assert (error.code, error.message, error.hint, error.pointer) == ("GN024", "no such field", None, "/userid")


def test_a_code_of_a_newer_database_is_kept() -> None:
    error = error_of("GN099", "brand new")
    assert type(error) is GnomonError
    assert (error.code, str(error)) == ("GN099", "brand new")
    assert GnomonError.code == ""
