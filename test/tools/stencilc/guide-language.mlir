// Every code block of the page that teaches the language does what the page says.
//
// RUN: %guide %S/../../../tools/docs/language.md | FileCheck %s
// CHECK: commands did what the page says
