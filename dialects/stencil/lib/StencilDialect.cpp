//===- StencilDialect.cpp - registration and inlining ---------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers what the other files define, verifies discardable attributes, and lets upstream's
// `inline` work on this dialect.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::stencil;

#include "Stencil/StencilDialect.cpp.inc"

namespace {

/// Lets upstream `inline` move calls' bodies around and into regions of this dialect.
struct StencilInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool wouldBeCloned) const final {
    return true;
  }

  /// Ops on whole grids must not be inlined into an apply, whose region is one point.
  bool isLegalToInline(Region *dest, Region *src, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return !findGridOperation(*src);
  }

  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
};

/// A kind of attribute, as a message names it.
struct Kind {
  bool (*holds)(Attribute);
  StringRef words;
};

template <typename Attr>
bool isA(Attribute attribute) {
  return isa<Attr>(attribute);
}

/// Whether an attribute is the time steps for which tables can be read.
bool isLimits(Attribute attribute) {
  auto tables = dyn_cast<ArrayAttr>(attribute);
  return tables && llvm::all_of(tables, [](Attribute table) {
    auto entries = dyn_cast<DictionaryAttr>(table);
    return entries && entries.getAs<IntegerAttr>("first") && entries.getAs<IntegerAttr>("last")
           && (!entries.contains("argument") || entries.getAs<IntegerAttr>("argument"));
  });
}

/// Whether an attribute is an open size: a name, and pairs of a dimension and a number.
bool isOpenSize(Attribute attribute) {
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  if (!entries || entries.size() != 2 || !entries.getAs<StringAttr>("name"))
    return false;
  auto along = entries.getAs<DenseI64ArrayAttr>("along");
  return along && !along.empty() && along.size() % 2 == 0;
}

bool isExtents(Attribute attribute) {
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  if (!entries)
    return false;
  bool hasPoints = entries.contains("points"), hasMultiples = entries.contains("multiples");
  bool hasSizes = entries.contains("sizes");
  if (entries.size() != 3 + unsigned(hasPoints) + unsigned(hasMultiples) + unsigned(hasSizes))
    return false;
  if (hasSizes) {
    auto sizes = entries.getAs<ArrayAttr>("sizes");
    if (!sizes || !llvm::all_of(sizes, isOpenSize))
      return false;
  }
  if (hasPoints && !entries.getAs<IntegerAttr>("points"))
    return false;
  if (hasMultiples && !entries.getAs<DenseI64ArrayAttr>("multiples"))
    return false;
  auto lower = entries.getAs<DenseI64ArrayAttr>("lower");
  auto upper = entries.getAs<DenseI64ArrayAttr>("upper");
  auto least = entries.getAs<DenseI64ArrayAttr>("least");
  return lower && upper && least && lower.size() == upper.size() && lower.size() == least.size();
}

/// Whether an attribute says how a domain is shared: `{lower, upper, halo, steps, windows,
/// computed, early}`.
bool isDecomposition(Attribute attribute) {
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  if (!entries)
    return false;
  unsigned others = entries.contains("steps");
  for (StringRef name : {"computed", "early"}) {
    if (!entries.contains(name))
      continue;
    auto windows = entries.getAs<ArrayAttr>(name);
    others += 1;
    if (!windows || !llvm::all_of(windows, [](Attribute window) {
          auto ends = dyn_cast<DenseI64ArrayAttr>(window);
          return ends && ends.size() % 2 == 0;
        }))
      return false;
  }
  if (entries.size() != 4 + others)
    return false;
  auto lower = entries.getAs<IntegerAttr>("lower");
  auto upper = entries.getAs<IntegerAttr>("upper");
  auto halo = entries.getAs<IntegerAttr>("halo");
  auto windows = entries.getAs<ArrayAttr>("windows");
  if (!lower || !upper || !halo || !windows || windows.empty() || halo.getInt() < 0)
    return false;
  auto steps = entries.getAs<IntegerAttr>("steps");
  if (entries.contains("steps") && (!steps || steps.getInt() < 1))
    return false;
  // Each window owns planes, and the next one those from its end on.
  int64_t next = lower.getInt();
  for (Attribute window : windows) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(window);
    if (!numbers || (numbers.size() != 3 && numbers.size() != 5))
      return false;
    if (numbers[0] != next || numbers[1] <= next)
      return false;
    next = numbers[1];
  }
  return next == upper.getInt();
}

/// Whether an attribute says how a field is cut: a dimension, and a range of planes.
bool isCut(Attribute attribute) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute);
  return numbers && numbers.size() == 3 && numbers[0] >= 0 && numbers[1] < numbers[2];
}

/// Whether an attribute says which planes devices get: for each of them, ranges in order.
bool isReceived(Attribute attribute) {
  auto devices = dyn_cast<ArrayAttr>(attribute);
  return devices && llvm::all_of(devices, [](Attribute device) {
           auto ends = dyn_cast<DenseI64ArrayAttr>(device);
           return ends && ends.size() % 2 == 0 && llvm::is_sorted(ends.asArrayRef());
         });
}

