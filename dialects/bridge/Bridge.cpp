//===- Bridge.cpp - C entry points missing from MLIR's C API --------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bridge.h"

#include "Nesting.h"

#include "Stencil/StencilDialect.h"
#include "Sweep/SweepDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <memory>
#include <vector>

using namespace mlir;

namespace {

/// One option of a Rust pass, as MLIR's option machinery holds it. Values are passed to Rust as
/// text.
struct RustOption {
  std::unique_ptr<Pass::Option<bool>> boolean;
  std::unique_ptr<Pass::Option<int64_t>> integer;
  std::unique_ptr<Pass::Option<std::string>> string;
  std::unique_ptr<Pass::ListOption<int64_t>> list;

  std::string text() const {
    if (boolean)
      return *boolean ? "true" : "false";
    if (integer)
      return std::to_string(integer->getValue());
    if (string)
      return string->getValue();
    std::string joined;
    for (int64_t value : *list)
      joined += (joined.empty() ? "" : ",") + std::to_string(value);
    return joined;
  }
};

std::vector<int64_t> parseIntegers(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> values;
  for (StringRef part : parts) {
    int64_t value = 0;
    part.trim().getAsInteger(10, value);
    values.push_back(value);
  }
  return values;
}

/// Inserts the dialect of this name if it is among `Dialects`; returns whether it is.
template <typename... Dialects>
bool insertNamed(StringRef name, DialectRegistry &registry) {
  return ((name == Dialects::getDialectNamespace() && (registry.insert<Dialects>(), true)) || ...);
}

/// Inserts a dependent dialect of a pass.
void insertDialect(StringRef name, DialectRegistry &registry) {
  bool known =
      insertNamed<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  nvgpu::NVGPUDialect, NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect,
                  stencil::StencilDialect, sweep::SweepDialect>(name, registry);
  if (!known)
    llvm::report_fatal_error("a pass depends on dialect '" + name +
                             "', which the bridge does not know");
}

/// A pass whose work is done by a Rust function on each of its anchor operations.
///
/// It can also be put on a module, as `builtin.module(stencil-infer-bounds)`, and then runs on
/// those right in it. Therefore it names no operation to MLIR, which refuses that otherwise.
class RustPass : public Pass {
public:
  RustPass(const StencilPass &descriptor, TypeID id)
      : Pass(id, /*opName=*/std::nullopt), descriptor(descriptor), id(id) {
    for (intptr_t i = 0; i < descriptor.numOptions; ++i)
      addOption(descriptor.options[i]);
  }

  StringRef getName() const override { return unwrap(descriptor.name); }
  StringRef getArgument() const override { return unwrap(descriptor.argument); }
  StringRef getDescription() const override { return unwrap(descriptor.description); }

  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<RustPass>(descriptor, id);
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    return isAnchor(name.getStringRef()) || name.getStringRef() == ModuleOp::getOperationName();
  }

  /// Registered before a pipeline runs: nested pipelines look up the names of their ops then.
  void getDependentDialects(DialectRegistry &registry) const override {
    for (intptr_t i = 0; i < descriptor.numDialects; ++i)
      insertDialect(unwrap(descriptor.dialects[i]), registry);
  }

  void runOnOperation() override {
    Operation *operation = getOperation();
    if (isAnchor(operation->getName().getStringRef())) {
      if (failed(runOn(operation)))
        signalPassFailure();
      return;
    }
    std::vector<Operation *> anchors;
    for (Operation &nested : operation->getRegion(0).getOps())
      if (isAnchor(nested.getName().getStringRef()))
        anchors.push_back(&nested);
    // As in MLIR's nested pass managers: parallel, with diagnostics in the order of the text.
    ParallelDiagnosticHandler diagnostics(&getContext());
    LogicalResult result =
        failableParallelForEachN(&getContext(), 0, anchors.size(), [&](size_t index) {
          diagnostics.setOrderIDForThread(index);
          LogicalResult result = runOn(anchors[index]);
          diagnostics.eraseOrderIDForThread();
          return result;
        });
    if (failed(result))
      signalPassFailure();
  }

private:
  bool isAnchor(StringRef name) const {
    return descriptor.anchor.length == 0 || name == unwrap(descriptor.anchor);
  }

