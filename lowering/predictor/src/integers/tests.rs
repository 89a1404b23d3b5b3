//! Integer code against the documented semantics.

use super::*;
use crate::{flow::Iterations, listings::code};
use stencil_model::target::Architecture;

fn launch() -> Launch {
    Launch {
        target: Architecture::parse("sm_90a").unwrap(),
        multiprocessors: 132,
        block: [32, 8, 1],
        grid: [16, 64, 128],
        shared_bytes_dynamic: 0,
        iterations: Iterations::new(),
    }
}

/// The registers after these lines, of a thread in the middle.
fn after<T>(lines: &str, read: impl FnOnce(&Integers<'_>) -> T) -> T {
    let launch = launch();
    let mut it = Integers::new(&launch, Thread { thread: [5, 3, 0], block: [7, 9, 11] });
    for instruction in code(lines) {
        it.execute(&instruction);
    }
    read(&it)
}

fn general(lines: &str, first: u8) -> Option<u64> {
    after(lines, |it| it.read(Registers { file: File::General, first, count: 1 }))
}

fn pair(lines: &str, first: u8) -> Option<u64> {
    after(lines, |it| it.read(Registers { file: File::General, first, count: 2 }))
}

/// The address of a point, as the assembler computes it for a grid of 512 cells a row.
#[test]
fn an_address_is_that_of_its_point() {
    let lines = "S2R R5, SR_CTAID.Y\nS2UR UR4, SR_CTAID.X\nS2R R7, SR_TID.Y\nS2R R9, SR_TID.X
        USHF.L.U32 UR4, UR4, 0x5, URZ\nIMAD.SHL.U32 R0, R5, 0x8, RZ
        LOP3.LUT R0, R0, R7, RZ, 0xfc, !PT\nLOP3.LUT R3, R9, UR4, RZ, 0xfc, !PT
        S2R R2, SR_CTAID.Z\nIMAD R6, R2, 0x200, R0\nIMAD R6, R6, 0x200, R3
        LDC.64 R52, c[0x0][0x218]\nIMAD.WIDE R52, R6, 0x8, R52
        LDG.E.64.CONSTANT R54, desc[UR6][R52.64+-0x8]";
    let load = code(lines).pop().unwrap();
    let point = u64::from((11 * 512 + 9 * 8 + 3) * 512 + 7 * 32 + 5_u32);
    let wanted = (2 << ARRAY_BITS) + 8 * point - 8;
    assert_eq!(after(lines, |it| it.address(&load)), Some(wanted));
    assert_eq!(pair(lines, 54), None, "what is loaded is not known");
}

#[test]
fn sums_of_two_words_carry() {
    let lines = "MOV R2, 0xfffffff0\nMOV R3, 0x1\nIADD3 R4, P0, R2, 0x20, RZ
        IADD3.X R5, RZ, R3, RZ, P0, !PT";
    assert_eq!(pair(lines, 4), Some(0x2_0000_0010));
    let lines = "MOV R2, 0x20\nMOV R3, 0x1\nMOV R6, 0x30\nIADD3 R4, P0, R2, -R6, RZ
        IADD3.X R5, R3, -0x1, RZ, P0, !PT";
    assert_eq!(pair(lines, 4), Some(0xffff_fff0));
    let lines = "MOV R2, 0x80000001\nMOV R3, 0x0\nLEA R4, P0, R2, 0x8, 0x3
        LEA.HI.X R5, R2, 0x0, R3, 0x3, P0";
    assert_eq!(pair(lines, 4), Some((0x8000_0001 << 3) + 8));
}

#[test]
fn products_have_a_sign_or_none() {
    let lines = "MOV R2, 0xffffffff\nMOV R4, 0x0\nMOV R5, 0x0\n";
    assert_eq!(pair(&format!("{lines}IMAD.WIDE R6, R2, 0x8, R4"), 6), Some(-8_i64 as u64));
    let unsigned = format!("{lines}IMAD.WIDE.U32 R6, R2, 0x8, R4");
    assert_eq!(pair(&unsigned, 6), Some(0xffff_ffff * 8));
    assert_eq!(general(&format!("{lines}IMAD.IADD R6, R2, 0x1, -R2"), 6), Some(0));
}

#[test]
fn words_are_shifted_joined_and_chosen() {
    assert_eq!(general("MOV R2, 0x81\nSHF.R.U32.HI R3, RZ, 0x5, R2", 3), Some(4));
    assert_eq!(general("MOV R2, 0x81\nSHF.L.U32 R3, R2, 0x2, RZ", 3), Some(0x204));
    let shifted = "MOV R2, 0xfffffff0\nSHF.R.S32.HI R3, RZ, 0x2, R2";
    assert_eq!(general(shifted, 3), Some(0xffff_fffc));
    let upper = "MOV R2, 0x80000000\nMOV R3, 0x1\nSHF.L.U64.HI R4, R2, 0x1, R3";
    assert_eq!(general(upper, 4), Some(3));
    assert_eq!(general("MOV R2, 0x6\nLOP3.LUT R3, R2, 0x3, RZ, 0xc0, !PT", 3), Some(2));
    let largest = "MOV R2, 0xfffffffe\nVIADDMNMX.U32 R3, R2, 0x1, RZ, !PT";
    assert_eq!(general(largest, 3), Some(0xffff_ffff));
    assert_eq!(general("MOV R2, 0xfffffffe\nVIMNMX R3, R2, 0x1, PT", 3), Some(0xffff_fffe));
    let chosen = "ISETP.GT.AND P1, PT, RZ, -0x1, PT\nSEL R2, RZ, 0x7, !P1";
    assert_eq!(general(chosen, 2), Some(7));
}

#[test]
fn what_was_spilled_is_known_when_it_comes_back() {
    let begin = "LDC R1, c[0x0][0x28]\nIADD3 R1, R1, -0x10, RZ\nMOV R2, 0x7\nMOV R3, 0x9\n";
    let back = format!("{begin}STL.64 [R1+0x8], R2\nMOV R2, 0x0\nLDL.LU.64 R4, [R1+0x8]");
    assert_eq!(pair(&back, 4), Some(0x9_0000_0007));
    let other = format!("{begin}STL [R1], R2\nLDL R4, [R1+0x4]");
    assert_eq!(general(&other, 4), None);
    let anywhere = format!("{begin}STL [R1], R2\nSTL [R9], R3\nLDL R4, [R1]");
    assert_eq!(general(&anywhere, 4), None);
}

#[test]
fn guards_are_asked_and_what_is_unknown_stays_so() {
    let guarded = |relation: &str| {
        general(
            &format!("MOV R2, 0x1\nISETP.{relation}.AND P0, PT, R2, 0x4, PT\n@P0 MOV R2, 0x9"),
            2,
        )
    };
    assert_eq!((guarded("LT"), guarded("GE")), (Some(9), Some(1)));
    assert_eq!(general("MOV R2, 0x1\n@P3 MOV R2, 0x9", 2), None);
    assert_eq!(general("MOV R2, 0x1\nDADD R2, R4, R6", 3), None);
    assert_eq!(general("MOV R2, 0x1\nPOPC R2, R2", 2), None);
    assert_eq!(general("LDC R1, c[0x0][0x28]\nMOV R2, c[0x0][0x4]", 2), Some(8));
}
