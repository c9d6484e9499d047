"""For tests of programs that schedule with Gnomon: time that jumps, on a database that is marked for tests.

    with VirtualTime("postgresql://localhost/shop_test") as virtual_time:
        virtual_time.start(datetime(2027, 1, 1, tzinfo=UTC))
        shop.order(...)                                                    # your code, on its own connection
        sent = virtual_time.advance(datetime(2028, 1, 1, tzinfo=UTC))      # a year, in seconds
        assert [delivered.local_time for delivered in sent] == [...]

As pytest fixtures: `pytest_plugins = ["gnomon.testing.fixtures"]` (see there).
"""

from gnomon.database.virtual_clock import NotForTests, ProcessesAtWork
from gnomon.testing.virtual_time import Delivered, VirtualTime

__all__ = ["Delivered", "NotForTests", "ProcessesAtWork", "VirtualTime"]
