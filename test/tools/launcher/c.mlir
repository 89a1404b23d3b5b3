// A launcher in C gives what the interpreter gives, bit for bit: with fields in one piece, with
// padding and at odd addresses, on the device and on the host, for any number of steps, for each function of the package. What
// cannot run says why.
//
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t/in %t/five %t/none %t/smooth
// RUN: stencilc compile %s --emit=package,header,launcher --keep-ir -o %t/ | FileCheck %s
// CHECK: wrote {{.*}}c.h
// CHECK: wrote {{.*}}c.c
// RUN: cc -O2 -std=c99 -Wall -Wextra -Wpedantic -Werror -I %S/Inputs/cuda/include -I %t %t/c.c %S/Inputs/fields.c -o %t/fields %library -lstencil -L %emulated-folder -lcuda
//
// RUN: %emulated-driver %t/fields write %t/in
// RUN: stencilc run %s --on=interpreter --function=heat --arg 0=%t/in/u.npy --arg 1=%t/in/v.npy --arg steps=5 --arg k=0.3 --out-dir %t/five
// RUN: stencilc run %s --on=interpreter --function=heat --arg 0=%t/in/u.npy --arg 1=%t/in/v.npy --arg steps=0 --arg k=0.3 --out-dir %t/none
// RUN: stencilc run %s --on=interpreter --function=smooth --arg 0=%t/in/u.npy --arg 1=%t/in/v.npy --arg 2=%t/in/w.npy --arg half=-3 --out-dir %t/smooth
//
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields dense %t/in 5 %t/five | FileCheck %s --check-prefix=EQUAL
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields dense %t/in 0 %t/none | FileCheck %s --check-prefix=EQUAL
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields padded %t/in 5 %t/five | FileCheck %s --check-prefix=EQUAL
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields shifted %t/in 5 %t/five | FileCheck %s --check-prefix=EQUAL
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields smooth %t/in 0 %t/smooth | FileCheck %s --check-prefix=EQUAL
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields host %t/in 5 %t/five | FileCheck %s --check-prefix=EQUAL
// EQUAL: all cells are equal, all padding is as before
//
// Results are waited for, not found by luck.
// RUN: %emulated-driver STENCIL_EMULATED_LAG=1 STENCIL_EMULATED_PACKAGES=%t/c.spk %t/fields padded %t/in 5 %t/five | FileCheck %s --check-prefix=EQUAL
//
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields overlap %t/in 5 %t/five | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error 2: argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field needs its own
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields zero %t/in 0 %t/smooth | FileCheck %s --check-prefix=ZERO
// ZERO: error 3: value %{{[0-9]+}}: 'divsi' divides 12 by zero
// RUN: %emulated-driver STENCIL_EMULATED_FAULT=heat_stage0 STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields dense %t/in 5 %t/five | FileCheck %s --check-prefix=FAULT
// FAULT: error 5: kernel {{.*}}'heat_{{.*}}: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS
// RUN: %emulated-driver STENCIL_EMULATED_MEMORY=50000 STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields padded %t/in 5 %t/five | FileCheck %s --check-prefix=MEMORY
// MEMORY: error 4: the program needs {{[0-9]+}} bytes ({{.*}}) of device memory, {{[0-9]+}} bytes ({{.*}}) are free
// RUN: %emulated-driver STENCIL_EMULATED_TARGET=sm_80 STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields dense %t/in 5 %t/five | FileCheck %s --check-prefix=LOAD
// LOAD: error 4: kernels cannot be loaded: {{.*}}for sm_90a, the device {{.*}} has compute capability 8.0
// RUN: %emulated-driver STENCIL_EMULATED_DRIVER_VERSION=11070 STENCIL_EMULATED_PACKAGES=%t/c.spk not %t/fields dense %t/in 5 %t/five | FileCheck %s --check-prefix=OLD
// OLD: error 4: the CUDA driver is too old: it supports CUDA 11.7, 12.4 is needed

!field = !stencil.field<[-1,7]x[-1,10]x[-1,13]xf64>
!temp = !stencil.temp<?x?x?xf64>

func.func @heat(%u: !field {stencil.name = "u"}, %v: !field {stencil.name = "v"},
                %steps: index {stencil.name = "steps"}, %k: f64 {stencil.name = "k"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // Computed by the host.
  %sixth = arith.constant 0.1666666666666666666 : f64
  %flow = arith.mulf %k, %sixth : f64
  %end:2 = scf.for %step = %zero to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp, %f = %flow : f64) -> (!temp) {
      %c = stencil.access %t[0, 0, 0] : !temp
      %zm = stencil.access %t[-1, 0, 0] : !temp
      %zp = stencil.access %t[1, 0, 0] : !temp
      %ym = stencil.access %t[0, -1, 0] : !temp
      %yp = stencil.access %t[0, 1, 0] : !temp
      %xm = stencil.access %t[0, 0, -1] : !temp
      %xp = stencil.access %t[0, 0, 1] : !temp
      %z = arith.addf %zm, %zp : f64
      %y = arith.addf %ym, %yp : f64
      %x = arith.addf %xm, %xp : f64
      %zy = arith.addf %z, %y : f64
      %faces = arith.addf %zy, %x : f64
      %gain = arith.mulf %faces, %f : f64
      %half = arith.constant 0.5 : f64
      %kept = arith.mulf %c, %half : f64
      %new = arith.addf %kept, %gain : f64
      stencil.return %new : f64
    }
    stencil.store %stepped to %next(<[0, 0, 0], [6, 9, 12]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }
  return
}

// Two stages with a field between them that only the device sees, and a divisor from the host.
func.func @smooth(%u: !field {stencil.name = "u"}, %v: !field {stencil.name = "v"},
                  %w: !field {stencil.name = "w"}, %half: i32 {stencil.name = "half"}) {
  %twelve = arith.constant 12 : i32
  %quotient = arith.divsi %twelve, %half : i32
  %weight = arith.sitofp %quotient : i32 to f64
  %a = stencil.load %u : !field -> !temp
  %b = stencil.load %v : !field -> !temp
  %sum = stencil.apply(%s = %a : !temp, %t = %b : !temp, %f = %weight : f64) -> (!temp) {
    %x = stencil.access %s[0, 0, -1] : !temp
    %y = stencil.access %t[0, 0, 1] : !temp
    %p = arith.mulf %x, %f : f64
    %q = arith.addf %p, %y : f64
    stencil.return %q : f64
  }
  stencil.store %sum to %w(<[0, 0, 0], [6, 9, 12]>) : !temp to !field
  return
}
