// Memrefs that a host makes fields of are fields: the memory is the same, row-major.
//
// RUN: stencil-opt %s --stencil-bind-memrefs | FileCheck %s
// RUN: stencil-opt %s --stencil-bind-memrefs --stencil-bind-memrefs | FileCheck %s
// RUN: stencil-opt %s --stencil-bind-memrefs --stencil-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: 13 stencil-bind-memrefs num-bound: memrefs that became fields
// COUNT: 3 stencil-bind-memrefs num-copies: external stores and copies of a field
//
// DEFINE: %{function} =
// DEFINE: %{run} = stencilc run %s --on=interpreter --function=%{function} --same-after='builtin.module(func.func(stencil-bind-memrefs))' --seed=1
// DEFINE: %{kernels} = stencilc run %s --on=emulator --function=%{function} --verify --seed=1
// REDEFINE: %{function} = external
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = casts
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = copies
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// REDEFINE: %{function} = local_memory
// RUN: %{run}
// RUN: %{kernels} | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{^}}verified: bit-identical

!field = !stencil.field<[-1,33]x[-2,17]xf64>
!memory = memref<34x19xf64>

// PSyclone's form: bounds come from the field, in its type or in a cast; storing to the memory that
// a field is changes nothing.
// CHECK-LABEL: func.func @external
// CHECK-SAME:    (%[[IN:.*]]: !stencil.field<[-1,33]x[-2,17]xf64>, %[[OUT:.*]]: !stencil.field<[-1,33]x[-2,17]xf64>)
func.func @external(%in: !memory, %out: !memory) {
  // CHECK-NEXT: stencil.load %[[IN]]
  %0 = stencil.external_load %in : !memory -> !stencil.field<?x?xf64>
  %1 = stencil.cast %0 : !stencil.field<?x?xf64> -> !field
  %2 = stencil.external_load %out : !memory -> !field
  %t = stencil.load %1 : !field -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %w = stencil.access %x[0, -2] : !stencil.temp<?x?xf64>
    %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf64>
    %d = arith.subf %w, %s : f64
    stencil.return %d : f64
  }
  // CHECK: stencil.store %{{.*}} to %[[OUT]]
  // CHECK-NEXT: return
  stencil.store %r to %2(<[0, 0], [32, 17]>) : !stencil.temp<?x?xf64> to !field
  stencil.external_store %2 to %out : !field to !memory
  return
}

// Extents may be known to the field alone; a layout in strides may be the identity; coordinates
// begin at 0 where nothing says otherwise.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    (%[[IN:.*]]: !stencil.field<[3,13]x[0,7]xbf16>, %[[OUT:.*]]: !stencil.field<[0,10]x[0,7]xbf16>)
// CHECK-NOT:     unrealized_conversion_cast
func.func @casts(%in: memref<?x7xbf16>, %out: memref<10x7xbf16, strided<[7, 1]>>) {
  %f = builtin.unrealized_conversion_cast %in : memref<?x7xbf16> to !stencil.field<[3,13]x[0,7]xbf16>
  %o = builtin.unrealized_conversion_cast %out : memref<10x7xbf16, strided<[7, 1]>> to !stencil.field<[0,10]x[0,7]xbf16>
  %m = builtin.unrealized_conversion_cast %f : !stencil.field<[3,13]x[0,7]xbf16> to memref<10x7xbf16>
  %again = builtin.unrealized_conversion_cast %m : memref<10x7xbf16> to !stencil.field<[3,13]x[0,7]xbf16>
  // CHECK: stencil.load %[[IN]]
  %t = stencil.load %again : !stencil.field<[3,13]x[0,7]xbf16> -> !stencil.temp<?x?xbf16>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?xbf16>) -> (!stencil.temp<?x?xbf16>) {
    %c = stencil.access %x[2, 0] : !stencil.temp<?x?xbf16>
    %s = arith.mulf %c, %c : bf16
    stencil.return %s : bf16
  }
  // CHECK: stencil.store %{{.*}} to %[[OUT]]
  stencil.store %r to %o(<[1, 0], [10, 7]>) : !stencil.temp<?x?xbf16> to !stencil.field<[0,10]x[0,7]xbf16>
  return
}

