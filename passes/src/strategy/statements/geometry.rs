//! How a plan of several statements cuts the domain into tiles and chunks.

use super::{super::sweep, SweepOf};
use crate::analysis::{run_time_extents::RunTimeExtents, statements::Source};
use melior::ir::ValueLike;
use stencil_dialects::{StencilType, types};
use stencil_model::{
    machine::Machine,
    plan::{PlanKeys, ReadMode},
    sweep::{
        Reach,
        launch::Launch,
        of_rank,
        pipeline::{Exchange, Graph, Pipeline},
        tiling::{Aligned, Around, Cut, Tiling},
    },
};

/// How a plan cuts the domain, and what is kept of each level.
pub(super) struct Geometry {
    pub graph: Graph,
    pub pipeline: Pipeline,
    pub tiling: Tiling,
    /// Boundary values of all fields around the tile of a plane.
    pub boundary_values: i64,
    /// Whether it is of a single statement.
    is_single: bool,
    /// Iterations that boundary values are copied ahead.
    pub ahead: i64,
}

impl Geometry {
    /// Sets the chunks of a plan.
    pub fn set_chunks(&self, plan: &mut PlanKeys, (inside, edges): (i64, i64)) {
        let number = |chunks: i64| u32::try_from(chunks).unwrap_or(1);
        if self.tiling.rank > 1 {
            plan.chunks = number(inside);
            plan.edge_chunks = (edges != inside).then(|| number(edges));
        }
    }

    /// Shared memory of a block: rows that threads exchange, and an upper bound of boundary values.
    pub fn shared_bytes(&self, found: &SweepOf) -> i64 {
        let tiling = &self.tiling;
        let row = tiling.warps * tiling.lanes * tiling.columns;
        let exchanged = self
            .pipeline
            .buffers()
            .map(|rows| rows.stored.len() as i64 * row * rows.copies)
            .sum::<i64>();
        let planes = self.pipeline.oldest_boundary(&self.graph) + 1 + self.ahead;
        let bytes = types::element_bytes(found.stages.element()).map_or(1, i64::from);
        let copied = self.pipeline.elements_of_halos(tiling, bytes);
        bytes * (exchanged + copied + planes * self.boundary_values)
    }

    /// The launch of one sweep.
    pub fn launch(&self, plan: &PlanKeys, target: &Machine) -> Launch {
        let blocks = target.product.sheet.multiprocessors * sweep::resident(plan, target);
        Launch::of(&self.tiling, self.is_single, blocks)
    }
}

impl SweepOf<'_, '_> {
    /// Tiles and pipeline of a plan; none where it cannot tile the domain.
    pub(super) fn geometry(&self, plan: &PlanKeys) -> Option<Geometry> {
        let sweep = plan.plan().ok()?.into_sweep()?;
        let stages = &self.stages;
        let graph = stages.graph(plan.steps as usize, plan.reads == ReadMode::Queue);
        let domain = stages.domain();
        let rank = domain.rank();
        let exchange = Exchange::of(&sweep, rank);
        let pipeline = Pipeline::of(&graph, exchange);
        let margins = of_rank(pipeline.margins(&graph), rank);
        let mut reached = Pipeline::reaches(&graph, exchange);
        if sweep.loads.copied_ahead().is_none() {
            for (reach, of_domains) in reached.iter_mut().zip(self.reaches_of_domains) {
                *reach = reach.union(of_domains);
            }
        }
        let reaches = of_rank(reached, rank);
        let queues = plan.reads == ReadMode::Queue;
        let aligned = self.aligned(i64::from(sweep.points_along(rank - 1)), queues)?;
        let cut = Cut { lower: &domain.lower, upper: &domain.upper, reaches: &reaches, aligned };
        let around = Around { margins: &margins, steps: plan.steps, periodic: &stages.periodic };
        let tiling = Tiling::around(&sweep, &cut, around).ok()?;
        let boundary_values = self.boundary_values(&tiling, reached);
        let ahead = sweep.loads.copied_ahead().unwrap_or(1);
        let is_single = self.is_kernel;
        Some(Geometry { graph, pipeline, tiling, boundary_values, is_single, ahead })
    }

    /// Boundary values of all fields around the tile of a plane.
    fn boundary_values(&self, tiling: &Tiling, reached: [Reach; 3]) -> i64 {
        let homes = self.stages.histories.iter().filter(|it| self.stages.is_bounded(it));
        let homes = homes.map(|history| history.homes.len() as i64).sum::<i64>();
        let [_, rows, columns] = reached.map(|reach| i64::from(reach.behind.max(reach.ahead)));
        2 * homes * (rows * tiling.column.cells + columns * tiling.row.cells)
    }

    /// Alignment of the rows of the fields that streams live in.
    fn aligned(&self, columns: i64, queues: bool) -> Option<Aligned> {
        let stages = &self.stages;
        let inputs = stages.stages.iter().flat_map(|stage| &stage.inputs);
        let streamed = inputs.filter_map(|source| match *source {
            Source::Field(field) if queues && stages.is_streamed(field) => Some(field),
            _ => None,
        });
        let homes = stages.histories.iter().flat_map(|history| history.homes.iter().copied());
        let rows = homes.chain(streamed).map(|field| {
            let bounds = StencilType::of(field.r#type())?.bounds?;
            Some((*bounds.lower.last()?, *bounds.upper.last()?))
        });
        let bytes = types::element_bytes(stages.element()).map_or(1, i64::from);
        let rows = rows.collect::<Option<Vec<_>>>()?;
        let rank = stages.domain().rank();
        let extents = RunTimeExtents::around(stages.operation);
        Some(RunTimeExtents::aligned(extents.as_ref(), rank, &rows, (columns, bytes)))
    }
}
