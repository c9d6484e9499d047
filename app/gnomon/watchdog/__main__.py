"""Runs a watchdog: its plan as JSON, and the number of the open socket of the process that wants it."""

import json
import os
import socket
import sys

from gnomon.watchdog.plan import Plan
from gnomon.watchdog.watch import Watchdog

if os.fork():
    os._exit(0)  # nobody's child: whoever started us may leave before us, or outlive us
sys.exit(Watchdog(Plan(**json.loads(sys.argv[1])), socket.socket(fileno=int(sys.argv[2]))).run())
