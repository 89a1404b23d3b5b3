// Every drawing on the page about pipelines of sweeps is what the command above it prints.
//
// RUN: %guide %S/../../../dialects/docs/pipeline.md | FileCheck %s
// CHECK: 4 commands did what the page says
