// A program without names for its sizes takes the extents of its domain, in C slowest dimension
// first, in Fortran contiguous dimension first; constants are left where nothing follows them.
//
// REQUIRES: cc, gfortran
// RUN: rm -rf %t && split-file %s %t
// RUN: stencilc compile %t/plate.mlir --sizes=run-time --emit=package,header,launcher,fortran --keep-ir -o %t/
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/plate.h
// HEADER: #define PLATE_U_EXTENT_0(extent_0) ((extent_0) + 2)
// HEADER-NEXT: #define PLATE_U_EXTENT_1(extent_1) (extent_1)
// HEADER-NEXT: #define PLATE_U_LOWER_0 (-1)
// HEADER-NEXT: #define PLATE_U_UPPER_0(extent_0) ((extent_0) + 1)
// HEADER: #define PLATE_C_EXTENT_0 3
// HEADER: #define PLATE_C_BYTES 24
// HEADER: extent_0: points of dimension 0
// HEADER: u: (extent_0 + 2) x extent_1 cells of double (f64), coordinates [-1, extent_0 + 1) x [0, extent_1); read only
// RUN: FileCheck %s --check-prefix=MODULE --input-file=%t/plate.f90
// MODULE: u: real(c_double) (f64), (0:extent_1 - 1, -1:extent_2); read only
// MODULE-NEXT: integer(c_int64_t), parameter, public :: plate_u_lbound(2)
// MODULE-NOT: plate_u_ubound
// MODULE: plate_c_ubound(1)
// RUN: cc -O2 -std=c99 -Wall -Wextra -Wpedantic -Werror -I %t -c %t/plate.c -o %t/plate.o %library
// RUN: gfortran -std=f2018 -Wall -Wextra -Werror -Wno-compare-reals -J %t %t/plate.f90 %t/main.f90 %t/plate.o -o %t/main %library -lstencil
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/plate.spk %t/main | FileCheck %s
// CHECK:      7 x 20: right
// CHECK-NEXT: 65 x 1: right
// CHECK-NEXT: 2: extent 0 of dimension 1 is too small: function 'sum' needs at least 1 for its margins

//--- plate.mlir
!field = !stencil.field<[-1,65]x[0,64]xf64>
!temp = !stencil.temp<?x?xf64>
func.func @sum(%u: !field {stencil.name = "u"}, %v: !field {stencil.name = "v"},
               %c: !stencil.field<[0,3]xf64> {stencil.name = "c"}) {
  %t = stencil.load %u : !field -> !temp
  %table = stencil.load %c : !stencil.field<[0,3]xf64> -> !stencil.temp<[0,3]xf64>
  %r = stencil.apply(%x = %t : !temp, %k = %table : !stencil.temp<[0,3]xf64>) -> (!temp) {
    %n = stencil.access %x[-1, 0] : !temp
    %s = stencil.access %x[1, 0] : !temp
    %two = arith.constant 2 : index
    %w = stencil.dyn_access %k[%two] in <[0]> : <[2]> attributes {absolute} : !stencil.temp<[0,3]xf64>
    %p = arith.mulf %s, %w : f64
    %d = arith.addf %n, %p : f64
    stencil.return %d : f64
  }
  stencil.store %r to %v(<[0, 0], [64, 64]>) : !temp to !field
  return
}

//--- main.f90
program main
  use, intrinsic :: iso_c_binding
  use plate
  implicit none

  type(plate_handle) :: kernels
  call kernels%create()
  call run(7_c_int64_t, 20_c_int64_t)
  call run(65_c_int64_t, 1_c_int64_t)
  call run(0_c_int64_t, 3_c_int64_t)
  call kernels%destroy()

contains

  subroutine run(columns, rows)
    integer(c_int64_t), intent(in) :: columns, rows
    real(c_double), target :: u(0:columns - 1, -1:rows), v(0:columns - 1, -1:rows), c(0:2)
    integer(c_int64_t) :: i, j
    integer(c_int) :: status
    type(plate_field) :: fields(3)

    do j = -1, rows
      do i = 0, columns - 1
        u(i, j) = real(i + 100 * j, c_double)
      end do
    end do
    v = -1
    c = [5.0_c_double, 6.0_c_double, 0.5_c_double]
    fields = [plate_field(data=c_loc(u), flags=plate_on_host), &
              plate_field(data=c_loc(v), flags=plate_on_host), &
              plate_field(data=c_loc(c), flags=plate_on_host)]
    call kernels%run(columns, rows, fields(1), fields(2), fields(3), status=status)
    if (status /= plate_ok) then
      print '(i0, 2a)', status, ': ', kernels%last_error()
    else if (all(v(:, 0:rows - 1) == u(:, -1:rows - 2) + u(:, 1:rows) * 0.5_c_double) &
             .and. all(v(:, -1) == -1) .and. all(v(:, rows) == -1)) then
      print '(i0, a, i0, a)', columns, ' x ', rows, ': right'
    else
      print '(a)', 'wrong'
    end if
  end subroutine
end program
