//===- SweepDialect.td - the dialect --------------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_DIALECT_TD
#define SWEEP_DIALECT_TD

include "mlir/IR/OpBase.td"

def Sweep_Dialect : Dialect {
  let name = "sweep";
  let cppNamespace = "::mlir::sweep";
  let summary = "kernels that visit the planes of a grid in order";
  let description = [{
    The `sweep` dialect describes how a kernel traverses a grid: plane by plane along dimension 0,
    with several time levels in flight, each trailing the previous one by some planes (*skew*).

    `sweep.kernel` and `sweep.stages` say what is computed: the region of the first is a function of
    one point, which serves all levels; that of the second, the *stages form*, is a graph of
    statements, with several unknowns, results and domains. `sweep.tiled`, the *planes form*, says
    how a block computes it: a loop over planes (`sweep.planes`) on values that the threads of the
    block hold together (`!sweep.tile`), with the fetches, the exchanges between threads, the
    barriers and the stores.
    How points of a tile are assigned to threads is decided by the mapping when this form is
    converted to the `gpu` dialect.
  }];
  let dependentDialects = ["::mlir::stencil::StencilDialect"];
  let useDefaultTypePrinterParser = 1;
}

class Sweep_Op<string opMnemonic, list<Trait> traits = []> : Op<Sweep_Dialect, opMnemonic, traits>;

#endif // SWEEP_DIALECT_TD
