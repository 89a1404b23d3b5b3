//! Issue slots of operations that are several instructions.
//!
//! Executed by a warp, by the counters of an H200: a point with five of the operation, less one
//! without, its loads and its sums, over five (sm_90a, ptxas 13.0.88, libdevice of CUDA 13.0, 512
//! operands between 0 and 1, 2026-11-30). An instruction of the pipe for double precision takes two
//! slots. Points with one of a function take more where its constants are many (`exp` in double
//! precision 63 instead of 42, `atan` 107 instead of 82).

/// The slots of an operation on values of one word and of two, by the last part of its MLIR name.
const SLOTS: &[(&str, [f64; 2])] = &[
    // 10, 24 and 17, 26 were executed; the shares of issue that sweeps of them reach were fitted
    // with these.
    ("divf", [13.0, 26.0]),
    ("sqrt", [14.0, 30.0]),
    // From the instruction's estimate, which single precision corrects, as fast math has it; the
    // root and the quotient are 28 and 42.
    ("rsqrt", [8.0, 30.0]),
    // No instruction does it in double precision: a comparison, and what NaNs and signs of zeros
    // need; with fast math 9, fitted likewise, else 22 where a NaN is the result.
    ("maximumf", [1.0, 9.0]),
    ("maxnumf", [1.0, 9.0]),
    ("minimumf", [1.0, 9.0]),
    ("minnumf", [1.0, 9.0]),
    ("ceil", [1.0, 1.0]),
    ("floor", [1.0, 1.0]),
    ("round", [8.0, 12.0]),
    ("roundeven", [1.0, 1.0]),
    ("trunc", [1.0, 1.0]),
    ("atan", [17.0, 82.0]),
    ("cbrt", [17.0, 52.0]),
    ("erf", [26.0, 139.0]),
    ("exp", [8.0, 42.0]),
    ("log", [26.0, 107.0]),
    ("powf", [82.0, 286.0]),
    ("sin", [27.0, 64.0]),
    ("cos", [28.0, 65.0]),
    ("tanh", [17.0, 134.0]),
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
