//! Remarks as data, for programs that show what passes decided.
//!
//! MLIR's own remarks are for `stencil-opt`; here those of a context are collected while a pipeline
//! runs on it. Passes on functions run on several threads, so remarks are given in the order of the
//! program's text.

use melior::{Context, ir::operation::OperationLike};
use std::sync::{Mutex, MutexGuard};
use stencil_dialects::{
    attributes, build,
    diagnostics::{RemarkKind, place},
    ods::stencil::attribute,
};

/// What a pass said about an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Whether a transform was applied.
    pub kind: RemarkKind,
    /// The pass, by its argument.
    pub pass: &'static str,
    /// The function that the pass ran on; empty of a pass on modules.
    pub function: String,
    /// The name of the op's stage, if it has one.
    pub stage: Option<String>,
    /// Where the op is in the program, as `file:line:column`.
    pub place: String,
    /// What was said.
    pub text: String,
}

/// The remarks of contexts, by address, that somebody collects.
static KEPT: Mutex<Vec<(usize, Vec<Remark>)>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<(usize, Vec<Remark>)>> {
    KEPT.lock().expect("adding remarks does not panic while the lock is held")
}

/// Does something, and gives the remarks of passes on ops of a context that ran meanwhile.
pub fn collecting_remarks<T>(context: &Context, work: impl FnOnce() -> T) -> (T, Vec<Remark>) {
    let address = context.to_raw().ptr as usize;
    kept().push((address, Vec::new()));
    let done = work();
    let mut all = kept();
    let own = all.iter().rposition(|(of, _)| *of == address);
    let (_, mut remarks) = all.remove(own.expect("it was added above"));
    remarks.sort_by_key(|remark| (remark.function.clone(), line_and_column(&remark.place)));
    (done, remarks)
}

/// Keeps a remark for those who collect it.
pub(super) fn keep<'c: 'a, 'a>(
    kind: RemarkKind,
    operation: &impl OperationLike<'c, 'a>,
    (pass, function): (&'static str, &str),
    text: &str,
) {
    let address = build::context(operation).to_raw().ptr as usize;
    for (_, remarks) in kept().iter_mut().filter(|(of, _)| *of == address) {
        remarks.push(Remark {
            kind,
            pass,
            function: function.to_owned(),
            stage: operation.attribute(attribute::STAGE).ok().and_then(attributes::string),
            place: place(operation.location()),
            text: text.to_owned(),
        });
    }
}

/// The numbers at the end of a place.
fn line_and_column(place: &str) -> (u64, u64) {
    let mut numbers = place.rsplit(':').map(|part| part.parse().unwrap_or(0));
    let column = numbers.next().unwrap_or(0);
    (numbers.next().unwrap_or(0), column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_the_text() {
        assert_eq!(line_and_column("a:b.mlir:12:3"), (12, 3));
        assert!(line_and_column("a.mlir:9:7") < line_and_column("a.mlir:10:2"));
        assert_eq!(line_and_column("unknown"), (0, 0));
    }
}
