//===- SweepPlanesOps.td - the planes form --------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block does in one iteration of its loop over planes. Values are planes of the block's
// tile; no op names a thread.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_PLANES_OPS_TD
#define SWEEP_PLANES_OPS_TD

include "Stencil/StencilAttributes.td"
include "Stencil/StencilInterfaces.td"
include "Stencil/StencilTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "Sweep/SweepDialect.td"
include "Sweep/SweepTypes.td"

/// The element type of a tile or buffer is that of a field.
class Sweep_ElementOf<string what, string source>
    : TypesMatchWith<"'" # what # "' has the element type of '" # source # "'", source, what,
                     "TileType::get(::llvm::cast<::mlir::stencil::FieldType>($_self)"
                     ".getElementType())">;

/// A tile has the element type of a buffer.
class Sweep_ElementOfBuffer<string what, string source>
    : TypesMatchWith<"'" # what # "' has the element type of '" # source # "'", source, what,
                     "TileType::get(::llvm::cast<BufferType>($_self).getElementType())">;

def Sweep_KindAttr
    : Attr<And<[StrAttr.predicate, CPred<
             "::llvm::is_contained({\"ring\", \"halo\", \"slot\", \"rows\", \"planes\", "
             "\"lines\"}, ::llvm::cast<::mlir::StringAttr>($_self).getValue())">]>,
           "\"ring\", \"halo\", \"slot\", \"rows\", \"planes\" or \"lines\""> {
  let storageType = StrAttr.storageType;
  let returnType = StrAttr.returnType;
  let valueType = StrAttr.valueType;
}

def Sweep_TiledOp : Sweep_Op<"tiled", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoTerminator,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a kernel in the planes form";
  let description = [{
    One launch of a kernel whose blocks visit the planes of a tile of the domain in order. The
    region says what a block does: it allocates shared memory (`sweep.shared`) and then loops over
    planes (`sweep.planes`, once). Its arguments are the `fields` and the `scalars`. Operations on
    scalars may stand before the loop.

    `steps` time levels are computed, each at points of the `domain`; a level reads points at most
    `reach` away along each dimension, given as two numbers for each dimension, towards its begin
    and towards its end. From these and from `plan` follow the tiles, which overlap by what the
    levels need: `steps` times the `reach`, or `margin`, where levels differ. With `joined`, threads
    see what others hold of a plane through shared memory alone, as where several warps have columns
    of a row; without it the threads of a row are lanes of a warp. Along the dimensions
    in `periodic` the grid is a ring: a point outside the domain is the one at the other end, and is
    fetched from there. `points`, `flops` and `bytes` are the work of a launch, for reports.

    Example: one step of a sum along planes and columns.
    ```mlir
    sweep.tiled "sum.s0" steps 1 over <[1, 1], [63, 63]> reach [1, 0, 0, 1]
        fields(%u = %now : !stencil.field<[0,64]x[0,64]xf64>,
               %v = %next : !stencil.field<[0,64]x[0,64]xf64>)
        plan <{mapping = "warp", points = [1, 1], threads = [1, 32]}>
        points 3844 flops 3844 bytes 61504 {
      %zero = arith.constant 0.0 : f64
      %none = sweep.splat %zero : !sweep.tile<f64>
      sweep.planes from -1 to 0 iter_args(%before = %none : !sweep.tile<f64>) {
        %now = sweep.fetch %u[0] : !stencil.field<[0,64]x[0,64]xf64>
        %east = sweep.shift %now by [0, 1] : !sweep.tile<f64>
        %sum = sweep.map plane 0 (%b = %before : !sweep.tile<f64>, %e = %east : !sweep.tile<f64>)
            -> !sweep.tile<f64> {
          %s = arith.addf %b, %e : f64
          sweep.yield %s : f64
        }
        sweep.store %sum to %v[0] : !stencil.field<[0,64]x[0,64]xf64>
        sweep.yield %now : !sweep.tile<f64>
      }
    }
    ```
  }];
  let arguments = (ins
    Variadic<Stencil_FieldType>:$fields,
    Variadic<AnyType>:$scalars,
    Stencil_BoundsAttr:$domain,
    DenseI64ArrayAttr:$reach,
    OptionalAttr<DenseI64ArrayAttr>:$margin,
    OptionalAttr<DenseI64ArrayAttr>:$periodic,
    UnitAttr:$joined,
    ConfinedAttr<I64Attr, [IntMinValue<1>]>:$steps,
    StrAttr:$stage,
    Stencil_PlanAttr:$plan,
    I64Attr:$points,
    I64Attr:$flops,
    I64Attr:$bytes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Rank of the domain.
    unsigned getRank() { return getDomain().getRank(); }
  }];
}

