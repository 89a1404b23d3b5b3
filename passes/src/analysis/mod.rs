//! Facts from IR. Nothing in here changes it.

pub mod alias;
pub mod arrival;
pub mod block_order;
pub mod comparison;
pub mod domain;
pub mod fission;
pub mod footprint;
pub mod fusion;
pub mod fusion_graph;
pub mod ghost_cells;
pub mod lower_bound;
pub mod margins;
pub mod overwrites;
pub mod placement;
pub mod point_code;
pub mod resizing;
pub mod run_time_extents;
pub mod stages;
pub mod statement;
pub mod statements;
pub mod step_limits;
pub mod sweep;
pub mod time_loop;
pub mod value_order;
