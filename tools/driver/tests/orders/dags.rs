//! Random expressions through the whole compiler.

use super::{
    each,
    failing::{Cases, Failure, KERNELS, interpreted::requests},
    run::{Case, Moved, ORDERS, Stage, in_every_order},
};
use std::{
    env,
    io::{self, Write},
};
use stencil_driver::{input::Input, pipelines::Sums, reading::Reading};
use stencil_fuzz::{Program, generate_dag};

/// Programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 40;
const PROGRAMS_NIGHTLY: u64 = 3_000;

/// Programs tried to make a failing one small.
const SHRINK_TRIES: usize = 1_000;

/// A program with what belongs to a seed: the points of a thread, and the content of its fields.
fn run(program: &Program, seed: u64, orders: Vec<&'static str>) -> Result<Moved, Failure<Stage>> {
    in_every_order(&Case {
        input: Input { name: format!("seed-{seed}.mlir"), text: program.text() },
        reading: Reading::default(),
        function: Some("main".into()),
        sums: sums(seed),
        plan: plan(seed),
        orders,
        requests: requests(seed, program.scalar_arguments()),
    })
}

const POINTS: [&str; 6] = ["", "points=2,", "points=4,", "points=3,", "points=1x2,", "points=2x2,"];

fn plan(seed: u64) -> String {
    POINTS[seed as usize % POINTS.len()].to_owned()
}

/// Sums of every form with every number of points.
fn sums(seed: u64) -> Sums {
    Sums::ALL[seed as usize / POINTS.len() % Sums::ALL.len()]
}

#[test]
fn random_expressions_give_the_same_bits_in_every_order() {
    let long = crate::nightly();
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let usual = if long { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let count = number("STENCIL_RANDOM_ORDERS").unwrap_or(usual);
    let first = number("STENCIL_FIRST_SEED").unwrap_or(0);
    // In a usual run a program gets two of the orders, the next program the next two.
    let orders = |seed: u64| match long {
        true => ORDERS.to_vec(),
        false => [0, 1].map(|next| ORDERS[(2 * seed as usize + next) % ORDERS.len()]).to_vec(),
    };
    let mut found = each(count, |number| {
        let seed = first + number;
        run(&generate_dag(seed), seed, orders(seed))
    });
    found.failures.iter_mut().for_each(|(number, _)| *number += first);
    // Not `print!`, which the harness keeps to itself when a test passes.
    if long {
        writeln!(io::stderr(), "orders, tried and moved: {:?}", found.moved).unwrap();
    }
    if !found.failures.is_empty() {
        let order = match found.failures[0].1.stage {
            Stage::Compile(order) | Stage::Emulate(order) | Stage::Compare(order) => order,
            Stage::Panic | Stage::Freeze | Stage::Interpret => ORDERS[0],
        };
        let cases = Cases {
            program: generate_dag,
            run: |program: &Program, seed| run(program, seed, orders(seed)).map(|_| ()),
            told: |seed| format!("{} sums {:?} ", plan(seed), sums(seed)),
            mode: KERNELS.to_owned(),
            command: format!(" --plan {}schedule={order}", plan(found.failures[0].0)),
            tries: SHRINK_TRIES,
        };
        panic!("{}", cases.explain(&found.failures));
    }
    found.assert_moved();
}

#[test]
fn a_program_that_fails_is_made_small() {
    let told = |seed: u64| format!("told of {seed}, ");
    let run = |program: &Program, seed: u64| match program.text().contains("math.fma") {
        true => Err(Failure { stage: Stage::Freeze, why: format!("seed {seed} has a fma") }),
        false => Ok(()),
    };
    let seed = (0..).find(|seed| run(&generate_dag(*seed), *seed).is_err()).unwrap();
    let failures = [(seed, run(&generate_dag(seed), seed).unwrap_err())];
    let (program, command, tries) = (generate_dag, " --plan points=2".to_owned(), SHRINK_TRIES);
    let mode = KERNELS.to_owned();
    let text = Cases { program, run, told, mode, command, tries }.explain(&failures);
    let short = format!("seed {seed}: told of {seed}, Freeze: seed {seed} has a fma\n");
    assert!(text.starts_with(&short), "{text}");
    assert!(text.contains(&format!("--verify --seed {seed} --plan points=2")), "{text}");
    assert!(text.contains("math.fma") && !text.contains("arith.addf"), "{text}");
    assert!(text.lines().count() < 20, "{text}");
}
