//===- StencilAttributes.cpp - syntax and verifiers of the attributes -----===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes are verified on construction, so ops can rely on ranks from 1 to 3, non-empty boxes,
// and numbers of points that fit into 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Stencil/StencilDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;
using namespace mlir::stencil;

#define GET_ATTRDEF_CLASSES
#include "Stencil/StencilAttributes.cpp.inc"

void StencilDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Stencil/StencilAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Lists of integers
//===----------------------------------------------------------------------===//

/// `[1, -2, 3]`
static ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// IndexAttr
//===----------------------------------------------------------------------===//

Attribute IndexAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t, kMaxRank> values;
  if (parser.parseLess() || parseIntegers(parser, values) || parser.parseGreater())
    return {};
  return parser.getChecked<IndexAttr>(location, parser.getContext(), values);
}

void IndexAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printIntegers(printer, getValues());
  printer << '>';
}

LogicalResult IndexAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> values) {
  if (values.empty() || values.size() > kMaxRank)
    return emitError() << "expected 1 to " << kMaxRank << " values in stencil.index, got "
                       << values.size();
  return success();
}

//===----------------------------------------------------------------------===//
// BoundsAttr
//===----------------------------------------------------------------------===//

Attribute BoundsAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t, kMaxRank> lower, upper;
  if (parser.parseLess() || parseIntegers(parser, lower) || parser.parseComma() ||
      parseIntegers(parser, upper) || parser.parseGreater())
    return {};
  return parser.getChecked<BoundsAttr>(location, parser.getContext(), lower, upper);
}

void BoundsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printIntegers(printer, getLower());
  printer << ", ";
  printIntegers(printer, getUpper());
  printer << '>';
}

LogicalResult BoundsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> lower, ArrayRef<int64_t> upper) {
  if (lower.size() != upper.size())
    return emitError() << "lower and upper bounds must have the same rank, got " << lower.size()
                       << " and " << upper.size();
  if (lower.empty() || lower.size() > kMaxRank)
    return emitError() << "expected bounds of rank 1 to " << kMaxRank << ", got " << lower.size();
  int64_t points = 1;
  for (size_t dim = 0; dim < lower.size(); ++dim) {
    if (lower[dim] >= upper[dim])
      return emitError() << "bounds [" << lower[dim] << "," << upper[dim] << ") of dimension "
                         << dim << " are empty: upper must be greater than lower";
    int64_t extent;
    if (llvm::SubOverflow(upper[dim], lower[dim], extent) ||
        llvm::MulOverflow(points, extent, points))
      return emitError() << "bounds [" << lower[dim] << "," << upper[dim] << ") of dimension "
                         << dim << " make more points than 64 bits can count";
  }
  return success();
}

bool BoundsAttr::contains(BoundsAttr other) const {
  for (unsigned dim = 0; dim < getRank(); ++dim)
    if (other.getLower()[dim] < getLower()[dim] || other.getUpper()[dim] > getUpper()[dim])
      return false;
  return true;
}

std::string BoundsAttr::getText() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (unsigned dim = 0; dim < getRank(); ++dim)
    out << (dim ? "x[" : "[") << getLower()[dim] << ',' << getUpper()[dim] << ']';
  return text;
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

/// Read by every thread that makes a plan, written once at the start of a process.
static std::atomic<PlanVerifier> planVerifier = nullptr;

void stencil::setPlanVerifier(PlanVerifier verifier) { planVerifier = verifier; }

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc location = parser.getCurrentLocation();
  Attribute entries;
  if (parser.parseAttribute(entries))
    return {};
  auto dictionary = dyn_cast<DictionaryAttr>(entries);
  if (!dictionary) {
    parser.emitError(location) << "stencil.plan needs a dictionary of entries, got " << entries;
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PlanAttr>(location, parser.getContext(), dictionary);
}

