//! Fits to times that the model itself generated with other coefficients.

use super::*;
use crate::{Launch, Work, flow::Iterations, listings::kernel, predict::predict, traffic::Traffic};
use stencil_model::target::Architecture;

fn coefficients() -> Coefficients {
    Coefficients::parse(include_str!("../../coefficients/sm_90.json")).unwrap()
}

/// Kernels of loads and arithmetic in several proportions, with the times of `coefficients`.
fn cases(truth: &Coefficients) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, bytes) in [("thin", 8.0), ("middle", 64.0), ("thick", 256.0)] {
        for arithmetic in [8, 64, 160, 400] {
            let loads = "LDG.E.64 R2, [R4.64] #0:0:1\n".repeat(32);
            let math = "DFMA R2, R4, R6, R2 #0:-:4\n".repeat(arithmetic);
            let text = format!("{loads}FADD R2, R2, R2 #1:-:4\n{math}EXIT");
            let work =
                Work { kernel: kernel(&text), launch: launch(), traffic: Some(traffic(bytes)) };
            let seconds = predict(&work, truth, Model::Ours).unwrap().cycles / 1.7e9;
            let variant = Variant { launches: vec![work], options_on: 0 };
            let name = name.to_owned();
            cases.push(Case { kernel: name, name: arithmetic.to_string(), variant, seconds });
        }
    }
    cases
}

fn launch() -> Launch {
    Launch {
        target: Architecture::parse("sm_90a").unwrap(),
        multiprocessors: 132,
        block: [128, 1, 1],
        grid: [100_000, 1, 1],
        shared_bytes_dynamic: 0,
        iterations: Iterations::new(),
    }
}

fn traffic(bytes: f64) -> Traffic {
    Traffic { hbm_bytes_per_thread: bytes, stored_bytes_per_thread: None }
}

#[test]
fn a_planted_change_is_found() {
    let truth = coefficients().scaled("memory.hbm_bytes_per_cycle", 0.5).unwrap();
    let cases = cases(&truth);
    let found = fit(&cases, &coefficients(), &["memory.hbm_bytes_per_cycle"]).unwrap();
    assert_eq!(found.factors, [("memory.hbm_bytes_per_cycle".to_owned(), 0.5)]);
    assert!(found.error_after < 1e-9 && found.error_before > 0.01, "{found:?}");
    // Without free coefficients nothing changes.
    let found = fit(&cases, &truth, &["memory.hbm_bytes_per_cycle"]).unwrap();
    assert_eq!(found.factors[0].1, 1.0);
}

/// A good choice has priority over small differences.
#[test]
fn choices_count_before_differences() {
    let work = || Work { kernel: kernel("EXIT"), launch: launch(), traffic: None };
    let case = |seconds: f64| Case {
        kernel: "k".to_owned(),
        name: String::new(),
        variant: Variant { launches: vec![work()], options_on: 0 },
        seconds,
    };
    let cases = [case(1.0), case(1.1), case(9.0)];
    let near = loss(&cases, &[1.1, 1.0, 9.0], |_| true);
    let chosen = loss(&cases, &[1.0, 1.1, 2.0], |_| true);
    assert!(chosen < near && chosen.error > near.error, "{chosen:?} {near:?}");
    assert!((near.choice - 1.1_f64.ln()).abs() < 1e-12 && chosen.choice == 0.0);
}

#[test]
fn a_kernel_left_out_is_predicted_from_the_others() {
    let truth = coefficients().scaled("throughput.dfma", 2.0).unwrap();
    let cases = cases(&truth);
    let all = leave_one_out(&cases, &coefficients(), &["throughput.dfma"]).unwrap();
    assert_eq!(all.kernels.len(), 3);
    assert_eq!((all.worst, all.geometric_mean), (1.0, 1.0));
    let naive = evaluate_model(&cases, &coefficients(), Model::Naive).unwrap();
    assert!(naive.geometric_mean <= 1.0);
}

#[test]
fn names_and_variants_that_cannot_be_are_refused() {
    let mut cases = cases(&coefficients());
    let error = fit(&cases, &coefficients(), &["memory.l3"]).unwrap_err().to_string();
    assert!(error.contains("no coefficient 'memory.l3'"), "{error}");
    cases[1].variant.launches[0].kernel.registers_per_thread = 256;
    let error = evaluate_model(&cases, &coefficients(), Model::Ours).unwrap_err().to_string();
    assert!(error.starts_with("variant '64' of kernel 'thin': "), "{error}");
}
