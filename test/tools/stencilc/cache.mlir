// What was compiled once is found again, as long as it would be the same: another plan, another
// target and another program are compiled.
//
// DEFINE: %{plan} =
// DEFINE: %{options} =
// DEFINE: %{run} = env STENCIL_CACHE_DIR=%t.cache stencilc run %t.mlir --on=emulator --verify --seed=1 %{options} --plan=%{plan}
// RUN: rm -rf %t.cache
// RUN: cp %s %t.mlir
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
// RUN: %{run} | FileCheck %s --check-prefixes=FOUND,RIGHT
// REDEFINE: %{plan} = points=2x1
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
// RUN: %{run} | FileCheck %s --check-prefixes=FOUND,RIGHT
// REDEFINE: %{options} = --target=sm_80
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
// REDEFINE: %{options} = --no-cache
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
// REDEFINE: %{options} =
// RUN: sed 's/addf/mulf/' %s > %t.mlir
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
//
// The report of kernels that were found is that of kernels that were made.
// RUN: %{run} --report=%t.found.json | FileCheck %s --check-prefix=FOUND
// RUN: env STENCIL_CACHE_DIR= stencilc run %t.mlir --on=emulator --seed=1 --plan=points=2x1 --report=%t.made.json | FileCheck %s --check-prefix=MADE
// RUN: %python -c "import json; a, b = (json.load(open('%t.' + k + '.json'))['kernels'] for k in ('made', 'found')); assert a == b and a, (a, b)"
//
// What is damaged is made again, and what cannot be written is no reason to fail.
// RUN: %python -c "import pathlib; [p.write_bytes(p.read_bytes()[:-9]) for p in pathlib.Path('%t.cache').iterdir()]"
// RUN: %{run} | FileCheck %s --check-prefixes=MADE,RIGHT
// RUN: %{run} | FileCheck %s --check-prefixes=FOUND,RIGHT
// RUN: env STENCIL_CACHE_DIR=%t.mlir stencilc run %t.mlir --on=emulator --verify | FileCheck %s --check-prefixes=MADE,RIGHT
//
// MADE:     compiled {{.*}} map
// MADE-NOT: cache
// FOUND:     compiled
// FOUND-NOT: map
// FOUND-SAME: kernels from the cache
// RIGHT: verified: bit-identical

func.func @f(%u: !stencil.field<[-1,65]x[-1,65]xf64>, %v: !stencil.field<[-1,65]x[-1,65]xf64>) {
  %t = stencil.load %u : !stencil.field<[-1,65]x[-1,65]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %a = stencil.access %x[-1, 0] : !stencil.temp<?x?xf64>
    %b = stencil.access %x[0, 1] : !stencil.temp<?x?xf64>
    %c = arith.addf %a, %b : f64
    stencil.return %c : f64
  }
  stencil.store %r to %v(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,65]x[-1,65]xf64>
  return
}
