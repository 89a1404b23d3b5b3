//===- Bridge.h - C entry points missing from MLIR's C API ----------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rust decides and rewrites; what it cannot reach through MLIR's C API goes through here: passes
// with a name and options, the main functions of mlir-opt and mlir-translate, diagnostics with
// notes, remarks, and source files whose diagnostics show the line. Nothing in here knows what a
// pass or an importer does.
//
//===----------------------------------------------------------------------===//

#ifndef STENCIL_BRIDGE_H
#define STENCIL_BRIDGE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The type of an option; checked when a pipeline is parsed.
typedef enum {
  StencilOptionBool = 0,
  StencilOptionInteger = 1,
  StencilOptionString = 2,
  StencilOptionIntegerList = 3,
} StencilOptionKind;

typedef struct {
  MlirStringRef name;
  MlirStringRef description;
  StencilOptionKind kind;
  /// The default as text; an empty text is no value (`false`, `0`, an empty string or list).
  MlirStringRef defaultText;
} StencilOption;

/// A pass written in Rust. Everything it points to lives as long as the process.
typedef struct {
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  /// Name of the op that it is anchored on; empty for any op. On a module it runs on those directly
  /// in it.
  MlirStringRef anchor;
  intptr_t numOptions;
  const StencilOption *options;
  /// Dependent dialects.
  intptr_t numDialects;
  const MlirStringRef *dialects;
  /// Runs on `operation`; `values` holds the text of every option, in order. False: the pass
  /// failed.
  bool (*run)(void *userData, MlirOperation operation, intptr_t numValues,
              const MlirStringRef *values);
  void *userData;
} StencilPass;

/// Registers the pass by its argument, for pipelines and command lines.
void stencilRegisterPass(const StencilPass *pass);

/// A pipeline that Rust defines. All options are strings. Everything it points to lives as long as
/// the process.
typedef struct {
  MlirStringRef argument;
  MlirStringRef description;
  intptr_t numOptions;
  const StencilOption *options;
  /// Writes the pipeline's text, `func.func(a),b`, for the text of every option.
  void (*list)(void *userData, intptr_t numValues, const MlirStringRef *values,
               void (*write)(MlirStringRef text, void *stream), void *stream);
  void *userData;
} StencilPipeline;

/// Registers the pipeline by its argument, for pipelines and command lines.
void stencilRegisterPipeline(const StencilPipeline *pipeline);

/// Adds every upstream dialect and extension, and ours.
void stencilRegisterAllDialects(MlirDialectRegistry registry);

/// Output format of `--stencil-statistics`.
typedef enum {
  StencilStatisticsNone = 0,
  StencilStatisticsText = 1,
  StencilStatisticsJson = 2,
} StencilStatisticsFormat;

/// The main function of mlir-opt with all upstream dialects and passes and ours. The caller, which
/// counts, prints `statistics`.
int stencilOptMain(int argc, char **argv, StencilStatisticsFormat *statistics);

/// Why a text is refused that is nested too deep for MLIR, and its first bracket that is; -1 where
/// none is.
MlirStringRef stencilTooDeepMessage(void);
intptr_t stencilFindTooDeep(MlirStringRef text);

/// From now on the process ends with a message and a code where it gets no more memory: for C++,
/// LLVM, and signals once `refused` says so, which mimalloc sets where it is linked, or no more can
/// be had. The arguments outlive the process.
void stencilEndWithoutMemory(MlirStringRef message, int code, bool *refused);

/// The main function of mlir-lsp-server with all upstream dialects and ours.
int stencilLspServerMain(int argc, char **argv);

/// Whether MLIR knows a pass by this argument.
bool stencilIsRegisteredPass(MlirStringRef argument);

/// Adds our dialects to the `mlir::DialectRegistry` of a program that loads the plugin. False, and
/// nothing is changed, where dialects of these names are known: MLIR ends a program that registers
/// one twice.
bool stencilRegisterDialects(void *registry);

