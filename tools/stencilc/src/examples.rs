//! Examples of command lines, which end the help of each command.

/// Of the program.
pub const EXAMPLES: &str = "\
Examples:
  stencilc compile heat3d.mlir
      heat3d.spk, the kernel package that stencil-run takes
  stencilc compile old.idsl --emit=ptx
      the PTX of a program in the language of STENCILGEN and ARTEMIS
  stencilc compile heat3d.mlir --target sm_80 --emit=ptx | less
      the PTX of the kernels
  stencilc run heat3d.mlir --arg steps=10 --verify
      ten steps on a GPU if there is one, else emulated; compared with the interpreter
  stencilc compare heat3d.mlir --plan points=4 --plan points=8
      registers, spills, occupancy and instructions of two plans beside each other
  stencilc tune heat3d.mlir
      measures plans on this machine's GPU, and remembers the fastest for --tuned
  stencilc viz heat3d.mlir --schedule -o heat3d.svg
      how many registers are live along the operations of the kernel
  stencilc accuracy heat3d.mlir
      how much reassociation may change results, and how much it does
  stencilc plans max_registers
      what a key of --plan means
  stencilc doctor
      whether there are an assembler, a driver, a GPU, and what is impossible without

'stencilc compile --help' and so on have the details.

Exit codes: 0 done, 1 the program or its arguments are wrong (or a verification failed), 2 the
surroundings are wrong (no file, no device, no tool), 70 an internal error.";

/// Of `stencilc compile`.
pub const COMPILE_EXAMPLES: &str = "\
Examples:
  stencilc compile heat3d.mlir
      writes heat3d.spk and prints a report
  stencilc compile heat3d.mlir -o build/
      the same as build/heat3d.spk
  stencilc compile heat3d.mlir --emit=ptx
      PTX on standard output, and nothing else
  stencilc compile heat3d.mlir --emit=stencil,gpu,ptx,package,report -o build/
      build/heat3d.stencil.mlir, .gpu.mlir, .ptx, .spk and .report.json
  stencilc compile heat3d.mlir --element-type=f32 --plan mapping=thread,points=8
      the same program in single precision, with eight points per thread and no sweep
  stencilc compile heat3d.mlir --plan max_registers=64,demote=fit
      as many values in shared memory as are predicted to be fastest; needs ptxas and nvdisasm
  stencilc compile heat3d.mlir --emit=gpu --print-pipeline
      the passes from the program to its kernels, for stencil-opt --pass-pipeline=...
  stencilc compile heat3d.gpu.mlir --emit=ptx
      PTX of kernels that --emit=gpu has written
  cat heat3d.mlir | stencilc compile - --target sm_80 --ptx-version 7.8 --emit=llvm
      the program from standard input, LLVM IR for an older GPU and driver
  stencilc compile heat3d.mlir --emit=header,launcher -o src/
      src/heat3d.h and src/heat3d.c, to be compiled into your program and linked with libstencil
  stencilc compile old.idsl --emit=ptx
      the kernels of a program written for STENCILGEN or ARTEMIS; its pragmas are read
  stencilc compile j3d7pt.idsl -D L=64,M=64,N=64 --size L=128,M=128,N=128 --size L=256
      functions for three sizes in j3d7pt.spk; stencil-run takes the one that fits the fields

What can be emitted, each made from the one before:
  stencil   bounds inferred, arithmetic frozen: what the interpreter runs   .stencil.mlir
  pipeline  which plane each level of a sweep computes when, drawn          .pipeline.txt
  gpu       kernels and the host program                                    .gpu.mlir
  nvvm      kernels in the LLVM and NVVM dialects                           .nvvm.mlir
  llvm      kernels in LLVM IR                                              .ll
  ptx       kernels in PTX                                                  .ptx
  cubin     machine code; needs ptxas                                       .cubin
  sass      machine code as text; needs ptxas and nvdisasm                  .sass
  package   host program, PTX, and a cubin if there is ptxas                .spk
  header    the functions of the launcher, for C and C++                    .h
  launcher  the package as bytes, and its functions in C over libstencil    .c
  fortran   a Fortran module over the launcher                              .f90
  c-host    the C or CUDA file, with calls of its regions' functions        .host.c
  report    grid, registers, spills, occupancy, bounds                      .report.json

Without -o one text goes to standard output, and anything else to files in the current folder. A
report that goes to a file is JSON.";

/// Of `stencilc run`.
pub const RUN_EXAMPLES: &str = "\
Examples:
  stencilc run j3d7pt.idsl -D L=64 -D M=64 -D N=64 --verify
      a STENCILGEN program at this size, on a GPU if there is one, else emulated; compared with the
      interpreter, bit for bit
  stencilc run j3d7pt.idsl -D L=64,M=64,N=64 --same-as j3d7pt.mlir
      two programs on the same random input, on the interpreter; the MLIR one is made to fit
  stencilc run heat3d.mlir --print-signature
      what the function takes: position, name, shape and type of each argument
  stencilc run heat3d.mlir --arg steps=10 --verify
      ten time steps: scalars are given by name or position
  stencilc run heat3d.mlir --on=interpreter --arg u=start.npy --arg 2=10 --out-dir results
      a run from a given start; results/u.npy, results/v.npy ... hold the fields after it
  stencilc run acoustic.mlir --symbol dt=0.5 --symbol time_m=0 --symbol time_M=300
      values for the symbols that a Devito program reads
  stencilc run heat3d.mlir --on=gpu --arg steps=100 --time --report=heat.json
      ten timed runs, and all numbers as JSON
  stencilc run heat3d.mlir --on=gpu --arg steps=10 --ptx=edited.ptx --verify
      the PTX of 'stencilc compile --emit=ptx' after changes by hand, compared with the interpreter
  stencilc run a.mlir --same-after='func.func(stencil-infer-bounds)' --seed=1
      a program before and after a pipeline, on the same random input, on the interpreter

Positions count all arguments; those of symbols come last. A field's file holds exactly
its extents, dimension 0 slowest (NumPy's default order), with the field's element type; bf16 is
stored as its bits in uint16. Fields that are not given are random, by seed; scalars must be
given.";

/// Of `stencilc accuracy`.
pub const ACCURACY_EXAMPLES: &str = "\
Examples:
  stencilc accuracy 2d25pt.mlir
      a million random points: the largest difference between the arithmetic of the text and what
      is computed, and a bound that is derived for each point
  stencilc accuracy hypterm.idsl --element-type=f32 --points=100000 --seed=7
      other points, in single precision
  stencilc accuracy test/kernels/2d*.mlir --format=table
      several programs, a line each
  stencilc accuracy acoustic.mlir --symbol dt=0.5
      with this number for a symbol, which is random like cells otherwise

Every stencil.apply is evaluated by itself, on random cells as 'stencilc run' makes them. The bound
covers the rounding of both forms, and weights that were multiplied out, added or divided; how it
is derived, and what it is for the benchmarks: passes/docs/accuracy.md. An error beyond its bound is
a bug of the compiler: it is shown, and the exit code is 1.";

/// Of `stencilc plans`.
pub const PLANS_EXAMPLES: &str = "\
Examples:
  stencilc plans
      all keys, with their values
  stencilc plans loads
      what loads means, its default, the mappings that take it, and the keys that it goes with
  stencilc compile heat3d.mlir --plan max_registers=128
      one key over what the compiler would choose; the report says the whole plan, and why
  stencilc compile heat3d.mlir --plan max_registers=128,stage0:steps=2
      keys for every kernel, and then those for one; reports say what kernels are called";
