"""Roles as child processes, for the commands that run several of them: `demo` and `up`."""
