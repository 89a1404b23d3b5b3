//! The buffers of a run: made once, filled as often as wanted, given back at the end.

use super::{BoundArgument, Device, DeviceError, HostError, RunReport, execute::Execution};
use crate::{
    bind::describe,
    manifest::{ArgumentKind, Function, Id, Kernel, Manifest, Statement},
    scalar::ScalarValue,
};
use std::collections::HashMap;

/// A function with its buffers on a device, ready to run.
///
/// Dropping it frees the buffers that it allocated.
pub struct Session<'a, D: Device> {
    function: &'a Function,
    kernels: HashMap<&'a str, &'a Kernel>,
    device: &'a mut D,
    arguments: Vec<BoundArgument<'a, D::Buffer>>,
    /// What each argument is on the device.
    bound: Vec<Slot<D::Buffer>>,
    /// The buffer of each allocation of the program.
    temporaries: HashMap<Id, Slot<D::Buffer>>,
    /// What this session must free.
    owned: Vec<D::Buffer>,
    device_bytes: u64,
}

/// A value while the program runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot<B> {
    Scalar(ScalarValue),
    Buffer { buffer: B, bytes: usize },
}

impl<'a, D: Device> Session<'a, D> {
    /// Checks the arguments against the function, and allocates what the program needs: fields
    /// that are on the host, and one buffer for each allocation, loops notwithstanding.
    pub fn new(
        function: &'a Function,
        manifest: &'a Manifest,
        device: &'a mut D,
        arguments: Vec<BoundArgument<'a, D::Buffer>>,
    ) -> Result<Session<'a, D>, HostError> {
        check_arguments(function, &arguments)?;
        check_overlap(function, device, &arguments)?;
        let mut temporaries = Vec::new();
        collect_allocations(&function.body, &mut temporaries);

        let host_fields = arguments.iter().filter_map(|argument| match argument {
            BoundArgument::Host(cells) => Some(cells.len() as u64),
            _ => None,
        });
        let device_bytes = host_fields
            .chain(temporaries.iter().map(|(_, bytes)| *bytes as u64))
            .try_fold(0u64, u64::checked_add)
            .ok_or_else(|| HostError::TooLarge(function.name.clone()))?;
        device.check_capacity(device_bytes)?;

        let kernels = manifest.kernels.iter().map(|kernel| (kernel.name.as_str(), kernel));
        let mut session = Session {
            function,
            kernels: kernels.collect(),
            device,
            arguments,
            bound: Vec::new(),
            temporaries: HashMap::new(),
            owned: Vec::new(),
            device_bytes,
        };
        session.allocate(&temporaries)?;
        Ok(session)
    }

    fn allocate(&mut self, temporaries: &[(Id, usize)]) -> Result<(), DeviceError> {
        for index in 0..self.arguments.len() {
            let slot = match &self.arguments[index] {
                BoundArgument::Scalar(value) => Slot::Scalar(*value),
                BoundArgument::Device(buffer) => {
                    let shape = self.function.arguments[index].kind.as_field();
                    let bytes = shape.expect("the kinds of arguments were checked").bytes();
                    Slot::Buffer { buffer: *buffer, bytes }
                }
                BoundArgument::Host(cells) => {
                    let bytes = cells.len();
                    self.allocate_owned(bytes)?
                }
            };
            self.bound.push(slot);
        }
        for &(id, bytes) in temporaries {
            let slot = self.allocate_owned(bytes)?;
            self.temporaries.insert(id, slot);
        }
        Ok(())
    }

    fn allocate_owned(&mut self, bytes: usize) -> Result<Slot<D::Buffer>, DeviceError> {
        let buffer = self.device.allocate(bytes)?;
        self.owned.push(buffer);
        Ok(Slot::Buffer { buffer, bytes })
    }

    /// Copies every field that is on the host to the device.
    pub fn upload(&mut self) -> Result<(), HostError> {
        self.upload_if(|_| true)
    }

    /// Copies the fields that the program writes to the device again, so that another run starts
    /// from the same content.
    pub fn restore(&mut self) -> Result<(), HostError> {
        self.upload_if(|written| written)
    }

    fn upload_if(&mut self, wanted: impl Fn(bool) -> bool) -> Result<(), HostError> {
        for (index, argument) in self.arguments.iter().enumerate() {
            if let (BoundArgument::Host(cells), Slot::Buffer { buffer, .. }) =
                (argument, self.bound[index])
                && wanted(self.is_written(index))
            {
                self.device.upload(buffer, cells)?;
            }
        }
        Ok(())
    }

    fn is_written(&self, index: usize) -> bool {
        self.function.arguments[index].kind.as_field().is_some_and(|shape| shape.written)
    }

    /// Runs the program once, on what the buffers hold, and waits for its end.
    pub fn execute(&mut self) -> Result<RunReport, HostError> {
        self.device.start_clock()?;
        let mut execution = Execution::new(
            self.device,
            &self.kernels,
            &self.temporaries,
            self.bound.iter().copied(),
        );
        execution.body(&self.function.body)?;
        let mut report = execution.finish();
        report.device_time = self.device.stop_clock()?;
        self.device.synchronize()?;
        report.device_bytes = self.device_bytes;
        Ok(report)
    }

    /// Copies the fields that the program writes back to the host.
    pub fn download(&mut self) -> Result<(), HostError> {
        for index in 0..self.arguments.len() {
            let written = self.is_written(index);
            if let (BoundArgument::Host(cells), Slot::Buffer { buffer, .. }) =
                (&mut self.arguments[index], self.bound[index])
                && written
            {
                self.device.download(buffer, cells)?;
            }
        }
        Ok(())
    }

    /// The device, for questions between two runs.
    pub fn device(&mut self) -> &mut D {
        self.device
    }
}

