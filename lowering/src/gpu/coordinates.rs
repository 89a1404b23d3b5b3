//! The points of a thread and their addresses.
//!
//! Coordinates count *groups* of points from the corner where the first block starts: the apply's
//! lower corner, or, by the plan's `alignment_offset`, some groups before it along the fastest
//! dimension, which aligns warps with cache lines. A group is what one run of the body computes
//! (one point, or the unroll of `stencil.return`). A thread's coordinate along a dimension is a
//! value that it computes once, plus a constant for each of its points.

use super::{
    frame::{Growth, Numbers},
    signature::{Blocks, Grid},
    size::{Size, SizedBounds},
};
use crate::builders;
use melior::ir::{Type, Value, ValueLike, r#type::IntegerType};
use stencil_dialects::{
    Bounds,
    build::{Compare, Inserter},
    ods::{arith, gpu},
};
use stencil_faults::{Fault, one_if, planted};
use stencil_model::plan::ThreadPlan;

/// The domain of a kernel and how the plan spreads it over threads.
pub struct Domain {
    /// The points that the apply computes; for the reference where extents are given at run time.
    pub bounds: Bounds,
    /// Points of a group along each dimension.
    pub unroll: Vec<i64>,
    /// The point with coordinate zero.
    pub origin: Vec<Size>,
    /// One past the last group along each dimension.
    groups: Vec<Size>,
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
    /// The domain of an apply with these bounds, what they mean, and its unroll under a plan. Along
    /// dimensions of run-time extents a group is one point.
    pub fn new(bounds: Bounds, sized: &SizedBounds, unroll: Vec<i64>, plan: &ThreadPlan) -> Self {
        let extents = sized.extents().into_iter().zip(&unroll);
        let groups = extents.map(|(extent, points)| match extent.constant() {
            Some(extent) => Size::from(extent / points),
            None => extent,
        });
        let mut groups = groups.collect::<Vec<_>>();
        let mut origin = sized.lower.clone();
        let alignment_offset = i64::from(plan.alignment_offset.unwrap_or(0));
        if let (Some(groups), Some(origin), Some(unroll)) =
            (groups.last_mut(), origin.last_mut(), unroll.last())
        {
            let before = if planted(Fault::LeadIgnored) { 0 } else { alignment_offset * unroll };
            *groups = groups.clone() + Size::from(alignment_offset);
            *origin = origin.clone() - Size::from(before);
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
        let mut blocks = [1, 1, 1].map(Blocks::Fixed);
        let mut threads = [1_u32; 3];
        for d in 0..self.rank() {
            let axis = self.rank() - 1 - d;
            blocks[axis] = match self.blocks_along(d) {
                Some(blocks) => Blocks::Fixed(blocks as u32),
                None => Blocks::Cover { groups: self.groups[d].clone(), of_block: self.block(d) },
            };
            threads[axis] = self.threads[d] as u32;
        }
        Grid { blocks, threads }
    }

    /// Blocks along a dimension, if its extent is a constant.
    fn blocks_along(&self, d: usize) -> Option<i64> {
        let groups = self.groups[d].constant()?;
        Some((groups + self.block(d) - 1) / self.block(d))
    }

    /// Groups that a block computes along a dimension.
    fn block(&self, d: usize) -> i64 {
        self.tile(d) * self.steps(d)
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
        let divides = |groups: i64| groups % self.block(d) == 0;
        self.lead_along(d) == 0 && self.groups[d].constant().is_some_and(divides)
    }

    /// Whether every coordinate and every address that a thread computes fits in 31 bits, also for
    /// threads outside the domain, which compute addresses and do not use them.
    pub fn fits_32_bits(&self, growths: &[Growth]) -> bool {
        let most = (0..self.rank()).map(|d| Some(self.blocks_along(d)? * self.block(d)));
        // With run-time extents the launch sees to it.
        let Some(most) = most.collect::<Option<Vec<_>>>() else { return true };
        let fits = |number: i128| number < i128::from(i32::MAX);
        let coordinates = most.iter().all(|coordinate| fits(i128::from(*coordinate)));
        let addresses = growths.iter().all(|growth| {
            let steps = growth.iter().map(|step| step.constant().unwrap_or(i64::MAX));
            let parts = steps.zip(&most);
            fits(parts.map(|(step, most)| i128::from(step) * i128::from(*most)).sum())
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
                let several = self.blocks_along(d).is_none_or(|blocks| blocks > 1);
                let block = several.then(|| self.id(at, gpu::BLOCK_ID, d, narrow));
                let thread = (self.threads[d] > 1).then(|| self.id(at, gpu::THREAD_ID, d, narrow));
                let block_step = self.block(d);
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
        numbers: &Numbers<'c, 'a>,
    ) -> Option<Value<'c, 'a>> {
        let open = (0..self.rank()).filter(|d| !self.is_exact(*d) && self.points[*d] == 1);
        self.inside(at, first, numbers, open.map(|d| (d, 0)).collect())
    }

    /// The condition that all groups of the thread lie inside along ragged dimensions.
    pub fn all_inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
        numbers: &Numbers<'c, 'a>,
    ) -> Option<Value<'c, 'a>> {
        let last = |d: usize| match planted(Fault::RaggedTile) {
            true => 0,
            false => self.distances(d).last().unwrap_or(0),
        };
        let ragged = self.ragged().into_iter().map(|d| (d, last(d)));
        self.inside(at, first, numbers, ragged.collect())
    }

    /// The condition that `first + offset` lies in the domain along the given dimensions.
    pub fn inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
        numbers: &Numbers<'c, 'a>,
        dimensions: Vec<(usize, i64)>,
    ) -> Option<Value<'c, 'a>> {
        let dimensions = dimensions.into_iter();
        let dimensions = dimensions.map(|(d, offset)| (d, 0, offset - one_if(Fault::TileEdge)));
        self.between(at, first, numbers, dimensions.collect())
    }

    /// The condition that all groups of the thread lie so many points before and after the ends of
    /// the domain along each dimension; none if they always do.
    pub fn far_inside<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
        numbers: &Numbers<'c, 'a>,
        margins: &[[i64; 2]],
    ) -> Option<Value<'c, 'a>> {
        let far = margins.iter().enumerate().filter(|(_, margins)| **margins != [0, 0]);
        let far = far.map(|(d, margins)| {
            let groups = |points: i64| (points + self.unroll[d] - 1) / self.unroll[d];
            let [before, after] = margins.map(groups);
            (d, before, after + self.distances(d).last().unwrap_or(0))
        });
        self.between(at, first, numbers, far.collect())
    }

    /// The condition that `first` lies at least so many groups after the first group of the domain,
    /// and `first` plus so many in the domain, along the given dimensions.
    fn between<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        first: &[Value<'c, 'a>],
        numbers: &Numbers<'c, 'a>,
        dimensions: Vec<(usize, i64, i64)>,
    ) -> Option<Value<'c, 'a>> {
        let conditions = dimensions.into_iter().map(|(d, before, offset)| {
            let r#type = first[d].r#type();
            let limit = self.groups[d].clone() - Size::from(offset);
            match self.lead_along(d) + before {
                0 => at.compare(Compare::Less, first[d], numbers.value(at, r#type, &limit)),
                // In an unsigned comparison, coordinates before the domain are above the limit.
                lead => {
                    let from_domain = arith::subi(at, first[d], at.integer(r#type, lead));
                    let limit = numbers.at_least_zero(at, r#type, &(limit - Size::from(lead)));
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
pub fn coordinate_type<'c: 'a, 'a>(at: Inserter<'c, 'a>, narrow: bool) -> Type<'c> {
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
        Domain::new(bounds.clone(), &constant(&bounds), vec![1; extents.len()], &plan)
    }

    fn constant(bounds: &Bounds) -> SizedBounds {
        let corner = |corner: &[i64]| corner.iter().map(|end| Size::from(*end)).collect();
        SizedBounds { lower: corner(&bounds.lower), upper: corner(&bounds.upper) }
    }

    fn of(bounds: Bounds, plan: &ThreadPlan) -> Domain {
        let unroll = vec![1; bounds.rank()];
        Domain::new(bounds.clone(), &constant(&bounds), unroll, plan)
    }

    #[test]
    fn lanes_lie_along_x() {
        let grid = domain(&[64, 100], &[4, 32], &[4, 1]).grid();
        assert_eq!(grid.blocks, [4, 4, 1].map(Blocks::Fixed));
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
        let domain = of(Bounds::new(vec![0, 0], vec![64, 256]), &plan);
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
        let domain = of(bounds, &plan);
        assert_eq!(domain.origin, [1, 0].map(Size::from));
        assert_eq!(domain.grid().blocks, [8, 128, 1].map(Blocks::Fixed));
        assert!(!domain.is_exact(1));
        let bounds = Bounds::new(vec![1, 1], vec![5, 64]);
        assert!(!of(bounds, &plan).is_exact(1), "one lane has nothing to do");
    }

    #[test]
    fn addresses_are_narrowed_where_they_fit() {
        let plane = domain(&[40_000, 40_000], &[1, 64], &[1, 1]);
        assert!(plane.fits_32_bits(&[[40_000, 1].map(Size::from).to_vec()]));
        assert!(!plane.fits_32_bits(&[[80_000, 1].map(Size::from).to_vec()]));
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
