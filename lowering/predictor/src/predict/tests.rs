//! Predictions for small kernels, and choices between them.

use super::*;
use crate::{flow::Iterations, listings::kernel};
use stencil_model::target::Architecture;

fn coefficients() -> Coefficients {
    Coefficients::parse(include_str!("../../coefficients/sm_90.json")).unwrap()
}

fn work(text: &str, blocks: u64) -> Work {
    let launch = Launch {
        target: Architecture::parse("sm_90a").unwrap(),
        multiprocessors: 132,
        block: [256, 1, 1],
        grid: [u32::try_from(blocks).unwrap(), 1, 1],
        shared_bytes_dynamic: 0,
        iterations: Iterations::new(),
    };
    Work { kernel: kernel(text), launch, traffic: None }
}

fn cycles(text: &str, blocks: u64) -> f64 {
    predict(&work(text, blocks), &coefficients(), Model::Ours).unwrap().cycles
}

fn multiply_adds(count: usize) -> String {
    format!("{}EXIT", "DFMA R2, R4, R6, R2 #0:-:4\n".repeat(count))
}

#[test]
fn words_name_the_models() {
    for model in MODELS {
        assert_eq!(model.word().parse::<Model>(), Ok(model));
    }
    let error = "best".parse::<Model>().unwrap_err().to_string();
    assert_eq!(error, "model 'best' is unknown, known models are ours, stalls, naive");
}

#[test]
fn the_limit_is_the_unit_that_is_busy() {
    let limit = |text: &str| {
        predict(&work(text, 100_000), &coefficients(), Model::Ours).unwrap().limit.unwrap()
    };
    assert_eq!(limit(&multiply_adds(4000)), Limit::Fp64);
    let stream = "LDG.E.128 R4, [R2.64] #0:-:1\n".repeat(400) + "EXIT";
    assert_eq!(limit(&stream), Limit::Hbm);
    let exchange = "LDS.128 R4, [R2] #0:-:1\n".repeat(2000) + "EXIT";
    assert_eq!(limit(&exchange), Limit::Shared);
    let chain = "SHFL.UP PT, R2, R2, 0x1, RZ #1:0:1\nMUFU.RSQ R2, R2 #1:0:1\n".repeat(200) + "EXIT";
    assert_eq!(
        predict(&work(&chain, 1), &coefficients(), Model::Ours).unwrap().limit,
        Some(Limit::Latency)
    );
}

#[test]
fn more_blocks_take_longer_and_a_full_round_counts_once() {
    let text = multiply_adds(2000);
    // Eight blocks of 256 threads are resident on each of the 132 multiprocessors.
    let round = 8 * 132;
    assert!(cycles(&text, 1) <= cycles(&text, 132));
    assert!(cycles(&text, 132) < cycles(&text, round));
    let (one, two) = (cycles(&text, round), cycles(&text, 2 * round));
    let launch = coefficients().memory.launch_cycles.value;
    let ratio = (two - launch) / (one - launch);
    assert!((1.8..=2.1).contains(&ratio), "{ratio}");
    let more = cycles(&text, round + 1);
    assert!(one < more && more < two, "{one} {more} {two}");
}

/// The latency of a block alone is the time of a grid of one block.
#[test]
fn one_block_is_as_slow_as_its_waits() {
    let chain = "SHFL.UP PT, R2, R2, 0x1, RZ #1:0:1\n".repeat(300) + "EXIT";
    let one = predict(&work(&chain, 1), &coefficients(), Model::Ours).unwrap();
    let (limit, waits) = *one.terms.last().unwrap();
    assert_eq!((limit, waits), (Limit::Latency, one.cycles_per_round));
    assert!(waits >= 300.0 * coefficients().latency.shfl.value, "{waits}");
}

/// One block has the memory of the chip to itself, limited by its multiprocessor.
#[test]
fn a_small_grid_does_not_share_memory_with_absent_blocks() {
    let stream = "LDG.E.128 R4, [R2.64] #0:-:1\n".repeat(2000) + "EXIT";
    let prediction =
        |blocks| predict(&work(&stream, blocks), &coefficients(), Model::Ours).unwrap();
    assert_eq!(prediction(1).limit, Some(Limit::L2));
    assert!(prediction(132).cycles > 1.2 * prediction(1).cycles);
}

#[test]
fn a_kernel_that_does_not_fit_is_refused() {
    let mut too_large = work("EXIT", 1);
    too_large.launch.block = [1024, 1, 1];
    too_large.kernel.registers_per_thread = 128;
    let error = predict(&too_large, &coefficients(), Model::Ours).unwrap_err().to_string();
    assert!(error.contains("128 registers"), "{error}");
}

#[test]
fn the_fastest_is_chosen_and_of_equals_the_one_with_more_options() {
    let variant = |count, options_on| Variant {
        launches: vec![work(&multiply_adds(count), 1000)],
        options_on,
    };
    let variants = [variant(50, 9), variant(40, 0), variant(40, 2), variant(40, 2), variant(60, 3)];
    for model in MODELS {
        assert_eq!(choose(&variants, &coefficients(), model).unwrap(), Some(2), "{model}");
    }
    assert_eq!(choose(&[], &coefficients(), Model::Ours).unwrap(), None);
}

#[test]
fn stalls_are_scaled_to_the_highest_occupancy() {
    let mut few = work(&multiply_adds(100), 1000);
    few.kernel.registers_per_thread = 255;
    let variants = [work(&multiply_adds(100), 1000), few]
        .map(|work| Variant { launches: vec![work], options_on: 0 });
    let times = compare(&variants, &coefficients(), Model::Stalls).unwrap();
    let occupancy = [64.0, 8.0].map(|warps| warps / 64.0);
    let speeds = [64.0, 8.0].map(|warps| coefficients().relative_speed(warps));
    let wanted = occupancy[1] / occupancy[0] * speeds[0] / speeds[1];
    assert!((times[1] / times[0] / wanted - 1.0).abs() < 1e-9, "{times:?} {wanted}");
}
