"""Imports of files with schedule requests, of any length."""
