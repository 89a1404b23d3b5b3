//! Random time loops, swept by random plans: interpreter and emulator must agree in every bit.
//!
//! Each seed is a program, a plan for its kernel, the content of its fields, and the order in which
//! threads run. The program with frozen arithmetic runs on the interpreter, which makes one step at
//! a time; what the plan makes of it runs on the emulator, which watches every access for races.
//! A plan may be refused, with a reason. Reasons are grouped, and stand with a histogram of what
//! was compared on the page `lowering/docs/random-sweeps.md`, which the nightly run
//! compares and `cargo xtask bless --nightly random_sweeps` writes.
//!
//! `STENCIL_RANDOM_SWEEPS` says how many cases, `STENCIL_FIRST_SEED` where they begin;
//! the nightly run (`STENCIL_NIGHTLY=1`) takes many more. A program that fails is made small, for
//! `test/regressions`. `STENCIL_PACKAGES` names a folder for the programs that were compared;
//! `gpu-bundle` makes packages of them, for a machine that has a GPU:
//!
//! ```sh
//! STENCIL_PACKAGES=/tmp/sweeps cargo test -p stencil-driver --test integration random_sweeps
//! cargo run -p stencil-driver --bin gpu-bundle -- /tmp/bundle /tmp/sweeps/*.mlir \
//!     $(cat /tmp/sweeps/scalars)
//! ```

mod packages;
mod page;
pub mod refusals;
pub mod run;

use crate::{failing, parallel};
use failing::Cases;
use page::Histogram;
use refusals::Refusals;
use run::{Failure, Outcome, run};
use std::{
    env,
    io::{self, Write},
};
use stencil_fuzz::{Coverage, Program, SweepCase, generate_sweep};

/// Cases of a usual run, and of a nightly one.
const CASES: u64 = 20;
const CASES_NIGHTLY: u64 = 6_000;

/// Cases of the page: in so many every two values of two keys meet.
const CASES_OF_PAGE: u64 = 60;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 1_500;

/// What a run over many seeds found.
#[derive(Default)]
struct Findings {
    cases: u64,
    same: u64,
    refusals: Refusals,
    coverage: Coverage,
    histogram: Histogram,
    failures: Vec<(u64, Failure)>,
    /// Programs that were compared, where files of them are wanted.
    programs: Vec<(u64, Program)>,
}

impl Findings {
    fn merge(&mut self, other: Findings) {
        self.cases += other.cases;
        self.same += other.same;
        self.refusals.merge(&other.refusals);
        self.coverage.merge(&other.coverage);
        self.histogram.merge(&other.histogram);
        self.programs.extend(other.programs);
    }
}

#[test]
fn sweeps_give_what_single_steps_give() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if crate::nightly() { CASES_NIGHTLY } else { CASES };
    let count = number("STENCIL_RANDOM_SWEEPS").unwrap_or(usual);
    let findings = same(number("STENCIL_FIRST_SEED").unwrap_or(0), count);
    if crate::nightly() {
        // Not `print!`, which the harness keeps to itself when a test passes.
        writeln!(io::stderr(), "{}", page::text(&findings)).unwrap();
    }
    if let Some(folder) = packages::folder() {
        packages::write(&folder, &findings.programs).unwrap();
    }
}

#[test]
#[ignore = "takes minutes, the nightly run does it"]
fn every_two_values_of_two_keys_meet() {
    let findings = same(0, CASES_OF_PAGE);
    let missing = findings.coverage.missing();
    let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
    assert!(missing.is_empty(), "never compared: {missing:#?}");
    page::check(&page::text(&findings));
}

/// Runs the cases of some seeds, all of which must give the same bits or be refused.
fn same(first: u64, count: u64) -> Findings {
    let findings = run_all(first, count);
    assert!(findings.failures.is_empty(), "{}", explain(&findings.failures));
    assert_eq!(findings.cases, count);
    let refused = findings.refusals.total() as u64;
    assert!(2 * refused <= count, "{refused} of {count} refused: {:#?}", findings.refusals);
    findings
}

/// Runs the cases of some seeds.
fn run_all(first: u64, count: u64) -> Findings {
    let try_one = |seed, seen: &mut Findings| {
        let SweepCase { program, plan, bins } = generate_sweep(seed);
        seen.cases += 1;
        match run(&program, seed)? {
            Outcome::Same => {
                seen.same += 1;
                seen.coverage.add(plan.row);
                seen.histogram.add(&bins);
                if packages::folder().is_some() {
                    seen.programs.push((seed, program));
                }
            }
            Outcome::Refused(why) => seen.refusals.add(&why),
        }
        Ok(())
    };
    let (mut findings, failures) = parallel::search(first..first + count, try_one, Findings::merge);
    findings.failures = failures;
    findings.programs.sort_by_key(|(seed, _)| *seed);
    findings
}

/// Everything that is needed to look into failures.
fn explain(failures: &[(u64, Failure)]) -> String {
    let cases = Cases {
        program: |seed| generate_sweep(seed).program,
        run: |program: &Program, seed| run(program, seed).map(|_| ()),
        told: |seed| format!("{} ", generate_sweep(seed).plan),
        mode: failing::KERNELS.to_owned(),
        command: String::new(),
        tries: SHRINK_TRIES,
    };
    cases.explain(failures)
}
