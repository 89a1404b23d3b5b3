"""Runs a command whose standard output nobody reads, and tells how it ended."""

import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
ended = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE, text=True)
quiet = ended.returncode in (0, -signal.SIGPIPE) and not ended.stderr
print("quiet" if quiet else f"{ended.returncode}: {ended.stderr}")
