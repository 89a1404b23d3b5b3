// A source in the middle of a domain whose ghost cells are two planes wide. The fills of ghost cells,
// each of one plane apart from the ends, were taken for all planes as the source is, for which windows
// can be small: that read ghost planes of the beginning, and the copy before the loop was refused.
//
// RUN: stencilc compile %s --devices=2 --keep-ir -o %t.spk
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t.spk STENCIL_EMULATED_DEVICES=2 stencil-run %t.spk --arg steps=6 --verify | FileCheck %s
// CHECK: verified: bit-identical

!field = !stencil.field<[0,61]xf64>
!field1 = !stencil.field<[-2,61]xf64>
!temp = !stencil.temp<?xf64>
func.func @q(%u: !field, %steps: index) {
  %a = stencil.alloc : !field1
  %b = stencil.alloc : !field1
  %uv = stencil.load %u : !field -> !temp
  %in = stencil.apply(%from = %uv : !temp) -> (!temp) {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %in to %a(<[0], [61]>) : !temp to !field1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%now = %a, %next = %b) -> (!field1, !field1) {
    %v0 = stencil.load %now : !field1 -> !temp
    %l1 = stencil.apply(%x = %v0 : !temp) -> (!temp) {
      %i = stencil.access %x[3] : !temp
      stencil.return %i : f64
    }
    stencil.store %l1 to %now(<[-2], [-1]>) : !temp to !field1
    %v1 = stencil.load %now : !field1 -> !temp
    %l2 = stencil.apply(%x = %v1 : !temp) -> (!temp) {
      %i = stencil.access %x[1] : !temp
      stencil.return %i : f64
    }
    stencil.store %l2 to %now(<[-1], [0]>) : !temp to !field1
    %v2 = stencil.load %now : !field1 -> !temp
    %n = stencil.apply(%x = %v2 : !temp) -> (!temp) {
      %l = stencil.access %x[-2] : !temp
      stencil.return %l : f64
    }
    stencil.store %n to %next(<[0], [61]>) : !temp to !field1
    %s = stencil.apply() -> (!temp) {
      %one = arith.constant 1.0 : f64
      stencil.return %one : f64
    }
    stencil.store %s to %next(<[30], [31]>) : !temp to !field1
    scf.yield %next, %now : !field1, !field1
  }
  %e = stencil.load %end#0 : !field1 -> !temp
  %out = stencil.apply(%from = %e : !temp) -> (!temp) {
    %cell = stencil.access %from[0] : !temp
    stencil.return %cell : f64
  }
  stencil.store %out to %u(<[0], [61]>) : !temp to !field
  return
}
