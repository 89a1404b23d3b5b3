//! Scalar operations of host programs.

use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::attributes;
use stencil_runtime::scalar::{FloatPredicate, IntPredicate, ScalarOp};

/// The host operation of an op, if there is one.
pub(super) fn operation_of(name: &str, operation: OperationRef) -> Option<ScalarOp> {
    let (dialect, local) = name.split_once('.')?;
    let predicate = || attributes::integer(operation.attribute("predicate").ok()?);
    match (dialect, local) {
        ("arith", "cmpi") => {
            INTEGER_PREDICATES.get(predicate()? as usize).copied().map(ScalarOp::CmpI)
        }
        ("arith", "cmpf") => {
            FLOAT_PREDICATES.get(predicate()? as usize).copied().map(ScalarOp::CmpF)
        }
        ("arith" | "math", _) => {
            serde_json::from_value(serde_json::Value::String(local.to_owned())).ok()
        }
        _ => None,
    }
}

/// In the order of MLIR's numbers.
const INTEGER_PREDICATES: [IntPredicate; 10] = {
    use IntPredicate::*;
    [Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge]
};

/// In the order of MLIR's numbers.
const FLOAT_PREDICATES: [FloatPredicate; 16] = {
    use FloatPredicate::*;
    [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno, True]
};

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_passes::transforms::hoist_scalars::HOST_OPERATIONS;

    #[test]
    fn host_programs_have_what_is_hoisted() {
        for name in HOST_OPERATIONS {
            let (_, local) = name.split_once('.').unwrap();
            let is_comparison = matches!(*name, "arith.cmpi" | "arith.cmpf");
            assert!(is_comparison || ScalarOp::from_name(local).is_some(), "{name}");
        }
    }
}
