//===- StencilOps.cpp - shared syntax and the generated code of every operation -===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated code is compiled once, here, next to the functions that its declarative formats
// call.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

using namespace mlir;
using namespace mlir::stencil;

ParseResult stencil::parseAttributes(OpAsmParser &parser, OperationState &result,
                                     ArrayRef<StringRef> taken) {
  SMLoc location = parser.getCurrentLocation();
  NamedAttrList attributes;
  if (parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  for (StringRef name : taken)
    if (attributes.get(name))
      return parser.emitError(location) << "attribute '" << name << "' is part of the syntax of '"
                                        << result.name << "' and cannot be given again here";
  result.addAttributes(attributes);
  return success();
}

void stencil::printAttributes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> taken) {
  printer.printOptionalAttrDictWithKeyword(op->getDiscardableAttrDictionary().getValue(), taken);
}

ParseResult stencil::parseArguments(OpAsmParser &parser, OperationState &result,
                                    SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                    StringRef where) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) || parser.parseColonType(argument.type))
      return failure();
    types.push_back(argument.type);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne, where) ||
                 parser.resolveOperands(operands, types, location, result.operands));
}

FailureOr<int32_t> stencil::parseTypedOperands(OpAsmParser &parser, OperationState &result,
                                               StringRef where) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne, where) ||
      parser.resolveOperands(operands, types, location, result.operands))
    return failure();
  return static_cast<int32_t>(operands.size());
}

void stencil::printArguments(OpAsmPrinter &printer, ValueRange arguments, ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(arguments, operands), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ')';
}

void stencil::printTypedOperands(OpAsmPrinter &printer, ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(operands, printer,
                        [&](Value operand) { printer << operand << " : " << operand.getType(); });
  printer << ')';
}

std::string stencil::describe(BoundsAttr bounds) {
  return bounds ? "bounds " + bounds.getText() : "unknown bounds";
}

void stencil::addAllocationOfBuffered(
    ResultRange results,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpResult result : results)
    if (llvm::any_of(result.getUsers(), llvm::IsaPred<BufferOp>))
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

Operation *stencil::findGridOperation(Region &region) {
  Operation *found = nullptr;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ApplyOp, LoadOp, StoreOp, BufferOp, CombineOp, AllocOp, CastOp, ExternalLoadOp,
             ExternalStoreOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Directives of the declarative formats
//===----------------------------------------------------------------------===//

/// A field or temp, whose element type is the result's.
static ParseResult parseGridAndElement(OpAsmParser &parser, Type &grid, Type &element) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(grid))
    return failure();
  auto gridType = dyn_cast<GridType>(grid);
  if (!gridType)
    return parser.emitError(location) << "expected a stencil.field or stencil.temp, got " << grid;
  element = gridType.getElementType();
  return success();
}

static void printGridAndElement(OpAsmPrinter &printer, Operation *, Type grid, Type) {
  printer << grid;
}

/// One type for two operands.
static ParseResult parseSharedType(OpAsmParser &parser, Type &one, Type &other) {
  if (parser.parseType(one))
    return failure();
  other = one;
  return success();
}

static void printSharedType(OpAsmPrinter &printer, Operation *, Type one, Type) { printer << one; }

#include "Stencil/StencilInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "Stencil/StencilOps.cpp.inc"
