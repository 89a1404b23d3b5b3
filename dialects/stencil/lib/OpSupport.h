//===- OpSupport.h - what the files of operations share -------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of syntax and of messages that several operations use.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_LIB_OPSUPPORT_H
#define STENCIL_LIB_OPSUPPORT_H

#include "Stencil/StencilDialect.h"

namespace mlir::stencil {

/// `attributes {...}`, or nothing. `taken` names attributes that have a syntax of their own.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &result,
                            ArrayRef<StringRef> taken = {});

/// The same, printed with a blank in front.
void printAttributes(OpAsmPrinter &printer, Operation *op);

/// The first operation in a region, at any depth, that works on whole fields or temps; null where
/// there is none. Such an operation has no meaning at one point.
Operation *findGridOperation(Region &region);

/// Bounds for a message: `bounds [-4,68]x[-4,52]`, or `unknown bounds`.
std::string describe(BoundsAttr bounds);

} // namespace mlir::stencil

#endif // STENCIL_LIB_OPSUPPORT_H