def Sweep_SharedOp : Sweep_Op<"shared", [HasParent<"TiledOp">]> {
  let summary = "allocate shared memory of a block";
  let description = [{
    Allocates `copies` planes in shared memory, all zero. `kind` says what a copy holds, and who may
    read it:

    - `"ring"`: the tile of a plane that is on its way from memory; a thread reads what it copied;
    - `"halo"`: the same, with the cells `around` the tile: so many rows before and after it, and so
      many columns; all threads read them, after a `sweep.wait` and a `sweep.fence`;
    - `"slot"`: the tile of a plane; a thread reads what it wrote;
    - `"rows"`: the rows at these positions in each thread's rows, for other warps to read;
    - `"planes"`: the whole tile of a plane, for all threads to read;
    - `"lines"`: the line of a two-dimensional grid that a row of threads computes, for all threads
      to read; several lines are computed in an iteration, each by a row of threads.

    A copy is named by its *age*, the number of iterations since it was written; of `"lines"`, the
    number of lines since. `sweep.put` writes the copy of age 0, and each iteration adds one to all
    ages (with lines: as many as it computes). The copy of age `copies` is the one that the next
    `sweep.put` overwrites. In a `"ring"` and a `"halo"` ages count from the iteration in which the
    plane arrives.

    Examples:
    ```mlir
    %x = sweep.shared "rows" rows [0, 3] copies 2 : !sweep.buffer<f64>
    %h = sweep.shared "halo" around [1, 1, 2, 2] copies 4 : !sweep.buffer<f64>
    ```
  }];
  let arguments = (ins
    Sweep_KindAttr:$kind,
    OptionalAttr<DenseI64ArrayAttr>:$rows,
    OptionalAttr<DenseI64ArrayAttr>:$around,
    ConfinedAttr<I64Attr, [IntMinValue<1>]>:$copies);
  let results = (outs Res<Sweep_BufferType, "", [MemAlloc]>:$buffer);
  let assemblyFormat =
      "$kind (`rows` $rows^)? (`around` $around^)? `copies` $copies attr-dict"
      " `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Sweep_SplatOp : Sweep_Op<"splat", [
    Pure, TypesMatchWith<"the value has the element type of the tile", "tile", "value",
                         "::llvm::cast<TileType>($_self).getElementType()">]> {
  let summary = "a tile of one value";
  let description = [{
    Example:
    ```mlir
    %t = sweep.splat %zero : !sweep.tile<f64>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Sweep_TileType:$tile);
  let assemblyFormat = "$value attr-dict `:` qualified(type($tile))";
}

def Sweep_PlanesOp : Sweep_Op<"planes", [HasParent<"TiledOp">, RecursiveMemoryEffects]> {
  let summary = "the loop over planes";
  let description = [{
    Visits the planes of a block's part of the domain in order. In each iteration a plane
    *arrives*: from `from` planes relative to the first that the block stores, to `to` planes
    relative to the last. Planes in the region are counted from the arriving one. A grid of one
    dimension has one plane, which arrives once.

    The region's arguments are the values of `iter_args`, then those that `sweep.yield` ended the
    iteration before with. `turns` iterations are unrolled into one when the op is lowered, so that
    values which come back to the same place after so many iterations are not moved between
    registers, and ages of copies are constants; it must be a multiple of the copies of each buffer.

    Example:
    ```mlir
    sweep.planes from -1 to 0 turns 2 iter_args(%before = %none : !sweep.tile<f64>) {
      %now = sweep.fetch %u[0] : !stencil.field<[0,64]x[0,64]xf64>
      sweep.store %before to %v[-1] : !stencil.field<[0,64]x[0,64]xf64>
      sweep.yield %now : !sweep.tile<f64>
    }
    ```
  }];
  let arguments = (ins
    Variadic<Sweep_TileType>:$inits,
    I64Attr:$from,
    I64Attr:$to,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntMinValue<1>]>, "1">:$turns);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Sweep_FetchOp : Sweep_Op<"fetch", [Sweep_ElementOf<"tile", "field">]> {
  let summary = "a plane of a field";
  let description = [{
    Loads the tile of a plane from memory; `plane` is counted from the arriving plane (before the
    loop, from the first that arrives). Points outside the field have unspecified values. With
    `own`, each thread loads only the points that it will store, and all others are zero: the form
    for a field that the kernel also writes.

    Example:
    ```mlir
    %t = sweep.fetch %u[1] : !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins Arg<Stencil_FieldType, "", [MemRead]>:$field, I64Attr:$plane, UnitAttr:$own);
  let results = (outs Sweep_TileType:$tile);
  let assemblyFormat = "$field `[` $plane `]` (`own` $own^)? attr-dict `:` qualified(type($field))";
}

def Sweep_CopyAsyncOp : Sweep_Op<"copy_async"> {
  let summary = "start to copy a plane of a field to shared memory";
  let description = [{
    Starts an asynchronous copy of the tile of a plane to the copy of a `"ring"` or a `"halo"` that
    it will be taken from. `plane` is counted from the arriving plane, and in a ring at least 0. It
    will be the newest copy in `ahead` iterations; without that in as many as `plane` is ahead. All
    copies that a thread starts by one op are one group, for which `sweep.wait` waits.

    To a `"halo"` also the cells around the tile are copied. With `outside`, those outside of the
    domain have the values of another field, as `sweep.boundary` gives them; the domain is that of
    the kernel, or `over`, a part of it.

    Examples:
    ```mlir
    sweep.copy_async %u[2] to %ring : !stencil.field<[0,64]x[0,64]xf64>, !sweep.buffer<f64>
    sweep.copy_async %u[0] ahead 2 to %halo outside %home
        : !stencil.field<[0,64]x[0,64]xf64>, !sweep.buffer<f64>,
          !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins Arg<Stencil_FieldType, "", [MemRead]>:$field, I64Attr:$plane,
                       OptionalAttr<I64Attr>:$ahead,
                       Arg<Sweep_BufferType, "", [MemWrite]>:$ring,
                       Arg<Optional<Stencil_FieldType>, "", [MemRead]>:$home,
                       OptionalAttr<Stencil_BoundsAttr>:$domain);
  let assemblyFormat = [{
    $field `[` $plane `]` (`ahead` $ahead^)? `to` $ring (`outside` $home^)? (`over` $domain^)?
    attr-dict `:` qualified(type($field)) `,` qualified(type($ring)) (`,` qualified(type($home))^)?
  }];
  let hasVerifier = 1;
}

def Sweep_WaitOp : Sweep_Op<"wait"> {
  let summary = "wait for asynchronous copies";
  let description = [{
    Waits until at most `open` groups of a thread's asynchronous copies are in flight.

    Example:
    ```mlir
    sweep.wait 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$open);
  let assemblyFormat = "$open attr-dict";
}

def Sweep_BoundaryOp : Sweep_Op<"boundary", [
    Sweep_ElementOf<"tile", "home">, Sweep_ElementOf<"result", "home">]> {
  let summary = "boundary values around the domain";
  let description = [{
    The tile of a plane, in which points outside the domain, as far as a level reads them, have the
    values of the field `home`. `plane` is counted from the arriving plane. Points further outside
    keep their values, which nothing that is stored depends on. The domain is that of the kernel,
    or `over`, a part of it.

    Example:
    ```mlir
    %b = sweep.boundary %t[-1] from %u : !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins Sweep_TileType:$tile, I64Attr:$plane,
                       Arg<Stencil_FieldType, "", [MemRead]>:$home,
                       OptionalAttr<Stencil_BoundsAttr>:$domain);
  let results = (outs Sweep_TileType:$result);
  let assemblyFormat = [{
    $tile `[` $plane `]` `from` $home (`over` $domain^)? attr-dict `:` qualified(type($home))
  }];
}

def Sweep_PutOp : Sweep_Op<"put", [Sweep_ElementOfBuffer<"tile", "buffer">]> {
  let summary = "write a plane to shared memory";
  let description = [{
    Writes a tile, or those of its rows that the buffer holds, to the copy of age 0. Other threads
    see it after the next `sweep.fence`.

    Example:
    ```mlir
    sweep.put %t to %x : !sweep.buffer<f64>
    ```
  }];
  let arguments = (ins Sweep_TileType:$tile, Arg<Sweep_BufferType, "", [MemWrite]>:$buffer);
  let assemblyFormat = "$tile `to` $buffer attr-dict `:` qualified(type($buffer))";
}

def Sweep_TakeOp : Sweep_Op<"take", [Sweep_ElementOfBuffer<"tile", "buffer">]> {
  let summary = "read a plane from shared memory";
  let description = [{
    The plane in the copy of an age. Of a `"ring"` it is the plane that arrives, at age 0; of a
    `"halo"` an older one too, as long as no copy has started to its place; of `"rows"` nothing can
    be taken (`sweep.shift` reads those). With `offset`, the value at each point is that of the
    point so many rows and columns on.

    Examples:
    ```mlir
    %s = sweep.take %slot[1] : !sweep.buffer<f64>
    %e = sweep.take %lines[0] by [0, 1] : !sweep.buffer<f64>
    ```
  }];
  let arguments = (ins Arg<Sweep_BufferType, "", [MemRead]>:$buffer, I64Attr:$age,
                       OptionalAttr<DenseI64ArrayAttr>:$offset);
  let results = (outs Sweep_TileType:$tile);
  let assemblyFormat =
      "$buffer `[` $age `]` (`by` $offset^)? attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Sweep_ShiftOp : Sweep_Op<"shift", [
    AllTypesMatch<["tile", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the values of neighbours in a plane";
  let description = [{
    A tile whose value at each point is that of `tile` at the point so many rows and columns on.
    What a thread does not hold itself comes from other lanes of its warp, or, where that is not
    enough, from the copy of `via` that holds the same plane: from `"rows"` what other warps hold,
    from `"planes"`, `"lines"` and `"halo"` all that the thread does not hold. Columns come from
    other lanes where a halo has none around the tile. At the ends of a tile, where there is no
    neighbour, values are unspecified, but for those that a halo has.

    Examples:
    ```mlir
    %w = sweep.shift %t by [0, -1] : !sweep.tile<f64>
    %n = sweep.shift %t by [-1, 0] via %x[0] : !sweep.tile<f64>, !sweep.buffer<f64>
    ```
  }];
  let arguments = (ins Sweep_TileType:$tile, DenseI64ArrayAttr:$offset,
                       Optional<Sweep_BufferType>:$via, OptionalAttr<I64Attr>:$age);
  let results = (outs Sweep_TileType:$result);
  let assemblyFormat = [{
    $tile `by` $offset (`via` $via^ `[` $age `]`)? attr-dict
    `:` qualified(type($tile)) (`,` qualified(type($via))^)?
  }];
  let hasVerifier = 1;
}

def Sweep_MapOp : Sweep_Op<"map", [PointFunctionOpInterface, RecursiveMemoryEffects]> {
  let summary = "compute values at every point of a plane";
  let description = [{
    Computes the region at every point of the tile, and gives its values as tiles. The region's
    arguments are the values of the operands at the point. It may read fields that the kernel does
    not write with `stencil.access` and `stencil.dyn_access`, gets coordinates from `stencil.index`,
    where the point lies `plane` planes after the arriving one, and uses scalars from outside.
    Points outside the domain are computed too; for reads of fields they are moved into it. The
    domain is that of the kernel, or `over`, a part of it.

    Example:
    ```mlir
    %v = sweep.map plane -1 (%a = %s : !sweep.tile<f64>, %b = %t : !sweep.tile<f64>)
        -> !sweep.tile<f64> {
      %c = arith.addf %a, %b : f64
      sweep.yield %c : f64
    }
    ```
  }];
  let arguments = (ins Variadic<Sweep_TileType>:$tiles, I64Attr:$plane,
                       OptionalAttr<Stencil_BoundsAttr>:$domain);
  let results = (outs Variadic<Sweep_TileType>:$values);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Rank of the domain.
    unsigned getRank();
  }];
}

def Sweep_StoreOp : Sweep_Op<"store", [Sweep_ElementOf<"tile", "field">]> {
  let summary = "store a plane of the domain";
  let description = [{
    Stores the points of a plane that belong to the block's part of the domain; those that tiles
    share are stored by one block. `plane` is counted from the arriving plane. With `over`, only the
    points of these bounds are stored.

    Example:
    ```mlir
    sweep.store %t to %v[-1] : !stencil.field<[0,64]x[0,64]xf64>
    ```
  }];
  let arguments = (ins Sweep_TileType:$tile, Arg<Stencil_FieldType, "", [MemWrite]>:$field,
                       I64Attr:$plane, OptionalAttr<Stencil_BoundsAttr>:$domain);
  let assemblyFormat = [{
    $tile `to` $field `[` $plane `]` (`over` $domain^)? attr-dict `:` qualified(type($field))
  }];
}

def Sweep_FenceOp : Sweep_Op<"fence"> {
  let summary = "make shared memory visible to the threads that read it";
  let description = [{
    What threads put before the fence can be taken by others after it, and copies that were read
    before it can be overwritten. With `warp`, only the threads of a warp wait for each other; that
    is enough for `"slot"`s.

    Example:
    ```mlir
    sweep.fence
    ```
  }];
  let arguments = (ins UnitAttr:$warp);
  let assemblyFormat = "(`warp` $warp^)? attr-dict";
}

def Sweep_YieldOp : Sweep_Op<"yield", [
    Pure, Terminator, ParentOneOf<["KernelOp", "MapOp", "PlanesOp", "StageOp"]>]> {
  let summary = "the values that a region ends with";
  let description = [{
    Ends the region of `sweep.kernel`, `sweep.stage` and `sweep.map` with the values of the current
    point, and that of `sweep.planes` with the tiles of the next iteration.

    Example:
    ```mlir
    sweep.yield %v : f64
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // SWEEP_PLANES_OPS_TD
