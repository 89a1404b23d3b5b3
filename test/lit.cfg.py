"""The lit suite: every .mlir, .idsl, .dsl or .test file below here with a RUN line is a test.

`cargo xtask lit` runs it with all parameters; a bare `lit test` works too, with what was built
last. Parameters (`--param name=value`): `target_dir`, `profile`, `llvm_prefix`, `xtask`,
`features` (comma-separated).
"""

import os
import pathlib
import shutil
import subprocess

import lit.formats

root = pathlib.Path(__file__).resolve().parent.parent


def parameter(name, default):
    return lit_config.params.get(name) or str(default)


major = (root / "cmake" / "llvm-version.txt").read_text().strip()
llvm_prefix = pathlib.Path(
    parameter("llvm_prefix", os.environ.get("STENCIL_LLVM_PREFIX") or f"/usr/lib/llvm-{major}")
)
target_dir = pathlib.Path(
    parameter("target_dir", root / os.environ.get("CARGO_TARGET_DIR", "target"))
)
tools = target_dir / parameter("profile", "debug")

config.name = "stencil"
config.suffixes = [".mlir", ".idsl", ".dsl", ".c", ".cu", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = str(root / "test")
config.test_exec_root = str(target_dir / "lit")
# lit's own shell: the same everywhere, and it says which command of a pipe failed.
config.test_format = lit.formats.ShTest(execute_external=False)

# Ours first: a stencil-opt that somebody installed must not be the one that is tested.
path = [str(tools), str(llvm_prefix / "bin")]
config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])
config.environment["RUST_BACKTRACE"] = "1"
# Nothing that an earlier test has compiled stands in for the compiler.
config.environment["STENCIL_CACHE_DIR"] = ""
for name in (
    "STENCIL_BLESS", "STENCIL_EMULATOR_CACHE", "STENCIL_LIBDEVICE", "STENCIL_NIGHTLY",
    "STENCIL_PTXAS", "CUDA_HOME", "CUDA_PATH", "HOME", "TMPDIR",
):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# `command | %golden %s.golden` compares what the command prints with a file next to the test, or
# rewrites the file under `cargo xtask bless`.
config.substitutions.append(("%golden", parameter("xtask", tools / "xtask") + " golden"))
# `%install DIR` installs what was built last under a prefix.
xtask = parameter("xtask", tools / "xtask")
installer = f"env CARGO_TARGET_DIR={target_dir} {xtask} install --built --prefix"
config.substitutions.append(("%install", installer))
# `%wheel` puts the Python package together with what was built last, and prints where it is.
packer = f"env CARGO_TARGET_DIR={target_dir} {xtask} wheel --built"
config.substitutions.append(("%wheel", packer))
# The plugin for MLIR's own mlir-opt.
config.substitutions.append(("%plugin", str(tools / "libstencil_plugin.so")))
# `%guide PAGE` runs the code blocks of a page in Markdown.
config.substitutions.append(("%guide", parameter("xtask", tools / "xtask") + " guide"))



def emulated_driver():
    """A folder where hosts find the emulated CUDA driver under the names that they look for."""
    folder = pathlib.Path(config.test_exec_root) / "emulated-driver"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libcuda.so", "libcuda.so.1"):
        link = folder / f".{name}.{os.getpid()}"
        link.symlink_to(tools / "libstencil_emulated_driver.so")
        # In one step: another run of the suite may be using the link that is there.
        link.replace(folder / name)
    return folder


# `%emulated-driver VARIABLE=value command` runs the command with the emulated driver in the place
# of NVIDIA's; no other command of a test sees it. Its README lists the variables.
config.substitutions.append(("%emulated-driver", f"env LD_LIBRARY_PATH={emulated_driver()}"))
# `%emulated-folder` is where a linker finds it.
config.substitutions.append(("%emulated-folder", str(emulated_driver())))


def library_home():
    """A folder as an installation has it, with libstencil and its headers."""
    folder = pathlib.Path(config.test_exec_root) / "library"
    folder.mkdir(parents=True, exist_ok=True)
    places = {"lib": tools, "include": root / "lowering" / "runtime" / "c" / "include"}
    for name, place in places.items():
        link = folder / f".{name}.{os.getpid()}"
        link.symlink_to(place)
        link.replace(folder / name)
    return folder


