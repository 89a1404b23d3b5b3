"""Builds the package: in pure Python, or for one platform if programs lie in `stencil/bin`.

`cargo xtask wheel` puts them there, in a copy of this folder. A wheel with programs serves every
version of Python: none of them is linked with it.
"""

from pathlib import Path

from setuptools import Distribution, setup


def with_programs():
    """What a wheel with programs has besides."""
    from setuptools.command.bdist_wheel import bdist_wheel

    class Programs(Distribution):
        def has_ext_modules(self):
            return True

    class PlatformWheel(bdist_wheel):
        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    return {"distclass": Programs, "cmdclass": {"bdist_wheel": PlatformWheel},
            "entry_points": {"console_scripts": ["stencilc = stencil.command:stencilc",
                                                 "stencil-run = stencil.command:stencil_run"]}}


setup(**(with_programs() if (Path(__file__).parent / "stencil" / "bin").is_dir() else {}))