// An external store to other memory copies all cells, also where the field is an argument.
// CHECK-LABEL: func.func @copies
// CHECK-SAME:    (%[[F:.*]]: !stencil.field<[0,9]xf16>, %[[A:.*]]: !stencil.field<[0,9]xf16>, %[[B:.*]]: !stencil.field<[0,9]xf16>)
func.func @copies(%f: !stencil.field<[0,9]xf16>, %a: memref<9xf16>, %b: memref<9xf16>) {
  // CHECK:      %[[T:.*]] = stencil.load %[[F]]
  // CHECK-NEXT: stencil.store %[[T]] to %[[A]](<[0], [9]>)
  stencil.external_store %f to %a : !stencil.field<[0,9]xf16> to memref<9xf16>
  %0 = stencil.external_load %a : memref<9xf16> -> !stencil.field<[0,9]xf16>
  // CHECK:      %[[U:.*]] = stencil.load %[[A]]
  // CHECK-NEXT: stencil.store %[[U]] to %[[B]](<[0], [9]>)
  stencil.external_store %0 to %b : !stencil.field<[0,9]xf16> to memref<9xf16>
  return
}

// Memory of the function itself.
// CHECK-LABEL: func.func @local_memory
func.func @local_memory(%in: memref<16xf32>, %out: memref<16xf32>) {
  // CHECK: %[[A:.*]] = stencil.alloc : !stencil.field<[0,16]xf32>
  // CHECK-NOT: memref.dealloc
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloca() : memref<16xf32>
  %f = stencil.external_load %in : memref<16xf32> -> !stencil.field<[0,16]xf32>
  %fa = stencil.external_load %a : memref<16xf32> -> !stencil.field<[0,16]xf32>
  %fb = stencil.external_load %b : memref<16xf32> -> !stencil.field<[0,16]xf32>
  %t = stencil.load %f : !stencil.field<[0,16]xf32> -> !stencil.temp<?xf32>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %c = stencil.access %x[0] : !stencil.temp<?xf32>
    %s = arith.addf %c, %c : f32
    stencil.return %s : f32
  }
  // CHECK: stencil.store %{{.*}} to %[[A]]
  stencil.store %r to %fa(<[0], [16]>) : !stencil.temp<?xf32> to !stencil.field<[0,16]xf32>
  %u = stencil.load %fa : !stencil.field<[0,16]xf32> -> !stencil.temp<?xf32>
  stencil.store %u to %fb(<[0], [16]>) : !stencil.temp<?xf32> to !stencil.field<[0,16]xf32>
  %o = stencil.external_load %out : memref<16xf32> -> !stencil.field<[0,16]xf32>
  %v = stencil.load %fb : !stencil.field<[0,16]xf32> -> !stencil.temp<?xf32>
  %w = stencil.apply(%x = %v : !stencil.temp<?xf32>) -> (!stencil.temp<?xf32>) {
    %c = stencil.access %x[-1] : !stencil.temp<?xf32>
    stencil.return %c : f32
  }
  stencil.store %w to %o(<[1], [16]>) : !stencil.temp<?xf32> to !stencil.field<[0,16]xf32>
  memref.dealloc %a : memref<16xf32>
  return
}

// What else is done with memory gets a cast of the field; memory without fields stays.
// CHECK-LABEL: func.func @other_uses
// CHECK-SAME:    (%[[A:.*]]: !stencil.field<[0,9]xf16>, %[[B:.*]]: memref<9xf16>)
func.func @other_uses(%a: memref<9xf16>, %b: memref<9xf16>) {
  %0 = stencil.external_load %a : memref<9xf16> -> !stencil.field<[0,9]xf16>
  // CHECK:      %[[M:.*]] = builtin.unrealized_conversion_cast %[[A]] : !stencil.field<[0,9]xf16> to memref<9xf16>
  // CHECK-NEXT: memref.cast %[[M]]
  // CHECK-NEXT: memref.cast %[[B]]
  %1 = memref.cast %a : memref<9xf16> to memref<?xf16>
  %2 = memref.cast %b : memref<9xf16> to memref<?xf16>
  return
}

// A copy of memory is one of all cells of the field.
// CHECK-LABEL: func.func @copied_memory
// CHECK-SAME:    (%[[A:.*]]: !stencil.field<[0,9]xf16>, %[[B:.*]]: !stencil.field<[0,9]xf16>)
// CHECK-NEXT:    %[[ALL:.*]] = stencil.load %[[B]]
// CHECK-NEXT:    stencil.store %[[ALL]] to %[[A]](<[0], [9]>)
// CHECK-NEXT:    return
func.func @copied_memory(%a: memref<9xf16>, %b: memref<9xf16>) {
  %0 = stencil.external_load %a : memref<9xf16> -> !stencil.field<[0,9]xf16>
  memref.copy %b, %a : memref<9xf16> to memref<9xf16>
  return
}
