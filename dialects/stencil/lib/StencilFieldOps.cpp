//===- StencilFieldOps.cpp - operations on whole fields and temps ---------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages give both values that disagree, and the remedy where it is not obvious.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

using namespace mlir;
using namespace mlir::stencil;

/// Refuses two grids of different rank; `one` and `other` are their names in the message.
static LogicalResult verifySameRank(Operation *op, StringRef one, GridType oneType, StringRef other,
                                    GridType otherType) {
  if (oneType.getRank() == otherType.getRank())
    return success();
  return op->emitOpError() << one << " and " << other << " must have the same rank, got "
                           << oneType.getRank() << " and " << otherType.getRank();
}

/// Refuses two grids whose elements cannot be copied from one to the other.
static LogicalResult verifyElements(Operation *op, StringRef one, GridType oneType, StringRef other,
                                    GridType otherType) {
  if (areElementsCompatible(oneType.getElementType(), otherType.getElementType()))
    return success();
  return op->emitOpError() << one << " and " << other << " must have the same element type, got "
                           << oneType.getElementType() << " and " << otherType.getElementType();
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  FieldType input = getField().getType(), output = getResult().getType();
  if (failed(verifySameRank(*this, "operand", input, "result", output)))
    return failure();
  if (input.getElementType() != output.getElementType())
    return emitOpError("operand and result must have the same element type, got ")
           << input.getElementType() << " and " << output.getElementType();
  if (input.hasBounds() && input.getBounds() != output.getBounds())
    return emitOpError("operand has ")
           << describe(input.getBounds()) << ", which the result must keep, got "
           << describe(output.getBounds());
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getField().getType() == getResult().getType() ? getField() : Value();
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  FieldType field = getField().getType();
  TempType temp = getRes().getType();
  if (failed(verifySameRank(*this, "field", field, "temp", temp)) ||
      failed(verifyElements(*this, "field", field, "temp", temp)))
    return failure();
  if (!field.hasBounds()) {
    InFlightDiagnostic diagnostic = emitOpError("field must have known bounds, got ") << field;
    diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
    return diagnostic;
  }
  if (temp.hasBounds() && !field.getBounds().contains(temp.getBounds()))
    return emitOpError("is too big for the loaded field: temp has ")
           << describe(temp.getBounds()) << ", field has " << describe(field.getBounds());
  return success();
}

LogicalResult StoreOp::verify() {
  TempType temp = getTemp().getType();
  FieldType field = getField().getType();
  BoundsAttr bounds = getBounds();
  if (failed(verifySameRank(*this, "temp", temp, "field", field)) ||
      failed(verifyElements(*this, "temp", temp, "field", field)))
    return failure();
  if (bounds.getRank() != field.getRank())
    return emitOpError("bounds must have the rank of the field, got ")
           << bounds.getRank() << " and " << field.getRank();
  if (!field.hasBounds()) {
    InFlightDiagnostic diagnostic = emitOpError("field must have known bounds, got ") << field;
    diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
    return diagnostic;
  }
  if (!field.getBounds().contains(bounds))
    return emitOpError("writes ") << describe(bounds) << ", outside of the field's "
                                  << describe(field.getBounds());
  if (temp.hasBounds() && !temp.getBounds().contains(bounds))
    return emitOpError("writes ") << describe(bounds) << ", but the temp has values for "
                                  << describe(temp.getBounds()) << " only";
  return success();
}

//===----------------------------------------------------------------------===//
// buffer
//===----------------------------------------------------------------------===//

