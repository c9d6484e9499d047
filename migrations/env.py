"""Alembic's entry: everything it does stands in gnomon.database.environment."""

from gnomon.database import environment

environment.enter()
