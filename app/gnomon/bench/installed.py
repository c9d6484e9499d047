"""Peers, installed from the ordinary registry into an environment of their own and run by its interpreter."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import platformdirs

_DONE: Final = "installed.json"
_LISTED: Final = (
    "import json, importlib.metadata as m, sys; print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))"
)


class PeerFailed(RuntimeError):
    """A peer could not be installed or run."""

    hint = "--no-peers measures without them"


class Peers:
    """An environment with these packages, made once and kept in the user's cache."""

    def __init__(self, name: str, packages: Sequence[str]) -> None:
        """Name the environment and what is in it."""
        self._packages = tuple(packages)
        self._folder = Path(platformdirs.user_cache_path("gnomon")) / "bench" / name
        self.versions: dict[str, str] = {}

    async def install(self, say: Callable[[str], None]) -> None:
        """Make it unless it is there. Raises PeerFailed."""
        done = self._folder / _DONE
        if done.is_file():
            self.versions = json.loads(done.read_bytes())
            if self.versions.keys() == set(self._packages):
                return
        say(f"installing {', '.join(self._packages)}")
        shutil.rmtree(self._folder, ignore_errors=True)  # what an interrupted run left
        await _output(sys.executable, "-m", "venv", str(self._folder))
        await _output(self._python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self._packages)
        self.versions = json.loads(await _output(self._python, "-c", _LISTED, *self._packages))
        done.write_text(json.dumps(self.versions), encoding="utf-8")

    async def run(self, script: str, wanted: object) -> Any:  # noqa: ANN401  # whatever JSON the script prints
        """Run peers/SCRIPT with one JSON argument and return the JSON that it prints. Raises PeerFailed."""
        path = files("gnomon.bench") / "peers" / script
        return json.loads(await _output(self._python, str(path), json.dumps(wanted)))

    @property
    def _python(self) -> str:
        return str(self._folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


async def _output(*command: str) -> bytes:
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
    except OSError as fault:
        raise PeerFailed(f"{command[0]} cannot be run: {fault}") from fault
    output, errors = await process.communicate()
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise PeerFailed(f"{' '.join(command[:4])} ended with {process.returncode}: {last[0]}")
    return output
