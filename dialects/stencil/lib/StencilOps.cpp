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

#include "OpSupport.h"

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

void stencil::printAttributes(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDictWithKeyword(op->getDiscardableAttrDictionary().getValue());
}

std::string stencil::describe(BoundsAttr bounds) {
  return bounds ? "bounds " + bounds.getText() : "unknown bounds";
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

/// `(%a, %b : T, T)`, or `(:)` where there are none.
static ParseResult parseOperandGroup(OpAsmParser &parser,
                                     SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                     SmallVectorImpl<Type> &types) {
  if (parser.parseLParen() || parser.parseOperandList(operands) || parser.parseColon())
    return failure();
  if (!operands.empty() && parser.parseTypeList(types))
    return failure();
  return parser.parseRParen();
}

static void printOperandGroup(OpAsmPrinter &printer, Operation *, OperandRange operands,
                              TypeRange types) {
  if (operands.empty())
    printer << "(:)";
  else
    printer << '(' << operands << " : " << types << ')';
}

/// One type for two operands.
static ParseResult parseSharedType(OpAsmParser &parser, Type &one, Type &other) {
  if (parser.parseType(one))
    return failure();
  other = one;
  return success();
}

static void printSharedType(OpAsmPrinter &printer, Operation *, Type one, Type) { printer << one; }

#define GET_OP_CLASSES
#include "Stencil/StencilOps.cpp.inc"