LogicalResult BufferOp::verify() {
  TempType temp = getTemp().getType();
  GridType result = getRes().getType();
  if (failed(verifySameRank(*this, "operand", temp, "result", result)))
    return failure();
  if (temp.getBounds() != result.getBounds())
    return emitOpError("operand and result must have the same bounds, got ")
           << describe(temp.getBounds()) << " and " << describe(result.getBounds());
  if (temp.getElementType() != result.getElementType())
    return emitOpError("operand and result must have the same element type, got ")
           << temp.getElementType() << " and " << result.getElementType();
  // A field result occurs during bufferization, where any temp may be stored.
  if (isa<FieldType>(result))
    return success();

  Operation *producer = getTemp().getDefiningOp();
  if (!isa_and_nonnull<ApplyOp, CombineOp>(producer)) {
    InFlightDiagnostic diagnostic =
        emitOpError("operand must be a result of stencil.apply or stencil.combine, got ");
    if (producer)
      diagnostic << "one of '" << producer->getName() << "'";
    else
      diagnostic << "a block argument";
    return diagnostic;
  }
  for (Operation *user : getTemp().getUsers()) {
    if (isa<BufferOp>(user))
      continue;
    InFlightDiagnostic diagnostic = emitOpError("operand must be used by stencil.buffer only, "
                                                "but '")
                                    << user->getName() << "' uses it";
    diagnostic.attachNote(user->getLoc()) << "use the buffer's result here instead";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

/// `%a, %b : T, T`; nothing in front of the colon where there are none.
static ParseResult parseGroup(OpAsmParser &parser, OperationState &result, int32_t &size) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseColon() ||
      (!operands.empty() && parser.parseTypeList(types)))
    return failure();
  size = operands.size();
  return parser.resolveOperands(operands, types, location, result.operands);
}

/// `word = (%a : T)`.
static ParseResult parseSide(OpAsmParser &parser, OperationState &result, StringRef word,
                             int32_t &size) {
  return failure(parser.parseKeyword(word) || parser.parseEqual() || parser.parseLParen() ||
                 parseGroup(parser, result, size) || parser.parseRParen());
}

/// `word = %a : T`, or nothing.
static ParseResult parseExtra(OpAsmParser &parser, OperationState &result, StringRef word,
                              int32_t &size) {
  if (failed(parser.parseOptionalKeyword(word)))
    return success();
  return failure(parser.parseEqual() || parseGroup(parser, result, size));
}

ParseResult CombineOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  Type indexType = parser.getBuilder().getIndexType();
  int32_t sizes[] = {0, 0, 0, 0};
  SmallVector<Type> types;
  if (parser.parseAttribute(properties.dim, indexType) || parser.parseKeyword("at") ||
      parser.parseAttribute(properties.index, indexType) ||
      parseSide(parser, result, "lower", sizes[0]) ||
      parseSide(parser, result, "upper", sizes[1]) ||
      parseExtra(parser, result, "lowerext", sizes[2]) ||
      parseExtra(parser, result, "upperext", sizes[3]) ||
      parseAttributes(parser, result, {kSegments, "dim", "index"}) || parser.parseColon() ||
      parser.parseTypeList(types))
    return failure();
  result.addTypes(types);
  result.addAttribute(kSegments, parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

void CombineOp::print(OpAsmPrinter &printer) {
  auto printGroup = [&](OperandRange operands) {
    if (operands.empty())
      printer << ':';
    else
      printer << operands << " : " << operands.getTypes();
  };
  printer << ' ' << getDimAttr().getInt() << " at " << getIndexAttr().getInt() << " lower = (";
  printGroup(getLower());
  printer << ") upper = (";
  printGroup(getUpper());
  printer << ')';
  for (auto [word, operands] : {std::pair(" lowerext = ", getLowerext()),
                                std::pair(" upperext = ", getUpperext())}) {
    if (operands.empty())
      continue;
    printer << word;
    printGroup(operands);
  }
  printAttributes(printer, *this, {kSegments});
  printer << " : " << getCombined().getTypes();
}

OperandRange CombineOp::getSegment(unsigned number) {
  ArrayRef<int32_t> sizes = (*this)->getAttrOfType<DenseI32ArrayAttr>(kSegments).asArrayRef();
  unsigned start = 0;
  for (int32_t size : sizes.take_front(number))
    start += size;
  return getParts().slice(start, sizes[number]);
}

/// What the trait of ODS checks for segments that are a property.
static LogicalResult verifySegments(CombineOp op) {
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>(CombineOp::kSegments);
  if (!segments || segments.size() != 4)
    return op.emitOpError("requires attribute '")
           << CombineOp::kSegments << "', array<i32> of 4 sizes";
  int64_t total = 0;
  for (int32_t size : segments.asArrayRef()) {
    if (size < 0)
      return op.emitOpError("attribute '")
             << CombineOp::kSegments << "' must not have negative sizes, got " << size;
    total += size;
  }
  if (total != static_cast<int64_t>(op.getParts().size()))
    return op.emitOpError("operand count (")
           << op.getParts().size() << ") does not match with the total size (" << total
           << ") specified in attribute '" << CombineOp::kSegments << "'";
  return success();
}

/// Temps are values; what is buffered is memory of this operation alone.
void CombineOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addAllocationOfBuffered(getCombined(), effects);
}

