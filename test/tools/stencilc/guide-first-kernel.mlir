// Every code block of the guide to a first kernel does what the page says.
//
// RUN: %guide %S/../../../tools/docs/first-kernel.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
