// Every code block of the guide for users of the Open Earth Compiler does what the page says.
//
// RUN: %guide %S/../../../dialects/docs/coming-from-oec.md | FileCheck %s
// CHECK: 2 commands did what the page says
