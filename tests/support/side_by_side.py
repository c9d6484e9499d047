"""The whole suite in several processes: who shares one, and who wants the machine for itself.

Asked for no path, pytest runs all of it in a process for each core and one more (many tests wait), up to four; asked for
some, in one, where `--pdb` and `-s` work. The journeys all go to one of them, so that there is one such stage at a time. A
test that judges lateness is marked `alone`: the others wait while it runs.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_MOST_PROCESSES: Final = 4
_JOURNEYS: Final = "tests/journeys/"
_SLOW: Final = (_JOURNEYS, "tests/pollers/test_processes.py", "tests/app/embedded/", "tests/app/database/test_pool.py")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Spread the whole suite, unless the command line says how it is to run."""
    asked = config.option
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not (asked.collectonly or asked.usepdb)
    if is_whole and asked.numprocesses is None and not hasattr(config, "workerinput"):
        asked.numprocesses = min((os.cpu_count() or 1) + 1, _MOST_PROCESSES)
        asked.tx = ["popen"] * asked.numprocesses
        asked.dist = "loadscope"
        asked.loadscopereorder = False


class _ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """Hands out whole files, since their fixtures are made once, and all journeys as one."""

    def _split_scope(self, nodeid: str) -> str:
        return _JOURNEYS if nodeid.startswith(_JOURNEYS) else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Xdist's own groups do not work: pytest 9.2 tells no more of the names that xdist 3.8 gives them."""
    return _ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what starts real processes, the journeys before all: it takes longest."""
    items.sort(key=lambda item: (not item.nodeid.startswith(_JOURNEYS), not item.nodeid.startswith(_SLOW)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test beside those of other processes, or alone."""
    config = item.config
    if not hasattr(config, "workerinput") or config.cache is None:
        return (yield)
    with _a_turn(config.cache.mkdir("turns"), fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH):
        return (yield)


@contextmanager
def _a_turn(folder: Path, lock: int) -> Iterator[None]:
    """Hold a lock that many share or one has, across processes.

    Through a turnstile: one who waits to be alone would else wait for ever, since the others come back at once.
    """
    with (folder / "turnstile").open("w") as turnstile, (folder / "room").open("w") as room:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        fcntl.flock(room, lock)
        fcntl.flock(turnstile, fcntl.LOCK_UN)
        yield
