//===- SweepDialect.h - the sweep dialect in C++ --------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header to include: dialect and operations.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_SWEEPDIALECT_H
#define SWEEP_SWEEPDIALECT_H

#include "Stencil/StencilDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Sweep/SweepDialect.h.inc"

#define GET_OP_CLASSES
#include "Sweep/SweepOps.h.inc"

#endif // SWEEP_SWEEPDIALECT_H
