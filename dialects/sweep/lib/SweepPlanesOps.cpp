//===- SweepPlanesOps.cpp - the planes form -------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax, effects and verifiers of the ops that say what a block does with the planes of its tile.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::sweep;

//===----------------------------------------------------------------------===//
// tiled
//===----------------------------------------------------------------------===//

/// Fields that some op of the region stores are written, all are read.
void TiledOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getFieldsMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    BlockArgument argument = getBody().getArgument(operand.getOperandNumber());
    if (llvm::any_of(argument.getUsers(), llvm::IsaPred<StoreOp>))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// The attributes that the syntax of `sweep.tiled` spells.
static constexpr StringRef kTiledTaken[] = {
    "operandSegmentSizes", "domain", "reach", "margin", "periodic", "joined", "steps",
    "stage",               "plan",   "points", "flops", "bytes"};

static ParseResult parseNumber(OpAsmParser &parser, StringRef keyword, IntegerAttr &attribute) {
  int64_t value;
  if (parser.parseKeyword(keyword) || parser.parseInteger(value))
    return failure();
  attribute = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

ParseResult TiledOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseAttribute(properties.stage) || parseNumber(parser, "steps", properties.steps) ||
      parser.parseKeyword("over") || parser.parseCustomAttributeWithFallback(properties.domain) ||
      parser.parseKeyword("reach") ||
      parser.parseCustomAttributeWithFallback(properties.reach))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("margin")) &&
      parser.parseCustomAttributeWithFallback(properties.margin))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("periodic")) &&
      parser.parseCustomAttributeWithFallback(properties.periodic))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("joined")))
    properties.joined = parser.getBuilder().getUnitAttr();
  SmallVector<OpAsmParser::Argument> fields, scalars;
  if (parser.parseKeyword("fields") ||
      stencil::parseArguments(parser, result, fields, " in fields of 'sweep.tiled'"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("scalars")) &&
      stencil::parseArguments(parser, result, scalars, " in scalars of 'sweep.tiled'"))
    return failure();
  properties.operandSegmentSizes = {static_cast<int32_t>(fields.size()),
                                    static_cast<int32_t>(scalars.size())};
  if (parser.parseKeyword("plan") || parser.parseCustomAttributeWithFallback(properties.plan) ||
      parseNumber(parser, "points", properties.points) ||
      parseNumber(parser, "flops", properties.flops) ||
      parseNumber(parser, "bytes", properties.bytes) ||
      stencil::parseAttributes(parser, result, kTiledTaken))
    return failure();
  llvm::append_range(fields, scalars);
  return parser.parseRegion(*result.addRegion(), fields, /*enableNameShadowing=*/true);
}

void TiledOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStageAttr() << " steps " << getSteps() << " over ";
  printer.printStrippedAttrOrType(getDomain());
  printer << " reach ";
  printer.printStrippedAttrOrType(getReachAttr());
  if (DenseI64ArrayAttr margin = getMarginAttr()) {
    printer << " margin ";
    printer.printStrippedAttrOrType(margin);
  }
  if (DenseI64ArrayAttr periodic = getPeriodicAttr()) {
    printer << " periodic ";
    printer.printStrippedAttrOrType(periodic);
  }
  if (getJoined())
    printer << " joined";
  ValueRange arguments = getBody().getArguments();
  size_t numFields = getFields().size();
  printer.printNewline();
  printer << "    fields";
  stencil::printArguments(printer, arguments.take_front(numFields), getFields());
  if (!getScalars().empty()) {
    printer.printNewline();
    printer << "    scalars";
    stencil::printArguments(printer, arguments.drop_front(numFields), getScalars());
  }
  printer.printNewline();
  printer << "    plan ";
  printer.printStrippedAttrOrType(getPlan());
  printer.printNewline();
  printer << "    points " << getPoints() << " flops " << getFlops() << " bytes " << getBytes();
  stencil::printAttributes(printer, *this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult TiledOp::verify() {
  unsigned rank = getRank();
  for (auto [name, distances] :
       {std::pair("reach", getReachAttr()), std::pair("margin", getMarginAttr())}) {
    if (!distances)
      continue;
    if (distances.size() != static_cast<int64_t>(2 * rank))
      return emitOpError("needs two numbers of '")
             << name << "' for each of its " << rank << " dimensions, got " << distances.size();
    if (llvm::any_of(distances.asArrayRef(), [](int64_t distance) { return distance < 0; }))
      return emitOpError(name) << " must not be negative, got " << distances;
  }
  if (failed(verifyPeriodic(*this, getPeriodicAttr(), rank)))
    return failure();
  for (auto [number, value] : llvm::enumerate(getFields()))
    if (!cast<stencil::FieldType>(value.getType()).hasBounds()) {
      InFlightDiagnostic diagnostic = emitOpError("field #")
                                      << number << " must have known bounds, got "
                                      << value.getType();
      diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
      return diagnostic;
    }
  for (auto [number, value] : llvm::enumerate(getScalars()))
    if (!value.getType().isIntOrIndexOrFloat())
      return emitOpError("scalar #") << number << " must be a number, got " << value.getType();
  return success();
}

/// A field that is stored or fetched holds what the domain needs of it.
static LogicalResult verifyField(TiledOp op, Operation *user, Value field) {
  auto type = cast<stencil::FieldType>(field.getType());
  if (type.getRank() != op.getRank())
    return user->emitOpError("needs a field of rank ")
           << op.getRank() << ", that of the domain, got " << type;
  auto own = user->getAttrOfType<stencil::BoundsAttr>("domain");
  stencil::BoundsAttr domain = own ? own : op.getDomain();
  if (isa<StoreOp>(user) && !type.getBounds().contains(domain))
    return user->emitOpError("writes ")
           << stencil::describe(domain) << ", outside of a field with "
           << stencil::describe(type.getBounds());
  return success();
}

/// The domain of a statement is a part of the kernel's, and all of it along periodic dimensions.
static LogicalResult verifyOwnDomain(TiledOp op, Operation *nested, stencil::BoundsAttr own) {
  stencil::BoundsAttr domain = op.getDomain();
  if (own.getRank() != domain.getRank() || !domain.contains(own))
    return nested->emitOpError("names ") << stencil::describe(own) << ", which is not inside of "
                                         << stencil::describe(domain) << ", the kernel's domain";
  for (int64_t dim : op.getPeriodic().value_or(ArrayRef<int64_t>()))
    if (own.getLower()[dim] != domain.getLower()[dim] ||
        own.getUpper()[dim] != domain.getUpper()[dim])
      return nested->emitOpError("names ")
             << stencil::describe(own) << ", but along periodic dimension " << dim
             << " a domain is the kernel's, " << stencil::describe(domain);
  return success();
}

LogicalResult TiledOp::verifyRegions() {
  if (!llvm::equal(getBody().getArgumentTypes(), getOperandTypes()))
    return emitOpError("region must have an argument of its type for each operand");
  auto loops = getBody().getOps<PlanesOp>();
  if (!llvm::hasSingleElement(loops))
    return emitOpError("must hold one 'sweep.planes', got ")
           << std::distance(loops.begin(), loops.end());
  WalkResult result = getBody().walk([&](Operation *nested) {
    auto own = nested->getAttrOfType<stencil::BoundsAttr>("domain");
    if (own && isa<BoundaryOp, CopyAsyncOp, MapOp, StoreOp>(nested) &&
        failed(verifyOwnDomain(*this, nested, own)))
      return WalkResult::interrupt();
    Value field;
    if (auto fetch = dyn_cast<FetchOp>(nested))
      field = fetch.getField();
    else if (auto copy = dyn_cast<CopyAsyncOp>(nested)) {
      field = copy.getField();
      if (copy.getHome() && failed(verifyField(*this, nested, copy.getHome())))
        return WalkResult::interrupt();
    }
    else if (auto boundary = dyn_cast<BoundaryOp>(nested))
      field = boundary.getHome();
    else if (auto store = dyn_cast<StoreOp>(nested))
      field = store.getField();
    if (field && failed(verifyField(*this, nested, field)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return success(!result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// planes
//===----------------------------------------------------------------------===//

ParseResult PlanesOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  if (parseNumber(parser, "from", properties.from) || parseNumber(parser, "to", properties.to))
    return failure();
  int64_t turns = 1;
  if (succeeded(parser.parseOptionalKeyword("turns")) && parser.parseInteger(turns))
    return failure();
  properties.turns = parser.getBuilder().getI64IntegerAttr(turns);
  SmallVector<OpAsmParser::Argument> arguments;
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      stencil::parseArguments(parser, result, arguments, " in iter_args of 'sweep.planes'"))
    return failure();
  if (parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void PlanesOp::print(OpAsmPrinter &printer) {
  printer << " from " << static_cast<int64_t>(getFrom()) << " to " << getTo();
  if (getTurns() != 1)
    printer << " turns " << getTurns();
  if (!getInits().empty()) {
    printer << " iter_args";
    stencil::printArguments(printer, getBody().getArguments(), getInits());
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
}

LogicalResult PlanesOp::verifyRegions() {
  int64_t from = getFrom(), to = getTo();
  if (from > 0 || to < 0)
    return emitOpError("must visit all planes that are stored, from 0 to 0, got from ")
           << from << " to " << to;
  if (!llvm::equal(getBody().getArgumentTypes(), getInits().getTypes()))
    return emitOpError("region must have an argument for each of iter_args");
  return verifyYield(*this, getBody(), getInits().getTypes(), "iter_args");
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

unsigned MapOp::getRank() {
  auto tiled = (*this)->getParentOfType<TiledOp>();
  return tiled ? tiled.getRank() : 0;
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseNumber(parser, "plane", properties.plane))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("over")) &&
      parser.parseCustomAttributeWithFallback(properties.domain))
    return failure();
  SMLoc location = parser.getCurrentLocation();
  if (stencil::parseArguments(parser, result, arguments, " in operands of 'sweep.map'") ||
      parser.parseArrowTypeList(result.types))
    return failure();
  for (OpAsmParser::Argument &argument : arguments) {
    auto tile = dyn_cast<TileType>(argument.type);
    if (!tile)
      return parser.emitError(location) << "operands of 'sweep.map' must be tiles, got "
                                        << argument.type;
    argument.type = tile.getElementType();
  }
  if (parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " plane " << static_cast<int64_t>(getPlane());
  if (stencil::BoundsAttr domain = getDomainAttr()) {
    printer << " over ";
    printer.printStrippedAttrOrType(domain);
  }
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getTiles()), printer, [&](auto pair) {
    auto [argument, tile] = pair;
    printer << argument << " = " << tile << " : " << tile.getType();
  });
  printer << ") -> ";
  if (getNumResults() == 1)
    printer << getResultTypes()[0];
  else
    printer << '(' << getResultTypes() << ')';
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
}

LogicalResult MapOp::verifyRegions() {
  if (!(*this)->getParentOfType<TiledOp>())
    return emitOpError("must be inside the region of a 'sweep.tiled'");
  auto elementOf = [](Type type) { return cast<TileType>(type).getElementType(); };
  if (getBody().getNumArguments() != getTiles().size())
    return emitOpError("region must have an argument for each operand");
  for (auto [argument, tile] : llvm::zip(getBody().getArguments(), getTiles()))
    if (argument.getType() != elementOf(tile.getType()))
      return emitOpError("region's argument #")
             << argument.getArgNumber() << " must be " << elementOf(tile.getType()) << ", got "
             << argument.getType();
  return verifyYield(*this, getBody(), llvm::map_to_vector(getResultTypes(), elementOf),
                     "results of 'sweep.map'");
}

//===----------------------------------------------------------------------===//
// shared memory
//===----------------------------------------------------------------------===//

LogicalResult SharedOp::verify() {
  bool hasRows = static_cast<bool>(getRowsAttr());
  if (hasRows != (getKind() == "rows"))
    return emitOpError("of kind ")
           << getKindAttr() << (hasRows ? " holds whole planes and has no 'rows'"
                                        : " needs the 'rows' that it holds");
  std::optional<ArrayRef<int64_t>> around = getAround();
  if (around.has_value() != (getKind() == "halo"))
    return emitOpError("of kind ")
           << getKindAttr() << (around ? " holds no cells 'around' a tile"
                                       : " needs the numbers of rows and columns 'around' a tile");
  if (around && (around->size() != 4 || llvm::any_of(*around, [](int64_t n) { return n < 0; })))
    return emitOpError("needs rows before and after a tile, and columns, got ") << getAroundAttr();
  if (getKind() == "slot" && getCopies() != 1)
    return emitOpError("of kind \"slot\" has one copy, got ") << getCopies();
  return success();
}

/// The allocation of a buffer; null after a diagnostic.
static SharedOp getAllocation(Operation *op, Value buffer) {
  auto shared = buffer.getDefiningOp<SharedOp>();
  if (!shared)
    op->emitOpError("needs a buffer that 'sweep.shared' allocates");
  return shared;
}

/// Whether a buffer has the copy of an age: the oldest is there until it is overwritten.
static LogicalResult verifyAge(Operation *op, SharedOp shared, int64_t age) {
  if (age >= 0 && age <= static_cast<int64_t>(shared.getCopies()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("reads the copy of age ")
                                  << age << " of a buffer with " << shared.getCopies();
  diagnostic.attachNote(shared.getLoc()) << "the copy of age 0 is the one of this iteration";
  return diagnostic;
}

LogicalResult CopyAsyncOp::verify() {
  SharedOp shared = getAllocation(*this, getRing());
  if (!shared)
    return failure();
  bool isHalo = shared.getKind() == "halo";
  if (shared.getKind() != "ring" && !isHalo)
    return emitOpError("needs a buffer of kind \"ring\" or \"halo\", got ")
           << shared.getKindAttr();
  if (!isHalo && (getHome() || getAhead()))
    return emitOpError("to a ring copies what arrives as it is, without ")
           << (getHome() ? "'outside'" : "'ahead'");
  if (getDomain() && !getHome())
    return emitOpError("names a domain, but no field that is read outside of it");
  int64_t plane = getPlane();
  if (!isHalo && plane < 0)
    return emitOpError("copies plane ") << plane << ", which has arrived already";
  int64_t ahead = static_cast<int64_t>(getAhead().value_or(getPlane()));
  if (isHalo && (ahead < 0 || ahead >= static_cast<int64_t>(shared.getCopies())))
    return emitOpError("copies a plane ")
           << ahead << " iterations ahead, to a buffer with " << shared.getCopies() << " copies";
  return success();
}

LogicalResult TakeOp::verify() {
  SharedOp shared = getAllocation(*this, getBuffer());
  if (!shared || failed(verifyAge(*this, shared, getAge())))
    return failure();
  if (shared.getKind() == "rows")
    return emitOpError("cannot take a plane from \"rows\", 'sweep.shift' reads them");
  if (shared.getKind() == "ring" && getAge() != 0)
    return emitOpError("takes the plane that arrives from a ring, at age 0, got ")
           << static_cast<int64_t>(getAge());
  std::optional<ArrayRef<int64_t>> offset = getOffset();
  if (offset && offset->size() != 2)
    return emitOpError("needs an offset in rows and columns, got ") << offset->size() << " numbers";
  if (offset && shared.getKind() != "planes" && shared.getKind() != "lines")
    return emitOpError("reads what other threads wrote, from a buffer of kind ")
           << shared.getKindAttr();
  return success();
}

LogicalResult ShiftOp::verify() {
  if (getOffset().size() != 2)
    return emitOpError("needs an offset in rows and columns, got ")
           << getOffset().size() << " numbers";
  if (!getVia())
    return getAge() ? emitOpError("has an age, but no buffer") : success();
  SharedOp shared = getAllocation(*this, getVia());
  if (!shared)
    return failure();
  if (!getAge())
    return emitOpError("needs the age of the copy that it reads");
  if (shared.getKind() == "ring" || shared.getKind() == "slot")
    return emitOpError("reads neighbours via \"rows\", \"planes\", \"lines\" or \"halo\", got ")
           << shared.getKindAttr();
  if (std::optional<ArrayRef<int64_t>> around = shared.getAround()) {
    ArrayRef<int64_t> offset = getOffset();
    // Where no columns are around a tile, they come from other lanes.
    bool hasColumns = (*around)[2] > 0 || (*around)[3] > 0;
    for (unsigned d = 0; d < (hasColumns ? 2 : 1); ++d)
      if (-offset[d] > (*around)[2 * d] || offset[d] > (*around)[2 * d + 1])
        return emitOpError("reads ")
               << offset[d] << (d == 0 ? " rows" : " columns") << " on, beyond a halo of "
               << (*around)[2 * d] << " before and " << (*around)[2 * d + 1] << " after a tile";
  }
  if (cast<BufferType>(getVia().getType()).getElementType() !=
      cast<TileType>(getTile().getType()).getElementType())
    return emitOpError("needs a buffer with the element type of the tile");
  return verifyAge(*this, shared, *getAge());
}

void ShiftOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &via : getViaMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &via);
}
