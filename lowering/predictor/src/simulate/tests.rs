//! The simulation against what can be computed by hand, and against its bounds.

use super::*;
use crate::{bounds::Bounds, coefficients::Coefficients, flow::Iterations, listings::kernel};
use proptest::prelude::*;
use stencil_model::target::Architecture;

fn coefficients() -> Coefficients {
    Coefficients::parse(include_str!("../../coefficients/sm_90.json")).unwrap()
}

/// Simulated cycles of a round without the launch of blocks, and the largest bound.
fn round(text: &str, warps_per_block: u32, blocks: u32) -> (f64, f64) {
    let coefficients = coefficients();
    let target = Architecture::parse("sm_90a").unwrap();
    let machine = Machine { target, multiprocessors: 132, coefficients: &coefficients };
    let kernel = kernel(text);
    let path = Path::of(&kernel, &Iterations::new());
    let residence = Residence { blocks, warps_per_block, shared_bytes_per_block: 0 };
    let shares = Shares::of(&kernel, &path, residence, None, machine);
    let bounds = Bounds::of(&kernel, &path, residence, &shares, target, &coefficients);
    let cycles = cycles(&kernel, &path, residence, &shares, machine, 3.0);
    (cycles - coefficients.memory.block_launch_cycles.value, bounds.largest().1)
}

/// A loop of 1000 iterations around these instructions.
fn looped(body: &str) -> String {
    format!(
        "MOV R4, 0x0\n.La:\n{body}\nVIADD R4, R4, 0x1 #0:-:4\n\
         ISETP.LT.AND P0, PT, R4, 0x3e8, PT #0:-:13\n@P0 BRA `(.La) #0:-:5\nEXIT"
    )
}

#[test]
fn one_warp_is_as_slow_as_its_latencies() {
    let chain = "DFMA R2, R2, R2, R2 #0:-:8\n".repeat(16);
    let (cycles, _) = round(&looped(&chain), 1, 1);
    let by_hand = 1000.0 * (16.0 * 8.0 + 4.0 + 13.0 + 5.0);
    assert!((cycles / by_hand - 1.0).abs() < 0.01, "{cycles} {by_hand}");
}

#[test]
fn many_warps_are_as_fast_as_the_unit() {
    let chain = "DFMA R2, R2, R2, R2 #0:-:8\n".repeat(16);
    let (cycles, bound) = round(&looped(&chain), 4, 16);
    let unit = 1000.0 * 16.0 * 16.0 * coefficients().throughput.dfma.value;
    assert!((bound / unit - 1.0).abs() < 0.01, "{bound} {unit}");
    assert!(cycles < 1.1 * unit, "{cycles} {unit}");
}

#[test]
fn a_wait_for_memory_is_as_long_as_memory() {
    let text = "LDG.E R2, [R4.64] #0:0:1\nFADD R2, R2, R2 #1:-:4\nEXIT";
    let (cycles, _) = round(text, 1, 1);
    let latency = coefficients().latency.ldg_hbm.value;
    assert!((latency..latency + 60.0).contains(&cycles), "{cycles}");
}

#[test]
fn copies_are_waited_for_in_groups() {
    let group = "LDGSTS.E.64 [R2], [R4.64] #0:-:1\nLDGDEPBAR #0:0:1\n";
    let wait = |left: u32| {
        let text = format!(
            "{group}{}{group}DEPBAR.LE SB0, 0x{left} #0:-:1\nEXIT",
            "NOP #0:-:15\n".repeat(20)
        );
        round(&text, 1, 1).0
    };
    assert!(wait(0) > wait(1) + 200.0, "{} {}", wait(0), wait(1));
    assert!(wait(1) > wait(2) + 200.0, "{} {}", wait(1), wait(2));
}

#[test]
fn a_barrier_waits_for_the_last_warp() {
    let text = "BAR.SYNC.DEFER_BLOCKING 0x0 #0:-:1\nFADD R2, R2, R2 #0:-:4\nEXIT";
    let (together, _) = round(text, 16, 1);
    let latency = coefficients().latency.barrier.value;
    assert!((latency..latency + 40.0).contains(&together), "{together}");
}

/// Any of a few instructions, with any stall.
fn instructions() -> impl Strategy<Value = String> {
    let kinds = prop::sample::select(vec![
        "DFMA R2, R4, R6, R2 #0:-:",
        "FFMA R2, R4, R7, R3 #0:-:",
        "IMAD R2, R4, R5, R3 #0:-:",
        "IADD3 R2, R4, R5, RZ #0:-:",
        "MUFU.RSQ R2, R4 #0:1:",
        "LDS.64 R2, [R4] #0:2:",
        "STS.128 [R4], R8 #0:-:",
        "SHFL.UP PT, R2, R4, 0x1, RZ #0:3:",
        "LDG.E.64 R2, [R4.64] #0:0:",
        "STG.E.64 [R4.64], R2 #0:-:",
        "LDL R2, [R4] #0:4:",
        "FADD R2, R2, R2 #31:-:",
        "BAR.SYNC.DEFER_BLOCKING 0x0 #0:-:",
    ]);
    let one = (kinds, 1..12u32).prop_map(|(text, stall)| format!("{text}{stall}"));
    prop::collection::vec(one, 1..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// No schedule is faster than the busiest unit. A queue that fills slowly may still hide a
    /// little of that in the iterations that are walked.
    #[test]
    fn never_below_the_bounds(body in instructions(), warps in 1..9u32, blocks in 1..5u32) {
        let (cycles, bound) = round(&looped(&body), warps, blocks);
        prop_assert!(cycles >= 0.88 * bound, "{} cycles, bound {}", cycles, bound);
    }

    /// Warps that get into each other's way less may gain a little more than they lose.
    #[test]
    fn more_work_is_never_faster(body in instructions(), warps in 1..9u32, more in 1..20usize) {
        let (less, _) = round(&looped(&body), warps, 2);
        let longer = format!("{body}\n{}", "DFMA R2, R4, R6, R2 #0:-:8\n".repeat(more));
        let (cycles, _) = round(&looped(longer.trim_end()), warps, 2);
        prop_assert!(cycles >= 0.9 * less, "{} with more, {} with less", cycles, less);
    }

    /// By an eighth, which is more than an uneven end of the walked iterations makes.
    #[test]
    fn more_arithmetic_is_slower(count in 8..60usize, stall in 1..9u32, warps in 1..33u32) {
        let body = |count: usize| {
            format!("DFMA R2, R4, R6, R2 #0:-:{stall}\n").repeat(count).trim_end().to_owned()
        };
        let (less, _) = round(&looped(&body(count)), warps, 1);
        let (more, _) = round(&looped(&body(count + count / 8 + 1)), warps, 1);
        prop_assert!(more > less, "{} with more, {} with less", more, less);
    }

    #[test]
    fn twice_the_same(body in instructions(), warps in 1..9u32) {
        let text = looped(&body);
        prop_assert_eq!(round(&text, warps, 3), round(&text, warps, 3));
    }
}
