//! Which versions of a hybrid circular queue are worth a run: the search of [Yang et al., 2012].
//!
//! For each reuse degree slots move to shared memory one by one. Fewer registers let more warps be
//! resident, more shared memory fewer, so that occupancy rises in steps until it falls. A version
//! with more slots in registers and the same occupancy is never slower: of each step the first is
//! kept. The version with all slots in shared memory is kept besides. Among degrees with the same
//! occupancy the larger is dropped, which waits more often, unless it has more slots in registers.

/// A version: so many slots in shared memory, with locations reused to a degree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The reuse degree of locations.
    pub degree: u32,
    /// Slots in shared memory.
    pub in_shared: u32,
    /// Warps that are resident on a multiprocessor.
    pub warps: u32,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// What is to be run, by degree and by slots in shared memory.
    pub kept: Vec<Candidate>,
    /// Versions that there are.
    pub all: usize,
}

/// Searches degrees from 1 to `degrees`, with up to `slots` in shared memory; `warps` says how many
/// are resident with a degree and so many slots in shared memory, 0 where a block does not fit.
pub fn search(degrees: u32, slots: u32, warps: impl Fn(u32, u32) -> u32) -> Search {
    let mut kept: Vec<Candidate> = Vec::new();
    for degree in 1..=degrees {
        let of_degree = steps_of(degree, slots, &warps);
        let is_better = |one: &Candidate| {
            let equals = kept.iter().filter(|known| known.warps == one.warps);
            equals.map(|known| known.in_shared).min().is_none_or(|least| one.in_shared < least)
        };
        let better = of_degree.into_iter().filter(is_better).collect::<Vec<_>>();
        kept.extend(better);
    }
    let warps_of_all = warps(1, slots);
    let is_known = kept.iter().any(|known| known.in_shared == slots && known.degree == 1);
    if warps_of_all > 0 && !is_known {
        kept.push(Candidate { degree: 1, in_shared: slots, warps: warps_of_all });
    }
    kept.sort_by_key(|candidate| (candidate.degree, candidate.in_shared));
    Search { kept, all: degrees as usize * (slots as usize + 1) }
}

/// The first version of each step of occupancy that one degree climbs.
fn steps_of(degree: u32, slots: u32, warps: &impl Fn(u32, u32) -> u32) -> Vec<Candidate> {
    let mut steps: Vec<Candidate> = Vec::new();
    for in_shared in 0..=slots {
        let warps = warps(degree, in_shared);
        match steps.last() {
            Some(last) if warps < last.warps => break,
            Some(last) if warps == last.warps => {}
            // A block that does not fit is no version.
            _ if warps == 0 => {}
            _ => steps.push(Candidate { degree, in_shared, warps }),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(search: &Search) -> Vec<(u32, u32, u32)> {
        let of = |one: &Candidate| (one.degree, one.in_shared, one.warps);
        search.kept.iter().map(of).collect()
    }

    /// Occupancy that rises twice, then falls because of shared memory.
    fn rises_and_falls(_: u32, in_shared: u32) -> u32 {
        [8, 8, 12, 12, 16, 12, 8][in_shared as usize]
    }

    #[test]
    fn the_first_of_each_step_is_kept_and_the_last() {
        let found = search(1, 6, rises_and_falls);
        assert_eq!(kept(&found), [(1, 0, 8), (1, 2, 12), (1, 4, 16), (1, 6, 8)]);
        assert_eq!(found.all, 7);
    }

    #[test]
    fn of_equal_occupancy_the_larger_degree_is_dropped_unless_it_has_more_in_registers() {
        let found = search(2, 4, |degree, in_shared| match (degree, in_shared) {
            (1, 0..=1) => 8,
            (1, 2..=4) => 12,
            // Fewer locations leave room: the same occupancy with a slot fewer in shared memory.
            (_, 0) => 8,
            (_, _) => 12,
        });
        assert_eq!(kept(&found), [(1, 0, 8), (1, 2, 12), (1, 4, 12), (2, 1, 12)]);
    }

    #[test]
    fn blocks_that_do_not_fit_are_no_versions() {
        assert_eq!(
            kept(&search(1, 3, |_, in_shared| [0, 8, 8, 0][in_shared as usize])),
            [(1, 1, 8)]
        );
        assert!(search(2, 3, |_, _| 0).kept.is_empty());
    }
}
