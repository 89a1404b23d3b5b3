//===- StencilApplyOps.cpp - apply and its terminator ---------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An apply and its return are verified together: the apply checks ranks and bounds, the return
// checks operand types and unroll factors.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::stencil;

//===----------------------------------------------------------------------===//
// apply: what it computes
//===----------------------------------------------------------------------===//

unsigned ApplyOp::getRank() {
  if (!getRes().empty())
    return cast<TempType>(getRes().front().getType()).getRank();
  if (BoundsAttr bounds = getBoundsAttr())
    return bounds.getRank();
  return 0;
}

BoundsAttr ApplyOp::getKnownBounds() {
  if (BoundsAttr bounds = getBoundsAttr())
    return bounds;
  return getRes().empty() ? BoundsAttr() : cast<TempType>(getRes().front().getType()).getBounds();
}

unsigned ApplyOp::getNumOutputs() { return getRes().size() + getDest().size(); }

Type ApplyOp::getOutputElementType(unsigned output) {
  Value value = getRes().empty() ? Value(getDest()[output]) : Value(getRes()[output]);
  return cast<GridType>(value.getType()).getElementType();
}

/// Temps are values: reading them has no effect. The region's effects are those of its ops.
/// Buffered results are memory of this op alone.
void ApplyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getArgsMutable())
    if (isa<FieldType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getDestMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  addAllocationOfBuffered(getRes(), effects);
}

//===----------------------------------------------------------------------===//
// apply: syntax
//===----------------------------------------------------------------------===//

/// Modules are parsed on several threads, each of them on one.
static thread_local int64_t parsedRank = 0;

ParsedRank::ParsedRank(int64_t rank) : outer(parsedRank) { parsedRank = rank; }
ParsedRank::~ParsedRank() { parsedRank = outer; }
int64_t ParsedRank::get() { return parsedRank; }

/// Of a result or the last destination, whose types are known before the region is.
static int64_t parsedRankOf(const OperationState &result, bool hasDestinations) {
  Type type = !result.types.empty() ? result.types.front()
              : hasDestinations     ? result.operands.back().getType()
                                    : Type();
  auto grid = dyn_cast_if_present<GridType>(type);
  return grid ? grid.getRank() : 0;
}

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseArguments(parser, result, arguments, " in arguments of 'stencil.apply'"))
    return failure();

  int32_t numDestinations = 0;
  if (succeeded(parser.parseOptionalArrow())) {
    if (parser.parseCommaSeparatedList(
            OpAsmParser::Delimiter::Paren,
            [&] { return parser.parseType(result.types.emplace_back()); },
            " in results of 'stencil.apply'"))
      return failure();
  } else if (succeeded(parser.parseOptionalKeyword("outs"))) {
    FailureOr<int32_t> parsed =
        parseTypedOperands(parser, result, " in 'outs' of 'stencil.apply'");
    if (failed(parsed))
      return failure();
    numDestinations = *parsed;
  } else {
    return parser.emitError(parser.getCurrentLocation(),
                            "expected '->' and result types, or 'outs' and fields");
  }
  properties.operandSegmentSizes = {static_cast<int32_t>(arguments.size()), numDestinations};

  ParsedRank rank(parsedRankOf(result, numDestinations > 0));
  // Names inside the region shadow those outside: the printer restarts numbering.
  if (parseAttributes(parser, result, {"operandSegmentSizes", "bounds"}) ||
      parser.parseRegion(*result.addRegion(), arguments, /*enableNameShadowing=*/true))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("to")))
    return parser.parseCustomAttributeWithFallback(properties.bounds);
  return success();
}

void ApplyOp::print(OpAsmPrinter &printer) {
  printArguments(printer, getRegion().getArguments(), getArgs());
  if (getDest().empty()) {
    printer << " -> (" << getRes().getTypes() << ')';
  } else {
    printer << " outs ";
    printTypedOperands(printer, getDest());
  }
  printAttributes(printer, *this);
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false);
  if (BoundsAttr bounds = getBoundsAttr()) {
    printer << " to ";
    printer.printStrippedAttrOrType(bounds);
  }
}

//===----------------------------------------------------------------------===//
// apply: verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyArguments(ApplyOp op) {
  Block &block = op.getRegion().front();
  if (block.getNumArguments() != op.getArgs().size())
    return op.emitOpError("region must have one argument per operand, got ")
           << block.getNumArguments() << " arguments and " << op.getArgs().size() << " operands";
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), op.getArgs()))
    if (argument.getType() != operand.getType())
      return op.emitOpError("region argument #")
             << argument.getArgNumber() << " has type " << argument.getType()
             << ", its operand has type " << operand.getType();
  return success();
}