/// Compares an input with the result that it becomes a part of.
static LogicalResult verifyPart(CombineOp op, StringRef name, unsigned number, Value input,
                                unsigned resultNumber) {
  auto inputType = cast<TempType>(input.getType());
  auto resultType = cast<TempType>(op.getCombined()[resultNumber].getType());
  std::string one = (name + " #" + Twine(number)).str();
  std::string other = ("result #" + Twine(resultNumber)).str();
  return success(succeeded(verifySameRank(op, one, inputType, other, resultType)) &&
                 succeeded(verifyElements(op, one, inputType, other, resultType)));
}

LogicalResult CombineOp::verify() {
  if (failed(verifySegments(*this)))
    return failure();
  size_t numPairs = getLower().size();
  if (numPairs != getUpper().size())
    return emitOpError("must have as many lower as upper operands, got ")
           << numPairs << " and " << getUpper().size();
  size_t numResults = numPairs + getLowerext().size() + getUpperext().size();
  if (getCombined().size() != numResults)
    return emitOpError("expected ")
           << numResults << " results (" << numPairs << " of lower and upper, "
           << getLowerext().size() << " of lowerext, " << getUpperext().size()
           << " of upperext), got " << getCombined().size();
  if (numResults == 0)
    return emitOpError("must have at least 1 result");

  TempType first = cast<TempType>(getCombined().front().getType());
  int64_t dim = getDimAttr().getInt();
  if (dim < 0 || dim >= first.getRank())
    return emitOpError("dimension ") << dim << " is outside of the temps' rank " << first.getRank();
  for (auto [number, result] : llvm::enumerate(getCombined()))
    if (failed(verifySameRank(*this, "result #0", first, ("result #" + Twine(number)).str(),
                              cast<TempType>(result.getType()))))
      return failure();

  unsigned resultNumber = 0;
  for (size_t pair = 0; pair < numPairs; ++pair, ++resultNumber)
    if (failed(verifyPart(*this, "lower", pair, getLower()[pair], resultNumber)) ||
        failed(verifyPart(*this, "upper", pair, getUpper()[pair], resultNumber)))
      return failure();
  for (auto [number, input] : llvm::enumerate(getLowerext()))
    if (failed(verifyPart(*this, "lowerext", number, input, resultNumber++)))
      return failure();
  for (auto [number, input] : llvm::enumerate(getUpperext()))
    if (failed(verifyPart(*this, "upperext", number, input, resultNumber++)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// alloc, external_load
//===----------------------------------------------------------------------===//

/// xDSL writes this one operation's attributes without the keyword; both ways are read.
ParseResult AllocOp::parse(OpAsmParser &parser, OperationState &result) {
  FieldType type;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void AllocOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getField().getType();
}

LogicalResult ExternalLoadOp::verify() {
  if (!isa<FieldType, MemRefType>(getResult().getType()))
    return emitOpError("result must be a stencil.field or a memref, got ") << getResult().getType();
  return success();
}
