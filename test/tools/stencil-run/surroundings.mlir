// What a run needs and does not find: a driver, a device, a new enough driver, memory, code for the device. Each is named, and the exit code is 2.
//
// RUN: rm -rf %t && mkdir %t
// RUN: stencilc compile %s --keep-ir -o %t/p.spk
// RUN: stencilc compile %s --plan points=2 --no-verification -o %t/other.spk
// DEFINE: %{environment} =
// DEFINE: %{run} = stencil-run %t/p.spk --arg steps=2 --out-dir %t/out
// DEFINE: %{check} = sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=%t/p.spk %{environment} %{run}; echo "code $?"' 2>&1
//
// RUN: sh -c 'env LD_LIBRARY_PATH=%t %{run}; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=DRIVER
// DRIVER: error: no CUDA driver: libcuda is not installed or not found; install the NVIDIA driver
// DRIVER: code 2
//
// REDEFINE: %{environment} = STENCIL_EMULATED_DEVICES=0
// RUN: %{check} | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: the CUDA driver does not start: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)
// DEVICE: code 2
//
// REDEFINE: %{environment} = STENCIL_EMULATED_DRIVER_VERSION=11040
// RUN: %{check} | FileCheck %s --check-prefix=OLD
// OLD: error: the CUDA driver is too old: it supports CUDA 11.4, {{[0-9.]+}} is needed
// OLD: code 2
//
// A driver that is new enough for this program, but not for its PTX.
// RUN: stencilc compile %s --keep-ir --ptx-version 8.8 -o %t/new.spk
// RUN: sh -c '%emulated-driver STENCIL_EMULATED_PACKAGES=%t/new.spk STENCIL_EMULATED_DRIVER_VERSION=12080 stencil-run %t/new.spk --arg steps=2; echo "code $?"' 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: %emulated-driver STENCIL_EMULATED_PACKAGES=%t/new.spk STENCIL_EMULATED_DRIVER_VERSION=12090 stencil-run %t/new.spk --arg steps=2
// PTX: error: kernels cannot be loaded: the driver supports CUDA 12.8 and is too old for PTX 8.8
// PTX: code 2
//
// REDEFINE: %{environment} = STENCIL_EMULATED_TARGET=sm_80
// RUN: %{check} | FileCheck %s --check-prefix=TARGET
// TARGET: error: kernels cannot be loaded: {{.*}} they are PTX 8.0 for sm_90a, the device 'emulated sm_80' has compute capability 8.0
// TARGET: code 2
//
// Two fields of 528 bytes: the last amount that is too small, the first that is not.
// REDEFINE: %{environment} = STENCIL_EMULATED_MEMORY=1055
// RUN: %{check} | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}1056 bytes{{.*}}1055
// MEMORY: code 2
// REDEFINE: %{environment} = STENCIL_EMULATED_MEMORY=1056
// RUN: %{check} | FileCheck %s --check-prefix=ENOUGH
// ENOUGH: code 0
//
// What the driver's compiler says of the PTX goes into the message.
// REDEFINE: %{environment} = STENCIL_EMULATED_PACKAGES=%t/other.spk
// RUN: %{check} | FileCheck %s --check-prefix=CODE
// CODE: error: kernels cannot be loaded: a PTX JIT compilation failed (CUDA_ERROR_INVALID_PTX)
// CODE-NEXT: PTX of {{[0-9]+}} bytes is in no package: '{{.*}}other.spk': 1 PTX texts, none is equal
// CODE: code 2
//
// REDEFINE: %{environment} = STENCIL_EMULATED_DEVICES=2
// REDEFINE: %{run} = stencil-run %t/p.spk --arg steps=2 --device 2
// RUN: %{check} | FileCheck %s --check-prefix=ORDINAL
// ORDINAL: error: device 2 does not exist: there are 2, counted from 0
// ORDINAL: code 2
// REDEFINE: %{run} = stencil-run --list-devices
// RUN: %{check} | FileCheck %s --check-prefix=LIST
// LIST: 0 emulated sm_90a, compute capability 9.0, 4.0 GiB, driver CUDA 13.0
// LIST: 1 emulated sm_90a, compute capability 9.0, 4.0 GiB, driver CUDA 13.0
// LIST: code 0

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
