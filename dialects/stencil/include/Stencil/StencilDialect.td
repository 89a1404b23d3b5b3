//===- StencilDialect.td - the dialect itself -----------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect record alone, so that types, attributes and operations can refer to it. The files
// are read through StencilOps.td, which includes all the others.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_DIALECT_TD
#define STENCIL_DIALECT_TD

include "mlir/IR/OpBase.td"

def Stencil_Dialect : Dialect {
  let name = "stencil";
  let cppNamespace = "::mlir::stencil";
  let summary = "values on a grid and the point functions that compute them";
  let description = [{
    The `stencil` dialect says what a stencil program computes: values on a grid of rank 1 to 3,
    functions of one point that read its neighbours, and the bounds on which results are stored. It
    says nothing about order, memory layout or the machine. The text of the dialect is that of xDSL,
    so programs pass between the two unchanged.

    A **field** is memory, a **temp** is a value on the grid. `stencil.load` turns the former into
    the latter, `stencil.apply` computes temps from temps, `stencil.store` writes a temp back to a
    range of a field. Coordinates are logical and may be negative; bounds are half open.

    ```mlir
    func.func @average(%in : !stencil.field<[-1,65]xf64>, %out : !stencil.field<[0,64]xf64>) {
      %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
      %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
        %half = arith.constant 0.5 : f64
        %left = stencil.access %a[-1] : !stencil.temp<?xf64>
        %right = stencil.access %a[1] : !stencil.temp<?xf64>
        %sum = arith.addf %left, %right : f64
        %mean = arith.mulf %sum, %half : f64
        stencil.return %mean : f64
      }
      stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
      return
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // STENCIL_DIALECT_TD
