// A package of several sizes has a function in C for each, with constants of its own; numbers of
// 16 bits go in as their bits, and what the host computes with them is rounded to 16 bits.
//
// REQUIRES: cc
// RUN: rm -rf %t && split-file %s %t
// RUN: stencilc compile %t/scale.mlir --size 5,3 --emit=package,header,launcher --keep-ir -o %t/
// RUN: cc -O2 -Wall -Wextra -Werror -I %S/Inputs/cuda/include -I %t %t/scale.c %t/main.c -o %t/main %library -lstencil -L %emulated-folder -lcuda
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/scale.spk %t/main | FileCheck %s
//
// 1.5 * 1.5 + 1 is 3.25; 0.1 is 0.0999755859375, whose square as a binary16 is 0.0099945068359375.
// CHECK:      8 x 6: 3.2500000000000000
// CHECK-NEXT: 5 x 3: 1.0099945068359375
// CHECK-NEXT: done

//--- scale.mlir
!in = !stencil.field<[0,8]x[0,6]xf64>
!temp = !stencil.temp<?x?xf64>

func.func @scale(%in: !in {stencil.name = "in"}, %out: !in {stencil.name = "out"},
                 %k: f16 {stencil.name = "k"}) {
  %square = arith.mulf %k, %k : f16
  %wide = arith.extf %square : f16 to f64
  %t = stencil.load %in : !in -> !temp
  %r = stencil.apply(%a = %t : !temp, %f = %wide : f64) -> (!temp) {
    %x = stencil.access %a[0, 0] : !temp
    %y = arith.addf %x, %f : f64
    stencil.return %y : f64
  }
  stencil.store %r to %out(<[0, 0], [8, 6]>) : !temp to !in
  return
}

//--- main.c
#include "scale.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static double cells[8 * 6];

static CUdeviceptr device_field(size_t bytes)
{
    CUdeviceptr address;
    if (cuMemAlloc(&address, bytes) != CUDA_SUCCESS
        || cuMemcpyHtoD(address, cells, bytes) != CUDA_SUCCESS) {
        exit(1);
    }
    return address;
}

static void print_last(const char *size, CUdeviceptr from, size_t bytes, stencil_status code)
{
    double found[8 * 6];
    if (code != STENCIL_OK || cuMemcpyDtoH(found, from, bytes) != CUDA_SUCCESS) {
        printf("error %d: %s\n", (int)code, stencil_last_error());
        exit(1);
    }
    printf("%s: %.16f\n", size, found[bytes / sizeof(double) - 1]);
}

int main(void)
{
    stencil_module *module;
    CUcontext context;
    stencil_array in = {NULL, NULL, NULL, 0, 0, 0}, out = in;
    int cell;
    for (cell = 0; cell < 8 * 6; cell++) {
        cells[cell] = 1;
    }
    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS
        || cuCtxSetCurrent(context) != CUDA_SUCCESS || scale_create(&module) != STENCIL_OK) {
        return 1;
    }
    const CUdeviceptr first = device_field(SCALE_IN_BYTES), second = device_field(SCALE_OUT_BYTES);
    in.data = (void *)(uintptr_t)first;
    out.data = (void *)(uintptr_t)second;
    print_last("8 x 6", second, SCALE_OUT_BYTES, scale_run(module, &in, &out, 0x3e00, NULL));
    print_last("5 x 3", second, SCALE_SCALE_5_3_OUT_BYTES,
               scale_run_scale_5_3(module, &in, &out, 0x2e66, NULL));
    stencil_module_free(module);
    printf("done\n");
    return SCALE_SCALE_5_3_OUT_EXTENT_1 == 3 ? 0 : 1;
}
