//===- SweepVerifiers.cpp - verifiers of the operations -------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands are verified before the region, then the region's accesses against the operands. The
// installed check of the whole sweep runs last and may rely on all that is verified here.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>

using namespace mlir;
using namespace mlir::sweep;

/// Read by every thread that verifies, written once at the start of a process.
static std::atomic<KernelVerifier> kernelVerifier = nullptr;

void sweep::setKernelVerifier(KernelVerifier verifier) { kernelVerifier = verifier; }

//===----------------------------------------------------------------------===//
// kernel: operands
//===----------------------------------------------------------------------===//

namespace {
/// One kind of fields, under the name that messages have for one of them.
struct Fields {
  StringRef name;
  OperandRange values;
};
} // namespace

static LogicalResult verifyCounts(KernelOp op) {
  size_t numCarried = op.getCarried().size(), numBoundaries = op.getBoundaries().size(),
         numOuts = op.getOuts().size(), steps = op.getSteps();
  if (numCarried == 0)
    return op.emitOpError("needs at least 1 carried field, which the first level is computed from");
  if (numBoundaries < numCarried) {
    InFlightDiagnostic diagnostic = op.emitOpError("needs a boundary source for each of its ")
                                    << numCarried << " carried levels, got " << numBoundaries;
    diagnostic.attachNote() << "a boundary source holds the cells outside the domain; levels that "
                               "share one field must be carried in different fields of the "
                               "rotation";
    return diagnostic;
  }
  if (numOuts == 0)
    return op.emitOpError("needs at least 1 out, which gets the last level");
  if (numOuts > steps) {
    InFlightDiagnostic diagnostic = op.emitOpError("has ")
                                    << numOuts << " outs, but computes " << steps << " levels";
    diagnostic.attachNote() << "an out gets a level that the sweep computes; leave out those that "
                               "would get none";
    return diagnostic;
  }
  if (op.getLevelScalars().size() % steps != 0) {
    InFlightDiagnostic diagnostic = op.emitOpError("needs the level scalars of each of its ")
                                    << steps << " levels, got " << op.getLevelScalars().size()
                                    << " in all";
    diagnostic.attachNote() << "a number that does not change from level to level is one of "
                               "'scalars'";
    return diagnostic;
  }
  return success();
}

/// Carried fields, boundary sources and outs hold levels: one element type, one rank, all points.
static LogicalResult verifyLevelFields(KernelOp op) {
  stencil::BoundsAttr domain = op.getDomain();
  auto first = cast<stencil::FieldType>(op.getCarried().front().getType());
  for (auto [name, values] :
       {Fields{"carried", op.getCarried()}, Fields{"boundary source", op.getBoundaries()},
        Fields{"out", op.getOuts()}}) {
    for (auto [number, value] : llvm::enumerate(values)) {
      auto type = cast<stencil::FieldType>(value.getType());
      if (type.getElementType() != first.getElementType())
        return op.emitOpError("fields of levels must have one element type, got ")
               << first.getElementType() << " for carried #0 and " << type.getElementType()
               << " for " << name << " #" << number;
      if (type.getRank() != domain.getRank())
        return op.emitOpError("fields of levels must have the rank of the domain, got ")
               << type.getRank() << " for " << name << " #" << number << " and "
               << domain.getRank() << " for the domain";
      if (!type.hasBounds()) {
        InFlightDiagnostic diagnostic = op.emitOpError(name)
                                        << " #" << number << " must have known bounds, got "
                                        << type;
        diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
        return diagnostic;
      }
      if (!type.getBounds().contains(domain))
        return op.emitOpError("computes ")
               << stencil::describe(domain) << ", outside of " << name << " #" << number
               << " with " << stencil::describe(type.getBounds());
    }
  }
  return success();
}

/// Numbers and fields that no level changes.
static LogicalResult verifyOtherOperands(KernelOp op) {
  for (auto [number, value] : llvm::enumerate(op.getReads()))
    if (!cast<stencil::FieldType>(value.getType()).hasBounds()) {
      InFlightDiagnostic diagnostic = op.emitOpError("read #")
                                      << number << " must have known bounds, got "
                                      << value.getType();
      diagnostic.attachNote() << "a stencil.cast gives a field its bounds";
      return diagnostic;
    }
  for (auto [number, value] : llvm::enumerate(op.getScalars()))
    if (!value.getType().isIntOrIndexOrFloat())
      return op.emitOpError("scalar #") << number << " must be a number, got " << value.getType();
  unsigned numVarying = op.getNumVarying();
  for (auto [number, value] : llvm::enumerate(op.getLevelScalars())) {
    if (!value.getType().isIntOrIndexOrFloat())
      return op.emitOpError("level scalar #")
             << number << " must be a number, got " << value.getType();
    Type first = op.getLevelScalars()[number % numVarying].getType();
    if (value.getType() != first)
      return op.emitOpError("level scalar #")
             << number % numVarying << " must have one type on all levels, got " << first
             << " on level 1 and " << value.getType() << " on level " << number / numVarying + 1;
  }
  return success();
}