  LogicalResult runOn(Operation *operation) const {
    std::deque<std::string> texts;
    std::vector<MlirStringRef> values;
    for (const RustOption &option : options) {
      texts.push_back(option.text());
      values.push_back(wrap(StringRef(texts.back())));
    }
    return success(
        descriptor.run(descriptor.userData, wrap(operation), values.size(), values.data()));
  }

  void addOption(const StencilOption &option) {
    StringRef name = unwrap(option.name), text = unwrap(option.defaultText);
    llvm::cl::desc description(unwrap(option.description));
    RustOption added;
    switch (option.kind) {
    case StencilOptionBool:
      added.boolean = std::make_unique<Option<bool>>(*this, name, description,
                                                     llvm::cl::init(text == "true"));
      break;
    case StencilOptionInteger: {
      int64_t value = 0;
      text.getAsInteger(10, value);
      added.integer =
          std::make_unique<Option<int64_t>>(*this, name, description, llvm::cl::init(value));
      break;
    }
    case StencilOptionString:
      added.string = std::make_unique<Option<std::string>>(*this, name, description,
                                                           llvm::cl::init(text.str()));
      break;
    case StencilOptionIntegerList:
      added.list = std::make_unique<ListOption<int64_t>>(
          *this, name, description, llvm::cl::list_init<int64_t>(parseIntegers(text)));
      break;
    }
    options.push_back(std::move(added));
  }

  const StencilPass &descriptor;
  TypeID id;
  std::vector<RustOption> options;
};

} // namespace

void stencilRegisterPass(const StencilPass *pass) {
  static TypeIDAllocator allocator;
  TypeID id = allocator.allocate();
  registerPass([pass, id] { return std::make_unique<RustPass>(*pass, id); });
}

namespace {

/// The options of a pipeline, which are texts.
class RustPipelineOptions : public mlir::detail::PassOptions {
public:
  explicit RustPipelineOptions(const StencilPipeline &pipeline) {
    for (intptr_t i = 0; i < pipeline.numOptions; ++i) {
      const StencilOption &option = pipeline.options[i];
      options.push_back(std::make_unique<Option<std::string>>(
          *this, unwrap(option.name), llvm::cl::desc(unwrap(option.description)),
          llvm::cl::init(unwrap(option.defaultText).str())));
    }
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto &option : options)
      texts.push_back(option->getValue());
    return texts;
  }

private:
  std::vector<std::unique_ptr<Option<std::string>>> options;
};

} // namespace

void stencilRegisterPipeline(const StencilPipeline *pipeline) {
  auto build = [pipeline](OpPassManager &manager, StringRef given,
                          function_ref<LogicalResult(const Twine &)> onError) -> LogicalResult {
    RustPipelineOptions options(*pipeline);
    if (failed(options.parseFromString(given)))
      return failure();
    std::vector<std::string> texts = options.texts();
    std::vector<MlirStringRef> values;
    for (const std::string &text : texts)
      values.push_back(wrap(StringRef(text)));
    std::string passes;
    pipeline->list(
        pipeline->userData, values.size(), values.data(),
        [](MlirStringRef text, void *stream) {
          static_cast<std::string *>(stream)->append(text.data, text.length);
        },
        &passes);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (failed(parsePassPipeline(passes, manager, stream)))
      return onError(problem);
    return success();
  };
  auto show = [pipeline](function_ref<void(const mlir::detail::PassOptions &)> show) {
    show(RustPipelineOptions(*pipeline));
  };
  registerPassPipeline(unwrap(pipeline->argument), unwrap(pipeline->description), build, show);
}

static void registerAll(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<stencil::StencilDialect, sweep::SweepDialect>();
}

void stencilRegisterAllDialects(MlirDialectRegistry registry) { registerAll(*unwrap(registry)); }

