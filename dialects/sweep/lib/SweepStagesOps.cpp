//===- SweepStagesOps.cpp - the stages form -------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax, effects and verifiers of the ops that say what a sweep of several statements computes.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::sweep;

//===----------------------------------------------------------------------===//
// stages: effects and syntax
//===----------------------------------------------------------------------===//

/// Fields that some op of the region writes are written, all are read.
void StagesOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getFieldsMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    BlockArgument argument = getBody().getArgument(operand.getOperandNumber());
    if (llvm::any_of(argument.getUsers(), llvm::IsaPred<OutputOp>))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// The attributes that the syntax of `sweep.stages` spells.
static constexpr StringRef kStagesTaken[] = {"operandSegmentSizes", "steps", "periodic", "stage",
                                             "plan"};

ParseResult StagesOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  int64_t steps;
  if (parser.parseAttribute(properties.stage) || parser.parseKeyword("steps") ||
      parser.parseInteger(steps))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("periodic")) &&
      parser.parseCustomAttributeWithFallback(properties.periodic))
    return failure();
  if (parser.parseKeyword("fields"))
    return failure();
  properties.steps = parser.getBuilder().getI64IntegerAttr(steps);
  SmallVector<OpAsmParser::Argument> arguments, scalars;
  if (stencil::parseArguments(parser, result, arguments, " in fields of 'sweep.stages'"))
    return failure();
  auto numFields = static_cast<int32_t>(arguments.size());
  if (succeeded(parser.parseOptionalKeyword("scalars")) &&
      stencil::parseArguments(parser, result, scalars, " in scalars of 'sweep.stages'"))
    return failure();
  llvm::append_range(arguments, scalars);
  FailureOr<int32_t> levelScalars = 0;
  if (succeeded(parser.parseOptionalKeyword("level_scalars")))
    levelScalars = parseLevelScalars(parser, result, arguments);
  if (failed(levelScalars))
    return failure();
  properties.operandSegmentSizes = {numFields, static_cast<int32_t>(scalars.size()),
                                    *levelScalars};
  if (parser.parseKeyword("plan") || parser.parseCustomAttributeWithFallback(properties.plan) ||
      stencil::parseAttributes(parser, result, kStagesTaken))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments, /*enableNameShadowing=*/true);
}

void StagesOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStageAttr() << " steps " << getSteps();
  if (DenseI64ArrayAttr periodic = getPeriodicAttr()) {
    printer << " periodic ";
    printer.printStrippedAttrOrType(periodic);
  }
  ValueRange arguments = getBody().getArguments();
  size_t numFields = getFields().size(), numScalars = getScalars().size();
  auto beginLine = [&](StringRef keyword) {
    printer.printNewline();
    printer << "    " << keyword;
  };
  beginLine("fields");
  stencil::printArguments(printer, arguments.take_front(numFields), getFields());
  arguments = arguments.drop_front(numFields);
  if (numScalars) {
    beginLine("scalars");
    stencil::printArguments(printer, arguments.take_front(numScalars), getScalars());
  }
  if (!getLevelScalars().empty()) {
    beginLine("level_scalars");
    printLevelScalars(printer, arguments.drop_front(numScalars), getLevelScalars());
  }
  beginLine("plan ");
  printer.printStrippedAttrOrType(getPlan());
  stencil::printAttributes(printer, *this, kStagesTaken);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// stages: verifiers
//===----------------------------------------------------------------------===//

LogicalResult StagesOp::verify() {
  for (auto [number, value] : llvm::enumerate(getFields()))
    if (!cast<stencil::FieldType>(value.getType()).hasBounds()) {
      InFlightDiagnostic diagnostic = emitOpError("field #")
                                      << number << " must have known bounds, got "
                                      << value.getType();
      diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
      return diagnostic;
    }
  auto scalars = llvm::concat<const Value>(llvm::to_vector(getScalars()),
                                           llvm::to_vector(getLevelScalars()));
  for (Value value : scalars)
    if (!value.getType().isIntOrIndexOrFloat())
      return emitOpError("scalars must be numbers, got ") << value.getType();
  if (getLevelScalars().size() % getSteps() != 0)
    return emitOpError("needs the level scalars of each of its ")
           << getSteps() << " steps, got " << getLevelScalars().size() << " in all";
  return success();
}

