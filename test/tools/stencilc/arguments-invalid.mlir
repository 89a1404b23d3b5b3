// What is wrong with arguments is said by position and name, before anything is run, and ends
// with 1; a file that is not there is of the surroundings and ends with 2.
//
// DEFINE: %{options} =
// DEFINE: %{fails} = sh -c 'stencilc run %s --on=interpreter --out-dir %t.out %{options}; echo "code $?"' 2>&1
//
// RUN: %{fails} | FileCheck %s --check-prefix=UNSET
// UNSET: error: argument 2 'k', a scalar of f64, has no value; set it with --arg 2=NUMBER
// UNSET: code 1
//
// REDEFINE: %{options} = --arg k=1 --arg inn=a.npy
// RUN: %{fails} | FileCheck %s --check-prefix=NAME
// NAME: error: argument 'inn' does not exist (did you mean 'in'?); the function has in, out, k
// NAME: code 1
//
// REDEFINE: %{options} = --arg k=1 --arg 3=1
// RUN: %{fails} | FileCheck %s --check-prefix=POSITION
// POSITION: error: argument 3 does not exist; the function has 3, counted from 0
// POSITION: code 1
//
// REDEFINE: %{options} = --arg k=1 --arg 2=1
// RUN: %{fails} | FileCheck %s --check-prefix=TWICE
// TWICE: error: argument 2 'k' is given twice
// TWICE: code 1
//
// REDEFINE: %{options} = --arg k=fast
// RUN: %{fails} | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: argument 2 'k': {{.*}}'fast'
// NUMBER: code 1
//
// REDEFINE: %{options} = --arg k
// RUN: %{fails} | FileCheck %s --check-prefix=ASSIGNMENT
// ASSIGNMENT: 'k' is not an assignment; write NAME=VALUE
// ASSIGNMENT: code 1
//
// REDEFINE: %{options} = --symbol dt=1
// RUN: %{fails} | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: note: symbol 'dt' is not used; the program has no symbols
// SYMBOL: error: argument 2 'k', a scalar of f64, has no value
// SYMBOL: code 1
//
// REDEFINE: %{options} = --arg k=1 --arg in=%t.nothing.npy
// RUN: %{fails} | FileCheck %s --check-prefix=MISSING
// MISSING: error: argument 0 'in': '{{.*}}nothing.npy' cannot be read: No such file
// MISSING: code 2
//
// Files of another shape, and files that end too early.
// RUN: stencilc run %s --on=interpreter --arg k=1 --out-dir %t.good
// REDEFINE: %{options} = --arg k=1 --arg in=%t.good/out.npy
// RUN: %{fails} | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: argument 0 'in': '{{.*}}out.npy' has shape (8,), the field [-1,9]xf64 has shape (10,)
// SHAPE: code 1
//
// RUN: head -c 150 %t.good/in.npy > %t.short.npy
// REDEFINE: %{options} = --arg k=1 --arg in=%t.short.npy
// RUN: %{fails} | FileCheck %s --check-prefix=SHORT
// SHORT: error: argument 0 'in': '{{.*}}short.npy' ends after {{[0-9]+}} of 80 bytes of data
// SHORT: code 1
//
// Nothing was run, so nothing was written.
// RUN: not ls %t.out
func.func @scale(%in: !stencil.field<[-1,9]xf64>, %out: !stencil.field<[0,8]xf64>, %k: f64) {
  %t = stencil.load %in : !stencil.field<[-1,9]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %f = %k : f64) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %s = arith.mulf %x, %f : f64
    stencil.return %s : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}
