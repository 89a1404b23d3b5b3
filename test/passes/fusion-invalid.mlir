// Options of test-print-fusion that say nothing, each once with its text.
//
// RUN: not stencil-opt %s --test-print-fusion=rules=abh 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not stencil-opt %s --test-print-fusion=tile=4,0 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not stencil-opt %s --test-print-fusion=plane-cells=0 2>&1 | FileCheck %s --check-prefix=CELLS
//
// RULE: error: 'builtin.module' op option 'rules': 'h' is no rule from a to g, or there twice
// TILE: error: 'builtin.module' op option 'tile' has an extent less than 1
// CELLS: error: 'builtin.module' op option 'plane-cells' is less than 1
// RUN: not stencil-opt %s --test-print-fusion=axis=1 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: 'func.func' op is of rank 1, and option 'axis' is the number of a dimension

func.func @line(%u: !stencil.field<[0,9]xf64>, %v: !stencil.field<[0,9]xf64>) {
  %a = stencil.load %u : !stencil.field<[0,9]xf64> -> !stencil.temp<[0,9]xf64>
  %r = stencil.apply(%x = %a : !stencil.temp<[0,9]xf64>) -> (!stencil.temp<[0,9]xf64>) {
    %l = stencil.access %x[0] : !stencil.temp<[0,9]xf64>
    stencil.return %l : f64
  }
  stencil.store %r to %v(<[0], [9]>) : !stencil.temp<[0,9]xf64> to !stencil.field<[0,9]xf64>
  return
}
