// The target and the PTX version are those that were asked for, or the request is refused.
//
// RUN: stencilc compile %s --emit=ptx --target sm_80 | FileCheck %s --check-prefixes=PTX,SM80
// RUN: stencilc compile %s --emit=ptx --target sm_89 | FileCheck %s --check-prefixes=PTX,SM89
// RUN: stencilc compile %s --emit=ptx --target sm_90 --ptx-version 8.7 | FileCheck %s --check-prefixes=PTX,SM90
// RUN: stencilc compile %s --emit=ptx --target sm_100 | FileCheck %s --check-prefixes=PTX,SM100
// SM80:  .version 8.0
// SM80:  .target sm_80
// SM89:  .target sm_89
// SM90:  .version 8.7
// SM90:  .target sm_90{{$}}
// SM100: .version 8.6
// SM100: .target sm_100
// PTX:   .entry one_stage0(
//
// RUN: sh -c 'stencilc compile %s --target sm_75; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: target 'sm_75' is unknown, known targets are sm_80, sm_89, sm_90, sm_90a, sm_100
// UNKNOWN: code 1
// RUN: not stencilc compile %s --target sm_100 --ptx-version 8.0 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: PTX version 8.0 is too old for target sm_100, which needs 8.6 or later
// RUN: not stencilc compile %s --ptx-version new 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: PTX version 'new' is not of the form <major>.<minor>
// RUN: not stencilc compile %s --emit=ptx --ptx-version 8.99 2>&1 | FileCheck %s --check-prefix=FUTURE
// FUTURE: error: PTX version 8.99 is not known to this LLVM, which would write {{.*}} instead
func.func @one(%out: !stencil.field<[0,64]xf64>) {
  %r = stencil.apply() -> (!stencil.temp<?xf64>) {
    %one = arith.constant 1.0 : f64
    stencil.return %one : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
