//===- SweepDialect.cpp - registration ------------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep/SweepDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sweep;

#include "Sweep/SweepDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Sweep/SweepTypes.cpp.inc"

void SweepDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Sweep/SweepTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Sweep/SweepOps.cpp.inc"
      >();
}
