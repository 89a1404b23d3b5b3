//===- StencilInterfaces.h - what functions of one point share ------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes are generated from StencilInterfaces.td.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_STENCILINTERFACES_H
#define STENCIL_STENCILINTERFACES_H

#include "mlir/IR/OpDefinition.h"

#include "Stencil/StencilInterfaces.h.inc"

#endif // STENCIL_STENCILINTERFACES_H
