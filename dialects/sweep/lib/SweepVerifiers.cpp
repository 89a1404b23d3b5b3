//===- SweepVerifiers.cpp - verifiers of the operations -------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"
#include "Sweep/SweepDialect.h"

using namespace mlir;
using namespace mlir::sweep;

/// Block arguments stand for the operands: carried, reads, scalars, one level's level scalars.
static LogicalResult verifyArguments(KernelOp op) {
  SmallVector<Value> operands(op.getCarried());
  llvm::append_range(operands, op.getReads());
  llvm::append_range(operands, op.getScalars());
  llvm::append_range(operands, op.getLevelScalars().take_front(op.getNumVarying()));
  Block &block = op.getBody().front();
  if (block.getNumArguments() != operands.size())
    return op.emitOpError("region must have one argument for each carried field, read, scalar and "
                          "level scalar of a level, got ")
           << block.getNumArguments() << " arguments for " << operands.size();
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), operands))
    if (argument.getType() != operand.getType())
      return op.emitOpError("region argument #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << ", its operand has type " << operand.getType();
  return success();
}

LogicalResult KernelOp::verify() {
  if (getLevelScalars().size() % getSteps() != 0)
    return emitOpError("needs the level scalars of each of its ")
           << getSteps() << " levels, got " << getLevelScalars().size() << " in all";
  return verifyArguments(*this);
}

LogicalResult KernelOp::verifyRegions() {
  Operation *last = getBody().front().getTerminator();
  if (!isa<YieldOp>(last))
    return emitOpError("region must end with 'sweep.yield', got '") << last->getName() << "'";
  return success();
}
