//===- StencilAttributes.td - indices, bounds, plans ----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the syntax of an operation the first two are printed bare, as `<[0, 1]>` and
// `<[0, 0], [64, 48]>`; elsewhere with their name in front.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_ATTRIBUTES_TD
#define STENCIL_ATTRIBUTES_TD

include "Stencil/StencilDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Stencil_Attr<string cppName, string attrMnemonic>
    : AttrDef<Stencil_Dialect, cppName> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Stencil_IndexAttr : Stencil_Attr<"Index", "index"> {
  let summary = "stencil.index (one integer per dimension, 1 to 3 dimensions)";
  let description = [{
    A point or an offset on the grid. Operations use it for offsets, extents, unroll factors and
    offset mappings; the operation says which.

    Example: `#stencil.index<[-1, 0, 2]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "one value per dimension">:$values);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t size() const { return static_cast<int64_t>(getValues().size()); }
    int64_t operator[](size_t dim) const { return getValues()[dim]; }
  }];
}

def Stencil_BoundsAttr : Stencil_Attr<"Bounds", "bounds"> {
  let summary = "stencil.bounds (a half-open box of the grid, 1 to 3 dimensions)";
  let description = [{
    The points `p` with `lower[d] <= p[d] < upper[d]` in every dimension. A box is never empty, and
    its number of points fits into 64 bits: both are verified.

    Example: `#stencil.bounds<[-4, -4], [68, 52]>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "first coordinate in each dimension">:$lower,
    ArrayRefParameter<"int64_t", "first coordinate beyond, in each dimension">:$upper);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return static_cast<unsigned>(getLower().size()); }

    /// Number of points along one dimension; at least 1.
    int64_t getExtent(unsigned dim) const { return getUpper()[dim] - getLower()[dim]; }

    /// Whether every point of `other`, a box of the same rank, is a point of this one.
    bool contains(BoundsAttr other) const;

    /// The bounds as types print them: `[-4,68]x[-4,52]`.
    std::string getText() const;
  }];
}

def Stencil_PlanAttr : Stencil_Attr<"Plan", "plan"> {
  let summary = "stencil.plan (how one kernel is to be computed)";
  let description = [{
    A complete decision for one kernel: tile, threads, fused time steps, storage of planes and so
    on. It is one dictionary with sorted keys; which keys exist, their ranges and their defaults is
    the plan schema's business, and a process that has installed the schema refuses every plan that
    does not follow it. Without the schema any dictionary is a plan.

    Example: `#stencil.plan<{mapping = "warp", steps = 4 : i64}>`
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$entries);
  let hasCustomAssemblyFormat = 1;
}

def Stencil_ProgramPlanAttr : Stencil_Attr<"ProgramPlan", "program_plan"> {
  let summary = "stencil.program_plan (which kernels a function is computed by)";
  let description = [{
    The kernels of a function, each a dictionary. They are in an order in which each needs earlier
    ones only; those that do not need each other are launched as the program has them.

    - `stages`: the applies that it computes, by `stencil.stage`; at least one.
    - `inlined`: applies that all of their readers compute again, without a kernel of their own.
    - `plan`: its `#stencil.plan`, complete or not; the compiler chooses what is open.
    - `name`: what keys and reports call it, if it has several stages; else it is called `group`,
      `group1` and so on.
    - `time_loop`: the stages are the body of a loop whose iterations are its time steps, and the
      plan is of the loop.

    No stage is in it twice. A name is that of one kernel, and of no stage of another.
    `stencil-distribute-plan` carries it out.

    Example:

    ```mlir
    #stencil.program_plan<[
      {name = "sums", plan = #stencil.plan<{mapping = "warp"}>, stages = ["products", "sums"]},
      {inlined = ["response"], stages = ["corners"]} ]>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$kernels);
  let hasCustomAssemblyFormat = 1;
}

#endif // STENCIL_ATTRIBUTES_TD
