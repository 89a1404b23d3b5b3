//! How far frozen arithmetic lies from the text, bounded and seen.
//!
//! Passes that hold a permission re-associate sums, multiply weights out and fuse products; results
//! change in their last digits. Here every apply is read twice, as it is written and with frozen
//! arithmetic ([`read`]), and both are computed on random points, each value with a bound for what
//! rounding has done to it ([`rounding`]), and that of the text with one for what the permissions
//! allow to change beside rounding ([`reassociation`]). The difference of both must be within the
//! sum of the bounds ([`points`]): a weight that a pass gets wrong is seen, without a chosen
//! tolerance.
//!
//! Inputs of an apply are drawn for each point and apart: errors do not travel from one apply to
//! the next, nor from step to step.

mod code;
mod points;
mod read;
mod reassociation;
mod rounding;
mod text;

pub use points::Draw;
pub use text::{json, table, text};

use crate::{
    DriverError,
    session::{self, Session},
};
use code::{Code, Inputs};
use melior::ir::{Module, OperationRef, operation::OperationLike};
use points::{Pair, Seen};
use read::Symbols;
use reassociation::Reassociation;
use serde::Serialize;
use stencil_dialects::{diagnostics, ops::ApplyOp, walk};
use stencil_passes::transforms::name_stages;

/// What was seen of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// What the program is called.
    pub program: String,
    /// Points of each apply.
    pub points: u64,
    /// The seed of their inputs.
    pub seed: u64,
    /// Every apply, in the order of the text.
    pub applies: Vec<ApplyAccuracy>,
}

impl Accuracy {
    /// Whether an error exceeds its bound.
    pub fn is_refuted(&self) -> bool {
        self.applies.iter().flat_map(|apply| &apply.results).any(|result| result.share > 1.0)
    }
}

/// What was seen of one apply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyAccuracy {
    /// The function that it belongs to.
    pub function: String,
    /// Its name in plans and reports.
    pub stage: String,
    /// Why there is no bound: mostly an operation.
    pub no_bound: Option<String>,
    /// Operations that round, in the text and frozen.
    pub operations: Option<[usize; 2]>,
    /// How far algebra may move the weight of a term, in units of roundoff.
    pub moved_units: f64,
    /// Its results; none without a bound.
    pub results: Vec<ResultAccuracy>,
}

/// What was seen of one result. Sizes are relative to the root mean square of the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultAccuracy {
    /// The largest error, as a share of the bound at its point: at most one.
    pub share: f64,
    /// The largest error.
    pub error: f64,
    /// The largest bound.
    pub bound: f64,
    /// The root mean square of the result.
    pub root_mean_square: f64,
    /// Points that say nothing, as a comparison in them may go either way.
    pub left_out: u64,
}

/// Compares every apply of a program with its frozen form.
pub fn check(
    session: &Session,
    module: &Module,
    symbols: &[(String, f64)],
    draw: Draw,
) -> Result<Accuracy, DriverError> {
    let symbols = symbols.iter().cloned().collect::<Symbols>();
    let written = session.as_written(module)?;
    let frozen = session.freeze(module)?;
    let mut applies = Vec::new();
    let functions = session::functions(&written).into_iter().zip(session::functions(&frozen));
    for ((name, written), (_, frozen)) in functions {
        let pairs = pairs(&applies_in(written), applies_in(frozen)).into_iter();
        applies.extend(pairs.map(|pair| of_apply(&name, pair, &symbols, draw)));
    }
    let program = session.program().to_owned();
    Ok(Accuracy { program, points: draw.points, seed: draw.seed, applies })
}

fn applies_in<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<ApplyOp<'c, 'a>> {
    walk::nested(function).into_iter().filter_map(ApplyOp::of).collect()
}

/// An apply of the frozen form, and what it is in the text, where that can be told.
struct Apply<'c, 'a> {
    written: Option<ApplyOp<'c, 'a>>,
    frozen: ApplyOp<'c, 'a>,
}

/// Passes keep applies in their order. Where some are gone, as nothing reads them any more, those
/// that are left are known by their locations.
fn pairs<'c: 'a, 'a>(
    written: &[ApplyOp<'c, 'a>],
    frozen: Vec<ApplyOp<'c, 'a>>,
) -> Vec<Apply<'c, 'a>> {
    let is_same = written.len() == frozen.len();
    let place = |apply: &ApplyOp<'c, 'a>| apply.operation().location();
    let only = |list: &[ApplyOp<'c, 'a>], of: &ApplyOp<'c, 'a>| {
        let mut same = list.iter().filter(|other| place(other) == place(of));
        same.next().copied().filter(|_| same.next().is_none())
    };
    let of = |(position, apply): (usize, &ApplyOp<'c, 'a>)| match is_same {
        true => Some(written[position]),
        false => only(&frozen, apply).and_then(|apply| only(written, &apply)),
    };
    let found = frozen.iter().enumerate().map(of).collect::<Vec<_>>();
    let both = found.into_iter().zip(frozen);
    both.map(|(written, frozen)| Apply { written, frozen }).collect()
}

fn of_apply(
    function: &str,
    Apply { written, frozen }: Apply,
    symbols: &Symbols,
    draw: Draw,
) -> ApplyAccuracy {
    let stage = name_stages::stage(frozen.operation()).unwrap_or_default();
    let mut all = ApplyAccuracy {
        function: function.to_owned(),
        stage,
        no_bound: None,
        operations: None,
        moved_units: 0.0,
        results: Vec::new(),
    };
    let Some(written) = written else {
        all.no_bound = Some("the text has other applies".to_owned());
        return all;
    };
    match graphs(written, frozen, symbols) {
        Err(operation) => all.no_bound = Some(operation),
        Ok(Graphs { written: text, frozen, inputs }) => {
            let pair = Pair { written: &text, frozen: &frozen, inputs: &inputs };
            all.operations = Some([text.operations(), frozen.operations()]);
            all.moved_units = Reassociation::of(&text, &inputs).most_units();
            all.results = pair.compare(draw).into_iter().map(relative).collect();
            refute(written, &all);
        }
    }
    all
}

/// Both graphs of an apply, and what they read.
struct Graphs {
    written: Code,
    frozen: Code,
    inputs: Inputs,
}

fn graphs(written: ApplyOp, frozen: ApplyOp, symbols: &Symbols) -> Result<Graphs, String> {
    let mut inputs = Inputs::default();
    let written = read::read(written, &mut inputs, symbols)?;
    let count = inputs.all.len();
    let frozen = read::read(frozen, &mut inputs, symbols)?;
    // Computed coordinates are told apart by how they are computed, which passes may simplify.
    if count < inputs.all.len() {
        return Err("a cell at coordinates that the text computes in another way".to_owned());
    }
    Ok(Graphs { written, frozen, inputs })
}

fn relative(seen: Seen) -> ResultAccuracy {
    let size = if seen.size > 0.0 { seen.size } else { 1.0 };
    ResultAccuracy {
        share: seen.share,
        error: seen.error / size,
        bound: seen.bound / size,
        root_mean_square: seen.size,
        left_out: seen.left_out,
    }
}

/// Shows every error that exceeds its bound.
fn refute(apply: ApplyOp, found: &ApplyAccuracy) {
    for (number, result) in found.results.iter().enumerate() {
        if result.share > 1.0 {
            let message = format!(
                "result {number} differs from that of the text by {:.2} times what rounding and \
                 the flags can explain",
                result.share
            );
            diagnostics::error(&apply.operation(), message)
                .help("a pass changes more than it may: this is a bug of the compiler")
                .emit();
        }
    }
}

#[cfg(test)]
mod tests;
