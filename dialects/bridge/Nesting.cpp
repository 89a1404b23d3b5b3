//===- Nesting.cpp - Texts that are nested too deep -----------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"

using llvm::StringRef;

/// A stack of 8 MiB holds five times as many modules in each other, with every pass.
static constexpr int depthMax = 1000;

/// The place after a string literal that begins here.
static const char *afterString(const char *at, const char *end) {
  for (++at; at != end && *at != '"' && *at != '\n'; ++at)
    if (*at == '\\' && at + 1 != end)
      ++at;
  return at == end ? end : at + 1;
}

const char *mlir::stencil::findTooDeep(StringRef text) {
  // Comparisons of affine sets have angle brackets without a partner: those count within a line.
  int depth = 0, angles = 0;
  char before = 0;
  for (const char *at = text.begin(), *end = text.end(); at != end;) {
    if (*at == '"') {
      at = afterString(at, end);
      before = '"';
      continue;
    }
    if (*at == '/' && before == '/') {
      while (at != end && *at != '\n')
        ++at;
      before = 0;
      continue;
    }
    switch (*at) {
    case '{':
    case '(':
    case '[':
      ++depth;
      break;
    case '}':
    case ')':
    case ']':
      --depth;
      break;
    case '<':
      ++angles;
      break;
    case '>':
      if (before != '-' && angles > 0)
        --angles;
      break;
    case '\n':
      angles = 0;
      break;
    default:
      break;
    }
    if (depth + angles > depthMax)
      return at;
    before = *at++;
  }
  return nullptr;
}
