"""Small libraries that stand between a process and its system, compiled when a journey needs one.

built(folder, "slow_sync")     the library's path, for LD_PRELOAD; skips the journey where there is no C compiler
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def built(folder: Path, name: str) -> Path:
    """Compile the library of this name into a folder. Skips where it cannot be had."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a preloaded library needs Linux and a C compiler")
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-O1", "-w", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@contextmanager
def inherited(**variables: str) -> Iterator[None]:
    """Environment variables for what is started within the block."""
    before = {name: os.environ.get(name) for name in variables}  # noqa: TID251  # a child's
    os.environ.update(variables)  # noqa: TID251
    try:
        yield
    finally:
        for name, text in before.items():
            if text is None:
                del os.environ[name]  # noqa: TID251
            else:
                os.environ[name] = text  # noqa: TID251
