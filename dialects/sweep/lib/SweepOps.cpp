//===- SweepOps.cpp - syntax and effects of the operations ----------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is printed on several lines, one for each kind of operand: it has many. The generated
// code is compiled here.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::sweep;

//===----------------------------------------------------------------------===//
// kernel: effects
//===----------------------------------------------------------------------===//

/// All that the region does to memory is to read the operands.
void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (MutableOperandRange operands :
       {getCarriedMutable(), getBoundariesMutable(), getReadsMutable()})
    for (OpOperand &operand : operands)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

//===----------------------------------------------------------------------===//
// kernel: syntax
//===----------------------------------------------------------------------===//

/// The attributes that the syntax spells.
static constexpr StringRef kTaken[] = {"operandSegmentSizes", "domain", "steps", "stage",
                                       "plan",                "form",   "slots"};

/// The keyword and arguments that follow it, where it is there; says how many.
static FailureOr<int32_t> parseArgumentsOf(OpAsmParser &parser, StringRef keyword,
                                           OperationState &result,
                                           SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return 0;
  SmallVector<OpAsmParser::Argument> added;
  if (stencil::parseArguments(parser, result, added, " in arguments of 'sweep.kernel'"))
    return failure();
  llvm::append_range(arguments, added);
  return static_cast<int32_t>(added.size());
}

/// The keyword and fields that follow it, where it is there; says how many.
static FailureOr<int32_t> parseFieldsOf(OpAsmParser &parser, StringRef keyword,
                                        OperationState &result) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return 0;
  return stencil::parseTypedOperands(parser, result, " in fields of 'sweep.kernel'");
}

/// The operands, in the order of the segments.
static ParseResult parseSegments(OpAsmParser &parser, OperationState &result,
                                 SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  FailureOr<int32_t> carried, boundaries, reads, scalars, levelScalars, outs;
  if (failed(carried = parseArgumentsOf(parser, "carried", result, arguments)) ||
      failed(boundaries = parseFieldsOf(parser, "boundaries", result)) ||
      failed(reads = parseArgumentsOf(parser, "reads", result, arguments)) ||
      failed(scalars = parseArgumentsOf(parser, "scalars", result, arguments)))
    return failure();
  levelScalars = 0;
  if (succeeded(parser.parseOptionalKeyword("level_scalars")))
    levelScalars = parseLevelScalars(parser, result, arguments);
  if (failed(levelScalars) || failed(outs = parseFieldsOf(parser, "outs", result)))
    return failure();
  result.getOrAddProperties<KernelOp::Properties>().operandSegmentSizes = {
      *carried, *boundaries, *reads, *scalars, *levelScalars, *outs};
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  int64_t steps;
  if (parser.parseAttribute(properties.stage) || parser.parseKeyword("steps") ||
      parser.parseInteger(steps) || parser.parseKeyword("over") ||
      parser.parseCustomAttributeWithFallback(properties.domain))
    return failure();
  properties.steps = parser.getBuilder().getI64IntegerAttr(steps);
  if (succeeded(parser.parseOptionalKeyword("form")) && parser.parseAttribute(properties.form))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("slots")) && parser.parseAttribute(properties.slots))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseSegments(parser, result, arguments) || parser.parseKeyword("plan") ||
      parser.parseCustomAttributeWithFallback(properties.plan) ||
      stencil::parseAttributes(parser, result, kTaken))
    return failure();
  // Names of the region hide those outside: the printer starts to count anew in it.
  return parser.parseRegion(*result.addRegion(), arguments, /*enableNameShadowing=*/true);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStageAttr() << " steps " << getSteps() << " over ";
  printer.printStrippedAttrOrType(getDomain());
  if (StringAttr form = getFormAttr())
    printer << " form " << form;
  if (ArrayAttr slots = getSlotsAttr())
    printer << " slots " << slots;

  ValueRange arguments = getBody().getArguments();
  auto take = [&](size_t count) {
    ValueRange taken = arguments.take_front(count);
    arguments = arguments.drop_front(count);
    return taken;
  };
  auto beginLine = [&](StringRef keyword) {
    printer.printNewline();
    printer << "    " << keyword;
  };
  auto printSegment = [&](StringRef keyword, ValueRange operands) {
    if (operands.empty())
      return;
    beginLine(keyword);
    stencil::printArguments(printer, take(operands.size()), operands);
  };
  auto printFields = [&](StringRef keyword, ValueRange operands) {
    if (operands.empty())
      return;
    beginLine(keyword);
    stencil::printTypedOperands(printer, operands);
  };
  printSegment("carried", getCarried());
  printFields("boundaries", getBoundaries());
  printSegment("reads", getReads());
  printSegment("scalars", getScalars());
  if (!getLevelScalars().empty()) {
    beginLine("level_scalars");
    printLevelScalars(printer, take(getNumVarying()), getLevelScalars());
  }
  printFields("outs", getOuts());
  beginLine("plan ");
  printer.printStrippedAttrOrType(getPlan());
  stencil::printAttributes(printer, *this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "Sweep/SweepOps.cpp.inc"
