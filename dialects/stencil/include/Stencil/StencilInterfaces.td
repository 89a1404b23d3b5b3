//===- StencilInterfaces.td - what functions of one point share -----------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations at one point look for the nearest operation with this interface around them. An apply
// has it, and so may operations of other dialects whose region computes one point.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_INTERFACES_TD
#define STENCIL_INTERFACES_TD

include "mlir/IR/OpBase.td"

def PointFunctionOpInterface : OpInterface<"PointFunctionOpInterface"> {
  let cppNamespace = "::mlir::stencil";
  let description = [{
    The region of the operation is a function of one point of a grid, the current point.
  }];
  let methods = [
    InterfaceMethod<"Rank of the grid; 0 where the operation is not valid.", "unsigned", "getRank">
  ];
}

#endif // STENCIL_INTERFACES_TD
