//===- StencilFieldOps.td - operations on whole fields and temps ----------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moving values between memory and the grid, and combining whole temps. What happens at one point
// is in StencilPointOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_FIELD_OPS_TD
#define STENCIL_FIELD_OPS_TD

include "Stencil/StencilOpBase.td"

def Stencil_CastOp : Stencil_Op<"cast", [Pure]> {
  let summary = "give a field its bounds";
  let description = [{
    The result is the same memory as the operand. A field of unknown bounds gets known ones; a field
    of known bounds keeps them. Rank and element type stay.

    Example:
    ```mlir
    %f = stencil.cast %in : !stencil.field<?x?xf64> -> !stencil.field<[-4,68]x[-4,52]xf64>
    ```
  }];
  let arguments = (ins Stencil_FieldType:$field);
  let results = (outs Stencil_FieldType:$result);
  let assemblyFormat = [{
    $field attr-dict-with-keyword `:` qualified(type($field)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Stencil_LoadOp : Stencil_Op<"load"> {
  let summary = "take the values of a field";
  let description = [{
    The temp has the values that the field has now; later stores to the field do not change it.
    Where the temp's bounds are known they lie within the field's, which must be known. Element
    types are equal, except that tensor elements may differ in their sizes.

    Example:
    ```mlir
    %t = stencil.load %f : !stencil.field<[-4,68]x[-4,52]xf64> -> !stencil.temp<?x?xf64>
    ```
  }];
  let arguments = (ins Arg<Stencil_FieldType, "", [MemRead]>:$field);
  let results = (outs Stencil_TempType:$res);
  let assemblyFormat = [{
    $field attr-dict-with-keyword `:` qualified(type($field)) `->` qualified(type($res))
  }];
  let hasVerifier = 1;
}

def Stencil_StoreOp : Stencil_Op<"store"> {
  let summary = "write a temp to a box of a field";
  let description = [{
    Writes exactly the points of `bounds`, which lie within the field's bounds and, where these are
    known, within the temp's. Element types are equal, except that tensor elements may differ in
    their sizes.

    Example:
    ```mlir
    stencil.store %t to %f(<[0, 0], [64, 48]>)
      : !stencil.temp<?x?xf64> to !stencil.field<[-4,68]x[-4,52]xf64>
    ```
  }];
  let arguments = (ins
    Stencil_TempType:$temp,
    Arg<Stencil_FieldType, "", [MemWrite]>:$field,
    Stencil_BoundsAttr:$bounds);
  let assemblyFormat = [{
    $temp `to` $field `` `(` $bounds `)` attr-dict-with-keyword
    `:` qualified(type($temp)) `to` qualified(type($field))
  }];
  let hasVerifier = 1;
}

def Stencil_BufferOp : Stencil_Op<"buffer", [Pure]> {
  let summary = "keep a temp in memory";
  let description = [{
    The result has the operand's values; what computes the operand and what reads the result stay
    apart, and the values between them are held in memory. The operand comes from a `stencil.apply`
    or a `stencil.combine` and is used by nothing but `stencil.buffer`. A result that is a field is
    the memory itself.

    Example:
    ```mlir
    %b = stencil.buffer %t : !stencil.temp<?x?xf64> -> !stencil.temp<?x?xf64>
    ```
  }];
  let arguments = (ins Stencil_TempType:$temp);
  let results = (outs Stencil_GridType:$res);
  let assemblyFormat = [{
    $temp attr-dict-with-keyword `:` qualified(type($temp)) `->` qualified(type($res))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Stencil_CombineOp : Stencil_Op<"combine", [
    AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "join temps along a plane of the grid";
  let description = [{
    For every pair of `lower` and `upper` there is one result: `lower` where the coordinate along
    `dim` is below `index`, `upper` elsewhere. A temp of `lowerext` is defined below `index` only,
    one of `upperext` from `index` on only; each has a result of its own. Results are ordered:
    pairs, `lowerext`, `upperext`.

    The operands are `lower`, `upper`, `lowerext`, `upperext`; how many there are of each says
    `operandSegmentSizes`, a plain attribute in the generic form, where xDSL looks for it.

    Example:
    ```mlir
    %r:2 = stencil.combine 0 at 11 lower = (%l : !stencil.temp<?x?xf64>)
      upper = (%u : !stencil.temp<?x?xf64>) lowerext = %e : !stencil.temp<?x?xf64>
      : !stencil.temp<?x?xf64>, !stencil.temp<?x?xf64>
    ```
  }];
  let arguments = (ins
    IndexAttr:$dim,
    IndexAttr:$index,
    Variadic<Stencil_TempType>:$parts);
  let results = (outs Variadic<Stencil_TempType>:$combined);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  // The segments of ODS would be a property, which xDSL 0.74 refuses here in the generic form.
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kSegments = "operandSegmentSizes";

    ::mlir::OperandRange getLower() { return getSegment(0); }
    ::mlir::OperandRange getUpper() { return getSegment(1); }
    ::mlir::OperandRange getLowerext() { return getSegment(2); }
    ::mlir::OperandRange getUpperext() { return getSegment(3); }

    /// One of the four groups of operands.
    ::mlir::OperandRange getSegment(unsigned number);
  }];
}

def Stencil_AllocOp : Stencil_Op<"alloc"> {
  let summary = "memory for a field";
  let description = [{
    A new field whose elements have no defined value until they are stored.

    Example:
    ```mlir
    %f = stencil.alloc : !stencil.field<[-4,68]x[-4,52]xf64>
    ```
  }];
  let results = (outs Res<Stencil_FieldType, "", [MemAlloc]>:$field);
  let hasCustomAssemblyFormat = 1;
}

def Stencil_ExternalLoadOp : Stencil_Op<"external_load"> {
  let summary = "a field from a value of another language's type";
  let description = [{
    Makes a field, or a memref, of a value whose type belongs to a front end, such as an array of
    Fortran. Whether the memory is shared or copied is the front end's business, so nothing is
    assumed about effects.

    Example:
    ```mlir
    %f = stencil.external_load %a : memref<64x64xf64> -> !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins AnyType:$field);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $field attr-dict-with-keyword `:` type($field) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Stencil_ExternalStoreOp : Stencil_Op<"external_store"> {
  let summary = "a field back into a value of another language's type";
  let description = [{
    The counterpart of `stencil.external_load`: the values of the field become those of the front
    end's array.

    Example:
    ```mlir
    stencil.external_store %f to %a : !stencil.field<[0,64]x[0,64]xf64> to memref<64x64xf64>
    ```
  }];
  let arguments = (ins Stencil_FieldType:$temp, AnyType:$field);
  let assemblyFormat = [{
    $temp `to` $field attr-dict-with-keyword `:` qualified(type($temp)) `to` type($field)
  }];
}

#endif // STENCIL_FIELD_OPS_TD
