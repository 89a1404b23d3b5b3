//===- StencilDialect.td - the dialect itself -----------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect record alone, so that types, attributes and operations can refer to it. The files
// are read through StencilOps.td, which includes all the others.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_DIALECT_TD
#define STENCIL_DIALECT_TD

include "mlir/IR/OpBase.td"

def Stencil_Dialect : Dialect {
  let name = "stencil";
  let cppNamespace = "::mlir::stencil";
  let summary = "values on a grid and the point functions that compute them";
  let description = [{
    The `stencil` dialect says what a stencil program computes: values on a grid of rank 1 to 3,
    functions of one point that read its neighbours, and the bounds on which results are stored. It
    says nothing about order, memory layout or the machine. The text of the dialect is that of xDSL,
    so programs pass between the two unchanged.

    A **field** is memory, a **temp** is a value on the grid. `stencil.load` turns the former into
    the latter, `stencil.apply` computes temps from temps, `stencil.store` writes a temp back to a
    range of a field. Coordinates are logical and may be negative; bounds are half open.

    ```mlir
    func.func @average(%in : !stencil.field<[-1,65]xf64>, %out : !stencil.field<[0,64]xf64>) {
      %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
      %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
        %half = arith.constant 0.5 : f64
        %left = stencil.access %a[-1] : !stencil.temp<?xf64>
        %right = stencil.access %a[1] : !stencil.temp<?xf64>
        %sum = arith.addf %left, %right : f64
        %mean = arith.mulf %sum, %half : f64
        stencil.return %mean : f64
      }
      stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
      return
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;

  // Attributes that this dialect puts on operations of any dialect, and on arguments of functions.
  let discardableAttrs = (ins
    // Of an apply and of the kernel made from it.
    "::mlir::StringAttr":$stage,            // its name, unique in its function
    "::mlir::Attribute":$plan,              // #stencil.plan, or its dictionary on a gpu.func
    "::mlir::DictionaryAttr":$constraints,  // constraints of the source on the plan
    // To be computed inside of its readers: unit, or the numbers that decided it.
    "::mlir::Attribute":$inline,
    // Of an op in an apply: readers of the apply get its value from memory and compute the rest
    // themselves: unit, or the numbers that decided it.
    "::mlir::Attribute":$crosses,
    "::mlir::StringAttr":$merge,            // the kernel that applies of this name become
    "::mlir::StringAttr":$group,            // the sweep that applies of this name become
    "::mlir::ArrayAttr":$includes,          // the applies that it computes, with the reasons
    "::mlir::IntegerAttr":$points,          // grid points that a launch computes
    "::mlir::IntegerAttr":$flops,           // FLOP of a launch, as written (an FMA is two)
    "::mlir::IntegerAttr":$bytes,           // compulsory traffic: each cell once
    // Of a function.
    "::mlir::Attribute":$program_plan,      // #stencil.program_plan: its kernels
    "::mlir::DictionaryAttr":$decisions,    // {stage = {plan = "..", why = ".."}}
    "::mlir::StringAttr":$variant_of,       // the function that this is a variant of
    // The time steps for which tables can be read: an array of {argument, first, last}.
    "::mlir::ArrayAttr":$step_limits,
    // Extents of the domain are given when it runs: {lower, upper} of the domain that bounds are
    // written for, and the {least} extents. A variant of such a function may have sweeps; it is
    // taken from so many {points} of the domain on, for extents that differ from the reference's by
    // {multiples}. Where the program leaves its {sizes} open by name, each has a {name} and is that
    // {along} dimensions of the domain: pairs of a dimension and how much the size is more than its
    // extent. A dimension along which there is none keeps its extent.
    "::mlir::DictionaryAttr":$run_time_extents,
    // The function computes a window of a domain that several devices share: the planes {lower,
    // upper} of the whole domain along its slowest dimension, the {windows} of the devices, the
    // {halo} of planes beyond those that a device owns, and the time {steps} between exchanges. A
    // window is [first owned plane, end, shift] or [.., shift, seam, shift from the seam on]: a
    // plane of the window and the shift are the plane of the whole domain that it stands for.
    // {computed} has for each window [first plane, end, ..]: the planes that are needed where no
    // iteration of the time loop follows until the next exchange, where one does, and so on.
    // {early} has the planes that hold after one iteration, after two, and so on, what depends on
    // nothing that was exchanged.
    "::mlir::DictionaryAttr":$decomposition,
    // Rows of the fields are to begin at multiples of so many bytes, which stencil-pad-rows brings
    // about; 1 for rows without padding.
    "::mlir::IntegerAttr":$row_alignment,
    // Of an argument of a function.
    "::mlir::StringAttr":$name,             // its name in the source
    "::mlir::StringAttr":$symbol,           // the symbol that it is bound to
    "::mlir::UnitAttr":$scratch,            // the content of the field after a run is unused
    // Of a field whose rows are padded on the device: how many cells of its last dimension, first
    // and last, are no cells of the caller's array.
    "::mlir::DenseI64ArrayAttr":$padding,
    // Of a field of a decomposed function: the dimension that is cut, and its planes in the whole
    // domain.
    "::mlir::DenseI64ArrayAttr":$cut,
    // Of such a field that is written: for each device, [first plane, end, ..] of its window, the
    // planes that it gets from their owners between time steps. Without it, all.
    "::mlir::ArrayAttr":$received,
    // Of an index argument of a decomposed function, which each device gets for its window: a plane
    // of it and "shift" are the plane of the whole domain, from the plane "seam" on it and
    // "shift_from_seam".
    "::mlir::StringAttr":$window,
    "::mlir::Attribute":$bounds,            // of the field that a memref was made from
    // Of such a memref, and of a kernel beside its bounds, where extents of the domain are given at
    // run time: the dimensions of the domain that its extents follow, -1 for a constant extent.
    "::mlir::DenseI64ArrayAttr":$follows,
    // Of a stencil.index: its offset is minus a coordinate that moves with such a domain.
    "::mlir::UnitAttr":$distance,
    // Of an argument of a host function: the dimension of the domain whose extent it is.
    "::mlir::IntegerAttr":$extent,
    // Of the number of iterations of a time loop that was split: the time steps of an iteration,
    // or unit if unknown.
    "::mlir::Attribute":$time_steps,
    // Of a time loop: the loop behind it makes the last iterations, and writes what no iteration
    // reads of the levels before them.
    "::mlir::UnitAttr":$continued,
    // Of a loop over pairs of sweeps in a decomposed function: the iterations of the time loop that
    // a sweep makes. Of a kernel of such a sweep: these, and the number of the first of four
    // parameters: the first plane that it computes, one past the last, and the planes of a chunk of
    // tiles inside and at the ends; then the numbers of the parameters that it writes.
    "::mlir::DenseI64ArrayAttr":$sweeps,
    // Of a number of iterations at the end of the time loop of a decomposed function, which are not
    // fused since its caller reads what they leave of older levels: a run that another one goes on
    // from may take 0 instead.
    "::mlir::UnitAttr":$last_iterations,
    // Of an f32 `math.rsqrt`: any result within a relative error of 2^-22.5 is permitted. Its uses
    // must not depend on which one it is.
    "::mlir::UnitAttr":$estimate,
    // Of an f32 `arith.divf` of 1: the divisor is a normal number below 2^126 in absolute value, or
    // NaN, or nothing depends on the result.
    "::mlir::UnitAttr":$normal_divisor,
    // Of a kernel that copies cells to the same places of memory of the same layout: the parameters
    // that it reads and writes, pair by pair. Launches with one buffer for both of each pair change
    // nothing.
    "::mlir::DenseI64ArrayAttr":$copies
  );
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // STENCIL_DIALECT_TD
