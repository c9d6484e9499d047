"""One role as a process of its own, so that killing it is real.

Children stand in sessions of their own: a Ctrl-C in our terminal is for us, and a role that got it as well would take our
SIGTERM for the second one, which insists. Where the system can do that, they are told when we are gone.
"""

import asyncio
import json
import shutil
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, TypeAlias

GRACE: Final = timedelta(seconds=15)
"""For a role to end after SIGTERM: a worker lets running sends go on for 10 s, then settles."""

Hear: TypeAlias = Callable[[str, bool, str], None]
"""Is told each line that a child writes: its name, whether it wrote to standard error, the line."""

_TAIL: Final = 12
"""Lines kept of what a child wrote last."""

_LONGEST_LINE: Final = 1 << 20


class ChildEnded(Exception):
    """A process ended before it was ready."""

    def __init__(self, child: "Child") -> None:
        """Name it and show what it wrote last."""
        super().__init__(f"{child.name} ended with exit code {child.code} before it was ready.")
        self.hint = "\n".join(child.tail) or "It wrote nothing."


class State(StrEnum):
    """What a child is doing."""

    WAITING = "not started"
    RUNNING = "running"
    STOPPING = "stopping"
    KILLED = "killed"
    ENDED = "ended"


class Child:
    """A role, and the process that plays it just now."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        hear: Hear | None = None,
        *,
        program: str = sys.executable,
    ) -> None:
        """`arguments` are those of the program, our own interpreter. Without `hear` the process writes where we do."""
        self.name = name
        self.starts = 0
        self.state = State.WAITING
        self.tail: deque[str] = deque(maxlen=_TAIL)
        self._command = [*_telling_of_our_end(), program, *arguments]
        self._environment = dict(environment)
        self._hear = hear
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._ending: asyncio.Task[int] | None = None
        self._first_line: asyncio.Future[str] | None = None

    @property
    def pid(self) -> int | None:
        """Process id; of the last one when it has ended."""
        return self._process.pid if self._process else None

    @property
    def code(self) -> int | None:
        """Exit code once it has ended; negative for a signal."""
        return self._process.returncode if self._process else None

    async def start(self) -> None:
        """Start the process, anew when there was one. Raises OSError."""
        pipe = None if self._hear is None else asyncio.subprocess.PIPE
        self._first_line = asyncio.get_running_loop().create_future()
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env=self._environment,
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        self.starts += 1
        self.state = State.RUNNING
        streams = ((self._process.stdout, False), (self._process.stderr, True))
        self._readers = [asyncio.create_task(self._read(stream, is_error)) for stream, is_error in streams if stream]
        self._ending = asyncio.create_task(self._end(self._process))

    async def address(self) -> str:
        """The address that the process says it answers at, in its first line. Raises ChildEnded."""
        assert self._first_line is not None
        assert self._ending is not None
        either: list[asyncio.Future[Any]] = [self._first_line, self._ending]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._first_line.done():
            raise ChildEnded(self)
        return str(json.loads(self._first_line.result())["address"])

    async def wait(self) -> int:
        """Return when the process has ended and all it wrote was heard; its exit code."""
        assert self._ending is not None
        return await asyncio.shield(self._ending)

    async def kill(self) -> None:
        """End the process by SIGKILL, in whatever it is doing, and wait until it is gone."""
        if self.kill_soon():
            await self.wait()

    def kill_soon(self) -> bool:
        """Send SIGKILL; whether there was a process to send it to."""
        if self._process is None or self._process.returncode is not None:
            return False
        self.state = State.KILLED
        with suppress(ProcessLookupError):
            self._process.kill()
        return True

    async def stop(self, within: timedelta = GRACE) -> None:
        """Ask the process to end and wait for it; kill it when that takes too long."""
        if self._process is None or self._process.returncode is not None:
            return
        self.state = State.STOPPING
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(within.total_seconds()):
                await self.wait()
        except TimeoutError:
            await self.kill()

    async def _end(self, process: asyncio.subprocess.Process) -> int:
        code = await process.wait()
        if self._readers:
            await asyncio.wait(self._readers)
        if self.state is not State.KILLED:
            self.state = State.ENDED
        return code

    async def _read(self, stream: asyncio.StreamReader, is_error: bool) -> None:  # noqa: FBT001  # private
        assert self._hear is not None
        async for raw in stream:
            line = raw.decode(errors="replace").rstrip("\n")
            if not is_error and self._first_line is not None and not self._first_line.done():
                self._first_line.set_result(line)
            self.tail.append(line)
            self._hear(self.name, is_error, line)


def _telling_of_our_end() -> list[str]:
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", "--"] if setpriv and sys.platform == "linux" else []
