//===- StencilDialect.cpp - registration and inlining ---------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers what the other files define, and lets upstream's `inline` work on this dialect.
//
//===----------------------------------------------------------------------===//

#include "Stencil/OpSupport.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

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

  /// What works on whole grids must not end up inside an apply, whose region is one point.
  bool isLegalToInline(Region *dest, Region *src, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return !findGridOperation(*src);
  }

  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
};

} // namespace

void StencilDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "Stencil/StencilOps.cpp.inc"
      >();
  addInterfaces<StencilInlinerInterface>();
}
