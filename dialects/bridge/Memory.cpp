//===- Memory.cpp - How a program ends where memory does ------------------===//
//
// Part of the stencil compiler, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bridge.h"

#include "mlir/CAPI/Wrap.h"
#include "mlir/CAPI/Support.h"
#include "llvm/Support/ErrorHandling.h"

#include <cerrno>
#include <csignal>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

/// mimalloc's, in the programs that are linked with it, and null in others.
extern "C" __attribute__((weak)) void mi_register_error(void (*handler)(int, void *),
                                                        void *argument);

static llvm::StringRef text;
static int exitCode = 2;
static volatile bool *refused;

/// Nothing here may ask for memory, and nothing is unwound: locks may be held above.
[[noreturn]] static void end() {
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(exitCode);
}

/// Whether the system refuses a megabyte: what a stack grows by, a thread needs, or a library asked
/// for without looking at the answer.
static bool isExhausted() {
  constexpr size_t bytes = 1 << 20;
  void *place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return true;
  munmap(place, bytes);
  return false;
}

/// What signals did before.
static struct sigaction beforeAbort, beforeFault;

static void onSignal(int signal) {
  if (*refused || isExhausted())
    end();
  // It returns to where the signal came from, and comes again.
  sigaction(signal, signal == SIGABRT ? &beforeAbort : &beforeFault, nullptr);
  if (signal == SIGABRT)
    raise(signal);
}

void stencilEndWithoutMemory(MlirStringRef message, int code, bool *flag) {
  text = unwrap(message);
  exitCode = code;
  refused = flag;
  std::set_new_handler([] { end(); });
  // Compiled as C, its 'operator new' does not call the handler of C++, and aborts.
  if (mi_register_error)
    mi_register_error([](int error, void *) { *refused = *refused || error == ENOMEM; }, nullptr);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { end(); });
  struct sigaction action = {};
  action.sa_handler = onSignal;
  // A fault of the stack needs another one.
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGABRT, &action, &beforeAbort);
  sigaction(SIGSEGV, &action, &beforeFault);
}
