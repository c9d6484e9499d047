"""Peers, installed from the ordinary registries into folders of their own and run by interpreters that find them there."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import platformdirs

SCRIPTS: Final = Path(str(files("gnomon.bench"))) / "peers"

_DONE: Final = "installed.json"
_LISTED: Final = (
    "import json, importlib.metadata as m, sys; print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))"
)


def cache_folder() -> Path:
    """Where all of them are kept."""
    return Path(platformdirs.user_cache_path("gnomon")) / "bench"


class PeerFailed(RuntimeError):
    """A peer could not be installed or run."""

    hint = "--no-peers measures without them"


class Peers:
    """An environment with these packages, made once and kept in the user's cache."""

    def __init__(self, name: str, packages: Sequence[str]) -> None:
        """Name the environment and what is in it."""
        self._packages = tuple(packages)
        self._folder = cache_folder() / name
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
        self.versions = await self._make()
        done.write_text(json.dumps(self.versions), encoding="utf-8")

    async def run(self, script: str, wanted: object) -> Any:  # noqa: ANN401  # whatever JSON the script prints
        """Run peers/SCRIPT with one JSON argument and return the JSON that it prints. Raises PeerFailed."""
        return json.loads(await output_of(*self.command(script, wanted)))

    def command(self, script: str, wanted: object) -> tuple[str, ...]:
        """What runs peers/SCRIPT with one JSON argument."""
        return self._python, str(SCRIPTS / script), json.dumps(wanted)

    async def _make(self) -> dict[str, str]:
        """Make it in a folder that is not there; the versions of its packages."""
        await output_of(sys.executable, "-m", "venv", str(self._folder))
        await output_of(self._python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self._packages)
        found: dict[str, str] = json.loads(await output_of(self._python, "-c", _LISTED, *self._packages))
        return found

    @property
    def _python(self) -> str:
        return str(self._folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


class NodePeers(Peers):
    """The same with packages of npm and the node on PATH."""

    def command(self, script: str, wanted: object) -> tuple[str, ...]:
        """What runs peers/SCRIPT with one JSON argument.

        A module looks for packages beside itself, so all scripts are put there, anew each time: ours may have changed.
        """
        for found in SCRIPTS.glob("*.mjs"):
            shutil.copy(found, self._folder)
        return "node", str(self._folder / script), json.dumps(wanted)

    async def _make(self) -> dict[str, str]:
        self._folder.mkdir(parents=True)
        # Its own root: without this file npm would look for one in the folders above.
        (self._folder / "package.json").write_text('{"private": true}', encoding="utf-8")
        await output_of("npm", "install", "--no-audit", "--no-fund", "--silent", *self._packages, folder=self._folder)
        return {name: self._version_of(name) for name in self._packages}

    def _version_of(self, name: str) -> str:
        place = (
            self._folder / "node_modules" / name.rpartition("@")[0] if "@" in name else self._folder / "node_modules" / name
        )
        return str(json.loads((place / "package.json").read_bytes())["version"])


async def output_of(*command: str, folder: Path | None = None) -> bytes:
    """What a command prints, run to its end. Raises PeerFailed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
        )
    except OSError as fault:
        raise PeerFailed(f"{command[0]} cannot be run: {fault}") from fault
    try:
        output, errors = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        said = errors.decode(errors="replace").strip().splitlines()
        last = [line for line in said if "rror" in line][-1:] or said[-1:] or ["no message"]
        told = " ".join(word for word in command[:4] if not word.startswith("{"))  # an address with its password
        raise PeerFailed(f"{told} ended with {process.returncode}: {last[0]}")
    return output