void stencilEmitDiagnostic(MlirLocation location, int severity, MlirStringRef message,
                           intptr_t numNotes, const StencilNote *notes) {
  Location at = unwrap(location);
  auto kind = static_cast<DiagnosticSeverity>(0);
  switch (severity) {
  case 0:
    kind = DiagnosticSeverity::Error;
    break;
  case 1:
    kind = DiagnosticSeverity::Warning;
    break;
  case 2:
    kind = DiagnosticSeverity::Note;
    break;
  default:
    kind = DiagnosticSeverity::Remark;
  }
  InFlightDiagnostic diagnostic = at->getContext()->getDiagEngine().emit(at, kind);
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < numNotes; ++i)
    diagnostic.attachNote(unwrap(notes[i].location)) << unwrap(notes[i].message);
}

namespace {
/// Writes each diagnostic at once: `llvm::errs` has no buffer, and a diagnostic is printed in
/// pieces as small as a byte.
class WholeDiagnostics : public SourceMgrDiagnosticHandler {
public:
  WholeDiagnostics(llvm::SourceMgr &manager, MLIRContext *context, llvm::raw_fd_ostream &stream)
      : SourceMgrDiagnosticHandler(manager, context, stream) {
    stream.SetBufferSize(4096);
    setHandler([this, &stream](Diagnostic &diagnostic) {
      emitDiagnostic(diagnostic);
      stream.flush();
      // Nothing can be said where standard error is closed, and LLVM would abort at the end.
      stream.clear_error();
    });
  }
};
} // namespace

struct StencilSource {
  llvm::SourceMgr manager;
  MLIRContext *context;
  llvm::raw_fd_ostream stream{/*fd=*/2, /*shouldClose=*/false};
  std::unique_ptr<SourceMgrDiagnosticHandler> handler;
};

StencilSource *stencilSourceCreate(MlirContext context, MlirStringRef name, MlirStringRef text) {
  auto *source = new StencilSource;
  source->context = unwrap(context);
  source->manager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)), llvm::SMLoc());
  source->handler =
      std::make_unique<WholeDiagnostics>(source->manager, source->context, source->stream);
  return source;
}

/// Records the SSA names of function arguments, which parsing drops, as attributes. Numeric names
/// carry no information. Existing attributes are kept: MLIR prints arguments by position.
static void recordArgumentNames(func::FuncOp function, AsmParserState &state) {
  if (function.isExternal())
    return;
  Block &entry = function.front();
  const AsmParserState::BlockDefinition *definition = state.getBlockDef(&entry);
  if (!definition)
    return;
  for (auto [index, argument] : llvm::enumerate(definition->arguments)) {
    if (function.getArgAttr(index, "stencil.name"))
      continue;
    const char *begin = argument.loc.Start.getPointer(), *end = argument.loc.End.getPointer();
    if (!begin || !end || begin >= end)
      continue;
    StringRef name(begin, end - begin);
    name.consume_front("%");
    // Keeps names that are already there: a printed module has lost those of the original text.
    if (name.find_if_not(llvm::isDigit) == StringRef::npos ||
        function.getArgAttr(index, "stencil.name"))
      continue;
    function.setArgAttr(index, "stencil.name", StringAttr::get(function.getContext(), name));
  }
}

void stencilVisitOperations(MlirContext context, MlirStringRef dialect,
                            void (*visit)(MlirStringRef name, void *userData), void *userData) {
  for (RegisteredOperationName name : unwrap(context)->getRegisteredOperations())
    if (name.getDialectNamespace() == unwrap(dialect))
      visit(wrap(name.getStringRef()), userData);
}

MlirStringRef stencilTooDeepMessage() { return wrap(StringRef(stencil::tooDeepMessage)); }

intptr_t stencilFindTooDeep(MlirStringRef text) {
  const char *place = stencil::findTooDeep(unwrap(text));
  return place ? place - text.data : -1;
}

