//===- StencilOps.td - every operation, and the one file the generators read -===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It holds nothing itself: operations are in two files, by what they work on.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_OPS_TD
#define STENCIL_OPS_TD

include "Stencil/StencilFieldOps.td"
include "Stencil/StencilPointOps.td"

#endif // STENCIL_OPS_TD
