//! The shape of a time loop: radius, domain, iterations.

use super::plan::SweepPlan;
use crate::{bounds::Bounds, generate::random::Random};

/// The parameters of a program.
#[derive(Debug, Clone)]
pub(super) struct LoopShape {
    /// Points that an iteration computes.
    pub domain: Bounds,
    /// Radius on the newest level, below and above, per dimension.
    pub reach: Vec<(i64, i64)>,
    /// Box stencil, or star.
    pub is_box: bool,
    /// Whether cells of other planes are read only straight along the streaming axis.
    pub is_straight: bool,
    /// Whether the point is a sum with one carried value per plane.
    pub is_sum: bool,
    /// Number of rotated fields.
    pub rotation: usize,
    /// An older level that is read: its age, and whether at the point itself.
    pub older: Option<(usize, bool)>,
    /// First value of the counter, its step, iterations.
    pub counter: (i64, i64, i64),
}

impl LoopShape {
    /// Draws a loop for a plan, with more than two tiles along each dimension that has any.
    pub fn draw(random: &mut Random, plan: &mut SweepPlan) -> Self {
        let alone = if plan.places_slots() { 1 } else { 12 };
        let rotation = random.weighted(&[(alone, 1), (55, 2), (30, 3)]);
        let older = draw_older(random, rotation, plan);
        let mut reach = draw_reach(random, plan);
        while plan.reads_too_far(reach[0].0 + reach[0].1) && reach[0].0 + reach[0].1 > 2 {
            let (below, above) = &mut reach[0];
            *(if *below > *above { below } else { above }) -= 1;
        }
        let lag = i64::from(plan.row.word("skew") == "lazy");
        if plan.rank > 1 && older.is_some_and(|(age, _)| age == 1) && random.chance(90) {
            // Only such queues keep the planes of older levels.
            reach[0].0 = reach[0].1 + lag;
        }
        if plan.places_slots() && reach[0].0 + reach[0].1 < 2 {
            reach[0] = (1, 1);
        }
        if rotation == 1 && random.chance(95) {
            // The stored field cannot be read around the point.
            reach = vec![(0, 0); plan.rank];
        }
        plan.settle(random, reach[0]);
        let domain = draw_domain(random, plan, &reach);
        let is_box = random.chance(40);
        let storage = plan.row.word("storage");
        let is_straight = storage == "diagonal-free" && plan.rank > 1 && random.chance(93);
        let is_sum = storage == "retimed" && plan.rank > 1 && random.chance(93);
        let points = points_of_sweep(plan, &domain, reach[0]);
        let counter = draw_counter(random, plan, points);
        Self { domain, reach, is_box, is_straight, is_sum, rotation, older, counter }
    }

    /// Its bins in a histogram.
    pub fn bins(&self, plan: &SweepPlan) -> Vec<(&'static str, String)> {
        let word = |holds: bool, yes: &str, no: &str| if holds { yes } else { no }.to_owned();
        let even = self.reach.iter().all(|(below, above)| below == above);
        let odd = self.domain.extents().into_iter().all(|extent| extent % 2 == 1);
        let far = self.reach.iter().map(|(below, above)| below.max(above)).max();
        let (_, step, trips) = self.counter;
        let (names, around) = (TRIPS, around(plan.steps));
        let place = around.iter().position(|number| *number == trips).unwrap_or(0);
        let older = match self.older {
            None => "none".to_owned(),
            Some((age, own)) => format!("age {age}, {}", if own { "own cell" } else { "around" }),
        };
        vec![
            ("rank", plan.rank.to_string()),
            ("extents", word(odd, "all odd", "some even")),
            ("reach", word(even, "the same below and above", "not the same below and above")),
            ("farthest cell", far.copied().unwrap_or(0).to_string()),
            ("cells", word(self.is_box, "box", "star")),
            ("fields that change places", self.rotation.to_string()),
            ("older level", older),
            ("iterations", names[place].to_owned()),
            ("loop", word(step == 1, "by 1", "by more than 1")),
        ]
    }
}

