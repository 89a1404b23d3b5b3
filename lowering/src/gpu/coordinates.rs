//! The points of a thread and their addresses.
//!
//! Coordinates count *groups* of points from the corner where the first block starts: the apply's
//! lower corner, or, by the plan's `alignment_offset`, some groups before it along the fastest
//! dimension, which aligns warps with cache lines. A group is what one run of the body computes
//! (one point, or the unroll of `stencil.return`). A thread's coordinate along a dimension is a
//! value that it computes once, plus a constant for each of its points.

use super::signature::Grid;
use crate::builders;
use melior::ir::{Type, Value, r#type::IntegerType};
use std::collections::BTreeMap;
use stencil_dialects::{
    Bounds,
    build::{Compare, Inserter},
    ods::{arith, gpu},
};
use stencil_faults::{Fault, off_by_one, planted};
use stencil_model::plan::ThreadPlan;

/// The domain of a kernel and how the plan spreads it over threads.
pub struct Domain {
    /// The points that the apply computes.
    pub bounds: Bounds,
    /// Points of a group along each dimension.
    pub unroll: Vec<i64>,
    /// The point with coordinate zero.
    pub origin: Vec<i64>,
    /// One past the last group along each dimension.
    groups: Vec<i64>,
    /// Coordinates of the first group along the fastest dimension.
    alignment_offset: i64,
    /// Threads of a block along each dimension.
    threads: Vec<i64>,
    /// Groups of a thread along each dimension.
    points: Vec<i64>,
    /// Groups of a thread that are neighbours along the fastest dimension.
    vector: i64,
    /// Steps of a block along the slowest dimension.
    block_steps: i64,
    /// How many steps ahead a block prefetches.
    prefetch: i64,
}

impl Domain {
    /// The domain of an apply with these bounds and unroll under a plan.
    pub fn new(bounds: Bounds, unroll: Vec<i64>, plan: &ThreadPlan) -> Self {
        let extents = bounds.extents();
        let groups = extents.iter().zip(&unroll).map(|(extent, points)| extent / points);
        let mut groups = groups.collect::<Vec<_>>();
        let mut origin = bounds.lower.clone();
        let alignment_offset = i64::from(plan.alignment_offset.unwrap_or(0));
        if let (Some(groups), Some(origin), Some(unroll)) =
            (groups.last_mut(), origin.last_mut(), unroll.last())
        {
            *groups += alignment_offset;
            *origin -= if planted(Fault::LeadIgnored) { 0 } else { alignment_offset * unroll };
        }
        let threads = plan.threads.iter().map(|threads| i64::from(*threads)).collect::<Vec<_>>();
        let points = (0..threads.len()).map(|d| i64::from(plan.points_along(d))).collect();
        let vector = i64::from(plan.vector);
        let block_steps = i64::from(plan.block_steps());
        let prefetch = i64::from(plan.prefetch());
        Self {
            bounds,
            unroll,
            origin,
            groups,
            alignment_offset,
            threads,
            points,
            vector,
            block_steps,
            prefetch,
        }
    }

    /// Dimensions.
    pub fn rank(&self) -> usize {
        self.groups.len()
    }

    /// Grid and block of the launch, x first.
    pub fn grid(&self) -> Grid {
        let (mut blocks, mut threads) = ([1_u32; 3], [1_u32; 3]);
        for d in 0..self.rank() {
            let axis = self.rank() - 1 - d;
            blocks[axis] = self.blocks_along(d) as u32;
            threads[axis] = self.threads[d] as u32;
        }
        Grid { blocks, threads }
    }

    fn blocks_along(&self, d: usize) -> i64 {
        let tile = self.tile(d) * self.steps(d);
        (self.groups[d] + tile - 1) / tile
    }

    /// Groups that a block computes in one step along a dimension.
    fn tile(&self, d: usize) -> i64 {
        self.threads[d] * self.points[d]
    }

    /// Steps of a block along a dimension.
    fn steps(&self, d: usize) -> i64 {
        if d == 0 { self.block_steps } else { 1 }
    }

    /// Steps of a block, and how many groups it goes along the slowest dimension in each.
    pub fn block_steps(&self) -> (i64, i64) {
        (self.block_steps, self.tile(0))
    }

    /// Groups before the domain along a dimension.
    fn lead_along(&self, d: usize) -> i64 {
        if d + 1 == self.rank() { self.alignment_offset } else { 0 }
    }

    /// Whether tiles cover the dimension exactly, without idle groups before or after it.
    fn is_exact(&self, d: usize) -> bool {
        self.lead_along(d) == 0 && self.groups[d] % (self.tile(d) * self.steps(d)) == 0
    }

    /// Whether every coordinate and every address that a thread computes fits in 31 bits, also for
    /// threads outside the domain, which compute addresses and do not use them.
    pub fn fits_32_bits(&self, growths: &[Growth]) -> bool {
        let most = (0..self.rank())
            .map(|d| self.blocks_along(d) * self.tile(d) * self.steps(d))
            .collect::<Vec<_>>();
        let fits = |number: i128| number < i128::from(i32::MAX);
        let coordinates = most.iter().all(|coordinate| fits(i128::from(*coordinate)));
        let addresses = growths.iter().all(|growth| {
            let parts = growth.iter().zip(&most);
            fits(parts.map(|(step, most)| i128::from(*step) * i128::from(*most)).sum())
        });
        coordinates && addresses
    }

    /// How many steps ahead a block prefetches, if it does.
    pub fn prefetch(&self) -> Option<i64> {
        (self.prefetch > 0).then_some(self.prefetch)
    }

    /// Groups that a block computes in one step along each dimension.
    pub fn tiles(&self) -> Vec<i64> {
        (0..self.rank()).map(|d| self.tile(d)).collect()
    }

    /// Offsets of those of a thread's groups that are the first of their vector.
    pub fn rows(&self) -> Vec<Vec<i64>> {
        let vector = self.vector;
        let mut shifts = self.shifts();
        shifts.retain(|shift| shift.last().is_none_or(|x| x % vector == 0));
        shifts
    }

    /// Groups of a thread along a dimension, as counts and strides, the largest stride first. Along
    /// the fastest dimension as many are neighbours as one memory access takes; the others are a
    /// block apart, so that the lanes of a warp stay adjacent.
    pub fn along(&self, d: usize) -> [(i64, i64); 2] {
        match d + 1 == self.rank() {
            true => {
                let apart = self.points[d] / self.vector;
                [(apart, self.threads[d] * self.vector), (self.vector, 1)]
            }
            false => [(1, 0), (self.points[d], 1)],
        }
    }

    /// Distances of a thread's groups from its first along a dimension, in the order of memory.
    fn distances(&self, d: usize) -> impl Iterator<Item = i64> {
        let [(apart, step), (together, next)] = self.along(d);
        (0..apart).flat_map(move |far| (0..together).map(move |near| far * step + near * next))
    }

    /// Offsets of a thread's groups from its first, in the order of memory.
    pub fn shifts(&self) -> Vec<Vec<i64>> {
        let mut shifts = vec![Vec::new()];
        for d in 0..self.rank() {
            let along = self.distances(d).collect::<Vec<_>>();
            shifts = shifts
                .into_iter()
                .flat_map(|shift| {
                    along.iter().map(move |offset| {
                        let mut longer = shift.clone();
                        longer.push(*offset);
                        longer
                    })
                })
                .collect();
        }
        shifts
    }

    /// Dimensions along which a thread has several groups and the last ones may lie outside.
    pub fn ragged(&self) -> Vec<usize> {
        (0..self.rank()).filter(|d| self.points[*d] > 1 && !self.is_exact(*d)).collect()
    }

    /// The coordinate of a thread's first group along each dimension.
    pub fn first<'c: 'a, 'a>(&self, at: Inserter<'c, 'a>, narrow: bool) -> Vec<Value<'c, 'a>> {
        (0..self.rank())
            .map(|d| {
                let block =
                    (self.blocks_along(d) > 1).then(|| self.id(at, gpu::BLOCK_ID, d, narrow));
                let thread = (self.threads[d] > 1).then(|| self.id(at, gpu::THREAD_ID, d, narrow));
                let block_step = self.tile(d) * self.steps(d);
                let thread_step = if d + 1 == self.rank() { self.vector } else { self.points[d] };
                let parts = [(block, block_step), (thread, thread_step)];
                let parts = parts.into_iter().filter_map(|(id, step)| Some((id?, step)));
                sum(at, coordinate_type(at, narrow), parts)
            })
            .collect()
    }

    fn id<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        operation: &str,
        d: usize,
        narrow: bool,
    ) -> Value<'c, 'a> {
        let axis = ["x", "y", "z"][self.rank() - 1 - d];
        builders::id(at, coordinate_type(at, narrow), operation, axis)
    }

    /// The condition that the first group lies inside the domain; none if it always does.
    pub fn first_inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
    ) -> Option<Value<'c, 'a>> {
        let open = (0..self.rank()).filter(|d| !self.is_exact(*d) && self.points[*d] == 1);
        self.inside(at, first, open.map(|d| (d, 0)).collect())
    }

    /// The condition that all groups of the thread lie inside along ragged dimensions.
    pub fn all_inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
    ) -> Option<Value<'c, 'a>> {
        let last = |d: usize| match planted(Fault::RaggedTile) {
            true => 0,
            false => self.distances(d).last().unwrap_or(0),
        };
        self.inside(at, first, self.ragged().into_iter().map(|d| (d, last(d))).collect())
    }

    /// The condition that `first + offset` lies in the domain along the given dimensions.
    pub fn inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
        dimensions: Vec<(usize, i64)>,
    ) -> Option<Value<'c, 'a>> {
        let conditions = dimensions.into_iter().map(|(d, offset)| {
            let r#type = melior::ir::ValueLike::r#type(&first[d]);
            let (offset, limit) =
                (self.lead_along(d), off_by_one(Fault::TileEdge, self.groups[d]) - offset);
            match offset {
                0 => at.compare(Compare::Less, first[d], at.integer(r#type, limit)),
                // In an unsigned comparison, coordinates before the domain are above the limit.
                offset => {
                    let from_domain = arith::subi(at, first[d], at.integer(r#type, offset));
                    let limit = at.integer(r#type, (limit - offset).max(0));
                    at.compare(Compare::UnsignedLess, from_domain, limit)
                }
            }
        });
        all(at, conditions.collect())
    }
}

/// The conjunction of conditions; none if there are none.
pub fn all<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    conditions: Vec<Value<'c, 'a>>,
) -> Option<Value<'c, 'a>> {
    conditions.into_iter().reduce(|one, two| arith::andi(at, one, two))
}

/// The points of a group in the order in which `stencil.return` lists them: the last dimension runs
/// fastest.
pub fn points_of(unroll: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for along in unroll {
        points = points
            .into_iter()
            .flat_map(|point: Vec<i64>| {
                (0..*along).map(move |offset| {
                    let mut longer = point.clone();
                    longer.push(offset);
                    longer
                })
            })
            .collect();
    }
    points
}

/// The type of coordinates: 32 bits where everything fits, else index.
fn coordinate_type<'c: 'a, 'a>(at: Inserter<'c, 'a>, narrow: bool) -> Type<'c> {
    match narrow {
        true => IntegerType::new(at.context(), 32).into(),
        false => Type::index(at.context()),
    }
}

/// The sum of values times constants.
fn sum<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    r#type: Type<'c>,
    parts: impl Iterator<Item = (Value<'c, 'a>, i64)>,
) -> Value<'c, 'a> {
    let parts = parts.filter(|(_, factor)| *factor != 0);
    let products = parts.map(|(value, factor)| builders::times(at, value, factor));
    let products = products.collect::<Vec<_>>();
    let total = products.into_iter().reduce(|one, two| arith::addi(at, one, two));
    total.unwrap_or_else(|| at.integer(r#type, 0))
}

/// Strides of a buffer along the domain's dimensions: elements from one group to the next.
pub type Growth = Vec<i64>;

/// The coordinates of one group, and the part of every address that depends on them.
pub struct Frame<'c, 'a> {
    /// Coordinates as values, per dimension.
    pub coordinates: Vec<Value<'c, 'a>>,
    addresses: BTreeMap<Growth, Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Frame<'c, 'a> {
    /// A frame with an address for each of these growths, computed here so that every nested region
    /// may use them.
    pub fn new(
        at: Inserter<'c, 'a>,
        coordinates: Vec<Value<'c, 'a>>,
        growths: &[Growth],
        narrow: bool,
    ) -> Self {
        let mut addresses = BTreeMap::new();
        for growth in growths {
            addresses.entry(growth.clone()).or_insert_with(|| {
                let parts = coordinates.iter().copied().zip(growth.iter().copied());
                builders::index(at, sum(at, coordinate_type(at, narrow), parts))
            });
        }
        Self { coordinates, addresses }
    }

    /// The address of the cell at a constant distance from the coordinates.
    ///
    /// # Panics
    /// If the frame was made without this growth.
    pub fn address(&self, at: Inserter<'c, 'a>, growth: &Growth, distance: i64) -> Value<'c, 'a> {
        let address = *self.addresses.get(growth).expect("the frame was made for all accesses");
        builders::plus(at, address, distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_model::plan::PlanKeys;

    fn plan(keys: PlanKeys) -> ThreadPlan {
        keys.plan().unwrap().into_thread().unwrap()
    }

    fn domain(extents: &[i64], threads: &[u32], points: &[u32]) -> Domain {
        let bounds = Bounds::new(vec![0; extents.len()], extents.to_vec());
        let plan = plan(PlanKeys {
            threads: threads.to_vec(),
            points: points.to_vec(),
            ..PlanKeys::default()
        });
        Domain::new(bounds, vec![1; extents.len()], &plan)
    }

    #[test]
    fn lanes_lie_along_x() {
        let grid = domain(&[64, 100], &[4, 32], &[4, 1]).grid();
        assert_eq!(grid.blocks, [4, 4, 1]);
        assert_eq!(grid.threads, [32, 4, 1]);
    }

    #[test]
    fn points_follow_one_another_but_along_x() {
        let shifts = domain(&[64, 128], &[4, 32], &[2, 2]).shifts();
        assert_eq!(shifts, [[0, 0], [0, 32], [1, 0], [1, 32]]);
    }

    #[test]
    fn neighbours_move_together() {
        let plan = plan(PlanKeys {
            threads: vec![4, 32],
            points: vec![1, 4],
            vector: 2,
            ..PlanKeys::default()
        });
        let domain = Domain::new(Bounds::new(vec![0, 0], vec![64, 256]), vec![1, 1], &plan);
        assert_eq!(domain.shifts(), [[0, 0], [0, 1], [0, 64], [0, 65]]);
        assert_eq!(domain.along(1), [(2, 64), (2, 1)]);
    }

    #[test]
    fn an_offset_moves_the_origin_and_leaves_a_rest_before() {
        let plan = plan(PlanKeys {
            threads: vec![4, 64],
            alignment_offset: Some(1),
            ..PlanKeys::default()
        });
        let bounds = Bounds::new(vec![1, 1], vec![511, 511]);
        let domain = Domain::new(bounds, vec![1, 1], &plan);
        assert_eq!(domain.origin, [1, 0]);
        assert_eq!(domain.grid().blocks, [8, 128, 1]);
        assert!(!domain.is_exact(1));
        let bounds = Bounds::new(vec![1, 1], vec![5, 64]);
        assert!(!Domain::new(bounds, vec![1, 1], &plan).is_exact(1), "one lane has nothing to do");
    }

    #[test]
    fn addresses_are_narrowed_where_they_fit() {
        let plane = domain(&[40_000, 40_000], &[1, 64], &[1, 1]);
        assert!(plane.fits_32_bits(&[vec![40_000, 1]]));
        assert!(!plane.fits_32_bits(&[vec![80_000, 1]]));
    }

    #[test]
    fn only_dimensions_with_a_rest_are_ragged() {
        assert_eq!(domain(&[64, 128], &[4, 32], &[2, 2]).ragged(), Vec::<usize>::new());
        assert_eq!(domain(&[65, 128], &[4, 32], &[2, 2]).ragged(), [0]);
        assert_eq!(domain(&[65, 129], &[4, 32], &[1, 2]).ragged(), [1]);
    }

    #[test]
    fn the_last_dimension_runs_fastest() {
        assert_eq!(points_of(&[1, 2]), [[0, 0], [0, 1]]);
        assert_eq!(points_of(&[2, 2]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    }
}
