//===- StencilPointOps.cpp - operations at one point ----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops other than reductions require an enclosing point function, at any depth: an apply, or another
// op with its interface. It provides the point's rank and is verified first, so these verifiers can
// rely on it.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

using namespace mlir;
using namespace mlir::stencil;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// The function whose point this is, at whatever depth; null after a diagnostic.
static PointFunctionOpInterface getPointFunction(Operation *op) {
  auto function = op->getParentOfType<PointFunctionOpInterface>();
  if (!function)
    op->emitOpError("must be inside the region of a 'stencil.apply', at any depth");
  return function;
}

/// What a message calls the function of a point.
static StringRef wordFor(PointFunctionOpInterface function) {
  return isa<ApplyOp>(function) ? "apply" : "kernel";
}

/// A temp is a value; reading a field is an effect on memory.
static void addReadOfField(OpOperand &operand, Effects &effects) {
  if (isa<FieldType>(operand.get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

//===----------------------------------------------------------------------===//
// access
//===----------------------------------------------------------------------===//

void AccessOp::getEffects(Effects &effects) { addReadOfField(getTempMutable(), effects); }

/// `[-1, _, 2]`; the mapping is null where no dimension is left out.
static ParseResult parseOffset(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> offset, mapping;
  int64_t dim = 0;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("_"))) {
      ++dim;
      return success();
    }
    mapping.push_back(dim++);
    return parser.parseInteger(offset.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne,
                                     " in offset of 'stencil.access'"))
    return failure();
  auto add = [&](StringRef name, ArrayRef<int64_t> values) -> ParseResult {
    auto index = parser.getChecked<IndexAttr>(location, parser.getContext(), values);
    if (index)
      result.addAttribute(name, index);
    return success(static_cast<bool>(index));
  };
  if (add(AccessOp::kOffset, offset))
    return failure();
  bool isWhole = static_cast<int64_t>(mapping.size()) == dim;
  // The mapping does not tell how many '_' follow the last value, so no verifier can.
  int64_t rank = ParsedRank::get();
  if (rank > 0 && dim > rank && !mapping.empty() && mapping.back() < rank)
    return parser.emitError(location)
           << "offset has a number or '_' for each of " << dim << " dimensions, its apply has rank "
           << rank << ": remove the '_' of dimensions that the apply does not have";
  return isWhole ? success() : add(AccessOp::kOffsetMapping, mapping);
}

/// xDSL reads the attributes after the offset but prints them before it; both places are read.
ParseResult AccessOp::parse(OpAsmParser &parser, OperationState &result) {
  const StringRef taken[] = {kOffset, kOffsetMapping};
  OpAsmParser::UnresolvedOperand operand;
  GridType type;
  if (parser.parseOperand(operand) || parseAttributes(parser, result, taken) ||
      parseOffset(parser, result) ||
      parseAttributes(parser, result, taken) || parser.parseColon())
    return failure();
  SMLoc location = parser.getCurrentLocation();
  Type parsed;
  if (parser.parseType(parsed))
    return failure();
  type = dyn_cast<GridType>(parsed);
  if (!type)
    return parser.emitError(location) << "expected a stencil.field or stencil.temp, got " << parsed;
  result.addTypes(type.getElementType());
  return parser.resolveOperand(operand, type, result.operands);
}

void AccessOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTemp() << '[';
  ArrayRef<int64_t> offset = getOffset().getValues();
  if (IndexAttr mapping = getOffsetMappingAttr()) {
    auto function = (*this)->getParentOfType<PointFunctionOpInterface>();
    int64_t rank = function ? function.getRank() : kMaxRank;
    int64_t next = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      printer << (dim ? ", " : "");
      if (next < mapping.size() && next < getOffset().size() && mapping[next] == dim)
        printer << offset[next++];
      else
        printer << '_';
    }
  } else {
    llvm::interleaveComma(offset, printer);
  }
  printer << ']';
  printAttributes(printer, *this, {kOffset, kOffsetMapping});
  printer << " : " << getTemp().getType();
}

/// What ODS checks for attributes that are properties.
static LogicalResult verifyIndices(AccessOp op) {
  for (StringRef name : {StringRef(AccessOp::kOffset), StringRef(AccessOp::kOffsetMapping)})
    if (Attribute attribute = op->getAttr(name); attribute && !isa<IndexAttr>(attribute))
      return op.emitOpError("attribute '")
             << name << "' must be a stencil.index, got " << attribute;
  if (!op.getOffset())
    return op.emitOpError("requires attribute '") << AccessOp::kOffset << "'";
  return success();
}

static LogicalResult verifyMapping(AccessOp op, PointFunctionOpInterface function) {
  IndexAttr mapping = op.getOffsetMappingAttr();
  if (mapping.size() != op.getOffset().size())
    return op.emitOpError("offset mapping must have one value per value of the offset, got ")
           << mapping.size() << " and " << op.getOffset().size();
  for (int64_t number = 0; number < mapping.size(); ++number) {
    if (number > 0 && mapping[number - 1] >= mapping[number])
      return op.emitOpError("offset mapping must be strictly increasing, got ")
             << mapping[number] << " after " << mapping[number - 1];
    if (mapping[number] < 0 || mapping[number] >= function.getRank())
      return op.emitOpError("offset mapping must be within the rank of the ")
             << wordFor(function) << ", got dimension " << mapping[number] << " for rank "
             << function.getRank();
  }
  return success();
}