/// The arguments are the operands, of level scalars those of one step.
static LogicalResult verifyArguments(StagesOp op) {
  SmallVector<Type> types(op.getFields().getTypes());
  llvm::append_range(types, op.getScalars().getTypes());
  for (unsigned step = 0; step < op.getSteps(); ++step) {
    auto values = op.getLevelScalars().slice(step * op.getNumVarying(), op.getNumVarying());
    if (step == 0)
      llvm::append_range(types, values.getTypes());
    else if (!llvm::equal(values.getTypes(),
                          ArrayRef<Type>(types).take_back(op.getNumVarying())))
      return op.emitOpError("level scalars must have one type in all steps");
  }
  if (!llvm::equal(op.getBody().getArgumentTypes(), types))
    return op.emitOpError("region must have an argument of its type for each field and scalar, "
                          "and for each level scalar of one step");
  return success();
}

/// Whether an op reads a field at points that are computed. Outside of its domain it may hold the
/// values that points there have, where these are not written.
static bool readsWritten(Operation *user, OutputOp output) {
  Value field = output.getField();
  if (auto input = dyn_cast<InputOp>(user))
    return input.getField() == field || !input.getDomain()->contains(output.getDomain());
  if (auto stage = dyn_cast<StageOp>(user))
    return llvm::is_contained(stage.getInputs(), field) ||
           !stage.getDomain().contains(output.getDomain());
  return true;
}

/// An output is not read by other points, in this step or before it: blocks overlap.
static LogicalResult verifyWritten(OutputOp output) {
  for (Operation *user : output.getField().getUsers()) {
    if (auto other = dyn_cast<OutputOp>(user)) {
      if (other == output)
        continue;
      return output.emitOpError("writes a field that another 'sweep.output' also writes");
    }
    if (!readsWritten(user, output))
      continue;
    InFlightDiagnostic diagnostic =
        output.emitOpError("writes a field that the sweep also reads, of which other blocks may "
                           "still read the old values");
    diagnostic.attachNote(user->getLoc()) << "read here; write to another field";
    return diagnostic;
  }
  return success();
}

/// The stage that computes a stream as it is in the last of so many steps; null if it is a field's.
static StageOp getStageOf(Value stream, int64_t steps) {
  for (; steps > 0; --steps) {
    if (auto stage = stream.getDefiningOp<StageOp>())
      return stage;
    auto carries = llvm::make_filter_range(stream.getUsers(), [&](Operation *user) {
      auto carry = dyn_cast<CarryOp>(user);
      return carry && carry.getInput() == stream;
    });
    if (carries.empty())
      return {};
    stream = cast<CarryOp>(*carries.begin()).getNext();
  }
  return {};
}

/// The points that leave are those that a stage computes.
static LogicalResult verifyComputed(OutputOp output, int64_t steps) {
  StageOp stage = getStageOf(output.getStream(), steps);
  if (!stage)
    return output.emitOpError("writes a stream that no stage computes in ") << steps << " steps";
  if (output.getDomain() == stage.getDomain())
    return success();
  InFlightDiagnostic diagnostic = output.emitOpError("writes ")
                                  << stencil::describe(output.getDomain());
  diagnostic.attachNote(stage.getLoc())
      << "this stage computes " << stencil::describe(stage.getDomain());
  return diagnostic;
}

/// All stages of a periodic grid have one domain, whose ends meet.
static LogicalResult verifyOneDomain(StagesOp op) {
  auto stages = op.getBody().getOps<StageOp>();
  if (stages.empty())
    return success();
  StageOp first = *stages.begin();
  if (failed(verifyPeriodic(op, op.getPeriodicAttr(), first.getRank())))
    return failure();
  for (StageOp stage : stages)
    if (stage.getDomain() != first.getDomain()) {
      InFlightDiagnostic diagnostic = stage.emitOpError("has ")
                                      << stencil::describe(stage.getDomain())
                                      << ", but a periodic grid has one domain";
      diagnostic.attachNote(first.getLoc())
          << "this stage has " << stencil::describe(first.getDomain());
      return diagnostic;
    }
  return success();
}

