//! Issue slots of operations that are several instructions.
//!
//! Counted in the machine code of kernels with and without the operation (sm_90a, ptxas 13.0.88,
//! libdevice of CUDA 13.0, 2026-11-26), on the path of operands that are neither subnormal nor out
//! of a function's main range. An instruction of the pipe for double precision takes two slots.

/// The slots of an operation on values of one word and of two, by the last part of its MLIR name.
const SLOTS: &[(&str, [f64; 2])] = &[
    ("divf", [13.0, 26.0]),
    ("sqrt", [14.0, 30.0]),
    // From the instruction's estimate, which single precision corrects.
    ("rsqrt", [8.0, 30.0]),
    // No instruction does it in double precision: a comparison, and what NaNs and signs of zeros
    // need.
    ("maximumf", [1.0, 9.0]),
    ("maxnumf", [1.0, 9.0]),
    ("minimumf", [1.0, 9.0]),
    ("minnumf", [1.0, 9.0]),
    ("ceil", [2.0, 2.0]),
    ("floor", [2.0, 2.0]),
    ("round", [2.0, 2.0]),
    ("roundeven", [2.0, 2.0]),
    ("trunc", [2.0, 2.0]),
    ("atan", [23.0, 110.0]),
    ("cbrt", [23.0, 58.0]),
    ("erf", [36.0, 170.0]),
    ("exp", [10.0, 83.0]),
    ("log", [32.0, 120.0]),
    ("powf", [102.0, 93.0]),
    ("sin", [92.0, 73.0]),
    ("cos", [92.0, 73.0]),
    ("tanh", [23.0, 139.0]),
];

/// Those of the reciprocal of a normal number of one word and of two: an estimate and a Newton
/// step, or an estimate, its low half and five operations of double precision.
const NORMAL_RECIPROCAL: [f64; 2] = [3.0, 12.0];

/// Those of a function that was not counted.
const OF_FUNCTION: [f64; 2] = [40.0, 100.0];

/// The issue slots of the reciprocal of a normal number of so many words.
pub fn normal_reciprocal(words: usize) -> f64 {
    NORMAL_RECIPROCAL[usize::from(words > 1)]
}

/// The issue slots of an operation of a dialect that is more than one instruction, on values of so
/// many words; none of one that is a single instruction for each word, or a part of one.
pub fn issue_slots(dialect: &str, operation: &str, words: usize) -> Option<f64> {
    let of_words = usize::from(words > 1);
    let counted = SLOTS.iter().find(|(name, _)| *name == operation);
    match (counted, dialect) {
        (Some((_, slots)), _) => Some(slots[of_words]),
        (None, "math") if !["fma", "absf", "copysign"].contains(&operation) => {
            Some(OF_FUNCTION[of_words])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_several_instructions_are_told_from_single_ones() {
        assert_eq!(issue_slots("arith", "divf", 1), Some(13.0));
        assert_eq!(issue_slots("arith", "divf", 2), Some(26.0));
        assert_eq!(issue_slots("math", "asinh", 2), Some(100.0));
        for (dialect, operation) in [("arith", "addf"), ("math", "fma"), ("arith", "select")] {
            assert_eq!(issue_slots(dialect, operation, 2), None, "{operation}");
        }
    }
}
