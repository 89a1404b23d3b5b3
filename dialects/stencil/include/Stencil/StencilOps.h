//===- StencilOps.h - every operation -------------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes are generated from StencilFieldOps.td and StencilPointOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_STENCILOPS_H
#define STENCIL_STENCILOPS_H

#include "Stencil/StencilInterfaces.h"
#include "Stencil/StencilTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "Stencil/StencilOps.h.inc"

#endif // STENCIL_STENCILOPS_H