/// A translation: the flag that selects it, without dashes, and the flag's description.
typedef struct {
  MlirStringRef flag;
  MlirStringRef description;
} StencilTranslation;

/// A text to be imported, with the values of the command line's options.
typedef struct {
  MlirContext context;
  /// The flag of the translation.
  MlirStringRef flag;
  /// The file name for locations.
  MlirStringRef name;
  MlirStringRef text;
  /// The text of each `-D`.
  intptr_t numDefinitions;
  const MlirStringRef *definitions;
  /// The text of each `--declare`.
  intptr_t numDeclarations;
  const MlirStringRef *declarations;
  bool strict;
  bool strictBounds;
  bool artemisCompat;
} StencilImportRequest;

/// An importer written in Rust: gives a module that the caller owns; null after diagnostics.
typedef MlirOperation (*StencilImporter)(const StencilImportRequest *request, void *userData);

/// A module to be exported, with the values of the command line's options.
typedef struct {
  /// The flag of the translation.
  MlirStringRef flag;
  MlirOperation module;
  MlirStringRef target;
  MlirStringRef ptxVersion;
  MlirStringRef plan;
  /// Receives a part of the text; may be called several times.
  void (*write)(MlirStringRef text, void *stream);
  void *stream;
} StencilExportRequest;

/// An exporter written in Rust: writes the text and returns true; or emits diagnostics, writes
/// nothing, and returns false.
typedef bool (*StencilExporter)(const StencilExportRequest *request, void *userData);

/// The translations that are written in Rust.
typedef struct {
  intptr_t numImports;
  const StencilTranslation *imports;
  StencilImporter importer;
  intptr_t numExports;
  const StencilTranslation *exports;
  StencilExporter exporter;
  void *userData;
} StencilTranslations;

/// The main function of mlir-translate with all upstream translations and `translations`.
int stencilTranslateMain(int argc, char **argv, const StencilTranslations *translations);

typedef struct {
  MlirLocation location;
  MlirStringRef message;
} StencilNote;

/// Emits a diagnostic (`severity` as in mlir-c/Diagnostics.h) with its notes.
void stencilEmitDiagnostic(MlirLocation location, int severity, MlirStringRef message,
                           intptr_t numNotes, const StencilNote *notes);

/// Emits an optimization remark (0 passed, 1 missed, 2 analysis) of pass `category` on `function`.
/// `stencilOptMain` gives remarks to MLIR in the order of the text; in other programs they come in
/// the order in which passes make them, one at a time.
void stencilEmitRemark(int kind, MlirLocation location, MlirStringRef category,
                       MlirStringRef function, MlirStringRef message);

/// Calls `visit` with the name of every operation of a dialect that is loaded.
void stencilVisitOperations(MlirContext context, MlirStringRef dialect,
                            void (*visit)(MlirStringRef name, void *userData), void *userData);

/// A source text whose diagnostics are printed to standard error with line and caret.
typedef struct StencilSource StencilSource;
StencilSource *stencilSourceCreate(MlirContext context, MlirStringRef name, MlirStringRef text);
/// Parses and verifies the text into a module; null after diagnostics. Function arguments that have
/// a name in the text keep it as the argument attribute `stencil.name`.
MlirOperation stencilSourceParse(StencilSource *source);
void stencilSourceDestroy(StencilSource *source);

/// A place of a text: line and column, counted from 1.
typedef struct {
  unsigned line;
  unsigned column;
} StencilPlace;

/// Parses a text that was made from another one, as stencilSourceParse does. `origin` gives the
/// place in the other one: locations and diagnostics are there. No line of `text` is shown.
MlirOperation stencilParseRespelled(MlirContext context, MlirStringRef name, MlirStringRef text,
                                    StencilPlace (*origin)(StencilPlace place, void *userData),
                                    void *userData);

#ifdef __cplusplus
}
#endif

#endif // STENCIL_BRIDGE_H
