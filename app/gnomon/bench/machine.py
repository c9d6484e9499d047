"""What a number was measured on."""

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

from gnomon.database.call import one
from gnomon.database.pool import Pool


def machine() -> dict[str, object]:
    """The machine: processor, how many of it, its load when asked, the system."""
    return {
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()}",
    }


async def versions(pool: Pool) -> dict[str, str]:
    """Of ourselves, the interpreter and the server."""
    found = await one(pool, "select current_setting('server_version') as server")
    return {"gnomon": version("gnomon"), "python": platform.python_version(), "postgresql": str(found["server"])}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file() and (
        found := re.search(r"^model name\s*: (.+)$", cpuinfo.read_text(encoding="utf-8"), re.MULTILINE)
    ):
        return found[1]
    return platform.processor() or platform.machine()
