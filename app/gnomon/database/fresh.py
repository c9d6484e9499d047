"""Makes a database straight from `sql/`, without history: for tests, and for the proof that both ways lead to the same.

A database made here has no version table and cannot be migrated later.
"""

from pathlib import Path

import sqlalchemy as sa

from gnomon.database import environment, roles, steps
from gnomon.files import sql_folder


def load(url: str, root: Path | None = None) -> None:
    """Fill an empty database from `sql/` (or another such folder), seed rows included, in one transaction.

    Raises SqlFileFailed naming file and line, RolesMissing.
    """
    engine = sa.create_engine("postgresql+psycopg://", creator=environment.connector(url), poolclass=sa.NullPool)
    with engine.begin() as connection:
        roles.ensure(connection)
    with engine.begin() as connection:
        steps.load(connection, sql_folder() if root is None else root)
        connection.exec_driver_sql(environment.INSTALL)
