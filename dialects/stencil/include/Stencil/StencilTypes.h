//===- StencilTypes.h - field, temp, result -------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes are generated from StencilTypes.td; GridType is what field and temp share.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_STENCILTYPES_H
#define STENCIL_STENCILTYPES_H

#include "Stencil/StencilAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"

namespace mlir::stencil {

class FieldType;
class TempType;

/// A field or a temp: rank, bounds that may be unknown, element type.
class GridType : public Type {
public:
  using Type::Type;
  GridType(FieldType type);
  GridType(TempType type);

  static bool classof(Type type);

  unsigned getRank() const;

  /// Null where the bounds are unknown.
  BoundsAttr getBounds() const;

  bool hasBounds() const { return static_cast<bool>(getBounds()); }

  Type getElementType() const;
};

/// Whether values of one element type may be copied to the other: equal types, or tensors that
/// differ in their sizes alone.
bool areElementsCompatible(Type one, Type other);

} // namespace mlir::stencil

#define GET_TYPEDEF_CLASSES
#include "Stencil/StencilTypes.h.inc"

#endif // STENCIL_STENCILTYPES_H
