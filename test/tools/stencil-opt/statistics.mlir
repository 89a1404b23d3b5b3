// Counters of our passes, as text and as JSON, to standard error; the IR goes where it always goes.
//
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-divisions --stencil-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: stencil-opt %s --stencil-infer-bounds --stencil-fold-divisions --stencil-statistics=json -o %t.mlir 2> %t.json
// RUN: python3 -c "import json; c = json.load(open(r'%t.json')); assert c['stencil-fold-divisions']['num-folded'] == 1, c"
// RUN: not stencil-opt %s --stencil-statistics=xml 2>&1 | FileCheck %s --check-prefix=FORM

// CHECK: {{^ *[0-9]+}} stencil-fold-divisions num-folded: divisions that became multiplications

// FORM: error: --stencil-statistics is text or 'json', not 'xml'

func.func @average(%in: !stencil.field<[-1,65]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %u = stencil.access %x[-1] : !stencil.temp<?xf64>
    %v = stencil.access %x[1] : !stencil.temp<?xf64>
    %two = arith.constant 2.0 : f64
    %s = arith.addf %u, %v : f64
    %a = arith.divf %s, %two : f64
    stencil.return %a : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
