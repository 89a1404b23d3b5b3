"""The programs that there is a reference for: what they take, what they give."""

from collections.abc import Callable
from dataclasses import dataclass, field

import acoustic
import advection
import boltzmann
import cahn_hilliard
import early
import elastic
import gray_scott
import harris
import heat3d
import maxwell
import reordered
import shallow
import stars
import stencilgen
import tti
import weno


@dataclass
class Kernel:
    """A program, as far as its caller sees it."""

    run: Callable
    """Does all steps on named fields, in place; its second argument makes constants."""
    results: tuple[str, ...]
    """The fields whose content is compared, also where nothing writes it."""
    arguments: tuple[str, ...]
    """All fields and scalars, in any order: a program that takes others is another program."""
    given: dict = field(default_factory=dict)
    """Arguments that are not random like the others: values, or what draws them."""


def in_turn(run, *more):
    """Two fields in turn; the result is in the first, and the second is scratch."""
    return Kernel(run, ("u",), ("u", "v", *more))


def once(run):
    """From one field to another."""
    return Kernel(run, ("out",), ("in", "out"))


def boundaries(run):
    """Two fields in turn, both of them results."""
    return Kernel(run, ("u", "v"), ("u", "v"))


def flow(constant):
    """The hyperbolic terms, with one or the other kind of constants."""
    names = ("c1", "c2", "c3", "c4", "q1", "q2", "q3", "q4")
    results = ("f0", "f1", "f2", "f3", "f4")
    return Kernel(stencilgen.hypterm(constant), results, names + results)


LEVELS = ("older", "old", "new")
ELECTROMAGNETIC = ("ex", "ey", "ez", "hx", "hy", "hz")
WATER = ("h0", "p0", "q0", "h1", "p1", "q1")
MOTION = elastic.VELOCITIES + elastic.STRESSES
SUBSTANCES = ("u0", "v0", "u1", "v1")
ACCELERATIONS = ("uacc0", "uacc1", "uacc2")

KERNELS = {
    "components": Kernel(stencilgen.components, ("u",), ("u", "v", "c")),
    "early-returned": Kernel(early.returned, ("output",), ("input", "h", "output"), {"h": 1.6875}),
    "early-temporary": Kernel(
        early.temporary, ("out2",), ("in", "a", "out2", "b"), {"a": 0.1875, "b": 0.3125}
    ),
    "j2d5pt": in_turn(stencilgen.j2d5pt),
    "j2d9pt-gol": in_turn(stencilgen.j2d9pt_gol),
    "j2d9pt": in_turn(stencilgen.j2d9pt),
    "gaussian": in_turn(stencilgen.gaussian),
    "gradient": in_turn(stencilgen.gradient),
    "j3d7pt": in_turn(stencilgen.j3d7pt),
    "j3d13pt": in_turn(stencilgen.j3d13pt),
    "j3d17pt": in_turn(stencilgen.j3d17pt),
    "j3d27pt": in_turn(stencilgen.j3d27pt),
    "heat": in_turn(stencilgen.heat),
    "poisson": in_turn(stencilgen.poisson),
    "cheby": Kernel(
        stencilgen.cheby,
        ("ac", "ap"),
        ("ac", "ap", "dinv", "rhs", "c1", "c2"),
        stencilgen.chebyshev_factors(),
    ),
    "denoise": in_turn(stencilgen.denoise, "f"),
    "curl": Kernel(
        stencilgen.curl,
        ("cx", "cy", "cz"),
        ("x", "y", "z", "cx", "cy", "cz", "dx", "dy", "dz"),
        {"dx": 0.5, "dy": 0.3, "dz": 0.7},
    ),
    "hypterm": flow("single"),
    "hypterm-ppopp": flow("__call__"),
    "2d25pt": once(reordered.box_2d25pt),
    "2d64pt": once(reordered.diagonal_2d64pt),
    "2d81pt": once(reordered.box_2d81pt),
    "3d27pt": once(reordered.shells),
    "3d125pt": once(reordered.box_3d125pt),
    "rhs4th3fort": Kernel(
        reordered.rhs4th3fort,
        ACCELERATIONS,
        ("u0", "u1", "u2", "mu", "la", "sx", "sy", "sz", *ACCELERATIONS),
    ),
    "derivative": Kernel(
        reordered.derivative,
        ("r1",),
        ("u1", "u2", "u3", "mu", "la", "m1", "m2", "m3", "m4", "sx", "sy", "r1"),
    ),
    "2d13pt": in_turn(stars.star(2, 3, 0.2)),
    "3d19pt": in_turn(stars.star(3, 3, 0.05)),
    "star25": in_turn(acoustic.star25),
    "j1d3pt": in_turn(stars.line([2, 5, 3], 10)),
    "j1d7pt": in_turn(stars.line([1, 4, 6, 9, 7, 3, 2], 32)),
    "acoustic-so4": Kernel(acoustic.so4, LEVELS, (*LEVELS, "medium")),
    "acoustic-so8": Kernel(acoustic.so8, LEVELS, (*LEVELS, "medium", "damping", "source")),
    "gray-scott3d": Kernel(gray_scott.periodic, SUBSTANCES, SUBSTANCES),
    "gray-scott3d-fixed": Kernel(gray_scott.fixed, SUBSTANCES, SUBSTANCES),
    "harris": Kernel(harris.response, ("response",), ("image", "response")),
    "weno5": Kernel(
        weno.tendency,
        ("tendency",),
        ("scalar", "w", "v", "u", "tendency"),
        {"scalar": weno.rough, "w": weno.wind, "v": weno.wind, "u": weno.wind},
    ),
    "elastic-so8": Kernel(
        elastic.velocity_stress, MOTION, (*MOTION, "buoyancy", "lambda", "mu")
    ),
    "tti-so8": Kernel(
        tti.waves,
        tti.FIELDS,
        (*tti.FIELDS, "medium", "across", "coupling", "nx", "ny"),
        {"medium": tti.slow, "nx": tti.tilt, "ny": tti.tilt},
    ),
    "lbm-d3q19": Kernel(boltzmann.boltzmann, boltzmann.FIELDS, boltzmann.FIELDS),
    "maxwell3d": Kernel(maxwell.yee, ELECTROMAGNETIC, ELECTROMAGNETIC),
    "shallow2d": Kernel(shallow.lax_friedrichs, WATER, WATER),
    "cahn-hilliard2d": boundaries(cahn_hilliard.periodic),
    "cahn-hilliard2d-fixed": boundaries(cahn_hilliard.fixed),
    "rk3-advection": boundaries(advection.runge_kutta),
    "heat3d": boundaries(heat3d.fixed),
    "heat3d-fixed": boundaries(heat3d.fixed),
    "heat3d-mirrored": boundaries(heat3d.mirrored),
    "heat3d-periodic": boundaries(heat3d.periodic),
}
