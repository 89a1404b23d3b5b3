//===- Opt.cpp - mlir-opt with ordered remarks ----------------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nested passes run on several threads, and MLIR's remark engine takes one remark at a time, in
// arrival order. So remarks are buffered while nested passes run, and emitted in the order of the
// text when the outermost pass has ended.
//
//===----------------------------------------------------------------------===//

#include "Bridge.h"

#include "Nesting.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <vector>

using namespace mlir;

namespace {

struct Remark {
  int kind;
  Location location;
  std::string category, function, message;

  void emit() const {
    remark::RemarkOpts options =
        remark::RemarkOpts::name(category).category(category).function(function);
    if (kind == 0)
      remark::passed(location, options) << message;
    else if (kind == 1)
      remark::missed(location, options) << message;
    else
      remark::analysis(location, options) << message;
  }

  /// Position in the text. Remarks of one function at one location keep their order.
  auto place() const {
    auto at = location->findInstanceOf<FileLineColLoc>();
    StringRef file = at ? at.getFilename().getValue() : StringRef();
    return std::make_tuple(file, at ? at.getLine() : 0, at ? at.getColumn() : 0,
                           StringRef(function));
  }
};

/// The remarks of a process that have not been emitted yet.
class Remarks {
public:
  static Remarks &get() {
    static Remarks remarks;
    return remarks;
  }

  /// Enables buffering; the caller then calls `flush`.
  void keep() { kept = true; }

  void add(Remark remark) {
    std::lock_guard<std::mutex> lock(mutex);
    if (kept)
      pending.push_back(std::move(remark));
    else
      remark.emit();
  }

  void flush() {
    std::lock_guard<std::mutex> lock(mutex);
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Remark &a, const Remark &b) { return a.place() < b.place(); });
    for (const Remark &remark : pending)
      remark.emit();
    pending.clear();
  }

private:
  std::mutex mutex;
  std::vector<Remark> pending;
  bool kept = false;
};

/// Emits buffered remarks whenever a pass on the outermost op has ended.
class HandOver : public PassInstrumentation {
  void runAfterPass(Pass *, Operation *operation) override { after(operation); }
  void runAfterPassFailed(Pass *, Operation *operation) override { after(operation); }

  void after(Operation *operation) {
    if (!operation->getParentOp())
      Remarks::get().flush();
  }
};

struct OwnOptions {
  llvm::cl::opt<std::string> statistics{
      "stencil-statistics", llvm::cl::ValueOptional, llvm::cl::value_desc("json"),
      llvm::cl::desc("Print the counters of our passes to standard error, as text or as JSON")};
};

/// Runs the optimizer on a file, with `config`.
LogicalResult optimize(const std::string &input, const std::string &output,
                       DialectRegistry &registry, const MlirOptMainConfig &config) {
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to interrupt)\n";
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &problem);
  std::unique_ptr<llvm::ToolOutputFile> stream = file ? openOutputFile(output, &problem) : nullptr;
  if (!stream) {
    llvm::errs() << problem << "\n";
    return failure();
  }
  if (const char *place = stencil::findTooDeep(file->getBuffer())) {
    llvm::SourceMgr manager;
    manager.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
    manager.PrintMessage(llvm::SMLoc::getFromPointer(place), llvm::SourceMgr::DK_Error,
                         stencil::tooDeepMessage);
    return failure();
  }
  if (failed(MlirOptMain(stream->os(), std::move(file), registry, config)))
    return failure();
  stream->keep();
  return success();
}

} // namespace

void stencilEmitRemark(int kind, MlirLocation location, MlirStringRef category,
                       MlirStringRef function, MlirStringRef message) {
  Remarks::get().add(Remark{kind, unwrap(location), unwrap(category).str(),
                            unwrap(function).str(), unwrap(message).str()});
}

int stencilOptMain(int argc, char **argv, StencilStatisticsFormat *statistics) {
  *statistics = StencilStatisticsNone;
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  stencilRegisterAllDialects(wrap(&registry));
  OwnOptions own;
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "optimizer driver of the stencil compiler\n", registry);
  if (own.statistics.getNumOccurrences()) {
    if (!own.statistics.empty() && own.statistics != "json") {
      llvm::errs() << "error: --stencil-statistics is text or 'json', not '"
                   << own.statistics << "'\n";
      return 1;
    }
    *statistics = own.statistics == "json" ? StencilStatisticsJson : StencilStatisticsText;
  }
  MlirOptMainConfig asked = MlirOptMainConfig::createFromCLOptions();
  // These two only print and need no input.
  if (asked.shouldShowDialects() || asked.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  Remarks::get().keep();
  MlirOptMainConfig config = asked;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    manager.addInstrumentation(std::make_unique<HandOver>());
    return asked.setupPassPipeline(manager);
  });
  return asMainReturnCode(optimize(input, output, registry, config));
}
