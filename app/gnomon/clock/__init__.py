"""Calendars of days that schedules leave out."""
