"""The lanes, separate queues, so that nothing urgent waits behind what is not; and the channels that a request may name."""

from typing import Final

LANES: Final = ("critical", "transactional", "bulk")
"""By their number in the database, the most urgent first."""

CHANNELS: Final = ("push", "email", "sms", "inbox", "webhook", "log")
"""As SQL knows them (gnomon_data.read_channels); plugins may add others."""
