//===- StencilTypes.cpp - syntax and verifiers of the types ---------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field and temp share syntax and verifier. Sizes are checked for overflow here, once, so that no
// later computation of extents or bytes has to.
//
//===----------------------------------------------------------------------===//

#include "Stencil/StencilDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace mlir::stencil;

#define GET_TYPEDEF_CLASSES
#include "Stencil/StencilTypes.cpp.inc"

void StencilDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Stencil/StencilTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// What field and temp share
//===----------------------------------------------------------------------===//

GridType::GridType(FieldType type) : Type(type) {}
GridType::GridType(TempType type) : Type(type) {}

bool GridType::classof(Type type) { return isa<FieldType, TempType>(type); }

unsigned GridType::getRank() const {
  return TypeSwitch<Type, unsigned>(*this).Case<FieldType, TempType>(
      [](auto type) { return type.getRank(); });
}

BoundsAttr GridType::getBounds() const {
  return TypeSwitch<Type, BoundsAttr>(*this).Case<FieldType, TempType>(
      [](auto type) { return type.getBounds(); });
}

Type GridType::getElementType() const {
  return TypeSwitch<Type, Type>(*this).Case<FieldType, TempType>(
      [](auto type) { return type.getElementType(); });
}

bool stencil::areElementsCompatible(Type one, Type other) {
  if (one == other)
    return true;
  auto tensor = dyn_cast<RankedTensorType>(one);
  auto otherTensor = dyn_cast<RankedTensorType>(other);
  return tensor && otherTensor && tensor.getRank() == otherTensor.getRank() &&
         tensor.getElementType() == otherTensor.getElementType();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace {
/// `<?x?xf64>` or `<[-4,68]x[-4,52]xf64>`, read.
struct GridSyntax {
  SmallVector<int64_t, kMaxRank> lower, upper;
  unsigned numUnknown = 0;
  Type elementType;
};
} // namespace

/// `?` or `[lower,upper]`. Nothing where a dimension does not begin here.
static OptionalParseResult parseDimension(AsmParser &parser, GridSyntax &syntax) {
  if (succeeded(parser.parseOptionalQuestion())) {
    ++syntax.numUnknown;
    return success();
  }
  if (failed(parser.parseOptionalLSquare()))
    return std::nullopt;
  return failure(parser.parseInteger(syntax.lower.emplace_back()) || parser.parseComma() ||
                 parser.parseInteger(syntax.upper.emplace_back()) || parser.parseRSquare());
}

/// The lexer takes `xf64` for one word and `0x7` for a number; parseXInDimensionList() splits
/// them after the `x`.
static ParseResult parseGrid(AsmParser &parser, GridSyntax &syntax) {
  if (parser.parseLess())
    return failure();
  for (unsigned dim = 0;; ++dim) {
    SMLoc location = parser.getCurrentLocation();
    OptionalParseResult dimension = parseDimension(parser, syntax);
    if (!dimension.has_value()) {
      if (dim == 0)
        return parser.emitError(location, "expected '?' or '[lower,upper]' for dimension 0");
      break;
    }
    if (failed(*dimension) || parser.parseXInDimensionList())
      return failure();
    if (syntax.numUnknown && !syntax.lower.empty())
      return parser.emitError(location, "stencil types can only be fully dynamic or sized: "
                                        "bounds are known in every dimension, or in none");
    if (dim == kMaxRank)
      return parser.emitError(location) << "stencil types have rank 1 to " << kMaxRank;
  }
  return failure(parser.parseType(syntax.elementType) || parser.parseGreater());
}

template <typename GridTy>
static Type parseGridType(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  GridSyntax syntax;
  if (failed(parseGrid(parser, syntax)))
    return {};
  MLIRContext *context = parser.getContext();
  BoundsAttr bounds;
  unsigned rank = syntax.numUnknown;
  if (!syntax.lower.empty()) {
    rank = syntax.lower.size();
    bounds = parser.getChecked<BoundsAttr>(location, context, ArrayRef<int64_t>(syntax.lower),
                                           ArrayRef<int64_t>(syntax.upper));
    if (!bounds)
      return {};
  }
  return parser.getChecked<GridTy>(location, context, rank, bounds, syntax.elementType);
}

static void printGridType(AsmPrinter &printer, GridType type) {
  printer << '<';
  if (BoundsAttr bounds = type.getBounds())
    printer << bounds.getText() << 'x';
  else
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      printer << "?x";
  printer << type.getElementType() << '>';
}

Type FieldType::parse(AsmParser &parser) { return parseGridType<FieldType>(parser); }
Type TempType::parse(AsmParser &parser) { return parseGridType<TempType>(parser); }
void FieldType::print(AsmPrinter &printer) const { printGridType(printer, *this); }
void TempType::print(AsmPrinter &printer) const { printGridType(printer, *this); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Bytes of one element, rounded up; nothing where they are not known or overflow is the type's
/// own.
static std::optional<int64_t> getElementBytes(Type type, bool &overflow) {
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  if (type.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = getElementBytes(complex.getElementType(), overflow);
    return part ? std::optional<int64_t>(2 * *part) : std::nullopt;
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> bytes = getElementBytes(shaped.getElementType(), overflow);
  if (!bytes)
    return std::nullopt;
  for (int64_t extent : shaped.getShape())
    overflow |= llvm::MulOverflow(*bytes, extent, *bytes);
  return bytes;
}

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError, Type type) {
  if (!type)
    return emitError() << "stencil types need an element type";
  if (isa<GridType, ResultType>(type))
    return emitError() << "an element of a stencil type cannot be a stencil type itself, got "
                       << type;
  return success();
}

static LogicalResult verifyGrid(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                BoundsAttr bounds, Type elementType) {
  if (rank < 1 || rank > kMaxRank)
    return emitError() << "stencil types have rank 1 to " << kMaxRank << ", got " << rank;
  if (bounds && bounds.getRank() != rank)
    return emitError() << "stencil type of rank " << rank << " has bounds of rank "
                       << bounds.getRank();
  if (failed(verifyElement(emitError, elementType)))
    return failure();
  if (!bounds)
    return success();
  bool overflow = false;
  int64_t bytes = getElementBytes(elementType, overflow).value_or(1);
  for (unsigned dim = 0; dim < rank; ++dim)
    overflow |= llvm::MulOverflow(bytes, bounds.getExtent(dim), bytes);
  if (overflow)
    return emitError() << "bounds " << bounds.getText() << " of elements of type " << elementType
                       << " make more bytes than 64 bits can count";
  return success();
}

LogicalResult FieldType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                BoundsAttr bounds, Type elementType) {
  return verifyGrid(emitError, rank, bounds, elementType);
}

LogicalResult TempType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                               BoundsAttr bounds, Type elementType) {
  return verifyGrid(emitError, rank, bounds, elementType);
}

LogicalResult stencil::ResultType::verify(function_ref<InFlightDiagnostic()> emitError,
                                          Type elementType) {
  return verifyElement(emitError, elementType);
}
