"""Pictures for the site: what programs of the project compute, on the emulator.

`gallery.py FOLDER` writes pages in Markdown into the folder, and pictures beside them: a gallery of
the applications of tools/examples/python and of a lattice Boltzmann method, and the notebook with
its results. Needs matplotlib, and nbclient for the notebook.
"""

import base64
import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "tools" / "examples" / "python"
NOTEBOOK = EXAMPLES / "wave3d.ipynb"
sys.path[:0] = [str(ROOT / "tools" / "python"), str(EXAMPLES)]

import matplotlib  # noqa: E402 - the path comes first
import nbclient  # noqa: E402
import nbformat  # noqa: E402
import numpy  # noqa: E402

import stencil  # noqa: E402

matplotlib.use("Agg")
DOTS_PER_INCH = 80
#: For programs whose kernels make several steps at once: one step is faster on the emulator.
PLAIN = {"mapping": "thread"}

HEAD = """# Gallery

What programs of [tools/examples/python](tools/examples/README.md) compute, and one that is written
here. Each picture was made when this site was, on the emulator, which gives the bits of a GPU.
"""


def example(module, function):
    """A program of tools/examples/python."""
    return getattr(importlib.import_module(module), function).options(on="emulator")


def wave():
    """A pulse in a medium whose upper half is slower."""
    program = example("acoustic_so4", "acoustic")
    points = 76
    courant2 = numpy.full((points,) * 3, 0.16, "f4")
    courant2[points // 2 + 8:] = 0.05
    z, y, x = numpy.indices(courant2.shape) - points // 2
    pulse = numpy.exp(-(x * x + y * y + z * z) / 18.0).astype("f4")
    before, newest = pulse.copy(), pulse.copy()
    program((before, newest), courant2, 62)
    return stencil.plot(newest, "pressure", spacing=10, origin=-380, length_unit="m")


def gray_scott():
    """Two substances that react and spread, from a few drops."""
    program = example("gray_scott3d", "gray_scott")
    substrate = numpy.ones((2, 128, 128), "f4")
    activator = numpy.zeros_like(substrate)
    drops = numpy.random.default_rng(3).integers(8, 116, (14, 2))
    for y, x in drops:
        substrate[:, y:y + 6, x:x + 6], activator[:, y:y + 6, x:x + 6] = 0.5, 0.25
    program(substrate, activator, 5000)
    return stencil.plot(activator[0], "activator")


def shallow():
    """A drop falls into a basin with reflecting walls."""
    program = example("shallow2d", "shallow")
    y, x = numpy.mgrid[0:200, 0:240]
    depth = (1 + 0.4 * numpy.exp(-((y - 70) ** 2 + (x - 80) ** 2) / 60.0)).astype("f4")
    along, across = numpy.zeros_like(depth), numpy.zeros_like(depth)
    program(depth, along, across, 900)
    middle = float(depth.mean())
    return stencil.plot(depth - middle, "depth less its mean")


def cahn_hilliard():
    """A mixture separates into its two phases."""
    program = example("cahn_hilliard2d", "cahn_hilliard")
    mixture = numpy.random.default_rng(1).uniform(-0.1, 0.1, (128, 128)).astype("f4")
    program(mixture, 6000, plan=PLAIN)
    return stencil.plot(mixture, "mixture", limits=(-1, 1))


def harris():
    """The corners of an image: where the response is high."""
    program = example("harris", "harris")
    y, x = numpy.mgrid[0:120, 0:160]
    image = ((y // 30 + x // 40) % 2 + 0.5 * ((y - 60) ** 2 + (x - 80) ** 2 < 900)).astype("f4")
    # The image has two cells more beyond each side.
    response = numpy.zeros_like(image[2:-2, 2:-2])
    program(image, response)
    return stencil.plot(response, "response")


# ---- a lattice Boltzmann method -----------------------------------------------------------------

j, i = stencil.indices("j i")

#: Velocities (y, x) of the nine distributions, and their weights in equilibrium.
VELOCITIES = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
WEIGHTS = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]
OPPOSITE = [VELOCITIES.index((-y, -x)) for y, x in VELOCITIES]
NAMES = ["rest", "e", "n", "w", "s", "ne", "nw", "sw", "se"]


def equilibrium(density, y, x):
    """The distributions of a fluid at rest but for its mean velocity."""
    square = 1.5 * (y * y + x * x)
    for (cy, cx), weight in zip(VELOCITIES, WEIGHTS):
        along = 3 * (cy * y + cx * x)
        yield weight * density * (1 + along + 0.5 * along * along - square)


@stencil.program(boundaries=stencil.periodic(), fast_math=True, on="emulator")
def boltzmann(rest, e, n, w, s, ne, nw, sw, se, solid, force, rate, steps):
    """Streaming, bounce-back at cells that are solid, and collision (BGK) in one statement each."""
    fields = [rest, e, n, w, s, ne, nw, sw, se]
    for t in stencil.steps(steps):
        arrived = [stencil.where(solid[j-y, i-x] > 0, fields[back][t, j, i], f[t, j-y, i-x])
                   for f, (y, x), back in zip(fields, VELOCITIES, OPPOSITE)]
        density = sum(arrived[1:], arrived[0])
        y, x = [sum((f * one[axis] for f, one in zip(arrived, VELOCITIES) if one[axis]), 0.0)
                for axis in (0, 1)]
        for f, came, settled in zip(fields, arrived, equilibrium(density, y / density,
                                                                 x / density + force)):
            f[t+1, j, i] = came + rate * (settled - came)


def street():
    """A fluid that is driven past a cylinder, between two plates."""
    rows, columns = 66, 220
    y, x = numpy.mgrid[0:rows, 0:columns]
    solid = ((y - 31) ** 2 + (x - 45) ** 2 < 64) | (y == 0) | (y == rows - 1)
    speed = 0.12 * (1 - ((y - 32.5) / 33) ** 2) * ~solid
    fields = [f.astype("f4") for f in equilibrium(numpy.ones(y.shape), 0 * speed, speed)]
    boltzmann(*fields, solid.astype("f4"), 4e-6, 1.92, 9000)
    density = sum(fields)
    speed_y, speed_x = [sum(f * one[axis] for f, one in zip(fields, VELOCITIES)) / density
                        for axis in (0, 1)]
    curl = numpy.gradient(speed_y, axis=1) - numpy.gradient(speed_x, axis=0)
    curl[solid] = numpy.nan
    return stencil.plot(curl, "vorticity", limits=(-0.025, 0.025))


#: Heading, what draws it, the file of the program.
PICTURES = [
    ("Acoustic wave", wave, "tools/examples/python/acoustic_so4.py"),
    ("Gray-Scott", gray_scott, "tools/examples/python/gray_scott3d.py"),
    ("Shallow water", shallow, "tools/examples/python/shallow2d.py"),
    ("Lattice Boltzmann", street, "tools/docs/site/gallery.py"),
    ("Cahn-Hilliard", cahn_hilliard, "tools/examples/python/cahn_hilliard2d.py"),
    ("Corners of an image", harris, "tools/examples/python/harris.py"),
]


def page(folder, name):
    """The file of a page."""
    return (folder / name).with_suffix(".md")


def write_gallery(folder):
    """The page of the gallery, and its pictures."""
    (folder / "gallery").mkdir(parents=True, exist_ok=True)
    text = HEAD
    for heading, draw, source in PICTURES:
        name = heading.lower().replace(" ", "-")
        figure = draw()
        figure.savefig(folder / "gallery" / f"{name}.png", dpi=DOTS_PER_INCH)
        text += (f"\n## {heading}\n\n{draw.__doc__}\n\n![{heading}](gallery/{name}.png)\n\n"
                 f"The program is [{Path(source).name}]({source}).\n")
    page(folder, "gallery").write_text(text, encoding="utf-8")


def write_notebook(folder):
    """The notebook with its results, as a page."""
    os.environ["PYTHONPATH"] = str(ROOT / "tools" / "python")
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    (folder / "wave3d").mkdir(parents=True, exist_ok=True)
    parts = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            # Links of the notebook are relative to its own folder.
            parts.append(cell.source.replace("](../../docs/", "](tools/docs/")
                         .replace("](../README", "](tools/examples/README"))
            continue
        parts.append(f"```python\n{cell.source}\n```")
        printed = "".join(one.text for one in cell.outputs if one.output_type == "stream")
        # A bar is written anew again and again.
        lines = [line.split("\r")[-1] for line in printed.split("\n") if line]
        parts += ["```text\n" + "\n".join(lines) + "\n```"] if printed else []
        parts += [shown(one.data, folder / "wave3d", f"{cell.id}-{place}")
                  for place, one in enumerate(cell.outputs) if "data" in one]
    page(folder, "wave3d").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def shown(data, folder, name):
    """A result of a cell in Markdown."""
    if "image/png" in data:
        (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
        return f"![result of the cell above](wave3d/{name}.png)"
    if "text/html" in data:
        # An empty line would end the HTML.
        return "\n".join(line for line in data["text/html"].splitlines() if line.strip())
    return f"```text\n{data['text/plain']}\n```"


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1]))
    write_notebook(Path(sys.argv[1]))
