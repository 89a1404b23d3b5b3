//===- StencilTypes.td - field, temp, result ------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field and a temp have the same shape: a rank, bounds that may be unknown, an element type. C++
// sees what they share through GridType (StencilTypes.h).
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_TYPES_TD
#define STENCIL_TYPES_TD

include "Stencil/StencilAttributes.td"

class Stencil_Type<string cppName, string typeMnemonic>
    : TypeDef<Stencil_Dialect, cppName> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

class Stencil_GridTypeDef<string cppName, string typeMnemonic>
    : Stencil_Type<cppName, typeMnemonic> {
  let parameters = (ins
    "unsigned":$rank,
    "::mlir::stencil::BoundsAttr":$bounds,
    "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    // Known bounds.
    TypeBuilderWithInferredContext<(ins
      "::mlir::stencil::BoundsAttr":$bounds, "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), bounds.getRank(), bounds, elementType);
    }]>,
    // Unknown bounds.
    TypeBuilderWithInferredContext<(ins "unsigned":$rank, "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), rank, ::mlir::stencil::BoundsAttr(), elementType);
    }]>,
    // Known bounds, or unknown ones where `bounds` is null.
    TypeBuilderWithInferredContext<(ins
      "unsigned":$rank, "::mlir::stencil::BoundsAttr":$bounds, "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), rank, bounds, elementType);
    }]>
  ];
  let extraClassDeclaration = [{
    bool hasBounds() const { return static_cast<bool>(getBounds()); }
  }];
}

def Stencil_FieldType : Stencil_GridTypeDef<"Field", "field"> {
  let summary = "stencil.field (memory with one element per point of a box)";
  let description = [{
    Loads read a field, stores write it. The bounds are the box for which there is memory: known in
    every dimension, or in none (`?`), never mixed. Element `p` lies in memory cell `p - lower`,
    dimension 0 being the slowest. The bytes of a field fit into 64 bits.

    Examples: `!stencil.field<[-4,68]x[-4,52]xf32>`, `!stencil.field<?x?x?xf64>`,
    `!stencil.field<[0,64]x[0,64]xtensor<510xf32>>`
  }];
}

def Stencil_TempType : Stencil_GridTypeDef<"Temp", "temp"> {
  let summary = "stencil.temp (a value on a box of the grid)";
  let description = [{
    The values of one quantity at every point of a box. A temp is a value: it never changes, and
    whether it is ever held in memory is left open. Bounds are known in every dimension, or in none
    (`?`): then they follow from the uses.

    Examples: `!stencil.temp<?x?xf64>`, `!stencil.temp<[-1,65]x[-1,65]xf64>`
  }];
}

def Stencil_ResultType : Stencil_Type<"Result", "result"> {
  let summary = "stencil.result (an element to store, or nothing)";
  let description = [{
    What `stencil.store_result` gives: a value of the element type that will be stored at the
    current point, or the decision not to write there.

    Example: `!stencil.result<f64>`
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), elementType);
    }]>
  ];
}

// A field or a temp.
def Stencil_GridType : Type<
    CPred<"::llvm::isa<::mlir::stencil::GridType>($_self)">,
    "stencil.field or stencil.temp", "::mlir::stencil::GridType">;

#endif // STENCIL_TYPES_TD
