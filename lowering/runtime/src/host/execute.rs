//! The statements of a host program, one after the other.
//!
//! The manifest is validated: a name that is not found here, or has another kind, is a defect of
//! the validator, hence the `expect`s.

use super::{Device, HostError, KernelRuns, LaunchArgument, RunReport, session::Slot};
use crate::{
    manifest::{Carried, Id, Kernel, Statement},
    scalar::{ScalarType, ScalarValue},
};
use std::collections::HashMap;

/// One run of a host program.
pub(super) struct Execution<'e, D: Device> {
    device: &'e mut D,
    kernels: &'e HashMap<&'e str, &'e Kernel>,
    temporaries: &'e HashMap<Id, Slot<D::Buffer>>,
    values: HashMap<Id, Slot<D::Buffer>>,
    /// Launches of each kernel, in the order of the first.
    launches: Vec<(&'e Kernel, u64)>,
    copies: u64,
}

impl<'e, D: Device> Execution<'e, D> {
    pub(super) fn new(
        device: &'e mut D,
        kernels: &'e HashMap<&'e str, &'e Kernel>,
        temporaries: &'e HashMap<Id, Slot<D::Buffer>>,
        arguments: impl Iterator<Item = Slot<D::Buffer>>,
    ) -> Execution<'e, D> {
        let values = arguments.enumerate().map(|(index, slot)| (Id(index as u32), slot)).collect();
        Execution { device, kernels, temporaries, values, launches: Vec::new(), copies: 0 }
    }

    pub(super) fn finish(self) -> RunReport {
        let points = |(kernel, count): &(&Kernel, u64)| kernel.points.saturating_mul(*count);
        let runs = |(kernel, launches): &(&Kernel, u64)| KernelRuns {
            name: kernel.name.clone(),
            launches: *launches,
        };
        RunReport {
            kernels: self.launches.iter().map(runs).collect(),
            launches: self.launches.iter().map(|(_, count)| count).sum(),
            copies: self.copies,
            points: self.launches.iter().map(points).fold(0, u64::saturating_add),
            ..RunReport::default()
        }
    }

    pub(super) fn body(&mut self, body: &[Statement]) -> Result<(), HostError> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), HostError> {
        match statement {
            Statement::Constant { result, value } => {
                self.values.insert(*result, Slot::Scalar(*value));
            }
            Statement::Scalar { result, op, operands, ty } => {
                let operands: Vec<ScalarValue> =
                    operands.iter().map(|id| self.scalar(*id)).collect();
                let value = op
                    .evaluate(&operands, *ty)
                    .map_err(|error| HostError::Scalar { result: *result, error })?;
                self.values.insert(*result, Slot::Scalar(value));
            }
            Statement::Allocate { result, .. } => {
                let slot = self.temporaries[result];
                self.values.insert(*result, slot);
            }
            Statement::Copy { from, to } => {
                let ((from, bytes), (to, _)) = (self.buffer(*from), self.buffer(*to));
                // A rotation may have brought both names to one buffer; then nothing is to do.
                if !self.device.overlap(from, to) {
                    self.copies += 1;
                    self.device.copy(from, to, bytes)?;
                }
            }
            Statement::Launch { kernel, arguments } => self.launch(kernel, arguments)?,
            Statement::For { lower, upper, step, induction, carried, body } => {
                self.counted_loop([*lower, *upper, *step], *induction, carried, body)?;
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: &str, arguments: &[Id]) -> Result<(), HostError> {
        let kernel = self.kernels[kernel];
        let arguments: Vec<LaunchArgument<D::Buffer>> = arguments
            .iter()
            .map(|id| match self.slot(*id) {
                Slot::Scalar(value) => LaunchArgument::Scalar(value),
                Slot::Buffer { buffer, .. } => LaunchArgument::Buffer(buffer),
            })
            .collect();
        match self.launches.iter_mut().find(|(known, _)| std::ptr::eq(*known, kernel)) {
            Some((_, count)) => *count += 1,
            None => self.launches.push((kernel, 1)),
        }
        Ok(self.device.launch(kernel, &arguments)?)
    }

    fn counted_loop(
        &mut self,
        [lower, upper, step]: [Id; 3],
        induction: Id,
        carried: &[Carried],
        body: &[Statement],
    ) -> Result<(), HostError> {
        let ty: ScalarType = self.scalar(lower).ty();
        let [lower, upper, step] = [lower, upper, step].map(|id| self.scalar(id).signed());
        if step <= 0 {
            return Err(HostError::LoopStep { induction, step });
        }
        let mut slots: Vec<Slot<D::Buffer>> =
            carried.iter().map(|slot| self.slot(slot.initial)).collect();
        let mut next = Some(lower);
        while let Some(current) = next.filter(|current| *current < upper) {
            self.values.insert(induction, Slot::Scalar(ScalarValue::from_integer(ty, current)));
            for (slot, value) in carried.iter().zip(&slots) {
                self.values.insert(slot.argument, *value);
            }
            self.body(body)?;
            // All are read before any is set: the loop may rotate its own arguments.
            slots = carried.iter().map(|slot| self.slot(slot.next)).collect();
            next = current.checked_add(step);
        }
        for (slot, value) in carried.iter().zip(slots) {
            self.values.insert(slot.result, value);
        }
        Ok(())
    }

    fn slot(&self, id: Id) -> Slot<D::Buffer> {
        *self.values.get(&id).expect("a validated program defines a value before it uses it")
    }

    fn scalar(&self, id: Id) -> ScalarValue {
        match self.slot(id) {
            Slot::Scalar(value) => value,
            Slot::Buffer { .. } => unreachable!("a validated program takes a scalar here: {id}"),
        }
    }

    fn buffer(&self, id: Id) -> (D::Buffer, usize) {
        match self.slot(id) {
            Slot::Buffer { buffer, bytes } => (buffer, bytes),
            Slot::Scalar(_) => unreachable!("a validated program takes a buffer here: {id}"),
        }
    }
}
