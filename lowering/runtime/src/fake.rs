//! A minimal device in host memory, for unit tests.

use crate::{
    bind::Value,
    host::{Device, DeviceError, LaunchArgument, Mark, PeerDevice, StagedDevice},
    manifest::Kernel,
    random,
    scalar::{ScalarType, ScalarValue},
};
use std::{ops::Range, time::Duration};

/// Possible defects of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Defect {
    /// It multiplies by a wrong factor.
    Coefficient,
    /// It skips one cell.
    DroppedStore,
    /// It reads one stale halo cell.
    StaleHalo,
    /// It writes outside its output.
    StrayStore,
}

/// Memory and one kernel: `step(source, target, factor)` averages the neighbours of each inner
/// cell. All calls are recorded.
#[derive(Default)]
pub struct FakeDevice {
    /// The memory by the handle; none where it is freed.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// The recorded calls.
    pub calls: Vec<String>,
    /// Its total memory.
    pub capacity: Option<u64>,
    /// Calls with these prefixes fail.
    pub fails_at: Option<&'static str>,
    /// Calls with this prefix fail after so many that do not.
    pub fails_after: Option<(&'static str, usize)>,
    /// The defect of its kernel.
    pub defect: Option<Defect>,
    /// The time that each use of its clock reports.
    pub run_time: Option<Duration>,
    /// Copies from other devices, which are done as late as they may.
    pub pulled: Vec<(Buffer, usize, Vec<u8>)>,
    /// What goes out to other ranks, and what comes in.
    pub staging: [Vec<u8>; 2],
}

pub type Buffer = usize;

impl FakeDevice {
    fn note(&mut self, call: String) -> Result<(), DeviceError> {
        let late = self.fails_after.is_some_and(|(start, count)| {
            let before = self.calls.iter().filter(|call| call.starts_with(start)).count();
            call.starts_with(start) && before >= count
        });
        let fails = late || self.fails_at.is_some_and(|start| call.starts_with(start));
        self.calls.push(call);
        match fails {
            true => Err(DeviceError::Failed {
                operation: "the call".to_owned(),
                message: "as the test wants".to_owned(),
            }),
            false => Ok(()),
        }
    }

    fn content(&mut self, buffer: Buffer) -> &mut Vec<u8> {
        self.buffers[buffer].as_mut().expect("the buffer is live")
    }

    /// Number of live buffers.
    pub fn live(&self) -> usize {
        self.buffers.iter().flatten().count()
    }

    /// The launches among the calls.
    pub fn launches(&self) -> Vec<&str> {
        self.calls.iter().map(String::as_str).filter(|call| call.starts_with("launch")).collect()
    }
}

/// Cells of a field of f32.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// What the kernel computes.
fn step(source: &[f32], target: &mut [f32], factor: f32) {
    for cell in 1..source.len() - 1 {
        target[cell] = factor * (source[cell - 1] + source[cell + 1]);
    }
}

/// What so many steps make of two fields that take turns.
pub fn after_steps(mut fields: [Vec<f32>; 2], steps: i64, factor: f32) -> [Vec<f32>; 2] {
    for _ in 0..steps {
        let (source, target) = fields.split_at_mut(1);
        step(&source[0], &mut target[0], factor);
        fields.swap(0, 1);
    }
    if steps % 2 == 1 {
        fields.swap(0, 1);
    }
    fields
}

impl Device for FakeDevice {
    type Buffer = Buffer;

    fn allocate(&mut self, bytes: usize) -> Result<Buffer, DeviceError> {
        self.note(format!("allocate {bytes}"))?;
        self.buffers.push(Some(vec![0xee; bytes]));
        Ok(self.buffers.len() - 1)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), DeviceError> {
        self.note(format!("free {buffer}"))?;
        self.buffers[buffer].take().expect("a buffer is freed once");
        Ok(())
    }

    fn upload(&mut self, to: Buffer, content: &[u8]) -> Result<(), DeviceError> {
        self.note(format!("upload {to}"))?;
        self.content(to).copy_from_slice(content);
        Ok(())
    }

    fn download(&mut self, from: Buffer, content: &mut [u8]) -> Result<(), DeviceError> {
        self.note(format!("download {from}"))?;
        content.copy_from_slice(self.content(from));
        Ok(())
    }

    fn fill(&mut self, buffer: Buffer, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        self.note(format!("fill {buffer} {byte:#x} {bytes}"))?;
        self.content(buffer)[..bytes].fill(byte);
        Ok(())
    }

