// Every code block of the guide to reports does what the page says.
//
// RUN: %guide %S/../../../tools/docs/reading-a-report.md | FileCheck %s
// CHECK: {{[0-9]+}} commands did what the page says
