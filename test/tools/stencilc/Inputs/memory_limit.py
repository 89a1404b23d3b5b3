"""Runs a command under limits of its address space, and checks how it ends.

    memory_limit.py COMMAND ...

From the least with which it starts on, it does its work, or says that memory lacks.
"""

import resource
import signal
import subprocess
import sys

MEBIBYTE = 1 << 20
# The loader could not map the libraries.
NOT_LOADED = 127
# What is said until the program has begun: constructors of libraries run before, and where there is
# not even memory for an exception, libstdc++ ends the process. Which of them it is depends on the
# size of the program.
IN_CONSTRUCTORS = (b"LLVM ERROR: out of memory", b"terminate called without an active exception")


def under(limit):
    def restrict():
        resource.setrlimit(resource.RLIMIT_AS, (limit * MEBIBYTE, limit * MEBIBYTE))

    return subprocess.run(sys.argv[1:], capture_output=True, preexec_fn=restrict)


def has_started(done):
    # The allocator aborts silently where C++ asks it before there is a handler.
    if done.returncode == -signal.SIGABRT and not done.stderr:
        return False
    return done.returncode != NOT_LOADED and not done.stderr.startswith(IN_CONSTRUCTORS)


low, high = 16, 4096
while high - low > 1:
    middle = (low + high) // 2
    low, high = (low, middle) if has_started(under(middle)) else (middle, high)
ends = []
for limit in [high + more for more in (0, 1, 2, 3, 5, 8, 12, 18, 26, 40, 80, 1000)]:
    done = under(limit)
    message = done.stderr.decode(errors="replace")
    ends.append(done.returncode)
    if done.returncode not in (0, 2) or (done.returncode == 2 and "error: " not in message):
        sys.exit(f"under {limit} MiB it ended with {done.returncode}: {message}")
if ends[0] != 2 or ends[-1] != 0:
    sys.exit(f"no limit was too small, or none was enough: {ends}")
