"""Runs every example with the command of its head, on the interpreter and on the emulator.

    walk.py FOLDER SCRATCH

The command is the line 'stencilc run FILE ...' of the first comment. What both leave is compared,
byte for byte, and an example without a command, or with a warning, is a failure.
"""

import pathlib
import re
import shlex
import subprocess
import sys

COMMAND = re.compile(r"^[ */]*(stencilc run .+)$", re.MULTILINE)
EXAMPLES_LEAST = 6


def run(example, command, backend, results):
    words = shlex.split(command)
    if words[2] != example.name:
        raise SystemExit(f"{example.name}: its command runs {words[2]}")
    words[2] = str(example)
    done = subprocess.run([*words, f"--on={backend}", "--seed=1", "--out-dir", str(results)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0 or "warning" in done.stderr:
        raise SystemExit(f"{example.name} on the {backend}:\n{done.stdout}{done.stderr}")
    if backend == "emulator" and "\nverified: bit-identical" not in done.stdout:
        raise SystemExit(f"{example.name} on the {backend} is not verified:\n{done.stdout}")
    return {file.name: file.read_bytes() for file in sorted(results.glob("*.npy"))}


def main():
    folder, scratch = map(pathlib.Path, sys.argv[1:])
    examples = sorted([*folder.glob("*.idsl"), *folder.glob("*.mlir")])
    for example in examples:
        text = example.read_text(encoding="utf-8")
        if "RUN:" in text:
            raise SystemExit(f"{example.name}: examples are programs, not tests")
        command = COMMAND.search(text)
        if command is None:
            raise SystemExit(f"{example.name}: its head says no 'stencilc run' command")
        results = [run(example, command[1], backend, scratch / backend / example.stem)
                   for backend in ("interpreter", "emulator")]
        if not results[0] or results[0] != results[1]:
            raise SystemExit(f"{example.name}: the interpreter and the emulator differ")
    if len(examples) < EXAMPLES_LEAST:
        raise SystemExit(f"only {len(examples)} examples in {folder}")
    print(f"{len(examples)} examples give the same on the interpreter and the emulator")


main()
