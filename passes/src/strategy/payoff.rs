//! Whether fusing time steps in a sweep pays, and how many.
//!
//! For large domains the estimate of plans holds. For small ones, redundantly computed planes are a
//! large part of a chunk, and launches are latency-bound: their time is the planes of the longest
//! block, times the levels, times the latency of a level and plane. A single step takes a launch
//! and the memory time, with any mapping. The largest number of steps is taken that is nearly the
//! fastest in this model, and none if single steps are faster. lowering/docs/sweeps.md compares it
//! with measurements.

use stencil_model::{product::Product, sweep::launch::Launch};

/// Tolerance in percent above the predicted fastest.
const NEARLY_PERCENT: u64 = 20;

/// A candidate sweep.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Time steps that it makes.
    pub steps: u32,
    /// Its launch.
    pub launch: Launch,
    /// Chunks of tiles inside and at the ends.
    pub chunks: (i64, i64),
    /// Nanoseconds of a plane at one level.
    pub plane_ns: u64,
}

impl Candidate {
    /// Whether blocks fill half of the chip, and two thirds of the planes of an inner block are not
    /// redundant.
    fn is_large(&self) -> bool {
        let (own, all) = self.launch.planes_of_chunk(self.chunks.0);
        2 * self.launch.blocks(self.chunks) >= self.launch.places && 3 * own >= 2 * all
    }

    /// Nanoseconds of a step.
    fn step_ns(&self, product: &Product) -> u64 {
        let planes = self.launch.makespan(self.chunks).unsigned_abs() / 3;
        product.calibration.launch_ns / u64::from(self.steps) + planes * self.plane_ns
    }
}

/// Times of a step that were compared for a small domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// Time steps of a sweep, and nanoseconds of a step, most steps first.
    pub swept: Vec<(u32, u64)>,
    /// Nanoseconds of a step by itself.
    pub by_itself_ns: u64,
}

/// What [`best`] compares; none for a large domain, where it compares nothing.
pub fn weighed(candidates: &[Candidate], bytes: u64, product: &Product) -> Option<Weighed> {
    if candidates.first().is_none_or(Candidate::is_large) {
        return None;
    }
    let times = candidates.iter().map(|it| (it.steps, it.step_ns(product)));
    Some(Weighed { swept: times.collect(), by_itself_ns: by_itself_ns(bytes, product) })
}

fn by_itself_ns(bytes: u64, product: &Product) -> u64 {
    product.calibration.launch_ns + product.copy_ns(bytes)
}

/// Whether a sweep is predicted to be at least as fast as single steps.
pub fn pays(candidate: &Candidate, bytes: u64, product: &Product) -> bool {
    candidate.is_large() || candidate.step_ns(product) <= by_itself_ns(bytes, product)
}

/// The best of some candidates in descending order of steps; or why none pays. `bytes`: memory
/// traffic of a single step.
///
/// # Errors
/// If single steps are predicted to be faster.
pub fn best(
    candidates: &[Candidate],
    bytes: u64,
    product: &Product,
) -> Result<Option<u32>, String> {
    let Some(first) = candidates.first() else { return Ok(None) };
    let Some(Weighed { swept, by_itself_ns: by_itself }) = weighed(candidates, bytes, product)
    else {
        return Ok(Some(first.steps));
    };
    let times = swept.into_iter().map(|(_, ns)| ns).collect::<Vec<_>>();
    let least = times.iter().min().copied().unwrap_or(0);
    let is_near = |time: &u64| time * 100 <= least * (100 + NEARLY_PERCENT);
    let at = times.iter().position(is_near).expect("the fastest is near itself");
    if times[at] > by_itself {
        let name = product.described();
        let tenths = |ns: u64| format!("{}.{}", ns / 1000, ns % 1000 / 100);
        return Err(format!(
            "the domain is small: a step is predicted to take {} us swept and {} us by itself \
             ({name})",
            tenths(times[at]),
            tenths(by_itself)
        ));
    }
    Ok(Some(candidates[at].steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 8 << 20;

    fn product() -> &'static Product {
        Product::named("NVIDIA H200").unwrap()
    }

    /// A five-point star in double precision, tiles of 128 columns in blocks of four warps.
    fn candidate(extent: i64, steps: u32) -> Candidate {
        let tiles = (extent + 127 - 2 * i64::from(steps)) / (128 - 2 * i64::from(steps));
        let blocks = ((tiles - 2).max(0) + 3) / 4;
        let overlap = 2 * i64::from(steps);
        let launch = Launch {
            inside: blocks,
            edges: 1,
            planes: extent,
            overlap,
            places: 264,
            edge_thirds: 4,
        };
        Candidate { steps, launch, chunks: launch.best_chunks(), plane_ns: 75 }
    }

    fn chosen(extent: i64) -> Result<Option<u32>, String> {
        let candidates = [12, 8, 6, 4].map(|steps| candidate(extent, steps));
        best(&candidates, 2 * 8 * extent.unsigned_abs().pow(2), product())
    }

    #[test]
    fn large_domains_have_the_most_steps() {
        assert_eq!(chosen(8192), Ok(Some(12)));
    }

    #[test]
    fn fewer_planes_take_fewer_steps_at_once() {
        let steps = [1024, 2048].map(|extent| chosen(extent).unwrap().unwrap());
        assert!(steps[0] < steps[1] && steps[1] <= 8, "{steps:?}");
    }

    #[test]
    fn the_smallest_domains_are_not_swept() {
        for extent in [64, 128, 256, 512] {
            let why = chosen(extent).unwrap_err();
            assert!(why.starts_with("the domain is small: a step is predicted to take "), "{why}");
        }
    }

    #[test]
    fn what_is_compared_is_told_of_small_domains_alone() {
        let weighed = |extent: i64| {
            let candidates = [12, 8].map(|steps| candidate(extent, steps));
            weighed(&candidates, 2 * 8 * extent.unsigned_abs().pow(2), product())
        };
        assert_eq!(weighed(8192), None);
        let small = weighed(256).unwrap();
        assert_eq!(small.swept.iter().map(|(steps, _)| *steps).collect::<Vec<_>>(), [12, 8]);
        assert!(small.swept.iter().all(|(_, ns)| *ns > small.by_itself_ns), "{small:?}");
    }

    #[test]
    fn without_a_tiling_nothing_is_chosen() {
        assert_eq!(best(&[], BYTES, product()), Ok(None));
    }
}
