//===- SweepDialect.cpp - registration ------------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep/SweepDialect.h"

using namespace mlir;
using namespace mlir::sweep;

#include "Sweep/SweepDialect.cpp.inc"

void SweepDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Sweep/SweepOps.cpp.inc"
      >();
}
