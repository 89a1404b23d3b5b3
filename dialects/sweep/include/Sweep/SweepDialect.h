//===- SweepDialect.h - the sweep dialect in C++ --------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header to include: dialect, types and ops. The check of a whole sweep is installed at
// run time.
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
#include "llvm/ADT/STLFunctionalExtras.h"

#include "Sweep/SweepDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Sweep/SweepTypes.h.inc"

#define GET_OP_CLASSES
#include "Sweep/SweepOps.h.inc"

namespace mlir::sweep {

/// Checks a kernel as a whole, after everything else about it was verified, reports every fault
/// through `emit`, and says whether there was none. It may be called from several threads at once.
using KernelVerifier = bool (*)(KernelOp kernel, llvm::function_ref<void(llvm::StringRef)> emit);

/// Installs the check that every kernel verified from now on must pass; null removes it.
void setKernelVerifier(KernelVerifier verifier);

} // namespace mlir::sweep

#endif // SWEEP_SWEEPDIALECT_H
