"""Runs the compiler's programs on what xDSL printed."""

import pathlib
import subprocess

import numpy as np

SEPARATOR = "// -----\n"


class Failure(Exception):
    """What does not hold, in words."""


def stencil_opt(texts, *flags):
    """The texts of several modules, each read and printed by one process."""
    command = ["stencil-opt", "--split-input-file", *flags]
    done = subprocess.run(
        command, input=SEPARATOR.join(texts), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} refuses what xDSL wrote:\n{done.stderr}")
    printed = done.stdout.split(SEPARATOR)
    if len(printed) != len(texts):
        raise Failure(f"{len(texts)} modules went in, {len(printed)} came out")
    return printed


def stencilc_run(text, function, arguments, backend, folder):
    """The arguments after a run, or None and a message. Arguments are by position."""
    folder = pathlib.Path(folder)
    program = folder / "program.mlir"
    program.write_text(text)
    command = ["stencilc", "run", str(program), f"--on={backend}", f"--function={function}"]
    for position, value in arguments.items():
        if isinstance(value, np.ndarray):
            file = folder / f"in{position}.npy"
            np.save(file, value)
            value = file
        command.append(f"--arg={position}={value}")
    command.append(f"--out-dir={folder / backend}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr
    # Files are called as the arguments are; they are listed in the order of these.
    lines = [line.split() for line in done.stdout.splitlines()]
    files = [words[1] for words in lines if words[:1] == ["wrote"]]
    fields = sorted(key for key, value in arguments.items() if isinstance(value, np.ndarray))
    by_position = dict(zip(fields, files, strict=True))
    results = [
        np.load(by_position[position]) if position in by_position else value
        for position, value in arguments.items()
    ]
    return results, ""
