"""Which commits need not wait for the disk.

What nobody outside learns of before something else is committed: that one waits, for all that was written before it too.
Lost in a crash, it has never happened, and is done again.
"""

from typing import Final

NOT_FLUSHED: Final = "set_config('synchronous_commit', 'off', true)"
"""Beside a call, in its FROM: the commit of this one transaction does not wait. Nothing stays with the session."""
