"""Programs that run beside a measurement, as processes of their own."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

_TAIL: Final = 20
_STOP_WITHIN: Final = 20.0
_LONGEST_LINE: Final = 1 << 24


class ProgramEnded(RuntimeError):
    """A program ended that was to go on, or said nothing for too long."""

    hint = "what it wrote last stands above"


class Program:
    """One process: what it prints, and what it complained of last."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        """Use `running`."""
        self.name = name
        self._process = process
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._reading = asyncio.create_task(self._read())

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def line(self, within: float) -> str:
        """The next line that it prints, waited for so many seconds. Raises ProgramEnded."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(within):
                said = await self._process.stdout.readline()
        except TimeoutError:
            raise self._fault(f"said nothing within {within:g} s") from None
        if not said:
            await self._process.wait()
            raise self._fault(f"ended with exit code {self._process.returncode}")
        return said.decode()

    async def stop(self) -> None:
        """Ask it to end; kill it when that takes too long."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(_STOP_WITHIN):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        await self._reading

    def _fault(self, what: str) -> ProgramEnded:
        tail = "\n".join(self._tail)
        return ProgramEnded(f"{self.name} {what}{': ' if tail else ''}{tail}")

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self._tail.append(line.decode(errors="replace").rstrip())


@asynccontextmanager
async def running(name: str, *command: str, environment: Mapping[str, str] | None = None) -> AsyncIterator[Program]:
    """Run a program for as long as the block lasts. Raises OSError when it cannot be started."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        limit=_LONGEST_LINE,
    )
    program = Program(name, process)
    try:
        yield program
    finally:
        await program.stop()
