// Parses, verifies and prints a module with stencil ops.
#include "Stencil-c/Stencil.h"
#include "Sweep-c/Sweep.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

#include <stdio.h>

static void print(MlirStringRef text, void *file) { fwrite(text.data, 1, text.length, file); }

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__stencil__(), context);
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__sweep__(), context);
  const char *text = "\"test.values\"() : () -> !stencil.temp<[-1,7]xf64>";
  mlirContextSetAllowUnregisteredDialects(context, true);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  if (mlirModuleIsNull(module) || !mlirOperationVerify(mlirModuleGetOperation(module)))
    return 1;
  mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);

  int64_t lower[] = {-2, 0}, upper[] = {6, 4};
  MlirType field = stencilFieldTypeGet(context, 2, lower, upper, mlirF32TypeGet(context));
  if (!stencilTypeIsAField(field) || stencilTypeGetRank(field) != 2)
    return 1;
  mlirTypePrint(field, print, stdout);
  printf("\n");
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}
