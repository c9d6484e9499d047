"""Who runs the server. PostgreSQL refuses to run as root, so root hands it to an unprivileged account."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gnomon.embedded.faults import EmbeddedFault

# In every passwd file; initdb needs an account with a name, a bare number will not do.
UNPRIVILEGED: Final = "nobody"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine, by its numbers."""

    user: int
    group: int

    def own(self, *paths: Path) -> None:
        """Give paths to this account; only root can, and only root needs to."""
        if is_root():
            for path in paths:
                os.chown(path, self.user, self.group)

    def can_enter(self, folder: Path) -> bool:
        """Whether this account can reach what lies in a folder, tried as that account."""
        return subprocess.run(self.command("test", "-x", folder), check=False, cwd="/").returncode == 0

    def can_write(self, folder: Path) -> bool:
        """Whether this account can reach a folder and write in it, tried as that account."""
        return subprocess.run(self.command("test", "-w", folder), check=False, cwd="/").returncode == 0

    def command(self, *command: str | Path, dies_with_parent: bool = False) -> list[str]:
        """The command line that runs `command` as this account, as our own child.

        With dies_with_parent the kernel interrupts the program when its parent is gone. That wish is lost by a change of
        user, hence setpriv, which makes it after the change. Where setpriv does not exist (macOS) the wish is left out; for
        root, who cannot do without it, EmbeddedFault is raised.
        """
        words = [str(word) for word in command]
        setpriv = shutil.which("setpriv")
        wishes = ["--pdeathsig", "INT"] if dies_with_parent and setpriv else []
        if is_root() and self.user:
            if setpriv is None:
                message = "PostgreSQL refuses to run as root, and setpriv, which hands it to another account, is missing."
                raise EmbeddedFault(message, "Run as another user than root, or install util-linux.")
            wishes = [f"--reuid={self.user}", f"--regid={self.group}", "--clear-groups", *wishes]
        return [setpriv, *wishes, "--", *words] if setpriv and wishes else words


def is_root() -> bool:
    """Whether this process runs as root."""
    return os.geteuid() == 0


def server_account() -> Account:
    """The account that runs the server: ourselves, or `nobody` for root."""
    if not is_root():
        return Account(os.geteuid(), os.getegid())
    entry = pwd.getpwnam(UNPRIVILEGED)
    return Account(entry.pw_uid, entry.pw_gid)