void PlanAttr::print(AsmPrinter &printer) const { printer << '<' << getEntries() << '>'; }

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               DictionaryAttr entries) {
  if (!entries)
    return emitError() << "stencil.plan needs a dictionary of entries";
  PlanVerifier verifier = planVerifier;
  if (!verifier)
    return success();
  bool reported = false;
  bool valid = verifier(entries, [&](StringRef message) {
    reported = true;
    emitError() << message;
  });
  if (!valid && !reported)
    emitError() << "stencil.plan does not follow the plan schema: " << entries;
  return success(valid && !reported);
}

//===----------------------------------------------------------------------===//
// ProgramPlanAttr
//===----------------------------------------------------------------------===//

Attribute ProgramPlanAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc location = parser.getCurrentLocation();
  ArrayAttr kernels;
  if (parser.parseAttribute(kernels) || parser.parseGreater())
    return {};
  return parser.getChecked<ProgramPlanAttr>(location, parser.getContext(), kernels);
}

void ProgramPlanAttr::print(AsmPrinter &printer) const { printer << '<' << getKernels() << '>'; }

/// Checks names of stages, and that none of them is known already.
static LogicalResult verifyStages(function_ref<InFlightDiagnostic()> emitError,
                                  NamedAttribute entry, llvm::StringSet<> &known) {
  auto list = dyn_cast<ArrayAttr>(entry.getValue());
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return emitError() << "stencil.program_plan: " << entry.getName()
                       << " must be an array of names, got " << entry.getValue();
  for (auto name : list.getAsRange<StringAttr>())
    if (!known.insert(name).second)
      return emitError() << "stencil.program_plan: stage " << name << " is there twice";
  return success();
}

/// Checks that a name means one kernel: keys and reports of two would be mixed.
static LogicalResult verifyNames(function_ref<InFlightDiagnostic()> emitError, ArrayAttr kernels) {
  llvm::StringSet<> known;
  for (auto [number, kernel] : llvm::enumerate(kernels.getAsRange<DictionaryAttr>())) {
    auto name = kernel.getAs<StringAttr>("name");
    if (!name)
      continue;
    if (!known.insert(name).second)
      return emitError() << "stencil.program_plan: two kernels have the name " << name
                         << ": give each its own, or list the stages of both in one";
    for (auto [other, owner] : llvm::enumerate(kernels.getAsRange<DictionaryAttr>()))
      for (StringRef key : {"stages", "inlined"})
        if (auto list = owner.getAs<ArrayAttr>(key); other != number && list)
          if (llvm::is_contained(list, name))
            return emitError() << "stencil.program_plan: the name " << name
                               << " of a kernel is that of a stage of another: give the kernel "
                                  "another name";
  }
  return success();
}

LogicalResult ProgramPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                      ArrayAttr kernels) {
  llvm::StringSet<> known;
  for (Attribute kernel : kernels) {
    auto dictionary = dyn_cast<DictionaryAttr>(kernel);
    if (!dictionary)
      return emitError() << "stencil.program_plan: a kernel is a dictionary, got " << kernel;
    for (NamedAttribute entry : dictionary) {
      StringRef key = entry.getName();
      if (key == "stages" || key == "inlined") {
        if (failed(verifyStages(emitError, entry, known)))
          return failure();
        continue;
      }
      bool holds = llvm::StringSwitch<bool>(key)
                       .Case("name", isa<StringAttr>(entry.getValue()))
                       .Case("plan", isa<PlanAttr>(entry.getValue()))
                       .Case("time_loop", isa<UnitAttr>(entry.getValue()))
                       .Default(false);
      if (!holds)
        return emitError() << "stencil.program_plan: a kernel has the keys inlined, name (a "
                              "string), plan (a #stencil.plan), stages and time_loop (unit), got "
                           << entry.getName() << " = " << entry.getValue();
    }
    auto stages = dictionary.getAs<ArrayAttr>("stages");
    if (!stages || stages.empty())
      return emitError() << "stencil.program_plan: a kernel has stages, got " << kernel;
  }
  return verifyNames(emitError, kernels);
}
