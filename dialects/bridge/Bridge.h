//===- Bridge.h - C entry points that MLIR's C API lacks ------------------===//
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

/// What the text of an option must be; checked when a pipeline is parsed.
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
  /// Name of the operation it runs on; empty for any operation.
  MlirStringRef anchor;
  intptr_t numOptions;
  const StencilOption *options;
  /// Dialects whose ops the pass creates.
  intptr_t numDialects;
  const MlirStringRef *dialects;
  /// Runs on `operation`; `values` holds the text of every option, in order. False: the pass
  /// failed.
  bool (*run)(void *userData, MlirOperation operation, intptr_t numValues,
              const MlirStringRef *values);
  void *userData;
} StencilPass;

/// Makes the pass known by its argument, to pipelines and to command lines.
void stencilRegisterPass(const StencilPass *pass);

/// Adds every upstream dialect and extension, and ours.
void stencilRegisterAllDialects(MlirDialectRegistry registry);

/// The main function of mlir-opt with all upstream dialects and passes and ours.
int stencilOptMain(int argc, char **argv);

/// A text to be imported, with the values of the command line's options.
typedef struct {
  MlirContext context;
  /// What locations call the text by.
  MlirStringRef name;
  MlirStringRef text;
  /// The text of each `-D`.
  intptr_t numDefinitions;
  const MlirStringRef *definitions;
  bool strict;
  bool strictBounds;
  bool artemisCompat;
} StencilImportRequest;

/// An importer written in Rust: gives a module that the caller owns; null after diagnostics.
typedef MlirOperation (*StencilImporter)(const StencilImportRequest *request, void *userData);

/// The main function of mlir-translate with all upstream translations, and `--import-dsl`, which
/// `importer` does.
int stencilTranslateMain(int argc, char **argv, StencilImporter importer, void *userData);

typedef struct {
  MlirLocation location;
  MlirStringRef message;
} StencilNote;

/// Emits a diagnostic (`severity` as in mlir-c/Diagnostics.h) with its notes.
void stencilEmitDiagnostic(MlirLocation location, int severity, MlirStringRef message,
                           intptr_t numNotes, const StencilNote *notes);

/// Emits an optimization remark (0 passed, 1 missed, 2 analysis) of pass `category` on `function`.
void stencilEmitRemark(int kind, MlirLocation location, MlirStringRef category,
                       MlirStringRef function, MlirStringRef message);

/// A source text whose diagnostics are printed to standard error with line and caret.
typedef struct StencilSource StencilSource;
StencilSource *stencilSourceCreate(MlirContext context, MlirStringRef name, MlirStringRef text);
/// Parses and verifies the text into a module; null after diagnostics. Function arguments that have
/// a name in the text keep it as the argument attribute `stencil.name`.
MlirOperation stencilSourceParse(StencilSource *source);
void stencilSourceDestroy(StencilSource *source);

#ifdef __cplusplus
}
#endif

#endif // STENCIL_BRIDGE_H
