//! Proof that random tests bite: faults planted in the compiler, each found by random programs.
//!
//! `stencil-faults` has the faults. Each of them is planted, and programs are drawn from seed 0 on,
//! as `random_programs` and `random_sweeps` draw and compare them, until one comes out wrong. The
//! page `test/docs/proof.md` says for each fault which program that was, and how often everything
//! that the generator can write occurs among its programs.
//!
//! The first program that shows a fault is made as small as it can be, and kept in `smallest`: it
//! has to come out wrong with the fault and right without, which every run of the tests looks at.
//! The search is for the nightly run; the page has to be what it finds. `cargo xtask bless
//! --nightly proof` writes the page, and programs that are missing or show nothing any more.
//! `STENCIL_FAULTS` names some faults, with commas between, and only these are looked for.

mod operations;
mod page;
mod shown;
mod smallest;

use crate::random_programs::{run, splits};
use crate::random_sweeps::run as sweeps;
use crate::{failing, parallel};
use shown::{Failure, Way};
use smallest::Smallest;
use std::{
    env,
    io::{self, Write},
};
use stencil_faults::Fault;
use stencil_fuzz::{Histogram, Options, generate};

/// Programs among which a fault has to show.
const PROGRAMS: u64 = 500;

/// Programs of the histogram: those of a long run of `random_programs`.
const HISTOGRAM: u64 = 10_000;

/// Operations of a program that one takes in at a glance, which most of the smallest are.
const HANDFUL: usize = 12;

/// A fault, and how it showed.
struct Found {
    fault: Fault,
    /// The first program that came out wrong.
    seed: u64,
    failure: Failure,
    smallest: Smallest,
}

#[test]
fn the_smallest_program_of_every_fault_shows_it() {
    let check = |fault: &Fault| Smallest::read(*fault)?.check(*fault);
    let failed = parallel::map(Fault::ALL, check).into_iter().filter_map(Result::err);
    let failed = failed.collect::<Vec<_>>();
    assert!(failed.is_empty(), "{failed:#?}");
    smallest::check_folder(false);
}

#[test]
#[ignore = "takes minutes, the nightly run does it"]
fn every_fault_is_found_and_no_construct_is_rare() {
    let bless = env::var("STENCIL_BLESS").is_ok_and(|value| value == "1");
    let asked = env::var("STENCIL_FAULTS").ok();
    let is_asked = |fault: &&Fault| match &asked {
        Some(names) => names.split(',').any(|name| name == fault.name()),
        None => true,
    };
    let faults = Fault::ALL.iter().filter(is_asked).collect::<Vec<_>>();
    let (found, missed): (Vec<_>, Vec<_>) =
        parallel::map(&faults, |fault| find(**fault, bless)).into_iter().partition(Result::is_ok);
    let missed = missed.into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert!(missed.is_empty(), "{missed:#?}");
    let found = found.into_iter().filter_map(Result::ok).collect::<Vec<_>>();
    if asked.is_some() {
        // Not `print!`, which the harness keeps to itself when a test passes.
        return writeln!(io::stderr(), "{}", page::faults(&found)).unwrap();
    }
    let histogram = histogram();
    let thin = histogram.thin_bins(10);
    assert!(thin.is_empty(), "below 1 %: {thin:?}\n{histogram}");
    page::check(&page::text(&histogram, &found), bless);
    smallest::check_folder(bless);
    let handful = found.iter().filter(|found| found.smallest.operations() <= HANDFUL).count();
    assert!(2 * handful > found.len(), "{handful} of {} programs are small", found.len());
}

/// Shows a fault; an error says why that did not work.
fn find(fault: Fault, bless: bool) -> Result<Found, String> {
    let name = fault.name();
    let way = Way::of(fault);
    let shown = (0..PROGRAMS).find_map(|seed| {
        let (program, failure) = stencil_faults::with(fault, || way.failing(seed))?;
        Some((seed, program, failure))
    });
    let (seed, program, failure) =
        shown.ok_or(format!("'{name}' does not show in {PROGRAMS} programs"))?;
    if let Err(failure) = way.run(&program) {
        return Err(format!("seed {seed} shows '{name}', but also fails without it: {failure}"));
    }
    let kept = || {
        let kept = Smallest::read(fault)?;
        kept.check(fault).map(|()| kept)
    };
    let smallest = match kept() {
        Err(_) if bless => {
            Smallest::of(fault, program, &failure).write(fault);
            kept()?
        }
        kept => kept?,
    };
    Ok(Found { fault, seed, failure, smallest })
}

fn histogram() -> Histogram {
    let seeds = (0..HISTOGRAM).collect::<Vec<_>>();
    let chunks = seeds.chunks(100).collect::<Vec<_>>();
    let parts = parallel::map(&chunks, |chunk| {
        let mut part = Histogram::default();
        chunk.iter().for_each(|seed| {
            part.add(&generate(*seed, &Options::default()).features());
        });
        part
    });
    let mut histogram = Histogram::default();
    parts.iter().for_each(|part| histogram.merge(part));
    histogram
}
