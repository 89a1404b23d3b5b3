"""Programs and packages as operations of PyTorch, for `torch.compile` and `torch.export`.

    heat = stencil.torch.op(program, torch.empty(64, 64), 0.2, 100, name="mylib::heat")
    heat(u, 0.2, 100)                                  # u changes in place
    compiled = torch.compile(model, fullgraph=True)    # of a model that calls heat

Tensors on a GPU are used where they are, on PyTorch's current stream; tensors on the host are
copied to the device and back, as every call does it. Needs PyTorch 2.4 or later.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, Callable, List, Optional, Sequence, Tuple

from .errors import ArgumentError
from .language.arguments import given_arrays
from .operations import Operation, Parameter, Source

try:
    torch: Any = importlib.import_module("torch")
    importlib.import_module("torch.library")
except ImportError as error:
    raise ImportError("stencil.torch needs PyTorch, which is not installed here: pip install "
                      "torch") from error

#: How PyTorch's schemas have the kinds of arguments.
_TYPES = {"array": "Tensor", "arrays": "Tensor[]", "int": "SymInt", "float": "float",
          "bool": "bool"}
_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")


def op(source: Source, *examples: Any, name: Optional[str] = None,
       functional: bool = False) -> Any:
    """Registers a program or a package as an operation of PyTorch, and gives its `CustomOpDef`.

    `source` is a function with `@stencil.program`, or what `stencil.compile` and `stencil.load`
    give. A program is described by `examples`, an argument for each of its own: tensors, or
    `stencil.Array(shape, dtype)`, which say which arguments are arrays, and numbers, which say
    which are numbers; calls may have other extents, types and numbers. All other arguments, and
    numbers that a package was given before, are parts of the operation, which does not take them.

    The operation takes tensors in the shapes of the fields, slowest dimension first, in their
    types and without conversion; several levels of time are a list, oldest first; numbers are of
    Python, in the units of the program. `name` is "namespace::name", or a name in the namespace
    "stencil"; without it that of the function. A name that is registered again means the new one.

    Without `functional` the tensors that the program writes change in place, and a call gives
    nothing; a call that gradients would have to pass through is refused. With it all arguments
    stay as they are, and a call gives copies of the written ones after the run: one tensor or a
    tuple, levels of time oldest first. Gradients are those that `register_autograd` of the
    result is told of; without it `backward` is refused.

    Raises `ArgumentError` for examples that do not describe the program, for another `source` and
    for a bad `name`; calls raise what calls of `source` raise.
    """
    operation = Operation(source, examples)
    full = name or operation.name
    full = full if "::" in full else f"stencil::{full}"
    if not _NAME.fullmatch(full):
        raise ArgumentError(f"'{full}' is no name of an operation; write name='mylib::heat'")
    if not any(one.is_result for one in operation.parameters):
        raise ArgumentError(f"'{operation.name}' writes no array, so an operation of it has no "
                            "results")
    kernel = _functional(operation) if functional else _in_place(operation)
    written = () if functional else [one.name for one in operation.parameters if one.is_written]
    made = torch.library.custom_op(full, kernel, mutates_args=written,
                                   schema=_schema(operation.parameters, functional))
    made.register_fake(_fake(operation) if functional else lambda *_: None)
    if not functional:
        _refuse_gradients(full)
    return made


def _schema(parameters: Sequence[Parameter], functional: bool) -> str:
    words = []
    for place, one in enumerate(parameters):
        written = one.is_written and not functional
        tensor = f"Tensor(a{place}!)" if written else "Tensor"
        words.append(f"{_TYPES[one.kind].replace('Tensor', tensor)} {one.name}")
    count = sum(one.count for one in parameters if one.is_result)
    results = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
    return f"({', '.join(words)}) -> {results if functional else '()'}"


def _in_place(operation: Operation) -> Callable[..., None]:
    def kernel(*values: Any) -> None:
        _run(operation, values)
    return kernel


def _functional(operation: Operation) -> Callable[..., Any]:
    def kernel(*values: Any) -> Any:
        return _as_results(_run(operation, [
            _mapped(_copied, value) if one.is_written else value
            for one, value in zip(operation.parameters, values)]))
    return kernel


def _fake(operation: Operation) -> Callable[..., Any]:
    """Results without content, for tracing: shapes, types and devices are those of arguments."""
    def fake(*values: Any) -> Any:
        return _as_results([
            given.new_empty(given.shape)
            for one, value in zip(operation.parameters, values) if one.is_result
            for given in given_arrays(value)])
    return fake


def _run(operation: Operation, values: Sequence[Any]) -> List[Any]:
    """Runs it on the current stream of the device where the tensors are."""
    given = [_mapped(lambda one: one.detach(), value) if parameter.is_array else value
             for parameter, value in zip(operation.parameters, values)]
    _check_counts(operation, given)
    devices = [one.device for parameter, value in zip(operation.parameters, given)
               if parameter.is_array for one in given_arrays(value) if one.is_cuda]
    stream = torch.cuda.current_stream(devices[0]) if devices else None
    return operation.run(given, stream)


def _check_counts(operation: Operation, values: Sequence[Any]) -> None:
    for parameter, value in zip(operation.parameters, values):
        if parameter.kind == "arrays" and len(value) != parameter.count:
            raise ArgumentError(f"argument '{parameter.name}' is a list of {parameter.count} "
                                f"tensors, found {len(value)}")


def _mapped(change: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(change(one) for one in value)
    return change(value)


def _copied(tensor: Any) -> Any:
    return tensor.clone(memory_format=torch.contiguous_format)


def _as_results(found: Sequence[Any]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


def _refuse_gradients(name: str) -> None:
    """Has calls refused that gradients would have to pass through.

    PyTorch takes no formula for an operation that changes its arguments, and would compute silently
    as if it had changed nothing.
    """
    namespace, _, own = name.partition("::")
    operation = getattr(getattr(torch.ops, namespace), own).default

    def autograd(*values: Any) -> None:
        if torch.is_grad_enabled():
            for argument, value in zip(operation._schema.arguments, values):
                if any(getattr(one, "requires_grad", False) for one in given_arrays(value)):
                    raise ArgumentError(
                        f"'{name}' changes its arguments in place and has no gradient, and "
                        f"'{argument.name}' requires one; call it under torch.no_grad(), or make "
                        "an operation with functional=True and register_autograd")
        with torch._C._AutoDispatchBelowAutograd():
            operation(*values)

    library = torch.library.Library(namespace, "FRAGMENT")
    _LIBRARIES.append((name, library))
    library.impl(own, autograd, "Autograd", allow_override=True)


#: What is registered lives as long as the library that it was registered in.
_LIBRARIES: List[Tuple[str, Any]] = []

__all__ = ["op"]