/// Mostly none, since few plans support it.
fn draw_older(random: &mut Random, rotation: usize, plan: &SweepPlan) -> Option<(usize, bool)> {
    let is_gather = plan.row.word("form") == "gather";
    let wanted = random.chance(if is_gather && plan.steps > 1 { 35 } else { 4 });
    (wanted && rotation > 1).then(|| {
        let age = if rotation == 3 && random.chance(10) { 2 } else { 1 };
        (age, random.chance(92))
    })
}

/// Radius up to three per side, and less where the overlap would use up a tile.
fn draw_reach(random: &mut Random, plan: &SweepPlan) -> Vec<(i64, i64)> {
    let mut reach = Vec::new();
    for dim in 0..plan.rank {
        let side = |random: &mut Random| random.weighted(&[(18, 0), (50, 1), (20, 2), (12, 3)]);
        let (mut below, mut above) = (side(random), side(random));
        if random.chance(45) {
            above = below;
        }
        let is_streamed = plan.rank > 1 && dim == 0;
        let least = if is_streamed { 0 } else { 2 };
        let spare = random.chance(96);
        while spare && !is_streamed && plan.cells(dim) - plan.steps * (below + above) < least {
            match below > above {
                true => below -= 1,
                false => above -= 1,
            }
        }
        reach.push((below, above));
    }
    reach
}

fn draw_domain(random: &mut Random, plan: &SweepPlan, reach: &[(i64, i64)]) -> Bounds {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (dim, (below, above)) in reach.iter().enumerate() {
        let is_streamed = plan.rank > 1 && dim == 0;
        let mut extent = match (is_streamed, plan.chunks) {
            (true, 1) => random.between(3, 10),
            (true, chunks) => {
                // Uneven chunks.
                let each = random.between(2, 4);
                chunks * each - random.between(0, each - 1)
            }
            _ => {
                let tile = (plan.cells(dim) - plan.steps * (below + above)).max(2);
                let tiles = if random.chance(60) { 1 } else { plan.tiles() };
                tile * tiles * 5 / 2 + random.between(1, (tile / 2).max(2))
            }
        };
        if extent % 2 == 0 && random.chance(75) {
            extent += 1;
        }
        let first = if random.chance(40) { 0 } else { random.between(-9, 9) };
        lower.push(first);
        upper.push(first + extent);
    }
    Bounds::new(lower, upper)
}

/// Numbers of iterations, for T steps of a sweep.
const TRIPS: [&str; 8] = ["0", "1", "T-1", "T", "T+1", "2T", "2T+1", "4T+3"];

fn around(steps: i64) -> [i64; 8] {
    [0, 1, steps - 1, steps, steps + 1, 2 * steps, 2 * steps + 1, 4 * steps + 3]
}

/// Approximate limit on the points computed by all sweeps of a case: more take seconds.
const POINTS_MAX: i64 = 350_000;

/// Points computed by all levels of a sweep, including redundant ones.
fn points_of_sweep(plan: &SweepPlan, domain: &Bounds, (below, above): (i64, i64)) -> i64 {
    let mut points = plan.steps;
    for (dim, extent) in domain.extents().into_iter().enumerate() {
        points *= match plan.rank > 1 && dim == 0 {
            true => extent + plan.chunks * plan.steps * (below + above),
            // Three tiles of equal size.
            false => extent.max(3 * plan.cells(dim)),
        };
    }
    points
}

/// Iterations around the steps of a sweep and of a pair of sweeps; fewer for large sweeps.
fn draw_counter(random: &mut Random, plan: &SweepPlan, points: i64) -> (i64, i64, i64) {
    let weights = [5, 8, 10, 14, 14, 22, 20, 8];
    let choices = weights.into_iter().zip(around(plan.steps)).map(|(weight, trips)| {
        let sweeps = trips / plan.steps + trips % plan.steps;
        let fits = trips < plan.steps || sweeps * points <= POINTS_MAX;
        (if fits { weight } else { 0 }, trips)
    });
    let choices = choices.collect::<Vec<_>>();
    let trips = random.weighted(&choices);
    (random.pick(&[0, 0, 0, 1, -2, 7]), random.weighted(&[(70, 1), (15, 2), (15, 3)]), trips)
}
