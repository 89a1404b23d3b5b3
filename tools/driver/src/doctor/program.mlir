// One time step of heat conduction: what `stencilc doctor` compiles.
func.func @heat(%in: !stencil.field<[-1,65]x[-1,65]xf64>, %out: !stencil.field<[-1,65]x[-1,65]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,65]x[-1,65]xf64> -> !stencil.temp<?x?xf64>
  %r = stencil.apply(%u = %t : !stencil.temp<?x?xf64>) -> (!stencil.temp<?x?xf64>) {
    %n = stencil.access %u[-1, 0] : !stencil.temp<?x?xf64>
    %s = stencil.access %u[1, 0] : !stencil.temp<?x?xf64>
    %w = stencil.access %u[0, -1] : !stencil.temp<?x?xf64>
    %e = stencil.access %u[0, 1] : !stencil.temp<?x?xf64>
    %quarter = arith.constant 0.25 : f64
    %a = arith.addf %n, %s : f64
    %b = arith.addf %w, %e : f64
    %c = arith.addf %a, %b : f64
    %d = arith.mulf %c, %quarter : f64
    stencil.return %d : f64
  }
  stencil.store %r to %out(<[0, 0], [64, 64]>) : !stencil.temp<?x?xf64> to !stencil.field<[-1,65]x[-1,65]xf64>
  return
}
