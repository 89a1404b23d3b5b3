//! A package whose kernels are loaded: on one device, or on several that share domains.

use crate::answer::Failure;
use std::sync::Arc;
use stencil_runtime::{
    call::{Given, LoadedPackage, SharedDone, SharedPackage},
    cuda::StreamHandle,
    host::DeviceError,
    measure::{Repetitions, Samples},
    report,
};

/// Where the kernels are.
pub(crate) enum Loaded {
    One(Box<LoadedPackage>),
    Several(SharedPackage),
}

impl Loaded {
    pub(crate) fn package(&self) -> &Arc<stencil_runtime::Package> {
        match self {
            Loaded::One(loaded) => loaded.package(),
            Loaded::Several(loaded) => loaded.package(),
        }
    }

    /// # Safety
    ///
    /// As for [`crate::module::stencil_run_sized`].
    pub(crate) unsafe fn run(
        &mut self,
        function: usize,
        sizes: Option<&[i64]>,
        given: &[Given<'_>],
        stream: StreamHandle,
    ) -> Result<(), Failure> {
        match self {
            // SAFETY: by the contract.
            Loaded::One(loaded) => Ok(unsafe { loaded.run_at(function, sizes, given, stream) }?),
            Loaded::Several(loaded) => {
                check_no_stream(stream)?;
                if sizes.is_some() {
                    let problem =
                        "several devices share domains of one size; call it without sizes";
                    return Err(Failure::argument(problem));
                }
                // SAFETY: by the contract.
                Ok(unsafe { loaded.run(function, given) }?)
            }
        }
    }

    /// # Safety
    ///
    /// As for [`crate::module::stencil_time`].
    pub(crate) unsafe fn time(
        &mut self,
        function: usize,
        given: &[Given<'_>],
        stream: StreamHandle,
        repetitions: Repetitions,
    ) -> Result<Option<Samples>, Failure> {
        match self {
            Loaded::One(loaded) => {
                // SAFETY: by the contract.
                Ok(unsafe { loaded.time(function, given, stream, repetitions) }?)
            }
            Loaded::Several(loaded) => {
                check_no_stream(stream)?;
                // SAFETY: by the contract.
                Ok(unsafe { loaded.time(function, given, repetitions) }?)
            }
        }
    }

    /// Waits for a stream; runs on several devices are done when they return.
    pub(crate) fn synchronize(&mut self, stream: StreamHandle) -> Result<(), Failure> {
        match self {
            Loaded::One(loaded) => Ok(loaded.synchronize(stream)?),
            Loaded::Several(_) => check_no_stream(stream),
        }
    }

    pub(crate) fn set_synchronous(&mut self, is_synchronous: bool) {
        match self {
            Loaded::One(loaded) => loaded.set_synchronous(is_synchronous),
            Loaded::Several(loaded) => loaded.set_synchronous(is_synchronous),
        }
    }

    /// What the last call did, as JSON; none before any, and after an error.
    pub(crate) fn report(
        &mut self,
        times: Option<&(Samples, u32)>,
    ) -> Result<Option<String>, DeviceError> {
        let package = Arc::clone(self.package());
        let manifest = &package.code.manifest;
        let times = times.map(|(times, warm_up)| (times, *warm_up));
        let run = match self {
            Loaded::One(loaded) => {
                let Some(done) = loaded.last()? else { return Ok(None) };
                let (ordinal, facts) = loaded.facts();
                let (name, device) = (&done.function.name, report::Device::new(ordinal, facts));
                report::Run::new(manifest, name, device, (done.report, &done.loaded), times)
            }
            Loaded::Several(loaded) => {
                let Some(done) = loaded.last()? else { return Ok(None) };
                let SharedDone { function, report, devices, links, loaded } = done;
                let device = report::Device::new(devices[0].0, devices[0].1);
                let ran = (&report.run, loaded.as_slice());
                let mut run = report::Run::new(manifest, &function.name, device, ran, times);
                run.shared = Some(report::SharedRun::new(function, devices, &[], links, report));
                run
            }
        };
        Ok(Some(serde_json::to_string(&run).expect("a report is plain data")))
    }
}

/// Several devices have streams of their own.
fn check_no_stream(stream: StreamHandle) -> Result<(), Failure> {
    match stream.is_null() {
        true => Ok(()),
        false => Err(Failure::argument(
            "runs on several devices are on streams of their own; leave the stream out",
        )),
    }
}
