// A package whose kernels or host program are wrong, but whose digests hold, is found out by --verify and --selftest, and by nothing else.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %S/../../kernels/boundary2d.mlir --keep-ir -o %t/p.spk
// DEFINE: %{change} =
// DEFINE: %{part} =
// DEFINE: %{alter} = alter-package %t/p.spk %t/%{change}-%{part}.spk --change=%{change} --part=%{part}
// DEFINE: %{run} = %emulated-driver STENCIL_EMULATED_PACKAGES=%t/%{change}-%{part}.spk stencil-run %t/%{change}-%{part}.spk
// DEFINE: %{wrong} = sh -c '%{run} --verify --out-dir %t/out; echo "code $?"' 2>&1
// DEFINE: %{wrong-selftest} = sh -c '%{run} --selftest --out-dir %t/out; echo "code $?"' 2>&1
//
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk stencil-run %t/p.spk --verify --selftest | FileCheck %s --check-prefix=RIGHT
// RIGHT-DAG: verified: bit-identical with plain kernels
// RIGHT-DAG: self-test: bit-identical with the interpreter
//
// VERIFY: error: {{.*}}plain kernels
// VERIFY: argument 0
// VERIFY-SAME: cells differ
// VERIFY: code 1
// SELFTEST: error: self-test, the first run of function 'boundary2d' with seed {{[0-9]+}}: argument {{[01]}} '{{[a-z]+}}' has checksum
// SELFTEST: code 1
//
// A coefficient is another.
// REDEFINE: %{change} = constant
// REDEFINE: %{part} = code
// RUN: %{alter}
// RUN: %{run} --selftest
// RUN: %{wrong} | FileCheck %s --check-prefix=VERIFY
// REDEFINE: %{part} = selftest
// RUN: %{alter}
// RUN: %{run} --verify
// RUN: %{wrong-selftest} | FileCheck %s --check-prefix=SELFTEST
//
// A neighbour is read that is not the one.
// REDEFINE: %{change} = read
// REDEFINE: %{part} = code
// RUN: %{alter}
// RUN: %{run}
// RUN: %{wrong} | FileCheck %s --check-prefix=VERIFY
// REDEFINE: %{part} = selftest
// RUN: %{alter}
// RUN: %{wrong-selftest} | FileCheck %s --check-prefix=SELFTEST
//
// A store is missing: what was there before stays.
// REDEFINE: %{change} = store
// REDEFINE: %{part} = code
// RUN: %{alter}
// RUN: %{wrong} | FileCheck %s --check-prefix=VERIFY
// REDEFINE: %{part} = selftest
// RUN: %{alter}
// RUN: %{wrong-selftest} | FileCheck %s --check-prefix=SELFTEST
//
// A boundary is not renewed, so that the next step reads a stale one.
// REDEFINE: %{change} = launch
// REDEFINE: %{part} = code
// RUN: %{alter}
// RUN: %{wrong} | FileCheck %s --check-prefix=VERIFY
// REDEFINE: %{part} = selftest
// RUN: %{alter}
// RUN: %{wrong-selftest} | FileCheck %s --check-prefix=SELFTEST
//
// The plain kernels are wrong, or the checksum.
// REDEFINE: %{change} = constant
// REDEFINE: %{part} = plain
// RUN: %{alter}
// RUN: %{run} --selftest
// RUN: %{wrong} | FileCheck %s --check-prefix=VERIFY
// REDEFINE: %{change} = checksum
// RUN: %{alter}
// RUN: %{run} --verify
// RUN: %{wrong-selftest} | FileCheck %s --check-prefix=SELFTEST
//
// RUN: not ls %t/out
//
// Nothing to compare with.
// RUN: stencilc compile %s --keep-ir --no-verification -o %t/bare-code.spk
// REDEFINE: %{change} = bare
// REDEFINE: %{part} = code
// RUN: sh -c '%{run} --arg steps=2 --verify; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: sh -c '%{run} --arg steps=2 --selftest; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: error: {{.*}}
// BARE: code {{[12]}}

func.func @diffusion(%u: !stencil.field<[-1,65]xf64>, %v: !stencil.field<[-1,65]xf64>, %steps: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %zero to %steps step %one iter_args(%now = %u, %next = %v)
      -> (!stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>) {
    %old = stencil.load %now : !stencil.field<[-1,65]xf64> -> !stencil.temp<?xf64>
    %new = stencil.apply(%t = %old : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
      %w = stencil.access %t[-1] : !stencil.temp<?xf64>
      %e = stencil.access %t[1] : !stencil.temp<?xf64>
      %a = arith.constant 0.25 : f64
      %sum = arith.addf %w, %e : f64
      %mean = arith.mulf %sum, %a : f64
      stencil.return %mean : f64
    }
    stencil.store %new to %next(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[-1,65]xf64>
    scf.yield %next, %now : !stencil.field<[-1,65]xf64>, !stencil.field<[-1,65]xf64>
  }
  return
}
