//===- StencilPointOps.td - apply, and what happens at one point ----------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An apply runs a function at every point of a box; the other ops are used in that function. Whole
// fields and temps are moved and combined by StencilFieldOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_POINT_OPS_TD
#define STENCIL_POINT_OPS_TD

include "Stencil/StencilOpBase.td"

def Stencil_ApplyOp : Stencil_Op<"apply", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    PointFunctionOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "compute temps, point by point";
  let description = [{
    The region is a function of one point, run once for every point of the results' bounds, in no
    order. Its arguments are the operands: temps and fields, which it reads around the current
    point, and scalars. It ends in `stencil.return` with one value per result. `stencil.access` and
    the other operations on points may be nested at any depth.

    In the *value form* the results are temps; all have the same bounds. In the *buffer form* there
    are no results: the values are written to the fields of `outs`, at the points of `bounds`. Reads
    see the values from before the operation in both forms.

    Example:
    ```mlir
    %r = stencil.apply(%a = %t : !stencil.temp<?x?xf64>, %c = %dt : f64)
        -> (!stencil.temp<?x?xf64>) {
      %v = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
      %w = arith.mulf %v, %c : f64
      stencil.return %w : f64
    }
    stencil.apply(%a = %f : !stencil.field<[-1,65]xf64>) outs (%g : !stencil.field<[0,64]xf64>) {
      %v = stencil.access %a[-1] : !stencil.field<[-1,65]xf64>
      stencil.return %v : f64
    } to <[0], [64]>
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$args,
    Variadic<Stencil_FieldType>:$dest,
    OptionalAttr<Stencil_BoundsAttr>:$bounds);
  let results = (outs Variadic<Stencil_TempType>:$res);
  let regions = (region SizedRegion<1>:$region);
  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Rank of the grid; 0 where there is neither a result nor a destination (which is not valid).
    unsigned getRank();

    /// The points computed: of `bounds`, else of the results' type. Null where unknown.
    ::mlir::stencil::BoundsAttr getKnownBounds();

    /// Number of quantities computed: results, or destinations in the buffer form.
    unsigned getNumOutputs();

    /// Element type of one of them.
    ::mlir::Type getOutputElementType(unsigned output);
  }];
}

def Stencil_AccessOp : Stencil_Op<"access", [
    AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a temp or a field at a constant offset from the current point";
  let description = [{
    The offset has one value per dimension of the operand. An operand of lower rank than the apply
    marks its missing dimensions with `_`; `offset_mapping` holds the dimensions that it has, in
    rising order. Both are plain attributes in the generic form, where xDSL looks for them.

    Example:
    ```mlir
    %v = stencil.access %a[-1, 0] : !stencil.temp<?x?xf64>
    %c = stencil.access %coefficient[_, 0] : !stencil.temp<?xf64>
    ```
  }];
  let arguments = (ins Stencil_GridType:$temp);
  let results = (outs AnyType:$res);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  // Attributes of ODS would be properties, which xDSL 0.74 refuses here in the generic form.
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kOffset = "offset";
    static constexpr ::llvm::StringLiteral kOffsetMapping = "offset_mapping";

    /// One value per dimension of the operand.
    ::mlir::stencil::IndexAttr getOffset() {
      return (*this)->getAttrOfType<::mlir::stencil::IndexAttr>(kOffset);
    }

    /// The dimensions of the point that the operand has; null where it has all.
    ::mlir::stencil::IndexAttr getOffsetMappingAttr() {
      return (*this)->getAttrOfType<::mlir::stencil::IndexAttr>(kOffsetMapping);
    }
  }];
}

def Stencil_DynAccessOp : Stencil_Op<"dyn_access", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a temp or a field at computed coordinates";
  let description = [{
    The operands in brackets are absolute coordinates, not offsets, one per dimension of what is
    read. `lb` and `ub` promise how far they lie from the current point, both inclusive; bounds are
    inferred from them, and a coordinate outside is an error of the program. The operand has the
    apply's rank.

    With `absolute`, `lb` and `ub` are coordinates themselves, both inclusive, whatever the current
    point is. The operand may then have any rank: a table of coefficients indexed by time, a plane
    at the boundary, a transposed array.

    Example:
    ```mlir
    %v = stencil.dyn_access %a[%i, %j] in <[-1, -1]> : <[1, 1]> : !stencil.temp<?x?xf64>
    %c = stencil.dyn_access %table[%t] in <[0]> : <[99]> attributes {absolute}
        : !stencil.field<[0,100]xf64>
    ```
  }];
  let arguments = (ins
    Stencil_GridType:$temp,
    Variadic<Index>:$offset,
    Stencil_IndexAttr:$lb,
    Stencil_IndexAttr:$ub,
    UnitAttr:$absolute);
  let results = (outs AnyType:$res);
  let assemblyFormat = [{
    $temp `[` $offset `]` `in` $lb `:` $ub attr-dict-with-keyword
    `:` custom<GridAndElement>(type($temp), type($res))
  }];
  let hasVerifier = 1;
}

def Stencil_IndexOp : Stencil_Op<"index", [Pure]> {
  let summary = "a coordinate of the current point";
  let description = [{
    The coordinate along `dim`, plus the offset's value in that dimension.

    Example:
    ```mlir
    %i = stencil.index 0 <[0, 0, 0]>
    ```
  }];
  let arguments = (ins IndexAttr:$dim, Stencil_IndexAttr:$offset);
  let results = (outs Index:$idx);
  let assemblyFormat = "$dim $offset attr-dict-with-keyword";
  let hasVerifier = 1;
}

def Stencil_StoreResultOp : Stencil_Op<"store_result", [Pure]> {
  let summary = "a value to store at the current point, or none";
  let description = [{
    With an operand, the result carries it. Without one, the point is not written: the field keeps
    its value there.

    Example:
    ```mlir
    %s = stencil.store_result %v : !stencil.result<f64>
    %n = stencil.store_result : !stencil.result<f64>
    ```
  }];
  let arguments = (ins Optional<AnyType>:$arg);
  let results = (outs Stencil_ResultType:$res);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Stencil_ReturnOp : Stencil_Op<"return", [Pure, Terminator, HasParent<"ApplyOp">]> {
  let summary = "the values of the current point";
  let description = [{
    One operand per result of the apply, of its element type or of `!stencil.result` of it.

    With `unroll` the region computes a small box of points, whose first one is the current point:
    there are as many operands per result as the box has points, last dimension fastest, all of the
    first result first. Known extents are multiples of the factors.

    Example:
    ```mlir
    stencil.return %a, %b unroll <[1, 2]> : f64, f64
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$arg, OptionalAttr<Stencil_IndexAttr>:$unroll);
  let assemblyFormat = [{
    $arg (`unroll` $unroll^)? attr-dict-with-keyword `:` type($arg)
  }];
  let hasVerifier = 1;
}

def Stencil_ReduceOp : Stencil_Op<"reduce"> {
  let summary = "accumulate values over the points of the grid";
  let description = [{
    Combines values pairwise with the function in the region, starting from `init`, into `acc`. The
    region has two arguments and yields one value, all of the operands' type.

    Example:
    ```mlir
    stencil.reduce %acc init %zero {
    ^bb0(%x: f64, %y: f64):
      %s = arith.addf %x, %y : f64
      stencil.yield %s : f64
    } : f64
    ```
  }];
  let arguments = (ins AnyType:$acc, AnyType:$init);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $acc `init` $init $body attr-dict `:` custom<SharedType>(type($acc), type($init))
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stencil_YieldOp : Stencil_Op<"yield", [Pure, Terminator, HasParent<"ReduceOp">]> {
  let summary = "the value of a reduction's function";
  let description = [{
    Ends the region of `stencil.reduce`.

    Example:
    ```mlir
    stencil.yield %s : f64
    ```
  }];
  let arguments = (ins AnyType:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

#endif // STENCIL_POINT_OPS_TD
