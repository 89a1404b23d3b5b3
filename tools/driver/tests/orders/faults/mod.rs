//! Faults planted in kernels whose operations were put in order, each of which must be noticed.
//!
//! Kernels are put in order with a number on each operation. A fault is a change of their text. The
//! verifier notices what reads a value before it is there; the check of the order compares with the
//! code that was put in order: the same operations on the same operands, in an order that
//! `Code::allows`; the run on the emulator, which watches for races, compares results. That the
//! check notices faults of content shows nothing of it alone, so that the run must notice most of
//! them, and each kind somewhere.

mod lines;
mod notice;
mod plant;

use crate::{failing::interpreted::requests, parallel};
use notice::{Noticed, fault_of_order, kernels, notice, ordered, run};
use plant::{Fault, planted};
use std::{
    collections::BTreeMap,
    env,
    io::{self, Write},
};
use stencil_driver::verify;
use stencil_fuzz::generate_dag;
use stencil_runtime::bind::Requests;

/// Faults of each kind that are planted in each kernel, and random programs that get them.
const TIMES: usize = 2;
const PROGRAMS: u64 = 2;
const PROGRAMS_NIGHTLY: u64 = 300;

/// Kernels with all that an order must not break.
const WRITTEN: &str = include_str!("kernel.mlir");
const STAR2D: &str = include_str!("../../planted_faults/programs/star2d.mlir");
const GRADIENT: &str = include_str!("../../../../../test/kernels/gradient2d.mlir");
const FLUXES: &str = include_str!("../../../../../test/kernels/fluxes2d.mlir");

/// Kernels to be put in order, and with what they run.
struct Case {
    name: String,
    kernels: String,
    requests: Requests,
}

fn of_program(name: &str, text: &str, plan: &str, arguments: Vec<(usize, String)>) -> Case {
    // Names of functions do not matter for kernels.
    let text = text.replace("func.func @gradient2d(", "func.func @main(");
    let text = text.replace("func.func @fluxes2d(", "func.func @main(");
    let kernels = kernels(&text, &format!("{plan}schedule=both").parse().unwrap());
    Case { name: name.into(), kernels, requests: requests(3, arguments) }
}

fn cases() -> Vec<Case> {
    let written = Case {
        name: "written".into(),
        kernels: WRITTEN.into(),
        requests: Requests { seed: 3, ..Requests::default() },
    };
    let swept = |mapping: &str| {
        let keys = "points = array<i64: 1, 1>, steps = 2 : i64, schedule = \"both\"";
        let plan = format!("mapping = \"{mapping}\", {keys}, threads = array<i64: ");
        let threads = if mapping == "warp" { "1, 32>" } else { "4, 32>" };
        let text = STAR2D.replace("PLAN", &(plan + threads));
        of_program(mapping, &text, "", vec![(2, "5".to_owned())])
    };
    let mut cases = vec![
        written,
        swept("warp"),
        swept("block"),
        of_program("gradient2d", GRADIENT, "points=2,mapping=thread,", vec![]),
        of_program("fluxes2d", FLUXES, "points=2x2,mapping=thread,", vec![]),
    ];
    let long = crate::nightly();
    cases.extend((0..if long { PROGRAMS_NIGHTLY } else { PROGRAMS }).map(|seed| {
        let program = generate_dag(seed);
        let (name, text) = (format!("seed {seed}"), program.text());
        of_program(&name, &text, "points=2,mapping=thread,", program.scalar_arguments())
    }));
    cases
}

/// How often faults of a kind were planted and noticed.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    planted: u64,
    by_verifier: u64,
    by_order: u64,
    by_run: u64,
}

impl Count {
    fn add(&mut self, noticed: Noticed) {
        self.planted += 1;
        self.by_verifier += u64::from(noticed.by_verifier);
        self.by_order += u64::from(noticed.by_order);
        self.by_run += u64::from(noticed.by_run);
    }

    fn and(&mut self, other: Self) {
        self.planted += other.planted;
        self.by_verifier += other.by_verifier;
        self.by_order += other.by_order;
        self.by_run += other.by_run;
    }
}

/// What became of the faults of some kernels.
#[derive(Default)]
struct Seen {
    counts: BTreeMap<Fault, Count>,
    missed: Vec<String>,
}

fn look_at(Case { name, kernels, requests }: &Case) -> Seen {
    let texts = ordered(kernels);
    assert_eq!(fault_of_order(&texts.made, &texts.in_order).unwrap(), None, "{name}");
    let (arguments, right) = run(&texts.made, requests).unwrap();
    let found = run(&texts.in_order, requests).unwrap().1;
    assert!(verify::compare(&arguments, &right, &found).is_identical(), "{name}");
    let mut seen = Seen::default();
    let times = if name.starts_with("seed") { 1 } else { TIMES };
    for fault in (0..times).flat_map(|number| planted(&texts.in_order, 5 * number + 1)) {
        let noticed = notice(&texts.made, &fault.text, requests, &right);
        seen.counts.entry(fault.fault).or_default().add(noticed);
        if !noticed.by_anybody() {
            seen.missed.push(format!("{:?} in {name}:\n{}", fault.fault, fault.text));
        }
    }
    seen
}

#[test]
fn every_fault_in_an_order_is_noticed() {
    let (mut counts, mut missed) = (BTreeMap::<Fault, Count>::new(), Vec::new());
    for seen in parallel::map(&cases(), look_at) {
        missed.extend(seen.missed);
        seen.counts.iter().for_each(|(fault, count)| counts.entry(*fault).or_default().and(*count));
    }
    if env::var("STENCIL_TELL").is_ok() {
        for (fault, count) in &counts {
            writeln!(io::stderr(), "{fault:?}: {count:?}").unwrap();
        }
    }
    assert!(missed.is_empty(), "{} missed: {}", missed.len(), missed[0]);
    for fault in Fault::ALL {
        let count = counts.get(&fault).copied().unwrap_or_default();
        assert!(count.planted > 0, "{fault:?} has no place anywhere");
        let seen = count.by_verifier + count.by_run;
        // Accesses of other cells may change places unseen.
        let least = if fault.is_of_order() { 1 } else { count.planted * 2 / 3 };
        assert!(seen >= least, "{fault:?}: {count:?}");
    }
}