# `%library` is what compilers take to find libstencil, `%library-home` the folder that it is in.
home = library_home()
config.substitutions.append(("%library-home", str(home)))
words = f"-I {home}/include -L {home}/lib -Wl,-rpath,{home}/lib"
config.substitutions.append((r"%library\b", words))


def imports(python, names):
    command = [python, "-c", f"import {names}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


# `%python` is a Python with NumPy, the first of those that ./x looks at; it leaves no files behind.
pythons = [str(root / ".venv" / "bin" / "python3"), shutil.which("python3"), "/usr/bin/python3"]
found = (python for python in pythons if python and os.path.exists(python))
if python := next((python for python in found if imports(python, "numpy")), None):
    config.substitutions.append(("%python", f"{python} -B"))
    config.available_features.add("numpy")
else:
    lit_config.note("no NumPy: nothing is compared with it, ./x setup installs it")

# `%xdsl-python` is the Python of ./x, with xDSL and NumPy.
if os.path.exists(pythons[0]) and imports(pythons[0], "xdsl, numpy"):
    config.substitutions.append(("%xdsl-python", f"{pythons[0]} -B"))
    config.available_features.add("xdsl")
else:
    lit_config.note("no xDSL: nothing is exchanged with it, ./x setup installs it")

# What the Python of ./x has: checks of types, pictures and notebooks; and, if somebody has put them
# there, systems that programs are compared with.
wanted = {
    "mypy": ["mypy"], "matplotlib": ["matplotlib", "numpy"],
    "notebook": ["nbclient", "ipykernel", "matplotlib", "numpy"], "peers": ["devito", "gt4py"],
    "torch": ["torch", "numpy"], "jax": ["jax", "numpy"], "zarr": ["zarr", "numpy"],
}
# Large, and nothing else needs them: ./x does not install them.
by_hand = {"peers", "torch", "jax", "zarr"}
look = "import importlib.util as u, sys; print(*filter(u.find_spec, sys.argv[1:]))"
present = set()
if os.path.exists(pythons[0]):
    modules = sorted({module for modules in wanted.values() for module in modules})
    command = [pythons[0], "-c", look, *modules]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    present = set(answer.stdout.split())
for feature, modules in wanted.items():
    if present.issuperset(modules):
        config.available_features.add(feature)
    elif feature not in by_hand:
        lit_config.note(f"no {feature}: tests that need it are skipped, ./x setup installs it")
config.substitutions.append(("%private-python", f"{pythons[0]} -B"))

# Processes of MPI, as many as a test wants on any number of cores; those that are left when one has
# failed are ended at once.
if (tools / "stencil-run-mpi").exists() and shutil.which("mpirun"):
    config.available_features.add("mpi")
    config.environment.update({
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl": "self,vader",
        "OMPI_MCA_odls_base_sigkill_timeout": "0",
    })
else:
    lit_config.note("no MPI: no program runs as several processes, ./x setup installs it")

config.available_features.update(filter(None, parameter("features", "").split(",")))
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if shutil.which("nvdisasm", path=config.environment["PATH"]):
    config.available_features.add("nvdisasm")
# The compiler looks for libdevice in more places than are looked at here; the doctor knows.
doctor = [tools / "stencilc", "doctor"]
if (tools / "stencilc").exists() and "libdevice  works" in subprocess.run(
    doctor, capture_output=True, text=True, check=False
).stdout:
    config.available_features.add("libdevice")
else:
    lit_config.note("no libdevice: no elementary function is compiled, ./x setup installs it")
for compiler in ("cc", "gfortran"):
    if shutil.which(compiler, path=config.environment["PATH"]):
        config.available_features.add(compiler)

for needed in ("FileCheck", "not", "split-file"):
    if not (llvm_prefix / "bin" / needed).exists():
        lit_config.fatal(f"there is no {needed} in {llvm_prefix / 'bin'}, run ./x setup")
