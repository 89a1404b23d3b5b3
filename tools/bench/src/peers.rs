//! What other systems reach on the same kernels, as data with its origin.

use crate::{kernels::Element, lines};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The peer that plain kernels are held against: plain CUDA written by hand.
pub const NVCC: &str = "nvcc";

/// A system, and how its numbers came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// How lines of numbers name it.
    pub system: String,
    /// Its name in tables.
    pub name: String,
    /// What of it was run.
    pub what: String,
    /// What compiled it.
    pub compiler: String,
    /// The domain it ran on.
    pub domain: String,
    /// How it was measured.
    pub protocol: String,
    /// The chip, as the driver calls it.
    pub chip: String,
}

/// One number of a peer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The benchmark.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// Whose number it is.
    pub system: String,
    /// 10^9 points in a second.
    pub gpts: f64,
    /// Time steps of the run, where it is known which number gave this rate.
    pub steps: Option<u64>,
}

static SYSTEMS: LazyLock<Vec<System>> =
    LazyLock::new(|| lines::built_in(include_str!("../peers/systems.jsonl")));
static PEERS: LazyLock<Vec<Peer>> =
    LazyLock::new(|| lines::built_in(include_str!("../peers/h200.jsonl")));

/// All systems.
pub fn systems() -> &'static [System] {
    &SYSTEMS
}

/// The system of this name.
pub fn system(name: &str) -> Option<&'static System> {
    systems().iter().find(|system| system.system == name)
}

/// The numbers of one row of the peers' table, on one chip.
pub fn of<'a>(
    row: &'a str,
    element: Element,
    chip: &'a str,
) -> impl Iterator<Item = &'static Peer> + 'a {
    let here = move |peer: &&Peer| system(&peer.system).is_some_and(|system| system.chip == chip);
    PEERS.iter().filter(move |peer| peer.kernel == row && peer.r#type == element).filter(here)
}

/// The best of a row.
pub fn best(row: &str, element: Element, chip: &str) -> Option<&'static Peer> {
    of(row, element, chip).max_by(|one, other| one.gpts.total_cmp(&other.gpts))
}

/// The number that plain kernels are held against.
pub fn nvcc(row: &str, element: Element, chip: &str) -> Option<&'static Peer> {
    of(row, element, chip).find(|peer| peer.system == NVCC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    const CHIP: &str = "NVIDIA H200";

    #[test]
    fn every_kernel_and_type_has_plain_cuda_and_a_best_peer() {
        for benchmark in kernels::all() {
            for element in Element::ALL {
                let plain = nvcc(&benchmark.peers, element, CHIP).unwrap();
                let best = best(&benchmark.peers, element, CHIP).unwrap();
                assert!(best.gpts >= plain.gpts && plain.gpts > 0.0, "{}", benchmark.name);
                assert!(best.steps.is_some(), "{}: the best number says its steps", best.kernel);
            }
        }
    }

    #[test]
    fn every_number_has_an_origin_and_a_kernel() {
        for peer in PEERS.iter() {
            assert!(system(&peer.system).is_some(), "{}", peer.system);
            assert!(kernels::all().iter().any(|known| known.peers == peer.kernel));
            let same = |other: &&Peer| {
                (&other.kernel, other.r#type, &other.system)
                    == (&peer.kernel, peer.r#type, &peer.system)
            };
            assert_eq!(PEERS.iter().filter(same).count(), 1, "{peer:?}");
        }
    }

    #[test]
    fn numbers_hold_for_their_chip_only() {
        assert_eq!(best("j2d5pt", Element::F64, CHIP).unwrap().system, "ebisu");
        assert_eq!(best("j2d5pt", Element::F64, "NVIDIA A100"), None);
    }
}