impl<D: Device> Drop for Session<'_, D> {
    fn drop(&mut self) {
        for buffer in self.owned.drain(..) {
            // A device that failed cannot free either; the first error is the one to report.
            let _ = self.device.free(buffer);
        }
    }
}

fn check_arguments<B>(
    function: &Function,
    arguments: &[BoundArgument<'_, B>],
) -> Result<(), HostError> {
    if arguments.len() != function.arguments.len() {
        return Err(HostError::ArgumentCount {
            function: function.name.clone(),
            expected: function.arguments.len(),
            found: arguments.len(),
        });
    }
    for (position, (argument, bound)) in function.arguments.iter().zip(arguments).enumerate() {
        let found = match (&argument.kind, bound) {
            (ArgumentKind::Field(_), BoundArgument::Device(_)) => continue,
            (ArgumentKind::Field(shape), BoundArgument::Host(cells))
                if cells.len() == shape.bytes() =>
            {
                continue;
            }
            (ArgumentKind::Scalar { scalar, .. }, BoundArgument::Scalar(value))
                if value.ty() == *scalar =>
            {
                continue;
            }
            (_, BoundArgument::Host(cells)) => format!("{} bytes", cells.len()),
            (_, BoundArgument::Device(_)) => "a buffer".to_owned(),
            (_, BoundArgument::Scalar(value)) => format!("a scalar of {}", value.ty()),
        };
        let expected = match &argument.kind {
            ArgumentKind::Field(shape) => format!("a field {shape} of {} bytes", shape.bytes()),
            ArgumentKind::Scalar { scalar, .. } => format!("a scalar of {scalar}"),
        };
        let argument = describe(position, argument);
        return Err(HostError::ArgumentKind { argument, expected, found });
    }
    Ok(())
}

/// Host fields are distinct by construction (each is borrowed alone); device buffers need not be.
fn check_overlap<D: Device>(
    function: &Function,
    device: &D,
    arguments: &[BoundArgument<'_, D::Buffer>],
) -> Result<(), HostError> {
    let on_device = |argument: &BoundArgument<'_, D::Buffer>| match argument {
        BoundArgument::Device(buffer) => Some(*buffer),
        _ => None,
    };
    let buffers: Vec<(usize, D::Buffer)> = arguments
        .iter()
        .enumerate()
        .filter_map(|(position, argument)| Some((position, on_device(argument)?)))
        .collect();
    for (index, &(first, left)) in buffers.iter().enumerate() {
        for &(second, right) in &buffers[index + 1..] {
            if device.overlap(left, right) {
                let name = |position: usize| describe(position, &function.arguments[position]);
                return Err(HostError::Overlap(name(first), name(second)));
            }
        }
    }
    Ok(())
}

fn collect_allocations(body: &[Statement], found: &mut Vec<(Id, usize)>) {
    for statement in body {
        match statement {
            Statement::Allocate { result, element, elements } => {
                found.push((*result, *elements as usize * element.bytes()));
            }
            Statement::For { body, .. } => collect_allocations(body, found),
            _ => {}
        }
    }
}
