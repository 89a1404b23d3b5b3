// Options of test-print-fusion that say nothing, each once with its text.
//
// RUN: not stencil-opt %s --test-print-fusion=rules=abh 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not stencil-opt %s --test-print-fusion=tile=4,0 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not stencil-opt %s --test-print-fusion=plane-cells=0 2>&1 | FileCheck %s --check-prefix=CELLS
//
// RULE: error: 'builtin.module' op option 'rules': 'h' is no rule from a to g, or there twice
// TILE: error: 'builtin.module' op option 'tile' has an extent less than 1
// CELLS: error: 'builtin.module' op option 'plane-cells' is less than 1

func.func @nothing() {
  return
}
