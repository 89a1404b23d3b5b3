//===- StencilDialect.h - the stencil dialect in C++ ----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header to include: dialect, attributes, types and operations.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_STENCILDIALECT_H
#define STENCIL_STENCILDIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"

#include "Stencil/StencilDialect.h.inc"

#include "Stencil/StencilAttributes.h"
#include "Stencil/StencilOps.h"
#include "Stencil/StencilTypes.h"

#endif // STENCIL_STENCILDIALECT_H
