//===- CAPI.cpp - the sweep dialect in C ----------------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep-c/Sweep.h"

#include "Sweep/SweepDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

#include <atomic>

using namespace mlir;
using namespace mlir::sweep;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Sweep, sweep, SweepDialect)

/// The C caller's check, called by the C++ one that setKernelVerifier() takes.
static std::atomic<SweepKernelVerifier> cKernelVerifier = nullptr;

static bool verifyThroughC(KernelOp kernel, function_ref<void(StringRef)> emit) {
  SweepKernelVerifier verifier = cKernelVerifier;
  if (!verifier)
    return true;
  auto forward = [](MlirStringRef message, void *userData) {
    (*static_cast<function_ref<void(StringRef)> *>(userData))(unwrap(message));
  };
  return verifier(wrap(kernel.getOperation()), forward, &emit);
}

void sweepSetKernelVerifier(SweepKernelVerifier verifier) {
  cKernelVerifier = verifier;
  setKernelVerifier(verifier ? verifyThroughC : nullptr);
}