LogicalResult StagesOp::verifyRegions() {
  if (failed(verifyArguments(*this)))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa<InputOp, StageOp, CarryOp, OutputOp>(op)) {
      InFlightDiagnostic diagnostic = op.emitOpError("cannot be in the region of 'sweep.stages'");
      diagnostic.attachNote() << "it holds inputs, stages, carries and outputs; what is computed "
                                 "at a point belongs in a 'sweep.stage', other numbers outside";
      return diagnostic;
    }
  if (getPeriodicAttr() && failed(verifyOneDomain(*this)))
    return failure();
  auto outputs = getBody().getOps<OutputOp>();
  if (outputs.empty())
    return emitOpError("needs at least 1 'sweep.output'");
  for (OutputOp output : outputs)
    if (failed(verifyWritten(output)) || failed(verifyComputed(output, getSteps())))
      return failure();
  DenseSet<Value> carried;
  for (CarryOp carry : getBody().getOps<CarryOp>())
    if (!carried.insert(carry.getInput()).second)
      return carry.emitOpError("names an input that another 'sweep.carry' names");
  return success();
}

//===----------------------------------------------------------------------===//
// input, carry, output
//===----------------------------------------------------------------------===//

/// A stream has rank and element type of its field.
static LogicalResult verifyStream(Operation *op, Type stream, Value field) {
  auto temp = cast<stencil::TempType>(stream);
  auto type = cast<stencil::FieldType>(field.getType());
  if (temp.getRank() == type.getRank() && temp.getElementType() == type.getElementType())
    return success();
  return op->emitOpError("needs a stream with rank and element type of its field, got ")
         << temp << " and " << type;
}

/// A field of the kernel.
static LogicalResult verifyOperand(Operation *op, Value field) {
  if (isa<BlockArgument>(field))
    return success();
  return op->emitOpError("needs a field that is an argument of its 'sweep.stages'");
}

static LogicalResult verifyHolds(Operation *op, Value field, stencil::BoundsAttr domain) {
  auto type = cast<stencil::FieldType>(field.getType());
  if (type.getRank() == domain.getRank() &&
      (!type.hasBounds() || type.getBounds().contains(domain)))
    return success();
  return op->emitOpError("names ")
         << stencil::describe(domain) << ", which is not inside of " << type;
}

LogicalResult InputOp::verify() {
  if (failed(verifyStream(*this, getStream().getType(), getField())) ||
      failed(verifyOperand(*this, getField())))
    return failure();
  if (getDomain().has_value() != static_cast<bool>(getOutside()))
    return emitOpError("needs both a domain and the field outside of it, or none");
  if (!getDomain())
    return success();
  if (failed(verifyStream(*this, getStream().getType(), getOutside())) ||
      failed(verifyOperand(*this, getOutside())) ||
      failed(verifyHolds(*this, getField(), *getDomain())))
    return failure();
  return verifyHolds(*this, getOutside(), *getDomain());
}

LogicalResult CarryOp::verify() {
  if (!getInput().getDefiningOp<InputOp>())
    return emitOpError("must name the result of a 'sweep.input'");
  return success();
}

LogicalResult OutputOp::verify() {
  if (failed(verifyStream(*this, getStream().getType(), getField())) ||
      failed(verifyOperand(*this, getField())))
    return failure();
  return verifyHolds(*this, getField(), getDomain());
}

//===----------------------------------------------------------------------===//
// stage
//===----------------------------------------------------------------------===//

/// The attributes that the syntax of `sweep.stage` spells.
static constexpr StringRef kStageTaken[] = {"operandSegmentSizes", "domain", "name", "rotations"};

