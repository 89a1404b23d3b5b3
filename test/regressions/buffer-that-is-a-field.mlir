// A buffer may be a field, which is the memory itself: it kept its name as a temp, and the program was refused.
//
// RUN: stencilc run %s --on=emulator --function=read_by_apply --verify --seed=1 | FileCheck %s --check-prefix=SAME
// RUN: stencilc run %s --on=emulator --function=loaded_and_stored --verify --seed=1 | FileCheck %s --check-prefix=SAME
// RUN: stencil-opt %s --stencil-infer-bounds | FileCheck %s
// SAME: verified: bit-identical

!line = !stencil.field<[-8,24]xf64>
!memory = !stencil.field<[-1,17]xf64>
!long = !stencil.temp<[-1,17]xf64>
!temp = !stencil.temp<?xf64>

func.func @read_by_apply(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!long) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %p : !long -> !memory
  %q = stencil.apply(%a = %b : !memory) -> (!temp) {
    %x = stencil.access %a[-1] : !memory
    stencil.return %x : f64
  }
  stencil.store %q to %out(<[0], [16]>) : !temp to !line
  return
}

func.func @loaded_and_stored(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!long) {
    %x = stencil.access %a[0] : !temp
    %s = math.sqrt %x : f64
    stencil.return %s : f64
  }
  %b = stencil.buffer %p : !long -> !memory
  stencil.store %t to %b(<[0], [3]>) : !temp to !memory
  %u = stencil.load %b : !memory -> !temp
  %q = stencil.apply(%a = %u : !temp) -> (!temp) {
    %x = stencil.access %a[-1] : !temp
    stencil.return %x : f64
  }
  stencil.store %q to %out(<[0], [16]>) : !temp to !line
  return
}

// Bounds are found for both buffers, and memory stays memory.
// CHECK-LABEL: func.func @unknown_bounds
// CHECK:         stencil.buffer {{.*}} -> !stencil.field<[0,16]xf64>
// CHECK:         stencil.buffer {{.*}} -> !stencil.temp<[0,16]xf64>
func.func @unknown_bounds(%in: !line, %out: !line) {
  %t = stencil.load %in : !line -> !temp
  %p = stencil.apply(%a = %t : !temp) -> (!temp) {
    %x = stencil.access %a[0] : !temp
    stencil.return %x : f64
  }
  %b = stencil.buffer %p : !temp -> !stencil.field<?xf64>
  %q = stencil.buffer %p : !temp -> !temp
  stencil.store %q to %out(<[0], [16]>) : !temp to !line
  return
}
