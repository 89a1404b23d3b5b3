//! Blocks and loops of small listings.

use super::*;
use crate::listings::code;

const NEST: &str = "
    IMAD.MOV.U32 R4, RZ, RZ, RZ
    .L_x_0:
    MOV R5, 0x10
    .L_x_1:
    DFMA R6, R8, R10, R6
    VIADD R5, R5, 0xfffffffc
    ISETP.NE.AND P0, PT, R5, RZ, PT
    @P0 BRA `(.L_x_1)
    VIADD R4, R4, 0x1
    ISETP.GT.AND P1, PT, R4, 0x31, PT
    @!P1 BRA `(.L_x_0)
    EXIT
    .L_x_2:
    BRA `(.L_x_2)
    NOP
";

#[test]
fn loops_nest_and_outer_ones_come_first() {
    let code = code(NEST);
    let flow = Flow::of(&code);
    let headers: Vec<_> = flow.loops.iter().map(|it| (it.header, it.depth, it.parent)).collect();
    assert_eq!(headers, [(1, 1, None), (2, 2, Some(0))]);
    assert_eq!(flow.blocks[2].innermost, Some(1));
    assert_eq!(flow.blocks[3].innermost, Some(0));
    let unreachable: Vec<_> = flow.blocks.iter().filter(|it| !it.reachable).collect();
    assert_eq!(unreachable.len(), 2);
}

#[test]
fn constant_iterations_are_read_from_the_code() {
    let code = code(NEST);
    let flow = Flow::of(&code);
    assert_eq!(flow.loops[0].iterations, Some(50.0));
    assert_eq!(flow.loops[1].iterations, Some(4.0));
    let weights = flow.weights(&code, &Iterations::new());
    assert_eq!(weights[..4], [1.0, 50.0, 200.0, 50.0]);
}

#[test]
fn the_caller_knows_better_and_unknown_loops_count_ten_times() {
    let bound_in_a_register = NEST.replace("R4, 0x31, PT", "R4, R7, PT");
    let code = code(&bound_in_a_register);
    let flow = Flow::of(&code);
    assert_eq!(flow.loops[0].iterations, None);
    assert_eq!(flow.weights(&code, &Iterations::new())[2], 40.0);
    let inner = code[flow.blocks[2].first].address;
    assert_eq!(flow.weights(&code, &Iterations::from([(inner, 3.0)]))[2], 30.0);
}

/// Counter before or after the comparison, up or down, leaving or continuing: as a loop in C.
#[test]
fn iterations_are_those_of_running_the_loop() {
    let cases = [
        ("LT", "0x0", "0x1", "0x40", true, 64.0),
        ("LT", "0x0", "0x3", "0x40", true, 22.0),
        ("LE", "0x1", "0x2", "0x9", true, 5.0),
        ("NE", "0x8", "0xfffffffe", "0x0", true, 4.0),
        ("GT", "0x8", "0xfffffffd", "0x0", true, 3.0),
        ("LT", "0x0", "0x1", "0x40", false, 65.0),
    ];
    for (relation, start, step, bound, step_first, wanted) in cases {
        let compare = format!("ISETP.{relation}.U32.AND P0, PT, R4, {bound}, PT");
        let step = format!("IADD3 R4, R4, {step}, RZ");
        let (first, second) = if step_first { (&step, &compare) } else { (&compare, &step) };
        let text = format!(
            "MOV R4, {start}\n.L_a:\nFADD R1, R1, R1\n{first}\n{second}\n@P0 BRA `(.L_a)\nEXIT"
        );
        let code = code(&text);
        assert_eq!(Flow::of(&code).loops[0].iterations, Some(wanted), "{text}");
        let other_way = text.replace("@P0 BRA `(.L_a)", "@!P0 EXIT\nBRA `(.L_a)");
        let other_way = Flow::of(&crate::listings::code(&other_way));
        assert_eq!(other_way.loops[0].iterations, None, "no guard at the branch that goes back");
    }
}

#[test]
fn a_function_is_reached_by_its_call() {
    let code = code("CALL.REL.NOINC `(f)\nEXIT\nf:\nDMUL R2, R2, R2\nRET.REL.NODEC R4 `(k)");
    let flow = Flow::of(&code);
    assert!(flow.blocks.iter().all(|it| it.reachable));
    assert!(flow.loops.is_empty());
}
