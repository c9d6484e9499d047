"""The only door to PostgreSQL: migrations, the pool, calls, hints and list queries."""
