//===- SweepOps.td - the kernel and its levels ----------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep is one kernel that visits the planes of a grid in order, several time levels at once.
// Fields, attributes and the operations at one point are those of the stencil dialect. The stages
// form is in SweepStagesOps.td, the planes form in SweepPlanesOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_OPS_TD
#define SWEEP_OPS_TD

include "Stencil/StencilAttributes.td"
include "Stencil/StencilInterfaces.td"
include "Stencil/StencilTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "Sweep/SweepDialect.td"
include "Sweep/SweepPlanesOps.td"
include "Sweep/SweepStagesOps.td"

def Sweep_FormAttr
    : Attr<And<[StrAttr.predicate, Or<[
             CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"gather\"">,
             CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"scatter\"">]>]>,
           "\"gather\" or \"scatter\""> {
  let storageType = StrAttr.storageType;
  let returnType = StrAttr.returnType;
  let valueType = StrAttr.valueType;
}

def Sweep_KernelOp : Sweep_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove, PointFunctionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "compute several time levels of a grid, plane by plane";
  let description = [{
    Visits the planes of a grid in order along dimension 0 (rows in two dimensions; one plane in
    one dimension) and computes `steps` time levels.

    Levels are numbered from the newest one that exists before the sweep, which is level 0. The
    region is a function of one point: it computes level `s` from levels `s - 1`, `s - 2` and so
    on; one region serves all levels. The value of a level at a point is

    - on the `domain`: the result of the region; `carried[a]` holds level `-a`;
    - outside the domain: the cell of the level's *boundary source*, which for level `s` is
      `boundaries[s mod R]` of R sources. No level changes those cells.

    The operands are

    - `carried`, C at least 1: the levels that the sweep starts from, by age;
    - `boundaries`, R at least C: the fields of the rotation, which hold the cells outside the
      domain;
    - `reads`: fields that the sweep does not change;
    - `scalars`: numbers that are the same on every level;
    - `level_scalars`, `steps` times V: numbers with a value per level, the V values of level 1
      first, then those of level 2, and so on;
    - `outs`, 1 to `steps`: the fields that receive the last levels on the domain; out `i` receives
      level `steps - i`.

    The region's arguments are the carried fields, the reads, the scalars, and V level scalars. It
    reads carried fields with `stencil.access`, reads with `stencil.access` or `stencil.dyn_access`,
    gets coordinates from `stencil.index`, and has no other memory effect. In the text, a level
    scalar is written with its values on all levels, `%k = [%first, %second] : f64`; the operands
    are ordered level by level.

    Boundary sources hold all cells that the levels read of them. All fields of levels have one
    element type, the domain's rank, known bounds, and hold the domain. Carried fields need not be
    boundary sources: a level may be in a shadow buffer. An out may be a boundary source, because
    sources are read outside the domain only, where nothing is written. It must not be a carried
    field or a read, except in a sweep of one step that reads this field at offset 0 only.

    `plan` is the decision for the kernel, `stage` its stable name. `form` says how a plane is
    computed, once that is decided: `"gather"` keeps the planes that a point reads in a circular
    queue until the last of them has arrived; `"scatter"` keeps partial sums, to which each arriving
    plane is added. In gather form, `slots` places each slot of the queue in a `"register"` or in
    `"shared"` memory. Form and slots do not change results.

    Invariants of the whole sweep, such as the length of the queue, are verified by a check that
    the process may install.

    Example: two steps of a Jacobi iteration on two rotated fields.
    ```mlir
    sweep.kernel "jacobi.s0" steps 2 over <[1, 1], [63, 63]> form "scatter"
        carried(%u = %now : !stencil.field<[0,64]x[0,64]xf64>)
        boundaries(%now : !stencil.field<[0,64]x[0,64]xf64>,
                   %next : !stencil.field<[0,64]x[0,64]xf64>)
        scalars(%q = %quarter : f64)
        outs(%next : !stencil.field<[0,64]x[0,64]xf64>)
        plan <{mapping = "warp", steps = 2 : i64}> {
      %n = stencil.access %u[-1, 0] : !stencil.field<[0,64]x[0,64]xf64>
      %w = stencil.access %u[0, -1] : !stencil.field<[0,64]x[0,64]xf64>
      %e = stencil.access %u[0, 1] : !stencil.field<[0,64]x[0,64]xf64>
      %s = stencil.access %u[1, 0] : !stencil.field<[0,64]x[0,64]xf64>
      %0 = arith.addf %n, %w : f64
      %1 = arith.addf %0, %e : f64
      %2 = arith.addf %1, %s : f64
      %v = arith.mulf %2, %q : f64
      sweep.yield %v : f64
    }
    ```
    `%next` receives level 2 on the domain. Next to the edge, level 1 reads the halo cells of `%now`
    and level 2 those of `%next`; neither is changed.
  }];
  let arguments = (ins
    Variadic<Stencil_FieldType>:$carried,
    Variadic<Stencil_FieldType>:$boundaries,
    Variadic<Stencil_FieldType>:$reads,
    Variadic<AnyType>:$scalars,
    Variadic<AnyType>:$level_scalars,
    Variadic<Stencil_FieldType>:$outs,
    Stencil_BoundsAttr:$domain,
    ConfinedAttr<I64Attr, [IntMinValue<1>]>:$steps,
    StrAttr:$stage,
    Stencil_PlanAttr:$plan,
    OptionalAttr<Sweep_FormAttr>:$form,
    OptionalAttr<StrArrayAttr>:$slots);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Rank of the domain.
    unsigned getRank() { return getDomain().getRank(); }

    /// Level scalars of one level.
    unsigned getNumVarying() { return getLevelScalars().size() / getSteps(); }
  }];
}

#endif // SWEEP_OPS_TD
