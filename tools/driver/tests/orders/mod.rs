//! The order of operations changes no bit: every kernel of the repository, and random expressions,
//! with one frozen arithmetic, in every order that a plan can ask for.
//!
//! The interpreter on the frozen program says what is right. `STENCIL_RANDOM_ORDERS` says how many
//! random programs, `STENCIL_FIRST_SEED` where they begin; the nightly run (`STENCIL_NIGHTLY=1`)
//! takes many more, and kernels in both languages. A random program that fails is made small, for
//! `test/regressions`.

mod dags;
mod faults;
pub mod kernels;
mod run;

use crate::{failing, parallel};
use failing::Failure;
use run::{Moved, ORDERS, Stage};

/// What was seen of some programs.
#[derive(Default)]
struct Found {
    moved: Moved,
    failures: Vec<(u64, Failure<Stage>)>,
}

impl Found {
    /// Every order was tried, and but for the source's own most differ from it.
    fn assert_moved(&self) {
        let moved = &self.moved;
        assert!(ORDERS.iter().all(|order| moved.contains_key(order)), "{moved:?}");
        assert_eq!(moved["source"].1, 0, "the order of the source is left");
        let mut others = moved.iter().filter(|(order, _)| **order != "source");
        assert!(others.all(|(_, (tried, moved))| 2 * moved > *tried), "{moved:?}");
    }
}

/// Runs the programs with the first numbers, on all cores.
fn each(count: u64, run: impl Fn(u64) -> Result<Moved, Failure<Stage>> + Sync) -> Found {
    let add = |all: &mut Moved, moved: Moved| {
        for (order, (tried, moved)) in moved {
            let sum = all.entry(order).or_default();
            *sum = (sum.0 + tried, sum.1 + moved);
        }
    };
    let try_one = |number, seen: &mut Moved| run(number).map(|moved| add(seen, moved));
    let (moved, failures) = parallel::search(0..count, try_one, add);
    Found { moved, failures }
}
