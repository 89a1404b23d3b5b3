//! What is predicted of applies as one sweep: tried on a copy of their function.

use super::Names;
use crate::{
    framework::count_steps,
    strategy::{select_inlining::Fusing, statements},
    transforms::place_groups,
};
use melior::ir::{BlockLike, Module, OperationRef, operation::OperationLike};
use std::cell::Cell;
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};

/// A function of which applies are tried as one sweep.
pub struct Trial<'t, 'c, 'a> {
    function: OperationRef<'c, 'a>,
    fusing: &'t Fusing,
    names: &'t Names<'c, 'a>,
    /// Operations of the function, and copies that were made of it.
    operations: u64,
    copies: Cell<usize>,
}

/// Copies of a function that are made at most.
const COPIES_MAX: usize = 4096;

impl<'t, 'c: 'a, 'a> Trial<'t, 'c, 'a> {
    /// Trials on copies of a function.
    pub fn new(
        function: OperationRef<'c, 'a>,
        fusing: &'t Fusing,
        names: &'t Names<'c, 'a>,
    ) -> Self {
        let operations = walk::nested(function).len() as u64;
        Self { function, fusing, names, operations, copies: Cell::new(0) }
    }

    /// The name of an apply.
    pub fn name(&self, apply: ApplyOp<'c, 'a>) -> &'t str {
        super::name(self.names, apply)
    }

    /// The nanoseconds of an apply as a kernel.
    pub fn alone_ns(&self, apply: ApplyOp) -> f64 {
        statements::alone(apply, &self.fusing.target).ns()
    }

    /// The target.
    pub fn fusing(&self) -> &'t Fusing {
        self.fusing
    }

    /// The nanoseconds of applies as one sweep; or why they are none. Unless they are `required` to
    /// be one, it has to gain enough.
    pub fn swept_ns(&self, members: &[ApplyOp<'c, 'a>], required: bool) -> Result<f64, String> {
        self.copies.set(self.copies.get() + 1);
        if self.copies.get() > COPIES_MAX {
            return Err(format!("it was not tried, as {COPIES_MAX} sets of the function were"));
        }
        count_steps(self.operations);
        let numbers = members.iter().map(|member| {
            let is_it =
                |(operation, _): &(OperationRef<'c, 'a>, String)| *operation == member.operation();
            self.names.iter().position(is_it).expect("names are of all applies")
        });
        let numbers = numbers.collect::<Vec<_>>();
        let module = Module::new(self.function.location());
        let copy = module.body().append_operation(build::clone(self.function));
        let applies = walk::nested(copy).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
        for number in numbers {
            let operation = applies[number].operation();
            let name = build::string(build::context(&operation), "group");
            build::set_attribute(operation, attribute::GROUP, name);
        }
        place_groups::place(copy).map_err(|illegal| format!("it {}", illegal.what))?;
        let found = statements::sweeps(copy, &self.fusing.target).sweeps.into_iter();
        let mut sweep = found.filter(|sweep| sweep.is_required);
        let mut sweep = sweep.next().ok_or("it is in a loop that is one sweep")?;
        sweep.is_required = required;
        sweep.predicted_ns(&self.fusing.request, &self.fusing.target)
    }
}
