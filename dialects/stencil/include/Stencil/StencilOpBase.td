//===- StencilOpBase.td - what all operations share -----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The includes that operations need, and their base class.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_OP_BASE_TD
#define STENCIL_OP_BASE_TD

include "Stencil/StencilInterfaces.td"
include "Stencil/StencilTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Stencil_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Stencil_Dialect, opMnemonic, traits>;

#endif // STENCIL_OP_BASE_TD
