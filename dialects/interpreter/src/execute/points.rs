//! The points of an apply or of a level: the body is run once for each, on several threads.

use super::control::{Frame, Level, run_block};
use super::host::no_memory;
use crate::error::{Failure, SiteId};
use crate::grid::{Extent, GridBuilder, Point, RANK_MAX, Rings, Temp, point_text};
use crate::program::{Access, DynamicAccess, PointStep, Points};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::ops::Range;

/// Runs of the body per task.
const RUNS_PER_TASK: u64 = 1024;
/// Tasks between two progress reports; also bounds the memory of unsorted results.
const TASKS_PER_BATCH: u64 = 128;

/// A thread pool; none for one thread, or if no thread can be started.
pub(super) fn workers(threads: Option<usize>) -> Option<ThreadPool> {
    if threads == Some(1) {
        return None;
    }
    // Zero lets rayon take all cores.
    ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().ok()
}

/// The results of all points.
pub(super) struct Computed {
    /// One per output.
    pub temps: Vec<Temp>,
    /// Operations evaluated.
    pub operations: u64,
}

/// Computes all points. `scalars` are the values of the scalars that the body gets.
pub(super) fn run_points(
    points: &Points,
    inputs: &[Temp],
    scalars: &[u64],
    symbols: &[u64],
    pool: Option<&ThreadPool>,
    progress: &dyn Fn(u64),
) -> Result<Computed, Box<Failure>> {
    let mut grids = points
        .outputs
        .iter()
        .map(|output| GridBuilder::new(points.extent, output.element, output.has_gaps()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(no_memory(points.site))?;

    let space = RunSpace::of(points);
    let runs = space.runs.points().unwrap_or(0);
    let tasks: Vec<Range<u64>> = (0..runs)
        .step_by(RUNS_PER_TASK as usize)
        .map(|first| first..runs.min(first + RUNS_PER_TASK))
        .collect();
    let evaluate =
        |task: &Range<u64>| evaluate_task(points, &space, inputs, scalars, symbols, task.clone());

    let mut operations = 0;
    for batch in tasks.chunks(TASKS_PER_BATCH as usize) {
        let done: Vec<Result<TaskResult, Box<Failure>>> = match pool {
            Some(pool) => pool.install(|| batch.par_iter().map(evaluate).collect()),
            None => batch.iter().map(evaluate).collect(),
        };
        // In order of the points, so that the first error is deterministic.
        for (task, result) in batch.iter().zip(done) {
            let result = result?;
            operations += result.operations;
            place_values(points, &space, task.clone(), &result.values, &mut grids);
        }
        progress(operations);
    }
    Ok(Computed { temps: grids.into_iter().map(GridBuilder::finish).collect(), operations })
}

/// The runs of the body: with unroll, one run computes a small box of points.
struct RunSpace {
    /// One point per run.
    runs: Extent,
    /// Points from the first one of a run to each of its points.
    offsets: Vec<Point>,
    first: Point,
    unroll: Point,
}

impl RunSpace {
    fn of(points: &Points) -> Self {
        let sizes = points.extent.sizes();
        let unroll = points.unroll;
        let upper = std::array::from_fn(|d| (sizes[d] / unroll[d].unsigned_abs()) as i64);
        let runs = Extent { rank: points.extent.rank, lower: [0; RANK_MAX], upper };
        let one_run = Extent { rank: RANK_MAX, lower: [0; RANK_MAX], upper: unroll };
        Self { runs, offsets: one_run.iterate().collect(), first: points.extent.lower, unroll }
    }

    /// The first point of a run.
    fn anchor(&self, run: u64) -> Point {
        let number = self.runs.point(run);
        std::array::from_fn(|d| self.first[d] + number[d] * self.unroll[d])
    }
}

/// What one task computed: per run, per output, per unrolled point a value, or none.
struct TaskResult {
    values: Vec<Option<u64>>,
    operations: u64,
}

fn evaluate_task(
    points: &Points,
    space: &RunSpace,
    inputs: &[Temp],
    scalars: &[u64],
    symbols: &[u64],
    task: Range<u64>,
) -> Result<TaskResult, Box<Failure>> {
    let mut frame = Frame::new(&points.frame, symbols, 0);
    for (&slot, &bits) in points.scalars.iter().zip(scalars) {
        frame.set(slot, bits);
    }
    let rank = points.extent.rank;
    let (point, origin) = ([0; RANK_MAX], [0; RANK_MAX]);
    let rings = points.rings;
    let mut level = PointLevel { inputs, rank, rings, point, origin, operations: 0 };
    let mut values = Vec::new();
    for run in task {
        level.point = space.anchor(run);
        level.origin = level.point;
        run_block(&points.body, &mut frame, &mut level)?;
        for returned in points.outputs.iter().flat_map(|output| &output.values) {
            let present = returned.present.is_none_or(|slot| frame.get(slot) != 0);
            values.push(present.then(|| frame.get(returned.value)));
        }
    }
    Ok(TaskResult { values, operations: level.operations })
}

/// Puts the values of a task into the grids of the outputs.
fn place_values(
    points: &Points,
    space: &RunSpace,
    task: Range<u64>,
    values: &[Option<u64>],
    grids: &mut [GridBuilder],
) {
    let mut values = values.iter();
    for run in task {
        let anchor = space.anchor(run);
        for (output, grid) in points.outputs.iter().zip(&mut *grids) {
            for (offset, value) in space.offsets[..output.values.len()].iter().zip(&mut values) {
                if let Some(bits) = value {
                    grid.set(std::array::from_fn(|d| anchor[d] + offset[d]), *bits);
                }
            }
        }
    }
}

/// One point at a time.
pub(super) struct PointLevel<'a> {
    pub inputs: &'a [Temp],
    /// Dimensions of the point.
    pub rank: usize,
    pub rings: Rings,
    pub point: Point,
    /// The point that offsets of reads are counted from.
    pub origin: Point,
    pub operations: u64,
}

impl PointLevel<'_> {
    fn access(&self, access: &Access) -> Result<u64, Box<Failure>> {
        let along = |d: usize| {
            let followed = access.mapping[d];
            let coordinate = self.origin[followed].checked_add(access.offset[d]);
            let coordinate = coordinate.unwrap_or(i64::MAX); // Never inside: ends are exclusive.
            self.rings[followed].map_or(coordinate, |ring| ring.inside(coordinate))
        };
        let cell = std::array::from_fn(|d| if d < access.rank { along(d) } else { 0 });
        self.read(access.input, cell, access.site)
    }

    fn dynamic_access(&self, access: &DynamicAccess, frame: &Frame) -> Result<u64, Box<Failure>> {
        let mut cell = [0; RANK_MAX];
        for (d, coordinate) in cell.iter_mut().enumerate().take(access.rank) {
            *coordinate = frame.get(access.coordinates[d]) as i64;
            let origin = if access.absolute { 0 } else { self.origin[d] };
            let lowest = origin.saturating_add(access.lower[d]);
            let highest = origin.saturating_add(access.upper[d]);
            if !(lowest..=highest).contains(coordinate) {
                let message = format!(
                    "reads coordinate {} in dimension {d} at point {}, outside its {}extent of \
                     {} to {}",
                    coordinate,
                    point_text(self.point, self.rank),
                    if access.absolute { "absolute " } else { "" },
                    access.lower[d],
                    access.upper[d]
                );
                return Err(Failure::new(access.site, message));
            }
        }
        self.read(access.input, cell, access.site)
    }

    #[inline]
    fn read(&self, input: usize, cell: Point, site: SiteId) -> Result<u64, Box<Failure>> {
        let temp = &self.inputs[input];
        if !temp.extent.contains(cell) {
            let message = format!(
                "reads {}, outside of bounds {}",
                point_text(cell, temp.extent.rank),
                temp.extent.text()
            );
            return Err(Failure::new(site, message));
        }
        temp.read(cell).ok_or_else(|| {
            let cell = point_text(cell, temp.extent.rank);
            Failure::new(site, format!("reads {cell}, which has no value"))
        })
    }
}

impl Level for PointLevel<'_> {
    type Leaf = PointStep;

    #[inline]
    fn run_leaf(&mut self, leaf: &PointStep, frame: &mut Frame) -> Result<(), Box<Failure>> {
        self.operations += 1;
        let (result, bits) = match leaf {
            PointStep::Access(access) => (access.result, self.access(access)?),
            PointStep::DynamicAccess(access) => {
                (access.result, self.dynamic_access(access, frame)?)
            }
            &PointStep::Index { dimension, offset, result } => {
                (result, self.point[dimension].wrapping_add(offset) as u64)
            }
        };
        frame.set(result, bits);
        Ok(())
    }

    #[inline]
    fn count_operation(&mut self) {
        self.operations += 1;
    }
}
