// Text that is no program is refused at its place; a file that is not there, with 2. None of it
// leaves an output file.
//
// DEFINE: %{input} =
// DEFINE: %{fails} = sh -c 'stencilc compile %{input} -o %t.spk; echo "code $?"' 2>&1
//
// RUN: head -c 2100 %s > %t.truncated.mlir
// REDEFINE: %{input} = %t.truncated.mlir
// RUN: %{fails} | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: truncated.mlir:{{[0-9]+}}:{{[0-9]+}}: error:
// TRUNCATED: ^
// TRUNCATED: code 1
//
// RUN: echo 'func.func @f() { stencil.loud %%x }' > %t.malformed.mlir
// REDEFINE: %{input} = %t.malformed.mlir
// RUN: %{fails} | FileCheck %s --check-prefix=MALFORMED
// MALFORMED: malformed.mlir:1:18: error:
// MALFORMED: code 1
//
// RUN: printf 'func.func \377' > %t.binary.mlir
// REDEFINE: %{input} = %t.binary.mlir
// RUN: %{fails} | FileCheck %s --check-prefix=BINARY
// BINARY: error: '{{.*}}binary.mlir' is no text: byte 10 is not UTF-8
// BINARY: code 1
//
// REDEFINE: %{input} = %t.nothing.mlir
// RUN: %{fails} | FileCheck %s --check-prefix=MISSING
// MISSING: error: '{{.*}}nothing.mlir' cannot be read: No such file
// MISSING: code 2
//
// RUN: printf '' > %t.empty.mlir
// RUN: not stencilc run %t.empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not stencilc compile %t.empty.mlir -o %t.empty.spk 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: '{{.*}}empty.mlir' has no function with a body
//
// RUN: not ls %t.spk

// A program that parses and is wrong.
// REDEFINE: %{input} = %s
// RUN: %{fails} | FileCheck %s
// CHECK: input-invalid.mlir:[[#@LINE + 5]]:{{[0-9]+}}: error: 'stencil.access' op
// CHECK: code 1
func.func @rank(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0, 0] : !stencil.temp<?xf64>
    stencil.return %x : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
