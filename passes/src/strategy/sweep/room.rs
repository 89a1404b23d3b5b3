//! What a loop leaves to sweeps of its only statement, and how rows lie.

use crate::{
    analysis::{run_time_extents::RunTimeExtents, statement::Statement, time_loop::TimeLoop},
    transforms::iterations::fused_in_one_go,
};
use melior::ir::{Value, ValueLike};
use stencil_dialects::{StencilType, ops::ApplyOp, types};
use stencil_model::plan::PlanKeys;

/// Why a loop has no room for sweeps.
pub const TOO_FEW_STEPS: &str =
    "its loop makes too few steps for a pair of sweeps of two steps each";

/// What a loop leaves to sweeps of its only statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Iterations, if their number is known.
    pub count: Option<i64>,
    /// Those of them that stay single steps.
    pub unfused: i64,
    /// The most steps of a pair of sweeps.
    pub steps: u32,
}

impl Room {
    /// The room in the loop of a statement that alternates two fields.
    pub fn of(statement: &Statement) -> Result<Room, String> {
        let time_loop = TimeLoop::of(statement).map_err(|unfit| format!("it {}", unfit.what))?;
        if time_loop.levels != 1 || time_loop.rotation() != 2 {
            return Err("its loop does not alternate two fields".to_owned());
        }
        let last = i64::from(time_loop.shows_old_levels);
        let (count, unfused) = fused_in_one_go(time_loop.operation, last);
        let steps = count.map_or(u32::MAX, |count| ((count - unfused) / 2).max(0) as u32);
        Ok(Room { count, unfused, steps })
    }
}

/// Rows of the fields.
#[derive(Clone)]
pub struct Rows {
    /// First coordinate and end of a row of each field.
    pub bounds: Vec<(i64, i64)>,
    pub element_bytes: i64,
    /// The extents, where they are given at run time.
    extents: Option<RunTimeExtents>,
}

impl Rows {
    /// Those of the statement of an apply; none where a field has no bounds.
    pub fn of(apply: ApplyOp, statement: &Statement) -> Option<Rows> {
        let fields = statement.inputs.iter().map(|input| input.field).chain([statement.output]);
        let row = |field: Value| {
            let bounds = StencilType::of(field.r#type())?.bounds?;
            Some((*bounds.lower.last()?, *bounds.upper.last()?))
        };
        let element = StencilType::of(statement.output.r#type())?.element;
        let element_bytes = types::element_bytes(element).map(i64::from)?;
        let bounds = fields.map(row).collect::<Option<Vec<_>>>()?;
        let extents = RunTimeExtents::around(apply.operation());
        Some(Rows { bounds, element_bytes, extents })
    }

    /// Whether they are loaded by asynchronous copies, which need at least 4 bytes.
    pub fn are_copied(&self, plan: &PlanKeys) -> bool {
        let columns = plan.points.last().map_or(1, |points| i64::from(*points));
        let (rank, bytes) = (plan.points.len(), self.element_bytes);
        let extents = self.extents.as_ref();
        RunTimeExtents::aligned(extents, rank, &self.bounds, (columns, bytes)).is_copied(bytes)
    }
}
