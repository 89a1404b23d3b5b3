"""Counts the writes to standard error of a command that fails: each is a datagram of a socket."""

import socket
import subprocess
import sys

most = int(sys.argv[1])
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
ours.settimeout(0.1)
process = subprocess.Popen(sys.argv[2:], stderr=theirs, stdout=subprocess.DEVNULL)
writes = []
while True:
    try:
        writes.append(ours.recv(1 << 16))
    except TimeoutError:
        if process.poll() is not None:
            break
text = b"".join(writes).decode()
print(text)
if process.returncode != 1 or "error: " not in text or len(writes) > most:
    sys.exit(f"code {process.returncode}, {len(writes)} writes, at most {most}")
