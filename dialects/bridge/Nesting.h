//===- Nesting.h - Texts that are nested too deep ---------------*- C++ -*-===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, verifier, printer and passes recurse into regions, types and attributes, and end
// the process where the stack does. Texts are refused before.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_BRIDGE_NESTING_H
#define STENCIL_BRIDGE_NESTING_H

#include "llvm/ADT/StringRef.h"

namespace mlir::stencil {

/// Why a text is refused.
inline constexpr llvm::StringLiteral tooDeepMessage =
    "this is nested more than 1000 deep; move the inner part to a function of its own";

/// The first bracket of a text that is too deep; null if there is none. Brackets in strings and
/// comments do not count, nor does the `>` of an arrow.
const char *findTooDeep(llvm::StringRef text);

} // namespace mlir::stencil

#endif // STENCIL_BRIDGE_NESTING_H
