//===- Sweep.h - the sweep dialect in C -----------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR's own C API does not offer for the dialect's ops.
//
//===----------------------------------------------------------------------===//

#ifndef SWEEP_C_SWEEP_H
#define SWEEP_C_SWEEP_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Sweep, sweep);

/// Checks a `sweep.kernel` as a whole, after everything else about it was verified, and says
/// whether it can be carried out. Every fault is reported by a call of `emit` with a message and
/// `userData`. It may be called from several threads at once.
typedef bool (*SweepKernelVerifier)(MlirOperation kernel,
                                    void (*emit)(MlirStringRef message, void *userData),
                                    void *userData);

/// Installs the check that kernels must pass, for the whole process; null removes it.
MLIR_CAPI_EXPORTED void sweepSetKernelVerifier(SweepKernelVerifier verifier);

#ifdef __cplusplus
}
#endif

#endif // SWEEP_C_SWEEP_H