/// Refuses a text that is nested too deep for parser and passes.
static LogicalResult checkNesting(llvm::SourceMgr &manager, MLIRContext *context) {
  const llvm::MemoryBuffer *buffer = manager.getMemoryBuffer(manager.getMainFileID());
  const char *place = stencil::findTooDeep(buffer->getBuffer());
  if (!place)
    return success();
  auto [line, column] = manager.getLineAndColumn(llvm::SMLoc::getFromPointer(place));
  auto location = FileLineColLoc::get(context, buffer->getBufferIdentifier(), line, column);
  return emitError(location, stencil::tooDeepMessage);
}

static MlirOperation parseModule(llvm::SourceMgr &manager, MLIRContext *context) {
  if (failed(checkNesting(manager, context)))
    return wrap(static_cast<Operation *>(nullptr));
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(manager, &block, ParserConfig(context), &state)))
    return wrap(static_cast<Operation *>(nullptr));
  WalkResult named = block.walk([&](func::FuncOp function) -> WalkResult {
    recordArgumentNames(function, state);
    if (!function.getSymName().empty())
      return WalkResult::advance();
    return function.emitOpError("has an empty name; callers and kernels are named after it");
  });
  if (named.wasInterrupted())
    return wrap(static_cast<Operation *>(nullptr));
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    Operation *module = &block.front();
    module->remove();
    return wrap(module);
  }
  OpBuilder builder(context);
  // A module that the text does not write is where its first operation is: messages about all of
  // it name the file.
  Location place = block.empty() ? Location(UnknownLoc::get(context)) : block.front().getLoc();
  auto module = ModuleOp::create(builder, place);
  module.getBody()->getOperations().splice(module.getBody()->end(), block.getOperations());
  if (failed(verify(module))) {
    module->erase();
    return wrap(static_cast<Operation *>(nullptr));
  }
  return wrap(module.getOperation());
}

MlirOperation stencilSourceParse(StencilSource *source) {
  return parseModule(source->manager, source->context);
}

void stencilSourceDestroy(StencilSource *source) { delete source; }

namespace {
/// A diagnostic that is emitted once its locations can be.
struct KeptDiagnostic {
  Location location;
  DiagnosticSeverity severity;
  std::string message;
  std::vector<std::pair<Location, std::string>> notes;
};
} // namespace

MlirOperation stencilParseRespelled(MlirContext context, MlirStringRef name, MlirStringRef text,
                                    StencilPlace (*origin)(StencilPlace place, void *userData),
                                    void *userData) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FileLineColRange range) -> std::optional<Attribute> {
    if (range.getFilename() != unwrap(name))
      return std::nullopt;
    StencilPlace place = origin({range.getStartLine(), range.getStartColumn()}, userData);
    return FileLineColLoc::get(range.getFilename(), place.line, place.column);
  });
  auto mapped = [&](Location location) {
    return Location(cast<LocationAttr>(replacer.replace(LocationAttr(location))));
  };
  std::vector<KeptDiagnostic> kept;
  MlirOperation module;
  {
    ScopedDiagnosticHandler handler(unwrap(context), [&](Diagnostic &diagnostic) {
      kept.push_back({mapped(diagnostic.getLocation()), diagnostic.getSeverity(),
                      diagnostic.str(), {}});
      for (Diagnostic &note : diagnostic.getNotes()) {
        std::string message = note.str();
        // MLIR's own note prints the op of the new text.
        if (!StringRef(message).starts_with("see current operation"))
          kept.back().notes.emplace_back(mapped(note.getLocation()), message);
      }
    });
    llvm::SourceMgr manager;
    manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)),
                               llvm::SMLoc());
    module = parseModule(manager, unwrap(context));
  }
  for (const KeptDiagnostic &one : kept) {
    InFlightDiagnostic diagnostic =
        unwrap(context)->getDiagEngine().emit(one.location, one.severity);
    diagnostic << one.message;
    for (const auto &[location, message] : one.notes)
      diagnostic.attachNote(location) << message;
  }
  if (Operation *parsed = unwrap(module))
    replacer.recursivelyReplaceElementsIn(parsed, /*replaceAttrs=*/false, /*replaceLocs=*/true,
                                          /*replaceTypes=*/false);
  return module;
}