LogicalResult AccessOp::verify() {
  PointFunctionOpInterface function = getPointFunction(*this);
  if (!function || failed(verifyIndices(*this)))
    return failure();
  GridType type = getTemp().getType();
  if (!getOffsetMappingAttr() && type.getRank() != function.getRank()) {
    InFlightDiagnostic diagnostic = emitOpError("operand has rank ")
                                    << type.getRank() << ", its " << wordFor(function)
                                    << " has rank " << function.getRank();
    if (type.getRank() < function.getRank())
      diagnostic.attachNote() << "write '_' in the offset for each dimension that the operand "
                                 "does not have";
    return diagnostic;
  }
  if (getOffsetMappingAttr() && failed(verifyMapping(*this, function)))
    return failure();
  if (getOffset().size() != type.getRank())
    return emitOpError("offset must have the rank of the operand, got ")
           << getOffset().size() << " and " << type.getRank();
  if (getRes().getType() != type.getElementType())
    return emitOpError("result must have the operand's element type ")
           << type.getElementType() << ", got " << getRes().getType();
  return success();
}

/// A mapping that leaves no dimension out says nothing. xDSL writes it always; without it, equal
/// accesses are equal to CSE too.
OpFoldResult AccessOp::fold(FoldAdaptor) {
  auto function = (*this)->getParentOfType<PointFunctionOpInterface>();
  IndexAttr mapping = getOffsetMappingAttr();
  if (!function || !mapping || mapping.size() != function.getRank())
    return {};
  (*this)->removeAttr(kOffsetMapping);
  return getResult();
}

//===----------------------------------------------------------------------===//
// dyn_access
//===----------------------------------------------------------------------===//

void DynAccessOp::getEffects(Effects &effects) { addReadOfField(getTempMutable(), effects); }

LogicalResult DynAccessOp::verify() {
  PointFunctionOpInterface function = getPointFunction(*this);
  if (!function)
    return failure();
  GridType type = getTemp().getType();
  int64_t rank = type.getRank();
  if (!getAbsolute() && rank != function.getRank()) {
    InFlightDiagnostic diagnostic = emitOpError("operand has rank ")
                                    << rank << ", its " << wordFor(function) << " has rank "
                                    << function.getRank();
    diagnostic.attachNote() << "an extent around the point needs all of its dimensions; state "
                               "coordinates, with 'attributes {absolute}'";
    return diagnostic;
  }
  if (static_cast<int64_t>(getOffset().size()) != rank)
    return emitOpError("needs one coordinate per dimension of the operand, got ")
           << getOffset().size() << " for rank " << rank;
  IndexAttr lower = getLb(), upper = getUb();
  if (lower.size() != rank || upper.size() != rank)
    return emitOpError("extent must have the rank of the operand, got ")
           << lower.size() << " and " << upper.size() << " values for rank " << rank;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (lower[dim] > upper[dim])
      return emitOpError("extent of dimension ")
             << dim << " is empty, got " << lower[dim] << " to " << upper[dim];
  if (getRes().getType() != type.getElementType())
    return emitOpError("result must have the operand's element type ")
           << type.getElementType() << ", got " << getRes().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// index
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  PointFunctionOpInterface function = getPointFunction(*this);
  if (!function)
    return failure();
  int64_t dim = getDimAttr().getInt(), rank = function.getRank();
  if (dim < 0 || dim >= rank)
    return emitOpError("dimension ")
           << dim << " is outside of the " << wordFor(function) << "'s rank " << rank;
  if (getOffset().size() != rank)
    return emitOpError("offset must have the rank of the ")
           << wordFor(function) << ", got " << getOffset().size() << " and " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// store_result
//===----------------------------------------------------------------------===//

/// The operand's type is the one inside the result's.
ParseResult StoreResultOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult hasOperand = parser.parseOptionalOperand(operand);
  if (hasOperand.has_value() && failed(*hasOperand))
    return failure();
  stencil::ResultType type;
  if (parseAttributes(parser, result) || parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return hasOperand.has_value()
             ? parser.resolveOperand(operand, type.getElementType(), result.operands)
             : success();
}

void StoreResultOp::print(OpAsmPrinter &printer) {
  if (getArg())
    printer << ' ' << getArg();
  printAttributes(printer, *this);
  printer << " : " << getRes().getType();
}

LogicalResult StoreResultOp::verify() {
  if (!(*this)->getParentOfType<ApplyOp>())
    return emitOpError("must be inside the region of a 'stencil.apply', at any depth");
  Type element = cast<stencil::ResultType>(getRes().getType()).getElementType();
  if (getArg() && getArg().getType() != element)
    return emitOpError("result must carry the operand's type ")
           << getArg().getType() << ", got " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  Type type = getAcc().getType();
  if (getInit().getType() != type)
    return emitOpError("accumulator and initial value must have the same type, got ")
           << type << " and " << getInit().getType();
  Block &block = getBody().front();
  if (block.getNumArguments() != 2)
    return emitOpError("region must have 2 arguments, got ") << block.getNumArguments();
  for (BlockArgument argument : block.getArguments())
    if (argument.getType() != type)
      return emitOpError("region argument #")
             << argument.getArgNumber() << " must have the accumulator's type " << type << ", got "
             << argument.getType();
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Operation *last = getBody().front().getTerminator();
  auto yield = dyn_cast<YieldOp>(last);
  if (!yield)
    return emitOpError("region must end with 'stencil.yield', got '") << last->getName() << "'";
  if (yield.getOperand().getType() != getAcc().getType())
    return emitOpError("yielded value must have the accumulator's type ")
           << getAcc().getType() << ", got " << yield.getOperand().getType();
  return success();
}
