"""Alembic's entry: everything it does stands in gnomon.database.environment."""  # noqa: INP001  # Alembic runs it by path

from gnomon.database import environment

environment.enter()
