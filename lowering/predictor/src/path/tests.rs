//! Paths through small kernels.

use super::*;
use crate::listings::kernel;

fn executed(kernel: &Kernel, opcode: &str) -> f64 {
    let path = Path::of(kernel, &Iterations::new());
    let of = |step: &&Step| kernel.code[step.instruction].opcode == opcode;
    path.steps.iter().filter(of).map(|step| step.weight).sum()
}

#[test]
fn weights_of_a_nest_are_its_executions() {
    let nest = kernel(
        "MOV R4, 0x0\n.La:\nMOV R5, 0x0\nDMUL R2, R2, R2\n.Lb:\nDFMA R6, R8, R10, R6\n\
         VIADD R5, R5, 0x1\nISETP.LT.AND P0, PT, R5, 0x20, PT\n@P0 BRA `(.Lb)\n\
         VIADD R4, R4, 0x1\nISETP.LT.AND P1, PT, R4, 0x7, PT\n@P1 BRA `(.La)\nSTG.E [R2], R4\nEXIT",
    );
    assert_eq!(executed(&nest, "DFMA"), 224.0);
    assert_eq!(executed(&nest, "DMUL"), 7.0);
    assert_eq!((executed(&nest, "STG"), executed(&nest, "EXIT")), (1.0, 1.0));
    let steps = Path::of(&nest, &Iterations::new()).steps.len();
    assert!(steps < STEPS_WANTED, "{steps} steps");
}

#[test]
fn a_loop_that_is_tested_at_its_head_ends() {
    let kernel = kernel(
        ".La:\nISETP.GE.AND P0, PT, R4, R5, PT\n@P0 BRA `(.Lb)\nFADD R1, R1, R2\n\
         VIADD R4, R4, 0x1\nBRA `(.La)\n.Lb:\nEXIT",
    );
    assert_eq!(executed(&kernel, "EXIT"), 1.0);
    assert!((executed(&kernel, "FADD") - 10.0).abs() <= 2.0, "{}", executed(&kernel, "FADD"));
}

#[test]
fn threads_outside_leave_and_the_others_are_followed() {
    let kernel = kernel("@P0 EXIT\nDADD R2, R2, R4\nSTG.E.64 [R6], R2\nEXIT");
    assert_eq!(executed(&kernel, "DADD"), 1.0);
    let branch = "@P0 BRA `(.Lend)\nDADD R2, R2, R4\n.Lend:\nEXIT";
    assert_eq!(executed(&self::kernel(branch), "DADD"), 1.0);
}

#[test]
fn of_two_ways_the_one_with_less_around_the_work_is_taken() {
    let rim = "SEL R1, R2, R3, P0\nSEL R1, R2, R3, P0\nDADD R2, R2, R4\nMUFU.RCP R1, R2";
    let inside = "DADD R2, R2, R4\nNOP";
    for (first, second) in [(rim, inside), (inside, rim)] {
        let text = format!("@P0 BRA `(.La)\n{first}\nBRA `(.Lb)\n.La:\n{second}\n.Lb:\nEXIT");
        let kernel = kernel(&text);
        assert_eq!((executed(&kernel, "NOP"), executed(&kernel, "MUFU")), (1.0, 0.0), "{text}");
    }
}

/// A loop with masks for the boundary beside its unrolled form for the interior.
#[test]
fn an_unrolled_inside_is_preferred_to_a_loop_for_the_rim() {
    let rim = ".Lr:\nSEL R1, R2, R3, P0\nSEL R1, R2, R3, P0\nDADD R2, R2, R4\n@P1 BRA `(.Lr)";
    let inside = "DADD R2, R2, R4\nNOP\nDADD R2, R2, R4";
    let kernel = kernel(&format!("@P0 BRA `(.La)\n{rim}\nEXIT\n.La:\n{inside}\nEXIT"));
    assert_eq!((executed(&kernel, "NOP"), executed(&kernel, "SEL")), (1.0, 0.0));
}

#[test]
fn rare_values_are_not_corrected() {
    let text = "MUFU.RCP64H R1, R2\n@P0 BRA `(.La)\nCALL.REL.NOINC `(f)\n.La:\nEXIT\n\
                f:\nDMUL R2, R2, R2\nRET.REL.NODEC R4 `(k)";
    assert_eq!(executed(&kernel(text), "CALL"), 0.0);
}

#[test]
fn unknown_loops_turn_as_often_as_it_takes_to_store_what_is_stored() {
    let text = ".La:\nDADD R2, R2, R4\nSTG.E.64 [R6.64], R2\nISETP.LT.AND P0, PT, R4, R5, PT\n\
                @P0 BRA `(.La)\nEXIT";
    let kernel = kernel(text);
    let storing = |bytes| {
        let path = Path::storing(&kernel, &Iterations::new(), bytes);
        path.steps.iter().filter(|it| it.instruction == 0).map(|it| it.weight).sum::<f64>()
    };
    for times in [3.0, 40.0, 5000.0] {
        assert!(
            (storing(8.0 * times) / times - 1.0).abs() < 0.02,
            "{} {times}",
            storing(8.0 * times)
        );
    }
    // Loops have no effect on the stores: they keep the default.
    assert_eq!(storing(1e30), crate::flow::ITERATIONS_UNKNOWN);
}
