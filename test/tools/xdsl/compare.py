"""Whether the fields of two runs are the same."""

import numpy as np

from commands import Failure


def check_fields(program, whose, results, expected):
    """Fields are equal, bit for bit or within the program's bound."""
    for position, (result, wanted) in enumerate(zip(results, expected)):
        if not isinstance(wanted, np.ndarray):
            continue
        if result.dtype != wanted.dtype or result.shape != wanted.shape:
            raise Failure(f"{program.name}: argument {position} of {whose} has another type")
        if result.dtype.kind == "f" and np.isnan(wanted).any():
            raise Failure(f"{program.name}: argument {position} has NaN, which shows nothing")
        if program.within and result.dtype.kind == "f":
            same = np.abs(result - wanted).max() <= program.within * np.abs(wanted).max()
        else:
            same = result.tobytes() == wanted.tobytes()
        if not same:
            raise Failure(
                f"{program.name}: argument {position} of {whose} is\n{result}\n"
                f"and should be\n{wanted}"
            )
