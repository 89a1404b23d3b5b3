//===- StencilAttributes.h - indices, bounds, plans -----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes are generated from StencilAttributes.td. The plan's schema is installed at run time.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_STENCILATTRIBUTES_H
#define STENCIL_STENCILATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

#define GET_ATTRDEF_CLASSES
#include "Stencil/StencilAttributes.h.inc"

namespace mlir::stencil {

/// Largest rank of a grid.
constexpr unsigned kMaxRank = 3;

/// Checks the entries of a plan, reports every fault through `emit`, and says whether there was
/// none. It may be called from several threads at once.
using PlanVerifier = bool (*)(DictionaryAttr entries,
                              llvm::function_ref<void(llvm::StringRef)> emit);

/// Installs the schema that every plan made from now on must follow; null removes it.
void setPlanVerifier(PlanVerifier verifier);

} // namespace mlir::stencil

#endif // STENCIL_STENCILATTRIBUTES_H
