//! Classes of machine instructions: what a version has more or fewer of than another.

use std::collections::BTreeMap;
use stencil_predictor::{disassembly::Listing, instruction::Instruction};

/// The classes, in the order in which they are shown.
pub const CLASSES: [&str; 10] = [
    "f64 arithmetic",
    "f32 and f16 arithmetic",
    "global loads",
    "global stores",
    "shared memory",
    "local memory",
    "shuffles",
    "barriers",
    "control",
    "integers, moves, other",
];

/// How many instructions of each class every kernel has.
pub fn counts(listing: &Listing) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let of_kernel = |code: &Vec<Instruction>| {
        let mut counts = BTreeMap::new();
        // What fills the last line of a kernel is never reached.
        for instruction in code.iter().filter(|instruction| instruction.opcode != "NOP") {
            *counts.entry(class(&instruction.opcode)).or_default() += 1;
        }
        counts
    };
    listing.iter().map(|(kernel, code)| (kernel.clone(), of_kernel(code))).collect()
}

fn class(opcode: &str) -> &'static str {
    match opcode {
        "DADD" | "DMUL" | "DFMA" | "DSETP" | "DMMA" => "f64 arithmetic",
        "FADD" | "FMUL" | "FFMA" | "FSETP" | "FMNMX" | "FSEL" | "MUFU" | "HADD2" | "HMUL2"
        | "HFMA2" | "HSETP2" | "HMNMX2" | "HMMA" => "f32 and f16 arithmetic",
        "LDG" | "LD" | "LDGSTS" | "UBLKCP" | "UTMALDG" => "global loads",
        "STG" | "ST" | "RED" | "ATOMG" | "UTMASTG" => "global stores",
        "LDS" | "STS" | "LDSM" | "STSM" | "ATOMS" => "shared memory",
        "LDL" | "STL" => "local memory",
        "SHFL" => "shuffles",
        "BAR" | "SYNCS" | "DEPBAR" | "LDGDEPBAR" | "MEMBAR" | "ERRBAR" | "WARPSYNC" => "barriers",
        "BRA" | "BRX" | "EXIT" | "CALL" | "RET" | "BSSY" | "BSYNC" | "BREAK" => "control",
        _ => "integers, moves, other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_have_classes_that_are_shown() {
        let cases = [("DFMA", 0), ("FFMA", 1), ("LDG", 2), ("STG", 3), ("LDS", 4), ("STL", 5)];
        for (opcode, place) in cases {
            assert_eq!(class(opcode), CLASSES[place]);
        }
        for opcode in ["SHFL", "BAR", "EXIT", "IMAD"] {
            assert!(CLASSES.contains(&class(opcode)), "{opcode}");
        }
    }
}
