"""The lanes: separate queues, so that nothing urgent waits behind what is not."""

from typing import Final

LANES: Final = ("critical", "transactional", "bulk")
"""By their number in the database, the most urgent first."""
