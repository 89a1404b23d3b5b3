// Every code block of the page about MLIR's tools does what the page says.
//
// RUN: env STENCIL_PLUGIN=%plugin %guide %S/../../../tools/docs/mlir-tools.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
