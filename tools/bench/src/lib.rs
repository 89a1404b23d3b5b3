//! Measurements of packages on a GPU, and what is made of them.
//!
//! Two sides share this crate. The *building* side (`bench`, a crate of its own, which needs LLVM)
//! compiles kernels x types x plans into a folder of packages with an [`index`]. The *running* side
//! (`bench-run`, here, which needs the CUDA driver and nothing else) measures every package of such
//! a folder. In the order in which a number comes about:
//!
//! 1. [`kernels`] says what is measured: sizes, steps, the paper's FLOPs; [`family`] and
//!    [`generated`] add programs that are generated; [`steps`] how many steps kernels run that make
//!    several at once; [`index`] lists packages.
//! 2. [`run`] verifies and times them, by the protocol that is written at its head; [`nvcc`] does
//!    the same with CUDA written by hand.
//! 3. [`record`] is one measurement, one line of JSON; [`check`] believes none of its rates,
//!    [`compare`](mod@compare) holds two files of them against each other with [`statistics`].
//! 4. [`table`], [`plot`] and [`papers`] show them beside the [`peers`] and the [`targets`],
//!    [`shares`] beside the ceilings of the chip, [`sizes`] packages for every size beside those
//!    for one, [`defaults`] default plans beside the fastest that are known; [`devices`] holds runs
//!    on several devices against those on one; [`spills`] needs no measurement.
//!
//! There is no LLVM here, and no number of a machine: those are `stencil-model`'s.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bare;
pub mod calibration;
pub mod check;
pub mod compare;
pub mod defaults;
pub mod devices;
pub mod family;
pub mod generated;
pub mod index;
pub mod kernels;
pub mod layout;
pub mod lines;
pub mod nvcc;
pub mod papers;
pub mod peers;
pub mod plot;

pub mod record;
pub mod results;
pub mod run;
pub mod shares;
pub mod sizes;
pub mod spills;
pub mod statistics;
pub mod steps;
pub mod table;
pub mod targets;
