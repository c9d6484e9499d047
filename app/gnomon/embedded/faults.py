"""What can go wrong with the embedded server: facts, each with what to do about it."""

from pathlib import Path


class EmbeddedFault(RuntimeError):
    """The embedded PostgreSQL cannot be used."""

    def __init__(self, message: str, hint: str) -> None:
        """Keep the fact as the message and the way out as the hint."""
        super().__init__(message)
        self.hint = hint


class BinariesMissing(EmbeddedFault):
    """The PostgreSQL binaries are not installed, or the account of the server cannot read them."""


class DataFolderRefused(EmbeddedFault):
    """The data folder holds what this version must not touch, or cannot be reached."""


class ServerNotStarted(EmbeddedFault):
    """The server ended before it was ready; the message carries the end of its log."""

    def __init__(self, fact: str, log: Path, tail: str) -> None:
        """Say what failed, show the end of the log, and name the log's place."""
        message = f"{fact}\n{tail}" if tail else fact
        super().__init__(message, f"The whole log is {log}.")
        self.tail = tail
