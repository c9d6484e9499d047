"""Programs that run beside a measurement, ours or peers', as processes of their own whose lines are read one by one."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from gnomon.children.child import Child
from gnomon.settings import surroundings

_STOP_WITHIN: Final = timedelta(seconds=20)


class ProgramEnded(RuntimeError):
    """A program ended that was to go on, or said nothing for too long."""

    hint = "what it wrote last stands above"


class Program:
    """One process, and what it prints."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Use `running`."""
        program, *arguments = command
        self.child = Child(name, arguments, environment, self._heard, program=program)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        """Ends with None."""

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.child.pid is not None
        return self.child.pid

    async def line(self, within: float) -> str:
        """The next line that it prints, waited for so many seconds. Raises ProgramEnded."""
        try:
            async with asyncio.timeout(within):
                said = await self._lines.get()
        except TimeoutError:
            raise self._fault(f"said nothing within {within:g} s") from None
        if said is None:
            self._lines.put_nowait(None)
            raise self._fault(f"ended with exit code {self.child.code}")
        return said

    async def end(self) -> None:
        """Return when it has ended, and whoever waits for a line was told."""
        await self.child.wait()
        self._lines.put_nowait(None)

    def _heard(self, _name: str, is_error: bool, line: str) -> None:  # noqa: FBT001  # what a Child calls
        if not is_error:
            self._lines.put_nowait(line)

    def _fault(self, what: str) -> ProgramEnded:
        tail = "\n".join(self.child.tail)
        return ProgramEnded(f"{self.child.name} {what}{': ' if tail else ''}{tail}")


@asynccontextmanager
async def running(name: str, *command: str, environment: Mapping[str, str] | None = None) -> AsyncIterator[Program]:
    """Run a program for as long as the block lasts. Raises OSError when it cannot be started."""
    program = Program(name, command, surroundings() if environment is None else environment)
    await program.child.start()
    ending = asyncio.create_task(program.end())
    try:
        yield program
    finally:
        await program.child.stop(_STOP_WITHIN)
        await ending
