//===- Translate.cpp - mlir-translate with an importer written in Rust ----===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include <vector>

using namespace mlir;

namespace {

/// Options of the import. They exist only while the program that has them runs: no other program
/// that links the bridge gets a `-D`.
struct ImportOptions {
  llvm::cl::OptionCategory category{"Options of --import-dsl"};
  llvm::cl::list<std::string> definitions{
      "D", llvm::cl::Prefix, llvm::cl::cat(category), llvm::cl::value_desc("NAME=INTEGER[,...]"),
      llvm::cl::desc("Values of parameters; they win over the defaults in the text")};
  llvm::cl::opt<bool> strict{
      "strict", llvm::cl::cat(category),
      llvm::cl::desc("Keep the order and the operations of sums and products as written")};
  llvm::cl::opt<bool> strictBounds{
      "strict-bounds", llvm::cl::cat(category),
      llvm::cl::desc("Refuse reads outside of an array instead of clipping the region")};
  llvm::cl::opt<bool> artemisCompat{
      "artemis-compat", llvm::cl::cat(category),
      llvm::cl::desc("'//' takes out the next statement instead of the rest of the line")};
};

} // namespace

int stencilTranslateMain(int argc, char **argv, StencilImporter importer, void *userData) {
  registerAllTranslations();
  ImportOptions options;
  TranslateToMLIRRegistration registration(
      "import-dsl", "import a program in the STENCILGEN language",
      [&](llvm::SourceMgr &manager, MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer = manager.getMemoryBuffer(manager.getMainFileID());
        std::vector<MlirStringRef> definitions;
        for (const std::string &definition : options.definitions)
          definitions.push_back(wrap(StringRef(definition)));
        StencilImportRequest request = {wrap(context),
                                        wrap(buffer->getBufferIdentifier()),
                                        wrap(buffer->getBuffer()),
                                        static_cast<intptr_t>(definitions.size()),
                                        definitions.data(),
                                        options.strict,
                                        options.strictBounds,
                                        options.artemisCompat};
        return OwningOpRef<Operation *>(unwrap(importer(&request, userData)));
      },
      [](DialectRegistry &registry) { stencilRegisterAllDialects(wrap(&registry)); });
  return failed(mlirTranslateMain(argc, argv, "translation driver of the stencil compiler"));
}
