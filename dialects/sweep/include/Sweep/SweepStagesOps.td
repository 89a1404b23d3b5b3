//===- SweepStagesOps.td - the stages form --------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a sweep computes that has several statements, unknowns or results: a graph of stages, whose
// values are grids at one time level.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_STAGES_OPS_TD
#define SWEEP_STAGES_OPS_TD

include "Stencil/StencilAttributes.td"
include "Stencil/StencilInterfaces.td"
include "Stencil/StencilTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "Sweep/SweepDialect.td"

def Sweep_StagesOp : Sweep_Op<"stages", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoTerminator,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "compute several time steps of several statements, plane by plane";
  let description = [{
    One kernel that makes `steps` time steps of a program. The region says what a step computes. It
    holds, in this order: the streams that enter (`sweep.input`), the stages (`sweep.stage`), which
    of their results are inputs of the next step (`sweep.carry`), and what leaves (`sweep.output`).
    A *stream* is a value at each point of a grid at one time level, and has the type of a
    `stencil.temp`.

    The region's arguments are the `fields`, the `scalars`, which are the same in every step, and V
    scalars that differ from step to step. Of these the operands are `level_scalars`, the V values
    of the first step first. In the text a level scalar is written with its values in all steps,
    `%k = [%first, %second] : f64`.

    Along the dimensions in `periodic` the grid is a ring: all stages have one domain, and a point
    outside it along such a dimension is the one at the other end. There the cells of fields outside
    the domain are neither read nor written.

    A field that is an output must not be an input, nor be read by a stage, unless that reads only
    the cells of the point itself: blocks overlap, and run in any order. It may hold values outside
    of the points that are computed (`outside`), because these are never written.

    Example: two steps of two species, of which each has two fields in rotation.
    ```mlir
    sweep.stages "react.s0" steps 2
        fields(%u0 = %u : !stencil.field<[0,64]x[0,64]xf64>,
               %u1 = %u_next : !stencil.field<[0,64]x[0,64]xf64>,
               %v0 = %v : !stencil.field<[0,64]x[0,64]xf64>,
               %v1 = %v_next : !stencil.field<[0,64]x[0,64]xf64>)
        plan <{mapping = "warp", steps = 2 : i64}> {
      %us = sweep.input %u0
          : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
      %vs = sweep.input %v0
          : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
      %next:2 = sweep.stage "react" over <[1, 1], [63, 63]>
          (%a = %us : !stencil.temp<?x?xf64>, %b = %vs : !stencil.temp<?x?xf64>)
          -> (!stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>)
          outside(%u1 : !stencil.field<[0,64]x[0,64]xf64>,
                  %u0 : !stencil.field<[0,64]x[0,64]xf64>,
                  %v1 : !stencil.field<[0,64]x[0,64]xf64>,
                  %v0 : !stencil.field<[0,64]x[0,64]xf64>) rotations [2, 2] {
        %w = stencil.access %a[0, -1] : !stencil.temp<?x?xf64>
        %e = stencil.access %a[0, 1] : !stencil.temp<?x?xf64>
        %c = stencil.access %b[0, 0] : !stencil.temp<?x?xf64>
        %s = arith.addf %w, %e : f64
        %p = arith.mulf %s, %c : f64
        %q = arith.subf %c, %p : f64
        sweep.yield %p, %q : f64, f64
      }
      sweep.carry %next#0 to %us : !stencil.temp<?x?xf64>
      sweep.carry %next#1 to %vs : !stencil.temp<?x?xf64>
      sweep.output %next#0 over <[1, 1], [63, 63]> to %u1
          : !stencil.temp<?x?xf64>, !stencil.field<[0,64]x[0,64]xf64>
      sweep.output %next#1 over <[1, 1], [63, 63]> to %v1
          : !stencil.temp<?x?xf64>, !stencil.field<[0,64]x[0,64]xf64>
    }
    ```
  }];
  let arguments = (ins
    Variadic<Stencil_FieldType>:$fields,
    Variadic<AnyType>:$scalars,
    Variadic<AnyType>:$level_scalars,
    ConfinedAttr<I64Attr, [IntMinValue<1>]>:$steps,
    OptionalAttr<DenseI64ArrayAttr>:$periodic,
    StrAttr:$stage,
    Stencil_PlanAttr:$plan);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Level scalars of one step.
    unsigned getNumVarying() { return getLevelScalars().size() / getSteps(); }
  }];
}

