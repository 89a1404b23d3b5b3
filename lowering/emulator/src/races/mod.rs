//! The race detector: which accesses of a launch nothing orders.
//!
//! It works on the happens-before relation of the threads that ran, not on the order in which the
//! scheduler happened to run them: `clocks` knows which of two moments comes first, `shadow` keeps
//! for each piece of memory the accesses that a later one can conflict with, `detector` brings the
//! two together for a block and a launch.
//!
//! Method: epochs and vector clocks [Flanagan, Freund, "FastTrack: Efficient and Precise Dynamic
//! Race Detection", PLDI 2009], with what a whole block knows kept once instead of per thread.

mod clocks;
pub(crate) mod detector;
pub(crate) mod report;
pub(crate) mod shadow;
