//! The race detector: finds accesses of a launch that are not ordered by happens-before.
//!
//! The relation is that of the threads that ran, independent of the order in which the scheduler
//! ran them: `clocks` compares events, `shadow` keeps for each memory cell the accesses that a
//! later one can conflict with, `detector` combines the two for a block and a launch.
//!
//! Method: epochs and vector clocks [Flanagan, Freund, "FastTrack: Efficient and Precise Dynamic
//! Race Detection", PLDI 2009], with the common part of a block's clocks stored once instead of per
//! thread.

mod clocks;
pub(crate) mod detector;
pub(crate) mod report;
pub(crate) mod shadow;
