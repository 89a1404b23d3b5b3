// Counts the reads of a program, through the dialect's own classes.
#include "Stencil/StencilDialect.h"
#include "Stencil/StencilOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::stencil::StencilDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  int reads = 0;
  module->walk([&](mlir::stencil::AccessOp) { ++reads; });
  llvm::outs() << reads << " reads\n" << *module << "\n";
  return 0;
}