    fn copy(&mut self, from: Buffer, to: Buffer, bytes: usize) -> Result<(), DeviceError> {
        self.note(format!("copy {from} {to} {bytes}"))?;
        let content = self.content(from)[..bytes].to_vec();
        self.content(to)[..bytes].copy_from_slice(&content);
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<Buffer>],
    ) -> Result<(), DeviceError> {
        let &[
            LaunchArgument::Buffer(source),
            LaunchArgument::Buffer(target),
            LaunchArgument::Scalar(factor),
            ref planes @ ..,
        ] = arguments
        else {
            panic!("'step' takes two buffers and a scalar, not {arguments:?}");
        };
        let mut note = format!("launch {} {source} {target} {factor}", kernel.name);
        let (mut first, mut end) = (0, self.content(target).len());
        if let [LaunchArgument::Scalar(own), LaunchArgument::Scalar(until), _, _] = planes {
            // The first cell is the plane before the domain.
            (first, end) = ((own.signed() + 1) as usize, (until.signed() + 1) as usize);
            note += &format!(" {own} {until}");
        } else {
            let others = planes.iter().filter_map(|argument| match argument {
                LaunchArgument::Scalar(number) => Some(format!(" {number}")),
                LaunchArgument::Buffer(_) => None,
            });
            note.extend(others);
        }
        self.note(note)?;
        let read = floats(self.content(source));
        let mut written = floats(self.content(target));
        let factor = factor.to_f64() as f32;
        let old = written.clone();
        match self.defect {
            None => step(&read, &mut written, factor),
            Some(Defect::Coefficient) => step(&read, &mut written, factor * 1.000_001),
            Some(Defect::DroppedStore) => {
                step(&read, &mut written, factor);
                written[4] = old[4];
            }
            Some(Defect::StaleHalo) => {
                step(&read, &mut written, factor);
                // The cell next to the halo read the halo of the other field.
                written[1] = factor * (old[0] + read[2]);
            }
            Some(Defect::StrayStore) => {
                step(&read, &mut written, factor);
                self.content(source)[0] ^= 1;
            }
        }
        for (place, (cell, old)) in written.iter_mut().zip(&old).enumerate() {
            if !(first..end).contains(&place) {
                *cell = *old;
            }
        }
        *self.content(target) = written.iter().flat_map(|cell| cell.to_le_bytes()).collect();
        Ok(())
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.note("synchronize".to_owned())
    }

    fn overlap(&self, left: Buffer, right: Buffer) -> bool {
        left == right
    }

    fn stop_clock(&mut self) -> Result<Option<Duration>, DeviceError> {
        Ok(self.run_time)
    }

    fn check_capacity(&mut self, bytes: u64) -> Result<(), DeviceError> {
        match self.capacity {
            Some(free) if bytes > free => Err(DeviceError::OutOfMemory { needed: bytes, free }),
            _ => Ok(()),
        }
    }
}

impl PeerDevice for FakeDevice {
    fn enter(&mut self) -> Result<(), DeviceError> {
        self.note("enter".to_owned())
    }

    fn upload_at(&mut self, to: Buffer, offset: usize, content: &[u8]) -> Result<(), DeviceError> {
        self.note(format!("upload {to} at {offset}, {}", content.len()))?;
        self.content(to)[offset..offset + content.len()].copy_from_slice(content);
        Ok(())
    }

    fn download_at(
        &mut self,
        from: Buffer,
        offset: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.note(format!("download {from} at {offset}, {}", content.len()))?;
        content.copy_from_slice(&self.content(from)[offset..offset + content.len()]);
        Ok(())
    }

    fn mark(&mut self, mark: Mark) -> Result<(), DeviceError> {
        self.note(format!("mark {mark:?}"))
    }

    fn wait_for_copies(&mut self, of: Option<&Self>) -> Result<(), DeviceError> {
        let whose = if of.is_some() { "of another" } else { "of its own" };
        self.note(format!("wait for copies {whose}"))?;
        if of.is_none() {
            for (buffer, at, content) in std::mem::take(&mut self.pulled) {
                self.content(buffer)[at..at + content.len()].copy_from_slice(&content);
            }
        }
        Ok(())
    }

    fn fork(&mut self, branch: usize) -> Result<(), DeviceError> {
        self.note(format!("fork {branch}"))
    }

    fn join(&mut self) -> Result<(), DeviceError> {
        self.note("join".to_owned())
    }

    fn receive_after(&mut self, computed: Option<&Self>) -> Result<(), DeviceError> {
        let whose = if computed.is_some() { "another" } else { "itself" };
        self.note(format!("receive after {whose}"))
    }

    fn pull(
        &mut self,
        (to, at): (Buffer, usize),
        other: &mut Self,
        (from, place): (Buffer, usize),
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.note(format!("pull {to} at {at} from {from} at {place}, {bytes}"))?;
        let content = other.content(from)[place..place + bytes].to_vec();
        self.pulled.push((to, at, content));
        Ok(())
    }
}

impl StagedDevice for FakeDevice {
    fn reserve_staging(&mut self, out: usize, into: usize) -> Result<(), DeviceError> {
        self.staging = [vec![0xdd; out], vec![0xdd; into]];
        Ok(())
    }

    fn copy_out(
        &mut self,
        (from, at): (Buffer, usize),
        to: Range<usize>,
    ) -> Result<(), DeviceError> {
        self.note(format!("copy out {from} at {at}, {}", to.len()))?;
        let content = self.content(from)[at..at + to.len()].to_vec();
        self.staging[0][to].copy_from_slice(&content);
        Ok(())
    }

    fn staging(&mut self) -> Result<(&[u8], &mut [u8]), DeviceError> {
        self.note("staging".to_owned())?;
        let [out, into] = &mut self.staging;
        Ok((out, into))
    }

    fn copy_in(
        &mut self,
        from: Range<usize>,
        (to, at): (Buffer, usize),
    ) -> Result<(), DeviceError> {
        self.note(format!("copy in {to} at {at}, {}", from.len()))?;
        let content = self.staging[1][from].to_vec();
        self.pulled.push((to, at, content));
        Ok(())
    }
}

/// Values for the sample: random fields, `steps`, and dt = 0.25, so that the factor is a half.
pub fn values(steps: i64) -> Vec<Value> {
    let field =
        |position| Value::Field(random::random_field(1, position, ScalarType::F32, 12).unwrap());
    vec![
        field(0),
        field(1),
        Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps)),
        Value::Scalar(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ]
}

/// The cells of a value that is a field of f32.
pub fn field(value: &Value) -> Vec<f32> {
    match value {
        Value::Field(cells) => floats(cells),
        Value::Scalar(_) => panic!("a field is expected"),
    }
}
