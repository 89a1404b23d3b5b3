//===- Plugin.cpp - our dialects and passes inside other programs ---------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bridge.h"

#include "Stencil/StencilDialect.h"
#include "Sweep/SweepDialect.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

using namespace mlir;

bool stencilIsRegisteredPass(MlirStringRef argument) {
  return PassInfo::lookup(unwrap(argument)) != nullptr;
}

bool stencilRegisterDialects(void *registry) {
  auto &known = *static_cast<DialectRegistry *>(registry);
  if (known.getDialectAllocator(stencil::StencilDialect::getDialectNamespace()) ||
      known.getDialectAllocator(sweep::SweepDialect::getDialectNamespace()))
    return false;
  known.insert<stencil::StencilDialect, sweep::SweepDialect>();
  return true;
}

int stencilLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  MlirDialectRegistry wrapped = {&registry};
  stencilRegisterAllDialects(wrapped);
  return failed(MlirLspServerMain(argc, argv, registry));
}
