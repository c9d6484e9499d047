"""Schedules: ask, change, list, cancel, preview."""
