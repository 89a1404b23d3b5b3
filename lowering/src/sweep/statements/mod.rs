//! Sweeps of several statements: how they are built from a time loop or a group of applies, and
//! what a block does with the planes of its tile.
//!
//! `pairs` makes the loops of ping-pong passes, `group` replaces applies, `build` makes one sweep.
//! `graph` has its levels and streams, step by step; `planes` builds one iteration of the loop over
//! planes, `maps` the operations at a point, `shape` the sizes.

pub mod build;
pub mod graph;
pub mod group;
mod legality;
mod maps;
pub mod pairs;
pub mod planes;
mod shape;
