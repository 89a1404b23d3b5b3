// An op of another dialect that takes our types.
include "Stencil/StencilOps.td"

def User_Dialect : Dialect {
  let name = "user";
  let cppNamespace = "::user";
}

def User_SumOp : Op<User_Dialect, "sum"> {
  let arguments = (ins Stencil_TempType:$values);
  let results = (outs AnyFloat:$sum);
}
