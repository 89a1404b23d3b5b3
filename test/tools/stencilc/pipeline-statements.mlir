// Sweeps over several statements are drawn as one iteration, and what is kept of each stream.
//
// Six staggered fields, each with a domain of its own, are exchanged along two dimensions.
// RUN: stencilc compile %S/../../kernels/maxwell3d.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2 | %golden %s.maxwell3d.golden
//
// Two unknowns on a periodic grid, whose readers wait an iteration and so need one fence.
// RUN: stencilc compile %S/../../kernels/gray-scott3d.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2,skew=lazy,loads=prefetch \
// RUN:   | %golden %s.gray-scott3d.golden
//
// What only statements of the same step read, and a field that nothing changes.
// RUN: stencilc compile %S/../../kernels/denoise.mlir --extents 64,64,64 --emit=pipeline \
// RUN:   --plan mapping=block,steps=2,rotation=unroll | %golden %s.denoise.golden
