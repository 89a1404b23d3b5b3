//===- Translate.cpp - mlir-translate with translations in Rust ---------===//
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

/// Options of the import, registered only while the translation runs, so that other programs that
/// link the bridge get no `-D`.
struct ImportOptions {
  llvm::cl::OptionCategory category{"Options of the imports"};
  llvm::cl::list<std::string> definitions{
      "D", llvm::cl::Prefix, llvm::cl::cat(category), llvm::cl::value_desc("NAME=INTEGER[,...]"),
      llvm::cl::desc("Values of parameters; they override the defaults in the text")};
  llvm::cl::list<std::string> declarations{
      "declare", llvm::cl::cat(category), llvm::cl::value_desc("DECLARATION;..."),
      llvm::cl::desc("What a C file does not say of its pragma regions, as in a header comment")};
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

/// Options of the export; unset ones are chosen by the exporter.
struct ExportOptions {
  llvm::cl::OptionCategory category{"Options of --mlir-to-ptx"};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::cat(category), llvm::cl::value_desc("NAME"),
      llvm::cl::desc("Architecture to generate PTX for, or 'native'")};
  llvm::cl::opt<std::string> ptxVersion{"ptx-version", llvm::cl::cat(category),
                                        llvm::cl::value_desc("MAJOR.MINOR"),
                                        llvm::cl::desc("The version of PTX")};
  llvm::cl::opt<std::string> plan{
      "plan", llvm::cl::cat(category), llvm::cl::value_desc("KEY=VALUE[,...]"),
      llvm::cl::desc("Plan keys for every kernel that does not set them")};
};

void writeTo(MlirStringRef text, void *stream) {
  *static_cast<llvm::raw_ostream *>(stream) << unwrap(text);
}

void registerDialects(DialectRegistry &registry) { stencilRegisterAllDialects(wrap(&registry)); }

void registerExport(const StencilTranslation &one, const StencilTranslations &all,
                    const ExportOptions &options) {
  TranslateFromMLIRRegistration(
      unwrap(one.flag), unwrap(one.description),
      [&](Operation *module, llvm::raw_ostream &stream) -> LogicalResult {
        StencilExportRequest request = {one.flag,
                                        wrap(module),
                                        wrap(StringRef(options.target)),
                                        wrap(StringRef(options.ptxVersion)),
                                        wrap(StringRef(options.plan)),
                                        writeTo,
                                        &stream};
        return success(all.exporter(&request, all.userData));
      },
      registerDialects);
}

void registerImport(const StencilTranslation &one, const StencilTranslations &all,
                    const ImportOptions &options) {
  TranslateToMLIRRegistration(
      unwrap(one.flag), unwrap(one.description),
      [&](llvm::SourceMgr &manager, MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer = manager.getMemoryBuffer(manager.getMainFileID());
        std::vector<MlirStringRef> definitions;
        for (const std::string &definition : options.definitions)
          definitions.push_back(wrap(StringRef(definition)));
        std::vector<MlirStringRef> declarations;
        for (const std::string &declaration : options.declarations)
          declarations.push_back(wrap(StringRef(declaration)));
        StencilImportRequest request = {wrap(context),
                                        one.flag,
                                        wrap(buffer->getBufferIdentifier()),
                                        wrap(buffer->getBuffer()),
                                        static_cast<intptr_t>(definitions.size()),
                                        definitions.data(),
                                        static_cast<intptr_t>(declarations.size()),
                                        declarations.data(),
                                        options.strict,
                                        options.strictBounds,
                                        options.artemisCompat};
        return OwningOpRef<Operation *>(unwrap(all.importer(&request, all.userData)));
      },
      registerDialects);
}

} // namespace

int stencilTranslateMain(int argc, char **argv, const StencilTranslations *translations) {
  registerAllTranslations();
  ExportOptions exportOptions;
  for (const StencilTranslation &one :
       llvm::ArrayRef(translations->exports, translations->numExports))
    registerExport(one, *translations, exportOptions);
  ImportOptions importOptions;
  for (const StencilTranslation &one :
       llvm::ArrayRef(translations->imports, translations->numImports))
    registerImport(one, *translations, importOptions);
  return failed(mlirTranslateMain(argc, argv, "translation driver of the stencil compiler"));
}
