// What hosts write besides stencils reaches launchers as plain arguments: memory as fields, results
// after the arguments, unused pointers not at all. Their results are the interpreter's.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: stencilc compile %s --emit=package,header --keep-ir -o %t/
// RUN: stencil-run %t/hosts.spk --print-signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE:      0  u        field [-1,9]x[0,7]xf32, shape (10, 7), written
// SIGNATURE-NEXT: 1  v        field [-1,9]x[0,7]xf32, shape (10, 7), written
// SIGNATURE-NEXT: 2  wavelet  field [0,4]xf32, shape (4,), read only
// SIGNATURE-NEXT: 3  steps    scalar index
// SIGNATURE-NEXT: 4  result0  field [-1,9]x[0,7]xf32, shape (10, 7), written
// SIGNATURE-NEXT: 5  result1  field [0,1]xindex, shape (1,), written
//
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/hosts.h
// HEADER:      stencil_status hosts_run(
// HEADER-NEXT:   stencil_module *module,
// HEADER-NEXT:   const stencil_array *u,
// HEADER-NEXT:   const stencil_array *v,
// HEADER-NEXT:   const stencil_array *wavelet,
// HEADER-NEXT:   int64_t steps,
// HEADER-NEXT:   const stencil_array *result0,
// HEADER-NEXT:   const stencil_array *result1,
// HEADER-NEXT:   struct CUstream_st *stream);
//
// RUN: stencilc run %s --on=interpreter --arg steps=3 --out-dir %t/expected
// RUN: stencilc run %s --on=emulator --verify --arg steps=3 | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{^}}verified: bit-identical
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/hosts.spk stencil-run %t/hosts.spk --arg steps=3 --symbol h_x=1 --out-dir %t/found 2>&1 | FileCheck %s
// CHECK: note: symbol 'h_x' is not used; the program has no symbols
// RUN: cmp %t/expected/u.npy %t/found/u.npy
// RUN: cmp %t/expected/v.npy %t/found/v.npy
// RUN: cmp %t/expected/result0.npy %t/found/result0.npy
// RUN: cmp %t/expected/result1.npy %t/found/result1.npy

!field = !stencil.field<[-1,9]x[0,7]xf32>
!memory = memref<10x7xf32>

func.func @Kernel(%u: !memory, %timers: !llvm.ptr, %v: !memory, %wavelet: memref<4xf32>, %idle: !stencil.field<?xf64>, %steps: index)
    -> (!field, index, !memory) attributes {param_names = ["u", "timers", "v", "wavelet", "idle", "steps"]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %fu = stencil.external_load %u : !memory -> !field
  %fv = stencil.external_load %v : !memory -> !field
  %r:2 = scf.for %time = %zero to %steps step %one iter_args(%a = %fu, %b = %fv) -> (!field, !field) {
    %t = stencil.load %a : !field -> !stencil.temp<?x?xf32>
    %n = stencil.apply(%x = %t : !stencil.temp<?x?xf32>) -> (!stencil.temp<?x?xf32>) {
      %w = stencil.access %x[0, -1] : !stencil.temp<?x?xf32>
      %s = stencil.access %x[1, 0] : !stencil.temp<?x?xf32>
      %d = arith.subf %w, %s : f32
      stencil.return %d : f32
    }
    stencil.store %n to %b(<[0, 1], [8, 6]>) : !stencil.temp<?x?xf32> to !field
    %early = arith.cmpi ult, %time, %two : index
    scf.if %early {
      %m = builtin.unrealized_conversion_cast %b : !field to !memory
      %amplitude = memref.load %wavelet[%time] : memref<4xf32>
      %old = memref.load %m[%two, %two] : !memory
      %new = arith.addf %old, %amplitude : f32
      memref.store %new, %m[%two, %two] : !memory
    }
    scf.yield %b, %a : !field, !field
  }
  stencil.external_store %fu to %u : !field to !memory
  %count = arith.muli %steps, %two : index
  return %r#0, %count, %v : !field, index, !memory
}
