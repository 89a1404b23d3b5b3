//===- SweepOps.td - the dialect and its operations -----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep is one kernel that visits the planes of a grid in order, several time levels at once.
// Types, attributes and the operations at one point are those of the stencil dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_OPS_TD
#define SWEEP_OPS_TD

include "Stencil/StencilAttributes.td"
include "Stencil/StencilInterfaces.td"
include "Stencil/StencilTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sweep_Dialect : Dialect {
  let name = "sweep";
  let cppNamespace = "::mlir::sweep";
  let summary = "kernels that visit the planes of a grid in order";
  let description = [{
    The `sweep` dialect says how a kernel walks over a grid: plane by plane along dimension 0, with
    several time levels under way at once, each one plane further behind than the one before. What
    is computed at a point is still a function of the `stencil` dialect. Which thread has which
    point, and what the machine needs for it, comes after this dialect.
  }];
  let dependentDialects = ["::mlir::stencil::StencilDialect"];
}

class Sweep_Op<string opMnemonic, list<Trait> traits = []> : Op<Sweep_Dialect, opMnemonic, traits>;

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
    AttrSizedOperandSegments, IsolatedFromAbove, Stencil_PointFunctionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "compute several time levels of a grid, plane by plane";
  let description = [{
  }];
  let arguments = (ins
    Variadic<Stencil_FieldType>:$carried,
    Variadic<Stencil_FieldType>:$homes,
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

def Sweep_YieldOp : Sweep_Op<"yield", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "the value of the current point on the next level";
  let description = [{
    Ends the region of `sweep.kernel`. The value has the element type of the carried fields.

    Example:
    ```mlir
    sweep.yield %v : f64
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // SWEEP_OPS_TD