/// Fields that must not be the same memory, as far as values show it.
static LogicalResult verifyDistinct(KernelOp op) {
  for (auto [name, values] :
       {Fields{"boundary source", op.getBoundaries()}, Fields{"out", op.getOuts()}})
    for (auto [number, value] : llvm::enumerate(values)) {
      size_t first = llvm::find(values, value) - values.begin();
      if (first == number)
        continue;
      InFlightDiagnostic diagnostic = op.emitOpError(name)
                                      << " #" << number << " is " << name << " #" << first
                                      << " again";
      diagnostic.attachNote() << "the fields of a rotation are distinct; levels share a boundary "
                                 "source when there are fewer sources than levels";
      return diagnostic;
    }
  return success();
}

/// Block arguments correspond to the operands: carried, reads, scalars, one level's level scalars.
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
  return failure(failed(verifyCounts(*this)) || failed(verifyLevelFields(*this)) ||
                 failed(verifyOtherOperands(*this)) || failed(verifyDistinct(*this)) ||
                 failed(verifyArguments(*this)));
}

//===----------------------------------------------------------------------===//
// kernel: region
//===----------------------------------------------------------------------===//

/// A field is read around the point, and a level at constant offsets only.
static LogicalResult verifyUses(KernelOp op, BlockArgument argument, bool isCarried) {
  for (Operation *user : argument.getUsers()) {
    if (isa<stencil::AccessOp>(user) || (!isCarried && isa<stencil::DynAccessOp>(user)))
      continue;
    InFlightDiagnostic diagnostic =
        user->emitOpError("cannot use ")
        << (isCarried ? "a carried field" : "a field") << " of 'sweep.kernel'";
    if (isCarried)
      diagnostic.attachNote() << "a level is kept only as long as 'stencil.access' at constant "
                                 "offsets reads it; a field that the sweep does not change is one "
                                 "of 'reads'";
    else
      diagnostic.attachNote() << "fields are read with 'stencil.access' and 'stencil.dyn_access'";
    return diagnostic;
  }
  return success();
}

/// The cells that an access reads, over all points of the domain.
static SmallVector<std::pair<int64_t, int64_t>> getFootprint(KernelOp op,
                                                             stencil::AccessOp access) {
  stencil::BoundsAttr domain = op.getDomain();
  SmallVector<std::pair<int64_t, int64_t>> footprint;
  for (auto [position, offset] : llvm::enumerate(access.getOffset().getValues())) {
    stencil::IndexAttr mapping = access.getOffsetMappingAttr();
    int64_t dim = mapping ? mapping[position] : position;
    footprint.emplace_back(domain.getLower()[dim] + offset, domain.getUpper()[dim] + offset);
  }
  return footprint;
}

static LogicalResult verifyInside(KernelOp op, stencil::AccessOp access, StringRef name,
                                  unsigned number, Value field) {
  stencil::BoundsAttr bounds = cast<stencil::FieldType>(field.getType()).getBounds();
  for (auto [dim, range] : llvm::enumerate(getFootprint(op, access))) {
    if (range.first >= bounds.getLower()[dim] && range.second <= bounds.getUpper()[dim])
      continue;
    InFlightDiagnostic diagnostic = access.emitOpError("reads [")
                                    << range.first << "," << range.second << "] of dimension "
                                    << dim << ", outside of " << name << " #" << number
                                    << " with " << stencil::describe(bounds);
    diagnostic.attachNote(op.getLoc())
        << "the kernel computes " << stencil::describe(op.getDomain())
        << (name == "boundary source"
                ? "; cells outside it are read from the level's boundary source"
                : "");
    return diagnostic;
  }
  return success();
}

/// Every cell outside of the domain that a level reads is in the level's boundary source.
static LogicalResult verifyBoundaries(KernelOp op, stencil::AccessOp access, int64_t age) {
  int64_t numBoundaries = op.getBoundaries().size();
  for (int64_t level = 1; level <= std::min<int64_t>(op.getSteps(), numBoundaries); ++level) {
    int64_t source = (level - 1 - age + numBoundaries) % numBoundaries;
    if (failed(verifyInside(op, access, "boundary source", source, op.getBoundaries()[source])))
      return failure();
  }
  return success();
}

static bool isOwnCell(Operation *user) {
  auto access = dyn_cast<stencil::AccessOp>(user);
  return access && llvm::all_of(access.getOffset().getValues(),
                                [](int64_t offset) { return offset == 0; });
}

