//! Listings as the disassembler prints them, and broken ones.

use super::*;
use crate::instruction::{File, Registers};

const LISTING: &str = "\t.headerflags\t@\"EF_CUDA_SM90\"

//--------------------- .text.k  --------------------------
\t.section\t.text.k,\"ax\",@progbits
\t.align\t128
        .global         k
k:
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;                /* 0x00000a00ff017b82 */
                                                                         /* 0x000ff00000000800 */
.L_x_0:
        /*0010*/                   LDG.E.64.CONSTANT R4, desc[UR4][R2.64+-0x8] ; /* 0x0 */
                                                                         /* 0x000ea8000c1e9b00 */
        /*0020*/                   DFMA R6, -R4.reuse, R8, |R10| ;       /* 0x000000080406722b */
                                                                         /* 0x004fd0000000010a */
        /*0030*/               @!P0 BRA `(.L_x_0) ;                      /* 0xfffffffc00e88947 */
                                                                         /* 0x000fea000383ffff */
        /*0040*/                   EXIT ;                                /* 0x000000000000794d */
                                                                         /* 0x000fea0003800000 */
\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"
";

#[test]
fn instructions_have_operands_widths_and_targets() {
    let code = parse(LISTING).unwrap().remove("k").unwrap();
    assert_eq!(code.len(), 5);
    let pair = |first| Registers { file: File::General, first, count: 2 };
    let load = &code[1];
    assert_eq!((load.mnemonic().as_str(), load.access_bytes()), ("LDG.E.64.CONSTANT", 8));
    assert_eq!(load.written().collect::<Vec<_>>(), [pair(4)]);
    let descriptor = Registers { file: File::Uniform, first: 4, count: 2 };
    assert_eq!(load.read().collect::<Vec<_>>(), [descriptor, pair(2)]);
    assert_eq!(code[2].read().collect::<Vec<_>>(), [pair(4), pair(8), pair(10)]);
    assert!(matches!(code[2].operands[1], Operand::Register { reuse: true, .. }));
    assert_eq!(code[2].control.waits().collect::<Vec<_>>(), [2]);
    assert_eq!((code[3].target, code[3].is_conditional()), (Some(0x10), true));
    assert_eq!(code[3].guard, Some(("P0".to_owned(), true)));
    assert!(!code[4].is_conditional());
}

#[test]
fn results_end_where_sources_begin() {
    let written = |text: &str| instruction(0, text).unwrap().results;
    assert_eq!(written("IADD3 R18, P1, R252.reuse, 0x87600, RZ"), 2);
    assert_eq!(written("IADD3.X R7, R17, UR7, RZ, P1, !PT"), 1);
    assert_eq!(written("SHFL.UP PT, R5, R4, 0x1, RZ"), 2);
    assert_eq!(written("ISETP.LT.U32.AND.EX P0, PT, R19, RZ, PT, P0"), 2);
    assert_eq!(written("PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0"), 2);
    assert_eq!(written("SEL R18, R18, 0x1acafff, P0"), 1);
    assert_eq!(written("STG.E.64 desc[UR4][R2.64], R4"), 0);
    assert_eq!(written("LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT"), 2);
    assert_eq!(written("BAR.SYNC.DEFER_BLOCKING 0x0"), 0);
    assert_eq!(written("FSETP.GEU.AND P0, PT, |R4|.reuse, 1.469e-39, PT"), 2);
}

/// The reuse flag refers to the next instruction's operand at the same position.
#[test]
fn a_reused_source_is_cached_in_the_next_instruction() {
    let code = crate::listings::code(
        "FFMA R1, R2.reuse, R4, R6\nFFMA R1, R2, R4.reuse, R6\nFFMA R1, R4, R8, R6\nEXIT",
    );
    let cached = |index: usize| -> Vec<bool> {
        let operands = code[index].operands[1..].iter();
        operands.map(|it| matches!(it, Operand::Register { cached: true, .. })).collect()
    };
    assert_eq!(cached(0), [false; 3]);
    assert_eq!(cached(1), [true, false, false]);
    assert_eq!(cached(2), [false; 3]);
}

#[test]
fn guards_that_never_hold_are_known() {
    assert!(instruction(0, "@!PT LDS RZ, [RZ]").unwrap().never_executes());
    assert!(!instruction(0, "@!P0 LDS R4, [R4]").unwrap().never_executes());
}

/// Every way a listing can be broken is refused with the line and the reason.
#[test]
fn broken_listings_are_refused() {
    let cases = [
        (LISTING.replace("/*0020*/", "/*0030*/"), 14, "not follow the previous one"),
        (LISTING.replace("`(.L_x_0) ;", "`(.L_x_9) ;"), 16, "label that the kernel does not have"),
        (LISTING.replace("/* 0x004fd0000000010a */", ""), 16, "half an encoding"),
        (LISTING.replace("/* 0x000ff00000000800 */", "/* 0xzz */"), 10, "not a number"),
        (LISTING.replace("EXIT ;", "EXIT"), 18, "does not end"),
        (LISTING.replace("/*0040*/", "what"), 18, "neither a label nor an instruction"),
        (LISTING.replace(".text.", ".data."), 21, "no section .text.NAME"),
        (LISTING.replace("R8, |R10|", "R8, , R10"), 14, "operand is missing"),
        (LISTING.replace("[R2.64+-0x8]", "[R2.64"), 12, "address does not end"),
    ];
    for (text, line, why) in cases {
        let error = parse(&text).unwrap_err();
        assert!(error.line == line && error.why.contains(why), "{error}, wanted {line} {why}");
    }
}
