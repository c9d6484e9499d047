"""The watchdog: a small process that runs the server as its child, as long as somebody is attached.

    process A --socketpair--+
    process B --socket------+--> watchdog ---child---> postgres
    process C --socket------+

Whoever uses the server holds an open connection to the watchdog. The kernel closes it when that process ends, however it
ends; a list of process ids would keep the dead ones. With the last connection the server is shut down. The other way round,
the server is interrupted by the kernel when the watchdog is gone (where the system can do that), so neither outlives the
other.

To leave, a process shuts its sending side and reads until the end: the end comes at once while others are attached, and
after the server is down for the last one. Otherwise what travels is one JSON object a line:

    watchdog -> process   {"pid": ..., "port": ...}                the server is ready
    watchdog -> process   {"fact": ..., "tail": ...}               it did not start
    process -> watchdog   {"restart": "fast" or "immediate"}       answered as above

This package is run by the bare interpreter and must import nothing but the standard library: it starts in hundredths of a
second, and no later change of the installation can reach into a running one.
"""