/// The value form: temps of equal bounds, which `bounds` may repeat.
static LogicalResult verifyResults(ApplyOp op) {
  auto first = cast<TempType>(op.getRes().front().getType());
  for (auto [number, result] : llvm::enumerate(op.getRes())) {
    auto type = cast<TempType>(result.getType());
    if (type.getRank() != first.getRank())
      return op.emitOpError("results must have the same rank, got ")
             << first.getRank() << " for result #0 and " << type.getRank() << " for result #"
             << number;
    if (type.getBounds() != first.getBounds())
      return op.emitOpError("results must have the same bounds, got ")
             << describe(first.getBounds()) << " for result #0 and " << describe(type.getBounds())
             << " for result #" << number;
  }
  BoundsAttr bounds = op.getBoundsAttr();
  if (!bounds)
    return success();
  if (bounds.getRank() != first.getRank())
    return op.emitOpError("bounds must have the rank of the results, got ")
           << bounds.getRank() << " and " << first.getRank();
  if (first.hasBounds() && first.getBounds() != bounds)
    return op.emitOpError("computes ")
           << describe(bounds) << ", but its results have " << describe(first.getBounds());
  return success();
}

/// The buffer form: fields that hold at least the points computed.
static LogicalResult verifyDestinations(ApplyOp op) {
  BoundsAttr bounds = op.getBoundsAttr();
  if (!bounds) {
    InFlightDiagnostic diagnostic = op.emitOpError("with destination fields must have bounds");
    diagnostic.attachNote() << "write the points to compute after the region: 'to <[..], [..]>'";
    return diagnostic;
  }
  for (auto [number, destination] : llvm::enumerate(op.getDest())) {
    auto field = cast<FieldType>(destination.getType());
    if (field.getRank() != bounds.getRank())
      return op.emitOpError("bounds must have the rank of the destinations, got ")
             << bounds.getRank() << " and " << field.getRank() << " for destination #" << number;
    if (field.hasBounds() && !field.getBounds().contains(bounds))
      return op.emitOpError("writes ") << describe(bounds) << ", outside of destination #" << number
                                       << " with " << describe(field.getBounds());
  }
  return success();
}

LogicalResult ApplyOp::verify() {
  if (!getRes().empty() && !getDest().empty())
    return emitOpError("must have either results or destination fields, got ")
           << getRes().size() << " results and " << getDest().size() << " destination fields";
  if (getNumOutputs() == 0)
    return emitOpError("must have at least 1 result or destination field, got 0");
  if (failed(verifyArguments(*this)))
    return failure();
  return getRes().empty() ? verifyDestinations(*this) : verifyResults(*this);
}

LogicalResult ApplyOp::verifyRegions() {
  Operation *last = getRegion().front().getTerminator();
  if (!isa<ReturnOp>(last))
    return emitOpError("region must end with 'stencil.return', got '") << last->getName() << "'";
  if (Operation *op = findGridOperation(getRegion())) {
    InFlightDiagnostic diagnostic = op->emitOpError("cannot be inside of 'stencil.apply'");
    diagnostic.attachNote(getLoc()) << "the region of this 'stencil.apply' computes one point; "
                                       "whole fields and temps are its operands";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

/// Checks the factors against the apply and multiplies them.
static FailureOr<int64_t> verifyUnroll(ReturnOp op, ApplyOp apply) {
  IndexAttr unroll = op.getUnrollAttr();
  if (!unroll)
    return 1;
  if (unroll.size() != apply.getRank())
    return op.emitOpError("needs one unroll factor per dimension of the apply, got ")
           << unroll.size() << " for rank " << apply.getRank();
  BoundsAttr bounds = apply.getKnownBounds();
  int64_t numPoints = 1;
  for (auto [dim, factor] : llvm::enumerate(unroll.getValues())) {
    if (factor < 1)
      return op.emitOpError("unroll factor ")
             << factor << " of dimension " << dim << " must be at least 1";
    if (bounds && bounds.getExtent(dim) % factor != 0) {
      InFlightDiagnostic diagnostic = op.emitOpError("unroll factor ")
                                      << factor << " of dimension " << dim
                                      << " does not divide the extent " << bounds.getExtent(dim);
      diagnostic.attachNote(apply.getLoc()) << "the apply computes " << describe(bounds);
      return diagnostic;
    }
    if (llvm::MulOverflow(numPoints, factor, numPoints))
      return op.emitOpError("unroll factors make more points than 64 bits can count");
  }
  return numPoints;
}

LogicalResult ReturnOp::verify() {
  auto apply = cast<ApplyOp>((*this)->getParentOp());
  FailureOr<int64_t> numPoints = verifyUnroll(*this, apply);
  if (failed(numPoints))
    return failure();
  int64_t numOutputs = apply.getNumOutputs(), numOperands = getArg().size(), expected;
  if (llvm::MulOverflow(*numPoints, numOutputs, expected) || expected != numOperands) {
    InFlightDiagnostic diagnostic = emitOpError("expected ");
    diagnostic << numOutputs << " operands";
    if (getUnrollAttr())
      diagnostic << " for each of " << *numPoints << " unrolled points";
    return diagnostic << " to match the results of 'stencil.apply', got " << numOperands;
  }
  for (auto [number, operand] : llvm::enumerate(getArg())) {
    Type type = operand.getType();
    if (auto result = dyn_cast<stencil::ResultType>(type))
      type = result.getElementType();
    int64_t output = static_cast<int64_t>(number) / *numPoints;
    Type element = apply.getOutputElementType(output);
    if (!areElementsCompatible(type, element))
      return emitOpError("operand #") << number << " has type " << type << ", result #" << output
                                      << " of 'stencil.apply' has element type " << element;
  }
  return success();
}
