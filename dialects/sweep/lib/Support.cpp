//===- Support.cpp - what the files of operations share -----------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Level scalars, and what a region may hold.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace mlir::sweep;

FailureOr<int32_t>
sweep::parseLevelScalars(OpAsmParser &parser, OperationState &result,
                         SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  SMLoc location = parser.getCurrentLocation();
  size_t first = arguments.size();
  SmallVector<SmallVector<OpAsmParser::UnresolvedOperand>> values;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseOperandList(values.emplace_back(),
                                           OpAsmParser::Delimiter::Square) ||
                   parser.parseColonType(argument.type));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne,
                                     " in 'level_scalars'"))
    return failure();
  size_t numLevels = values.empty() ? 0 : values.front().size();
  for (ArrayRef<OpAsmParser::UnresolvedOperand> levels : values)
    if (levels.size() != numLevels)
      return parser.emitError(location)
             << "level scalars have a value for each level, got " << numLevels
             << " for one and " << levels.size() << " for another";
  for (size_t level = 0; level < numLevels; ++level)
    for (auto [number, levels] : llvm::enumerate(values))
      if (parser.resolveOperand(levels[level], arguments[first + number].type, result.operands))
        return failure();
  return static_cast<int32_t>(numLevels * values.size());
}

void sweep::printLevelScalars(OpAsmPrinter &printer, ValueRange arguments, ValueRange values) {
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(arguments), printer, [&](auto pair) {
    printer << pair.value() << " = [";
    for (size_t number = pair.index(); number < values.size(); number += arguments.size())
      printer << (number == pair.index() ? "" : ", ") << values[number];
    printer << "] : " << pair.value().getType();
  });
  printer << ')';
}

LogicalResult sweep::verifyYield(Operation *op, Region &body, TypeRange types, StringRef what) {
  auto yield = dyn_cast<YieldOp>(body.front().getTerminator());
  if (!yield)
    return op->emitOpError("region must end with 'sweep.yield', got '")
           << body.front().getTerminator()->getName() << "'";
  if (yield.getValues().size() != types.size())
    return yield.emitOpError("must have a value for each of ")
           << types.size() << ' ' << what << ", got " << yield.getValues().size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip(yield.getValues().getTypes(), types)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return yield.emitOpError("value #")
             << number << " must be " << std::get<1>(pair) << ", got " << std::get<0>(pair);
  return success();
}

LogicalResult sweep::verifyPeriodic(Operation *op, DenseI64ArrayAttr dimensions, unsigned rank) {
  if (!dimensions)
    return success();
  int64_t last = -1;
  for (int64_t dimension : dimensions.asArrayRef()) {
    if (dimension <= last || dimension >= static_cast<int64_t>(rank))
      return op->emitOpError("names periodic dimensions ")
             << dimensions << ", which must be some of the " << rank
             << " of its domain, in ascending order";
    last = dimension;
  }
  return success();
}

LogicalResult sweep::verifyPointOperations(Operation *op) {
  WalkResult result = op->getRegion(0).walk([&](Operation *inner) {
    if (isa<stencil::AccessOp, stencil::DynAccessOp, stencil::IndexOp>(inner))
      return WalkResult::advance();
    bool isStencil = isa_and_nonnull<stencil::StencilDialect>(inner->getDialect());
    bool isFree = inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                  isMemoryEffectFree(inner);
    if (!isStencil && isFree)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = inner->emitOpError("cannot be inside of '")
                                    << op->getName() << "'";
    diagnostic.attachNote(op->getLoc())
        << "the region of this '" << op->getName()
        << "' is a function of one point: it reads with 'stencil.access' and "
           "'stencil.dyn_access', and computes with operations that do nothing to memory; calls "
           "are inlined before";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
