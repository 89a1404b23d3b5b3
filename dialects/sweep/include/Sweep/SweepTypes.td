//===- SweepTypes.td - tiles and buffers ----------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of the planes form: values that the threads of a block hold together.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_TYPES_TD
#define SWEEP_TYPES_TD

include "Sweep/SweepDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Sweep_Type<string cppName, string typeMnemonic> : TypeDef<Sweep_Dialect, cppName> {
  let mnemonic = typeMnemonic;
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), elementType);
  }]>];
}

def Sweep_TileType : Sweep_Type<"Tile", "tile"> {
  let summary = "a plane of a tile, distributed over the threads of a block";
  let description = [{
    One value at each point of a plane of a block's tile. The plan of the kernel (`threads`,
    `points`) gives the points, and which of them a thread holds in registers.

    Example: `!sweep.tile<f64>`
  }];
}

def Sweep_BufferType : Sweep_Type<"Buffer", "buffer"> {
  let summary = "shared memory of a block, for planes or rows of them";
  let description = [{
    Memory that `sweep.shared` allocates for a block. It holds one or several copies of a plane of
    the tile, or of some of its rows.

    Example: `!sweep.buffer<f64>`
  }];
}

#endif // SWEEP_TYPES_TD