ParseResult StageOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseAttribute(properties.name) || parser.parseKeyword("over") ||
      parser.parseCustomAttributeWithFallback(properties.domain) ||
      stencil::parseArguments(parser, result, arguments, " in inputs of 'sweep.stage'") ||
      parser.parseArrowTypeList(result.types))
    return failure();
  FailureOr<int32_t> numOutside = 0;
  if (succeeded(parser.parseOptionalKeyword("outside"))) {
    numOutside = stencil::parseTypedOperands(parser, result, " in 'outside' of 'sweep.stage'");
    if (failed(numOutside) || parser.parseKeyword("rotations") ||
        parser.parseCustomAttributeWithFallback(properties.rotations))
      return failure();
  } else {
    SmallVector<int64_t> none(result.types.size(), 0);
    properties.rotations = parser.getBuilder().getDenseI64ArrayAttr(none);
  }
  properties.operandSegmentSizes = {static_cast<int32_t>(arguments.size()), *numOutside};
  if (stencil::parseAttributes(parser, result, kStageTaken))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments, /*enableNameShadowing=*/true);
}

void StageOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr() << " over ";
  printer.printStrippedAttrOrType(getDomain());
  printer << ' ';
  stencil::printArguments(printer, getBody().getArguments(), getInputs());
  printer << " -> ";
  if (getNumResults() == 1)
    printer << getResultTypes()[0];
  else
    printer << '(' << getResultTypes() << ')';
  if (!getOutside().empty()) {
    printer.printNewline();
    printer << "    outside";
    stencil::printTypedOperands(printer, getOutside());
    printer << " rotations ";
    printer.printStrippedAttrOrType(getRotationsAttr());
  }
  stencil::printAttributes(printer, *this, kStageTaken);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult StageOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("needs at least 1 result");
  for (Type type : getResultTypes())
    if (cast<stencil::TempType>(type).getRank() != static_cast<int64_t>(getRank()))
      return emitOpError("needs results of its domain's rank, got ") << type;
  for (Value input : getInputs()) {
    Type type = input.getType();
    if (isa<stencil::FieldType>(type)) {
      if (failed(verifyOperand(*this, input)))
        return failure();
      continue;
    }
    if (!isa<stencil::TempType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("inputs must be streams, fields of 'sweep.stages' and numbers, got ")
             << type;
  }
  ArrayRef<int64_t> rotations = getRotations();
  size_t total = 0;
  for (int64_t count : rotations) {
    if (count < 0)
      return emitOpError("rotations must not be negative, got ") << getRotationsAttr();
    total += count;
  }
  if (rotations.size() != getNumResults() || total != getOutside().size())
    return emitOpError("needs a number of rotated fields for each result, ")
           << getOutside().size() << " in all, got " << getRotationsAttr();
  OperandRange outside = getOutside();
  for (auto [result, count] : llvm::zip(getResults(), rotations)) {
    for (Value field : outside.take_front(count))
      if (failed(verifyStream(*this, result.getType(), field)) ||
          failed(verifyOperand(*this, field)) || failed(verifyHolds(*this, field, getDomain())))
        return failure();
    outside = outside.drop_front(count);
  }
  return success();
}

LogicalResult StageOp::verifyRegions() {
  if (!llvm::equal(getBody().getArgumentTypes(), getInputs().getTypes()))
    return emitOpError("region must have an argument of its type for each input");
  for (BlockArgument argument : getBody().getArguments()) {
    if (!isa<stencil::TempType>(argument.getType()))
      continue;
    for (Operation *user : argument.getUsers()) {
      auto access = dyn_cast<stencil::AccessOp>(user);
      if (access && !access.getOffsetMappingAttr())
        continue;
      InFlightDiagnostic diagnostic = user->emitOpError("cannot use a stream of 'sweep.stage'");
      diagnostic.attachNote() << "streams are read with 'stencil.access' at constant offsets";
      return diagnostic;
    }
  }
  auto elementOf = [](Type type) { return cast<stencil::TempType>(type).getElementType(); };
  if (failed(verifyYield(*this, getBody(), llvm::map_to_vector(getResultTypes(), elementOf),
                         "results of 'sweep.stage'")))
    return failure();
  return verifyPointOperations(*this);
}