/// Whether an attribute names one of the numbers that say where a device's window lies.
bool isWindow(Attribute attribute) {
  auto number = dyn_cast<StringAttr>(attribute);
  return number && llvm::is_contained({"shift", "seam", "shift_from_seam"}, number.getValue());
}

bool isPadding(Attribute attribute) {
  auto cells = dyn_cast<DenseI64ArrayAttr>(attribute);
  return cells && cells.size() == 2 && cells[0] >= 0 && cells[1] >= 0;
}

bool isAlignment(Attribute attribute) {
  auto bytes = dyn_cast<IntegerAttr>(attribute);
  return bytes && bytes.getValue().isStrictlyPositive() && bytes.getValue().isPowerOf2();
}

/// The kind that a discardable attribute of this dialect must have; none for names that are not
/// the dialect's own.
std::optional<Kind> discardableKind(StringRef name) {
  const Kind word{[](Attribute it) {
                    auto text = dyn_cast<StringAttr>(it);
                    return text && !text.empty();
                  },
                  "a string that is not empty"};
  const Kind integer{isA<IntegerAttr>, "an integer"};
  const Kind unit{isA<UnitAttr>, "a unit attribute"};
  const Kind array{isA<ArrayAttr>, "an array"};
  const Kind reason{[](Attribute it) { return isa<StringAttr, UnitAttr>(it); },
                    "a string or unit"};
  const Kind dictionary{isA<DictionaryAttr>, "a dictionary"};
  const Kind plan{[](Attribute it) { return isa<PlanAttr, DictionaryAttr>(it); },
                  "a #stencil.plan"};
  const Kind programPlan{isA<ProgramPlanAttr>, "a #stencil.program_plan"};
  const Kind bounds{[](Attribute it) { return isa<BoundsAttr, DictionaryAttr>(it); },
                    "a #stencil.bounds"};
  const Kind steps{[](Attribute it) { return isa<IntegerAttr, UnitAttr>(it); },
                   "an integer or unit"};
  const Kind limits{isLimits, "an array of dictionaries with integers 'first' and 'last', and "
                              "perhaps 'argument'"};
  const Kind numbers{isA<DenseI64ArrayAttr>, "an array of 64-bit integers"};
  const Kind extents{isExtents,
                     "a dictionary of arrays 'lower', 'upper' and 'least' of one length, and "
                     "perhaps 'multiples', an integer 'points' and 'sizes' with 'name' and "
                     "'along'"};
  const Kind decomposition{isDecomposition,
                           "a dictionary of 'lower', 'upper', 'halo', perhaps 'steps', "
                           "'computed' and 'early', and 'windows', whose owned planes follow "
                           "each other from 'lower' to 'upper'"};
  const Kind received{isReceived, "an array of arrays of ranges of planes, in order"};
  const Kind cut{isCut, "an array of a dimension and a range of planes"};
  const Kind window{isWindow, "\"shift\", \"seam\" or \"shift_from_seam\""};
  const Kind padding{isPadding, "an array of two numbers of cells that are not negative"};
  const Kind alignment{isAlignment, "a power of two as an integer"};
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Cases({"stage", "merge", "group", "variant_of", "name", "symbol"}, word)
      .Cases({"points", "flops", "bytes", "extent"}, integer)
      .Cases({"follows", "sweeps", "copies"}, numbers)
      .Cases({"scratch", "continued", "estimate", "normal_divisor", "distance",
              "last_iterations"},
             unit)
      .Case("inline", reason)
      .Case("includes", array)
      .Cases({"constraints", "decisions"}, dictionary)
      .Case("plan", plan)
      .Case("program_plan", programPlan)
      .Case("time_steps", steps)
      .Case("step_limits", limits)
      .Case("run_time_extents", extents)
      .Case("decomposition", decomposition)
      .Case("cut", cut)
      .Case("received", received)
      .Case("window", window)
      .Case("padding", padding)
      .Case("row_alignment", alignment)
      .Case("bounds", bounds)
      .Default(std::nullopt);
}

LogicalResult verifyDiscardable(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  auto kind = discardableKind(name.substr(name.find('.') + 1));
  if (!kind || kind->holds(attribute.getValue()))
    return success();
  return op->emitOpError() << "'" << name << "' must be " << kind->words << ", got "
                           << attribute.getValue();
}

} // namespace

LogicalResult StencilDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyDiscardable(op, attribute);
}

LogicalResult StencilDialect::verifyRegionArgAttribute(Operation *op, unsigned region,
                                                       unsigned argument,
                                                       NamedAttribute attribute) {
  return verifyDiscardable(op, attribute);
}

void StencilDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "Stencil/StencilOps.cpp.inc"
      >();
  addInterfaces<StencilInlinerInterface>();
}
