"""Roles: what a process does. due fires timers, upkeep keeps the tables, delivery sends."""
