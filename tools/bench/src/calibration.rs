//! What a multiprocessor does in how many cycles, measured by small kernels.
//!
//! A prediction of run times from machine code needs throughputs, latencies and sizes of caches of
//! the chip. They come about in three steps, each on the machine that can do it:
//!
//! 1. [`probes`] are kernels in PTX, each made for one number; [`assembler`] makes machine code of
//!    them beforehand, so that what runs is what was looked at: tests count the instructions in
//!    every loop.
//! 2. [`run`] runs them on a GPU, several times each, and writes [`raw`] samples: a line of JSON
//!    for each probe and size.
//! 3. [`derive`](mod@derive) makes [`coefficients`] of the samples, each with its relative error
//!    and the probe that it comes from, and refuses to guess one that has no samples.
//!
//! A number is the *difference* of two runs that differ in the number of iterations alone, over
//! the instructions that the longer one has more: what begins and ends a kernel is in neither.
//! Clocks are the multiprocessor's own, so that no number depends on the frequency.
//!
//! Not measured: contention between pipes, conflicts of banks of shared memory, the far part of
//! the second-level cache apart from the near one.

pub mod assembler;
pub mod coefficients;
pub mod derive;
pub mod machine_code;
pub mod names;
pub mod probes;
pub mod raw;
pub mod run;
