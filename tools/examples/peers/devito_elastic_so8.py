"""Elastic waves, eighth order, on a staggered grid, in Devito."""

from devito import (Eq, Function, Grid, Operator, TensorTimeFunction, VectorTimeFunction, diag,
                    div, grad)


def elastic(vx, vy, vz, txx, tyy, tzz, txy, txz, tyz, buoyancy, first, second, steps):
    shape = [n - 8 for n in vx.shape]
    grid = Grid(shape, extent=[n - 1 for n in shape], dtype=vx.dtype.type)
    v = VectorTimeFunction(name="v", grid=grid, space_order=(8, 4, 4))
    tau = TensorTimeFunction(name="t", grid=grid, space_order=(8, 4, 4))
    b, lam, mu = (Function(name=name, grid=grid, space_order=(8, 4, 4)) for name in ("b", "l", "m"))
    pairs = list(zip((v[2], v[1], v[0], tau[2, 2], tau[1, 1], tau[0, 0], tau[1, 2], tau[0, 2],
                      tau[0, 1]), (vx, vy, vz, txx, tyy, tzz, txy, txz, tyz)))
    for function, array in pairs:
        function.data_with_halo[:] = array
    for function, array in ((b, buoyancy), (lam, first), (mu, second)):
        function.data_with_halo[:] = array
    strain = grad(v.forward) + grad(v.forward).transpose(inner=False)
    Operator([Eq(v.forward, v + b * div(tau)),
              Eq(tau.forward, tau + lam * diag(div(v.forward)) + mu * strain)])(time_M=steps - 1)
    for function, array in pairs:
        array[...] = function.data_with_halo[steps % 2]
