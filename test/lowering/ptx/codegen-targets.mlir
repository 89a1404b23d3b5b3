// The target and the version of PTX are those that were asked for; the same input gives the same bytes.
//
// RUN: stencilc compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=SM80
// RUN: stencilc compile %s --target=sm_89 --emit=ptx -o - | FileCheck %s --check-prefix=SM89
// RUN: stencilc compile %s --target=sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=SM90
// RUN: stencilc compile %s --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=SM90A
// RUN: stencilc compile %s --target=sm_100 --emit=ptx -o - | FileCheck %s --check-prefix=SM100
// RUN: stencilc compile %s --target=sm_90a --ptx-version=8.7 --emit=ptx -o - | FileCheck %s --check-prefix=PTX87
// RUN: stencilc compile %s --emit=ptx -o %t.first.ptx
// RUN: stencilc compile %s --emit=ptx -o %t.second.ptx
// RUN: diff %t.first.ptx %t.second.ptx

// SM80:        .version 8.0
// SM80-NEXT:   .target sm_80{{$}}
// SM89:        .version 8.0
// SM89-NEXT:   .target sm_89{{$}}
// SM90:        .version 8.0
// SM90-NEXT:   .target sm_90{{$}}
// SM90A:       .version 8.0
// SM90A-NEXT:  .target sm_90a{{$}}
// SM100:       .version 8.6
// SM100-NEXT:  .target sm_100{{$}}
// PTX87:       .version 8.7
// PTX87-NEXT:  .target sm_90a{{$}}

func.func @copy(%in: !stencil.field<[0,64]xf64>, %out: !stencil.field<[0,64]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,64]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%x = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %x[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [64]>) : !stencil.temp<?xf64> to !stencil.field<[0,64]xf64>
  return
}
