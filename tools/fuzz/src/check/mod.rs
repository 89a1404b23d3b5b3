//! Whether a program is valid and well defined, independent of how it was generated.
//!
//! Generator and shrinker both end here: a program that passes may be run anywhere, and two runs
//! that differ reveal a bug elsewhere.

mod boxes;
mod code;
mod memory;
mod structure;

use crate::layout::Layout;
use crate::program::{Program, Value};

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// A value is used where it is not visible.
    #[error("value {0:?} is used but not visible")]
    Invisible(Value),
    /// Operand and result types do not fit an operation.
    #[error("types do not fit: {0}")]
    Types(String),
    /// The boxes grow without end.
    #[error("bounds grow without end")]
    Unbounded,
    /// A temp is computed but nothing needs it.
    #[error("temp {0:?} is never stored or read")]
    Dead(Value),
    /// A read or write leaves its field or temp.
    #[error("box of {0:?} is left by {1}")]
    Outside(Value, String),
    /// A combine splits outside its result, or an extension does not end at the split.
    #[error("combine splits {0:?} outside its box")]
    Split(Value),
    /// Unrolling does not divide the points.
    #[error("unrolling does not divide the points of {0:?}")]
    Unroll(Value),
    /// Cells of an allocated field are read before they are written.
    #[error("field {0:?} is read before it is written")]
    Unwritten(Value),
    /// A temp with missing cells is read.
    #[error("temp {0:?} may have missing cells but is not only stored")]
    Partial(Value),
    /// A buffered temp has other uses, or none made it.
    #[error("temp {0:?} is buffered but not only buffered")]
    Buffered(Value),
    /// Fields that must be distinct may be one.
    #[error("fields {0:?} and {1:?} may be one")]
    Alias(Value, Value),
    /// A loop does not carry each field in one slot.
    #[error("the loop of counter {0:?} carries no permutation of its fields")]
    Rotation(Value),
    /// A number is outside of its valid range.
    #[error("out of range: {0}")]
    Range(String),
}

/// Checks a program and returns its boxes.
pub fn check(program: &Program) -> Result<Layout, Invalid> {
    structure::check(program)?;
    memory::check(program)?;
    let layout = Layout::infer(program).ok_or(Invalid::Unbounded)?;
    boxes::check(program, &layout)?;
    Ok(layout)
}
