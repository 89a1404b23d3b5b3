//! Stalls of small kernels, counted by hand.

use super::*;
use crate::listings::kernel;

fn coefficients() -> Coefficients {
    Coefficients::parse(include_str!("../../coefficients/sm_90.json")).unwrap()
}

fn stalled(lines: &str, warps: u32) -> f64 {
    let target = Architecture::parse("sm_90a").unwrap();
    let residence = Residence { blocks: 1, warps_per_block: warps, shared_bytes_per_block: 0 };
    stalls(&kernel(lines), residence, target, &coefficients())
}

#[test]
fn naive_is_the_sum_of_the_fields() {
    let kernel =
        kernel("FADD R1, R2, R3 #0:-:4\n.L:\nFADD R1, R1, R3 #0:-:5\n@P0 BRA `(.L) #0:-:2");
    assert_eq!(naive(&kernel), 11.0);
}

#[test]
fn loops_count_ten_times_and_slow_units_longer() {
    // At full occupancy the fastest instruction, without bank conflicts, stalls for its field; one
    // with conflicts no less.
    assert!(stalled("FFMA R1, R2, R4, R6 #0:-:4", 64) >= 4.0);
    let one = stalled("FFMA R1, R2, R2, R3 #0:-:4", 64);
    assert_eq!(one, 4.0);
    let double = stalled("DFMA R2, R4, R6, R2 #0:-:4", 64);
    let known = coefficients().throughput;
    let wanted = 4.0 * known.dfma.value / known.ffma.value;
    assert!((double / wanted - 1.0).abs() < 1e-9, "{double} {wanted}");
    let looped = stalled(".L:\nFFMA R1, R2, R2, R3 #0:-:4\n@P0 BRA `(.L) #0:-:0", 64);
    assert_eq!(looped, 40.0);
    assert_eq!(stalled("FFMA R1, R2, R2, R3 #0:-:4", 32), 2.0);
}

#[test]
fn a_wait_lasts_for_what_is_left_of_the_latency() {
    let global =
        "LDG.E R1, desc[UR4][R2.64] #0:0:0\nFFMA R3, R4, R4, R5 #0:-:0\nFADD R6, R1, R1 #1:-:0";
    assert_eq!(stalled(global, 64), 200.0);
    let later = global.replace("R5 #0:-:0", "R5 #0:-:10");
    assert_eq!(stalled(&later, 64), 10.0 + 190.0);
    let shared = global.replace("LDG.E R1, desc[UR4][R2.64]", "LDS R1, [R2]");
    assert_eq!(stalled(&shared, 64), 24.0);
    // A second wait costs nothing.
    let twice = format!("{global}\nFADD R7, R1, R1 #1:-:0");
    assert_eq!(stalled(&twice, 64), 200.0);
}

#[test]
fn what_is_called_counts_as_often_as_it_is_called() {
    let text = ".L:\nCALL.REL.NOINC `(f) #0:-:0\n@P0 BRA `(.L) #0:-:0\nEXIT #0:-:0\nf:\n\
                FFMA R1, R2, R2, R3 #0:-:4\nRET.REL.NODEC R4 `(k) #0:-:0";
    assert_eq!(stalled(text, 64), 40.0);
}

#[test]
fn fewer_warps_take_longer() {
    let known = coefficients();
    assert_eq!(occupancy_factor(64, 64, &known), 1.0);
    assert!(occupancy_factor(4, 64, &known) > occupancy_factor(8, 64, &known));
}
