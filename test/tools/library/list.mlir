// A C program reads a package through libstencil: it lists functions and arguments, runs on arrays
// of the host with and without gaps, and gets a status and a message for whatever is wrong.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/list.spk
// RUN: cc -O2 -std=c99 -Wall -Wextra -Wpedantic -Werror %S/Inputs/list.c -o %t/list %library -lstencil
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/list.spk %t/list %t/list.spk | FileCheck %s
//
// CHECK:      {"target":"sm_
// CHECK-NEXT: function heat
// CHECK-NEXT:   0  u      field [-1,9]x[0,7]xf32, shape (10, 7), written
// CHECK-NEXT:   1  v      field [-1,9]x[0,7]xf32, shape (10, 7), written
// CHECK-NEXT:   2  steps  scalar index
// CHECK-NEXT:   3  dt     scalar f32
// CHECK-NEXT: argument 0 'u': type 9, field 1, written 1, scratch 0, [-1,9] [0,7]
// CHECK-NEXT: argument 1 'v': type 9, field 1, written 1, scratch 0, [-1,9] [0,7]
// CHECK-NEXT: argument 2 'steps': type 6, field 0, written 0, scratch 0,
// CHECK-NEXT: argument 3 'dt': type 9, field 0, written 0, scratch 0,
// CHECK-NEXT: 0 cells differ, the middle is {{[0-9]+\.[0-9]+}}
// CHECK-NEXT: timed
// CHECK-NEXT: {"function":"heat",{{.*}}"launches":3,{{.*}}"runs":2,
// CHECK-NEXT: overlap: 2: argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field needs its own
// CHECK-NEXT: count: 2: function 'heat' takes 4 arguments, got 3
// CHECK-NEXT: function: 2: function 9 does not exist; the package has 1, counted from 0
// CHECK-NEXT: shape: 2: argument 0 'u' takes shape (10, 7) for the field [-1,9]x[0,7]xf32, found shape (7, 10)
// CHECK-NEXT: null: 2: argument 0 'u' is a null pointer
// CHECK-NEXT: no array: 2: argument 0 'u' is a null pointer
// CHECK-NEXT: cells: 2: argument 0 'u' takes cells of f32 for the field [-1,9]x[0,7]xf32, found f64
// CHECK-NEXT: type: 2: value 0 has type 11, which is none
// CHECK-NEXT: number: 2: argument 1 'v' takes an array for the field [-1,9]x[0,7]xf32, got a scalar of f32
// CHECK-NEXT: steps: 2: argument 0 'u' and argument 1 'v' are bound to overlapping memory
// CHECK-NEXT: module: 2: the module is a null pointer
// CHECK-NEXT: place: 2: the place for a result is a null pointer
// CHECK-NEXT: file: 1: package 'no.spk' cannot be read
// CHECK-NEXT: bytes: 1: it is truncated or not a kernel package
// CHECK-NEXT: device: 4: device 9 does not exist: there are 1, counted from 0
// CHECK-NEXT: no handles
// CHECK-NEXT: verified 2 fields
// CHECK-NEXT: self-test of {{[0-9]+}} runs
//
// The static library needs nothing else of ours.
// RUN: cc -O2 -std=c99 %library %S/Inputs/list.c %library-home/lib/libstencil.a -o %t/static -lpthread -ldl -lm
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/list.spk %t/static %t/list.spk | FileCheck %s
//
// C++ has handles that free themselves.
// RUN: c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror %S/Inputs/handles.cpp -o %t/handles %library -lstencil
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/list.spk %t/handles %t/list.spk | FileCheck %s --check-prefix=HANDLES
// HANDLES:      0 at the top, 0.5 below
// HANDLES-NEXT: 3 times
// HANDLES-NEXT: 1: function 'cold' is not in the package; it has heat
//
// Without a driver only what needs none is done.
// RUN: not %t/list %t/list.spk | FileCheck %s --check-prefix=NONE
// NONE: load: 4: no CUDA driver: libcuda is not installed or not found; install the NVIDIA driver

!field = !stencil.field<[-1,9]x[0,7]xf32>
!temp = !stencil.temp<?x?xf32>

func.func @heat(%u: !field {stencil.name = "u"}, %v: !field {stencil.name = "v"},
                %steps: index {stencil.name = "steps"}, %dt: f32 {stencil.name = "dt"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp, %f = %dt : f32) -> (!temp) {
      %n = stencil.access %t[-1, 0] : !temp
      %s = stencil.access %t[1, 0] : !temp
      %sum = arith.addf %n, %s : f32
      %new = arith.mulf %sum, %f : f32
      stencil.return %new : f32
    }
    stencil.store %stepped to %next(<[0, 0], [8, 7]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}