/// A sweep must not write what it still reads. A single level may write over the cell of the point
/// itself, if no other point reads that.
static LogicalResult verifyOuts(KernelOp op, Fields fields, unsigned firstArgument) {
  for (auto [number, value] : llvm::enumerate(fields.values)) {
    size_t out = llvm::find(op.getOuts(), value) - op.getOuts().begin();
    if (out == op.getOuts().size())
      continue;
    BlockArgument argument = op.getBody().getArgument(firstArgument + number);
    bool isFullRank =
        cast<stencil::FieldType>(value.getType()).getRank() == op.getDomain().getRank();
    if (op.getSteps() == 1 && isFullRank && llvm::all_of(argument.getUsers(), isOwnCell))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError("out #")
                                    << out << " is " << fields.name << " #" << number
                                    << ", which other points still read";
    diagnostic.attachNote() << "write to another field; only a sweep of 1 step that reads the "
                               "field at offset 0 alone can write it in place";
    return diagnostic;
  }
  return success();
}

/// Where slots of the queue lie, and how many there must be at least.
static LogicalResult verifySlots(KernelOp op) {
  ArrayAttr slots = op.getSlotsAttr();
  if (!slots)
    return success();
  for (auto [number, slot] : llvm::enumerate(slots.getAsRange<StringAttr>()))
    if (slot.getValue() != "register" && slot.getValue() != "shared")
      return op.emitOpError("slot #")
             << number << " must be \"register\" or \"shared\", got " << slot;
  if (op.getForm() != "gather") {
    InFlightDiagnostic diagnostic = op.emitOpError("has slots, but ");
    if (StringAttr form = op.getFormAttr())
      diagnostic << "form " << form;
    else
      diagnostic << "no form";
    diagnostic.attachNote() << "slots are those of the queue of planes that form \"gather\" reads; "
                               "form \"scatter\" keeps sums, and no plane";
    return diagnostic;
  }
  int64_t behind = 0, ahead = 0;
  for (Operation *user : op.getBody().getArgument(0).getUsers()) {
    // The only plane of a grid of one dimension waits for no other.
    int64_t plane = op.getRank() > 1 ? cast<stencil::AccessOp>(user).getOffset()[0] : 0;
    behind = std::max(behind, -plane);
    ahead = std::max(ahead, plane);
  }
  int64_t needed = (behind + ahead) * op.getSteps() + 1, found = slots.size();
  if (found >= needed)
    return success();
  InFlightDiagnostic diagnostic = op.emitOpError("needs at least ")
                                  << needed << " slots, got " << found;
  diagnostic.attachNote() << "each of " << op.getSteps() << " levels reads " << behind
                          << " planes below and " << ahead
                          << " above the one it computes: (below + above) * steps + 1 slots";
  return diagnostic;
}

static LogicalResult verifyReads(KernelOp op) {
  size_t numCarried = op.getCarried().size();
  for (BlockArgument argument : op.getBody().getArguments()) {
    if (!isa<stencil::FieldType>(argument.getType()))
      continue;
    unsigned number = argument.getArgNumber();
    bool isCarried = number < numCarried;
    if (failed(verifyUses(op, argument, isCarried)))
      return failure();
    for (Operation *user : argument.getUsers()) {
      auto access = dyn_cast<stencil::AccessOp>(user);
      if (!access)
        continue;
      if (failed(isCarried ? verifyBoundaries(op, access, number)
                           : verifyInside(op, access, "read", number - numCarried,
                                          op.getReads()[number - numCarried])))
        return failure();
    }
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Operation *last = getBody().front().getTerminator();
  auto yield = dyn_cast<YieldOp>(last);
  if (!yield)
    return emitOpError("region must end with 'sweep.yield', got '") << last->getName() << "'";
  Type element = cast<stencil::FieldType>(getCarried().front().getType()).getElementType();
  if (yield.getValues().size() != 1)
    return yield.emitOpError("must have one value, the point's on the next level, got ")
           << yield.getValues().size();
  if (yield.getValues()[0].getType() != element)
    return yield.emitOpError("must have the element type of the levels ")
           << element << ", got " << yield.getValues()[0].getType();
  unsigned numCarried = getCarried().size();
  if (failed(verifyPointOperations(*this)) || failed(verifyReads(*this)) ||
      failed(verifyOuts(*this, {"carried", getCarried()}, 0)) ||
      failed(verifyOuts(*this, {"read", getReads()}, numCarried)) || failed(verifySlots(*this)))
    return failure();
  KernelVerifier verifier = kernelVerifier;
  auto emit = [&](StringRef message) { emitOpError(message); };
  return success(!verifier || verifier(*this, emit));
}
