//! Measures packages of one program, as many as its standard input names, one in a line: each is
//! verified and timed on the same content, and answered by a line of JSON on standard output.
//!
//! Tuners start it: content and expected results are made once for all plans of a program, and what
//! a kernel breaks ends with the process.

use crate::options::Options;
use anyhow::Context;
use serde::Serialize;
use std::{
    io::{self, BufRead, Write},
    path::Path,
};
use stencil_runtime::{
    ErrorKind, Package, RuntimeError,
    bind::{self, Value},
    cuda::CudaDevice,
    host::{Device, Session},
    manifest::Function,
    measure::{self, Samples},
    report::{self, Timing, Work},
    verify::{self, Expected, POISON},
};

/// The answer to a package.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer<'a> {
    Measured { time: Timing, device: report::Device<'a> },
    Failed { message: String, exit_code: u8 },
}

/// What all packages of a program have in common.
#[derive(Default)]
struct Reference {
    /// The plain kernels that made it.
    ptx: String,
    values: Vec<Value>,
    expected: Option<Expected>,
}

/// Answers until the input ends, or a failure may have left the driver unusable.
pub fn work(options: &Options) -> anyhow::Result<()> {
    let mut reference = Reference::default();
    for line in io::stdin().lock().lines() {
        let path = line.context("standard input cannot be read")?;
        let measured = reference.measure(Path::new(&path), options);
        let is_ended = measured.is_err();
        let mut out = io::stdout().lock();
        let text = match measured {
            Ok(answer) => answer,
            Err(error) => {
                let kind = match error.downcast_ref() {
                    // Others may be as they should be.
                    Some(RuntimeError::Package(_)) => ErrorKind::Program,
                    _ => crate::kind_of(&error),
                };
                let (message, exit_code) = (format!("{error:#}"), kind.exit_code());
                serde_json::to_string(&Answer::Failed { message, exit_code })?
            }
        };
        writeln!(out, "{text}").and_then(|()| out.flush()).context("nobody reads the answers")?;
        if is_ended {
            break;
        }
    }
    Ok(())
}

impl Reference {
    /// The answer for a package, as JSON.
    fn measure(&mut self, path: &Path, options: &Options) -> anyhow::Result<String> {
        let package = Package::read(path).map_err(RuntimeError::from)?;
        let function = package.code.manifest.function(options.function.as_deref());
        let function = function.map_err(RuntimeError::from)?;
        let expected = self.of(&package, function, options)?;
        let (expected, values) = (expected.0, expected.1);
        let mut device =
            CudaDevice::open(options.device, &package.code).map_err(RuntimeError::from)?;
        let facts = device.facts().clone();
        let arguments = values.iter_mut().map(Value::bound).collect();
        let session = Session::new(function, &package.code.manifest, &mut device, arguments);
        let mut session = session.map_err(RuntimeError::from)?;
        let first = |session: &mut Session<'_, CudaDevice>| {
            session.upload()?;
            session.poison(POISON[0])?;
            session.device().set_synchronous(false);
            session.execute()
        };
        let run = first(&mut session).map_err(RuntimeError::from)?;
        expected.check(&mut session, "the run")?;
        let samples = measure::time(&mut session, options.repetitions())?;
        let samples: Samples = samples.context("no run was timed")?;
        let work = Work { gigapoints: run.points as f64 * 1e-9, gigaflops: 0.0, gigabytes: 0.0 };
        let time = Timing::new(&samples, options.warm_up, &work);
        let device = report::Device::new(options.device, &facts);
        Ok(serde_json::to_string(&Answer::Measured { time, device })?)
    }

    /// Content and expected results of a program, made when its plain kernels are new.
    fn of(
        &mut self,
        package: &Package,
        function: &Function,
        options: &Options,
    ) -> Result<(&Expected, &mut Vec<Value>), RuntimeError> {
        let plain = verify::plain_of(package)?;
        if self.expected.is_none() || self.ptx != plain.ptx {
            let mut values = bind::bind(&function.arguments, &options.requests())?;
            let of_plain = plain.manifest.function(Some(&function.name))?;
            let mut device = CudaDevice::open(options.device, plain)?;
            let expected = Expected::by_plain_kernels(plain, of_plain, &mut values, &mut device)?;
            *self = Reference { ptx: plain.ptx.clone(), values, expected: Some(expected) };
        }
        let expected = self.expected.as_ref().expect("it was made");
        Ok((expected, &mut self.values))
    }
}
