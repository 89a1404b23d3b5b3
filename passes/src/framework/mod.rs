//! Declaration and execution context of passes.

mod options;
mod registry;
mod remarks;
mod statistics;
mod work;

pub use options::{OptionError, OptionValues, flag, integer, integers, text};
pub use registry::{print_reference, register};
pub use remarks::{Remark, collecting_remarks};
pub use statistics::{STEPS, Statistic, print_statistics, statistic, take_statistics};
pub use work::count_steps;

use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::BTreeMap;
use stencil_dialects::{
    diagnostics::{self, RemarkKind},
    ods::{builtin, func, gpu},
    pass::OptionInfo,
};

/// The op that a pass runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// `builtin.module`.
    Module,
    /// `func.func`; functions are visited in parallel.
    Function,
    /// `gpu.module`.
    GpuModule,
}

impl Anchor {
    /// Name of the op.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Module => builtin::MODULE,
            Self::Function => func::FUNC,
            Self::GpuModule => gpu::MODULE,
        }
    }
}

/// A pass, as its file declares it.
pub struct PassInfo {
    /// Name on command lines and in pipelines; the file's name with hyphens and a prefix.
    pub argument: &'static str,
    /// Summary for `--help`.
    pub summary: &'static str,
    /// The file itself; its head is the pass's page in the reference.
    pub source: &'static str,
    /// The op it runs on.
    pub anchor: Anchor,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Its counters.
    pub statistics: &'static [Statistic],
    /// Dialects whose ops it creates, besides `stencil`, `arith` and `func`.
    pub dialects: &'static [&'static str],
    /// The implementation.
    pub run: fn(OperationRef, &OptionValues, &mut PassContext) -> PassResult,
}

/// A pass failed, after emitting a diagnostic.
#[derive(Debug)]
pub struct Failed;

/// The result of a pass.
pub type PassResult<T = ()> = Result<T, Failed>;

/// Reports an error in the program, or an unsupported request: what is wrong, and the reason or
/// remedy.
pub fn refuse<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    message: impl AsRef<str>,
    help: impl Into<String>,
) -> Failed {
    diagnostics::error(operation, message).help(help).emit();
    Failed
}

/// Runs a pass on a copy that only serves a decision: without counters and remarks. The options are
/// in the order of declaration.
///
/// # Errors
/// If the pass refuses the copy.
pub fn try_pass(info: &'static PassInfo, copy: OperationRef, options: &[&str]) -> PassResult {
    let texts = options.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let values = OptionValues::new(info.options, &texts);
    let mut cx = PassContext { is_trial: true, ..PassContext::new(info.argument, String::new()) };
    (info.run)(copy, &values, &mut cx)
}

/// Counters and remarks of one run of a pass on one op.
pub struct PassContext {
    argument: &'static str,
    function: String,
    /// What this run has counted.
    counts: BTreeMap<Statistic, u64>,
    /// Whether nothing is counted or remarked.
    is_trial: bool,
}

impl PassContext {
    fn new(argument: &'static str, function: String) -> Self {
        PassContext { argument, function, counts: BTreeMap::new(), is_trial: false }
    }

    /// Adds to a counter.
    pub fn count(&mut self, statistic: Statistic, amount: u64) {
        if self.is_trial {
            return;
        }
        statistics::add(self.argument, statistic, amount);
        *self.counts.entry(statistic).or_default() += amount;
    }

    /// Emits the non-zero counters of this op as an analysis remark.
    fn tell_counts<'c: 'a, 'a>(&self, operation: impl OperationLike<'c, 'a>) {
        for (statistic, count) in self.counts.iter().filter(|(_, count)| **count > 0) {
            let what = format!("{}: {count} ({})", statistic.name, statistic.summary);
            let kind = RemarkKind::Analysis;
            diagnostics::remark(kind, &operation, self.argument, &self.function, &what);
        }
    }

    /// Emits a missed remark: a transform does not apply, and why; compilation continues.
    pub fn decline<'c: 'a, 'a>(&mut self, operation: &impl OperationLike<'c, 'a>, why: &str) {
        self.remark(RemarkKind::Missed, operation, why);
    }

    /// Emits a passed remark: a transform was applied.
    pub fn passed<'c: 'a, 'a>(&mut self, operation: &impl OperationLike<'c, 'a>, what: &str) {
        self.remark(RemarkKind::Passed, operation, what);
    }

    fn remark<'c: 'a, 'a>(
        &self,
        kind: RemarkKind,
        operation: &impl OperationLike<'c, 'a>,
        text: &str,
    ) {
        if !self.is_trial {
            diagnostics::remark(kind, operation, self.argument, &self.function, text);
            remarks::keep(kind, operation, (self.argument, &self.function), text);
        }
    }
}
