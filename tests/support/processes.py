"""What became of a process, by its id; also where there is no ps (slim images) and no /proc (macOS)."""

import subprocess
from contextlib import suppress
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether the process still runs; one that ended and was not yet looked at by its parent does not."""
    state, _ = _look(pid)
    return bool(state) and not state.startswith("Z")


def parent_of(pid: int) -> int:
    """Id of the parent process."""
    return int(_look(pid)[1])


def _look(pid: int) -> tuple[str, str]:
    if Path("/proc/self").exists():
        with suppress(OSError):
            # pid (name) state parent ...; the name may hold spaces and brackets
            state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
            return state, parent
        return "", ""
    command = ["/bin/ps", "-o", "stat=,ppid=", "-p", str(pid)]
    state, _, parent = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().partition(" ")
    return state, parent
