//===- OpSupport.h - what the files of operations share -------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and messages that several ops share, including those of other grid dialects.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_OPSUPPORT_H
#define STENCIL_OPSUPPORT_H

#include "Stencil/StencilDialect.h"

namespace mlir::stencil {

/// `attributes {...}`, or nothing. `taken` names attributes that have a syntax of their own.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &result,
                            ArrayRef<StringRef> taken = {});

/// The same, printed with a blank in front.
void printAttributes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> taken = {});

/// `(%a = %x : T, ...)`: operands and their block arguments, with types. `where` ends a message.
ParseResult parseArguments(OpAsmParser &parser, OperationState &result,
                           SmallVectorImpl<OpAsmParser::Argument> &arguments, StringRef where);

/// `(%o : T, ...)`: operands with their types; says how many there were.
FailureOr<int32_t> parseTypedOperands(OpAsmParser &parser, OperationState &result,
                                      StringRef where);

/// While it lives, the region that is parsed is that of an apply of this rank. Ops in it cannot ask
/// the apply, which is made after its region.
class ParsedRank {
public:
  explicit ParsedRank(int64_t rank);
  ~ParsedRank();
  ParsedRank(const ParsedRank &) = delete;
  ParsedRank &operator=(const ParsedRank &) = delete;

  /// Zero outside of an apply, and where its rank is not known.
  static int64_t get();

private:
  int64_t outer;
};

/// The same two, printed.
void printArguments(OpAsmPrinter &printer, ValueRange arguments, ValueRange operands);
void printTypedOperands(OpAsmPrinter &printer, ValueRange operands);

/// The first operation in a region, at any depth, that works on whole fields or temps; null where
/// there is none. Such an operation has no meaning at one point.
Operation *findGridOperation(Region &region);

/// An allocation for each result that a `stencil.buffer` uses. Such a result has no other users, so
/// the operation must not be merged with an equal one; an operation that allocates is not.
void addAllocationOfBuffered(
    ResultRange results,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects);

/// Bounds for a message: `bounds [-4,68]x[-4,52]`, or `unknown bounds`.
std::string describe(BoundsAttr bounds);

} // namespace mlir::stencil

#endif // STENCIL_OPSUPPORT_H
