"""Schedules notifications and delivers them, inside one PostgreSQL database: API, command line and database."""
