//===- Support.h - what the files of operations share -------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and checks that ops of several forms share.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_LIB_SUPPORT_H
#define SWEEP_LIB_SUPPORT_H

#include "Stencil/OpSupport.h"
#include "Sweep/SweepDialect.h"

namespace mlir::sweep {

/// `(%a = [%x, %y] : T, ...)`: for each argument its value on every level, while the operands are
/// all arguments' values on the first level, then those on the next. Says how many operands.
FailureOr<int32_t> parseLevelScalars(OpAsmParser &parser, OperationState &result,
                                     SmallVectorImpl<OpAsmParser::Argument> &arguments);

/// The same, printed.
void printLevelScalars(OpAsmPrinter &printer, ValueRange arguments, ValueRange values);

/// Whether a region ends with 'sweep.yield' of values of these types; `what` names them.
LogicalResult verifyYield(Operation *op, Region &body, TypeRange types, StringRef what);

/// Whether periodic dimensions, if there are any, are some of a domain's, in ascending order.
LogicalResult verifyPeriodic(Operation *op, DenseI64ArrayAttr dimensions, unsigned rank);

/// Whether the region of an op, which computes one point, reads its operands and does nothing else
/// to memory.
LogicalResult verifyPointOperations(Operation *op);

} // namespace mlir::sweep

#endif // SWEEP_LIB_SUPPORT_H