def Sweep_InputOp : Sweep_Op<"input", [HasParent<"StagesOp">]> {
  let summary = "a stream that enters from a field";
  let description = [{
    The values of a field before the sweep. With `over`, only the points of these bounds are those
    of the field, and all others those of the field `outside`. A stream that no `sweep.carry` names
    is the same in every step. Two inputs from one field are two streams, of which one may be
    carried.

    Examples:
    ```mlir
    %a = sweep.input %f : !stencil.field<[0,64]x[0,64]xf64> -> !stencil.temp<?x?xf64>
    %b = sweep.input %f over <[1, 1], [63, 63]> outside %g
        : !stencil.field<[0,64]x[0,64]xf64>, !stencil.field<[0,64]x[0,64]xf64>
        -> !stencil.temp<?x?xf64>
    ```
  }];
  let arguments = (ins Stencil_FieldType:$field, OptionalAttr<Stencil_BoundsAttr>:$domain,
                       Optional<Stencil_FieldType>:$outside);
  // CSE must not take two of them for one.
  let results = (outs Res<Stencil_TempType, "", [MemAlloc]>:$stream);
  let assemblyFormat = [{
    $field (`over` $domain^ `outside` $outside)? attr-dict
    `:` qualified(type($field)) (`,` qualified(type($outside))^)? `->` qualified(type($stream))
  }];
  let hasVerifier = 1;
}

def Sweep_StageOp : Sweep_Op<"stage", [
    HasParent<"StagesOp">, AttrSizedOperandSegments, IsolatedFromAbove, PointFunctionOpInterface,
    RecursiveMemoryEffects]> {
  let summary = "a statement of a time step";
  let description = [{
    Computes its results at each point of `domain` from `inputs`: streams, which are read with
    `stencil.access`; fields, which are read in memory, with `stencil.access` or
    `stencil.dyn_access`; and scalars.

    Outside of the domain a result has the values of fields in `outside`: those of one result after
    those of another, of each as many as its entry in `rotations`. In the first step it is the first
    of them, and so on in turn. A result with none must not be read there.

    `name` is for reports. An example is at `sweep.stages`.
  }];
  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Variadic<Stencil_FieldType>:$outside,
    Stencil_BoundsAttr:$domain,
    StrAttr:$name,
    DenseI64ArrayAttr:$rotations);
  let results = (outs Variadic<Stencil_TempType>:$streams);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Rank of the domain.
    unsigned getRank() { return getDomain().getRank(); }
  }];
}

def Sweep_CarryOp : Sweep_Op<"carry", [
    HasParent<"StagesOp">, AllTypesMatch<["next", "input"]>]> {
  let summary = "what an input is in the next step";
  let description = [{
    In the next step the input has the values of the stream `next` in this one.

    Example:
    ```mlir
    sweep.carry %next to %u : !stencil.temp<?x?xf64>
    ```
  }];
  let arguments = (ins Stencil_TempType:$next, Stencil_TempType:$input);
  let assemblyFormat = "$next `to` $input attr-dict `:` qualified(type($next))";
  let hasVerifier = 1;
}

def Sweep_OutputOp : Sweep_Op<"output", [HasParent<"StagesOp">]> {
  let summary = "a stream that leaves to a field";
  let description = [{
    Writes the points of `domain` of a stream, as it is in the last step, to a field. The points are
    those that the stage computes from which the stream comes: of an input, the stage that computed
    what was carried to it.

    Example:
    ```mlir
    sweep.output %next over <[1, 1], [63, 63]> to %f
        : !stencil.temp<?x?xf64>, !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins Stencil_TempType:$stream, Stencil_BoundsAttr:$domain,
                       Arg<Stencil_FieldType, "", [MemWrite]>:$field);
  let assemblyFormat = [{
    $stream `over` $domain `to` $field attr-dict
    `:` qualified(type($stream)) `,` qualified(type($field))
  }];
  let hasVerifier = 1;
}

#endif // SWEEP_STAGES_OPS_TD
