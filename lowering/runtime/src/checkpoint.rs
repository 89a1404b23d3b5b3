//! Checkpoints: the fields after every so many time steps, from which a run can be restarted.
//!
//! A time loop rotates buffers, so the state of a run is in the loop's iteration arguments: for
//! each argument that enters the loop, a checkpoint holds the buffer currently in its place. A
//! restarted run therefore computes the same steps as the original. Written fields that are not
//! carried are in their own buffers; read-only fields and scratch are omitted.
//!
//! Two things cannot be derived by a restarted run, and are recorded in the checkpoint's
//! `run.json`: whether it is exact, which it is not if the program computes before its loop, or
//! reads the loop's counter; and where the fields are after its last step: in the places of the
//! uninterrupted run if the checkpoint is a multiple of the rotation period after the start, else
//! rotated.

use crate::{
    bind::{Value, describe},
    error::RuntimeError,
    host::{
        Checkpoint, HostError, plain_memory,
        record::{BufferNumber, Slot, Stop},
    },
    manifest::{Function, Id},
    output::{self, field_file_names},
    scalar::ScalarValue,
    time_loop::{StepsError, TimeLoop, acts, uses},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    num::NonZeroU64,
    path::{Path, PathBuf},
};

/// The file that describes a checkpoint.
pub const RUN_FILE: &str = "run.json";

/// The content of a function's checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The fields, in the order of the arguments.
    fields: Vec<(usize, Source)>,
    /// Why a restarted run differs from the one that wrote the checkpoint.
    differences: Vec<&'static str>,
    /// Rotation period: time steps after which all fields are in their places again.
    rotation: Option<u64>,
}

/// Where the content of a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// In the buffer of its argument.
    Own,
    /// The loop's iteration argument at this position.
    Carried(usize),
}

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFile {
    /// The function that ran.
    pub function: String,
    /// Completed time steps.
    pub steps: u64,
    /// The seed of unset fields.
    pub seed: u64,
    /// The scalar arguments, by position, as `--arg` takes them.
    pub scalars: BTreeMap<usize, String>,
    /// The fields written, by position.
    pub fields: BTreeMap<usize, FieldEntry>,
    /// Rotation period of the time loop.
    pub rotation_steps: Option<u64>,
    /// The properties of a restart from this folder.
    pub restart: Restart,
}

/// A field of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldEntry {
    /// The argument's name.
    pub name: Option<String>,
    /// Whether the time loop carries it, so that the content may come from another buffer.
    pub carried: bool,
}

/// The properties of a restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Restart {
    /// Whether its steps are bit-identical to those of the original run.
    pub exact: bool,
    /// Why not.
    pub differences: Vec<&'static str>,
    /// Whether its fields end in the places of the uninterrupted run.
    pub same_places: bool,
}

/// The fields that the checkpoint in a folder has written, by position; none in other folders.
pub fn fields_of(folder: &Path) -> BTreeSet<usize> {
    let text = fs::read_to_string(folder.join(RUN_FILE)).unwrap_or_default();
    let run = serde_json::from_str::<serde_json::Value>(&text).unwrap_or_default();
    let fields = run["fields"].as_object().into_iter().flatten();
    fields.filter_map(|(position, _)| position.parse().ok()).collect()
}

impl Contents {
    /// The content of a function's checkpoints with the given interval.
    pub fn of(function: &Function, every: NonZeroU64) -> Result<Contents, StepsError> {
        let time_loop = TimeLoop::of(function)?;
        time_loop.check_pieces(every)?;
        let carried = time_loop.places();
        let mut fields = Vec::new();
        for (position, argument) in function.arguments.iter().enumerate() {
            let Some(shape) = argument.kind.as_field() else { continue };
            let id = Id(position as u32);
            let mut places = (0..carried.len()).filter(|&place| carried[place].initial == id);
            match (places.next(), places.next()) {
                (Some(_), Some(_)) => {
                    return Err(StepsError::Ambiguous(describe(position, argument)));
                }
                (Some(place), None) => fields.push((position, Source::Carried(place))),
                (None, _) if shape.written && !shape.scratch => {
                    fields.push((position, Source::Own));
                }
                _ => {}
            }
        }
        let rotation = time_loop.rotation().zip(time_loop.step());
        let rotation = rotation.map(|(iterations, step)| iterations * step);
        Ok(Contents { fields, differences: differences(&time_loop), rotation })
    }

    /// Why a restarted run differs from the original; empty if it does not.
    pub fn differences(&self) -> &[&'static str] {
        &self.differences
    }

    /// Rotation period.
    pub fn rotation(&self) -> Option<u64> {
        self.rotation
    }

    /// The buffers that a checkpoint at this stop holds.
    pub fn kept(&self, stop: &Stop) -> Vec<BufferNumber> {
        let number =
            |&(position, source): &(usize, Source)| number(source, position, &stop.carried);
        self.fields.iter().map(number).collect()
    }

    /// Writes a checkpoint to `folder/step-<number>`, atomically; returns its path.
    pub fn write(
        &self,
        folder: &Path,
        checkpoint: &Checkpoint,
        run: Run<'_>,
    ) -> Result<PathBuf, RuntimeError> {
        let steps = checkpoint.stop().steps;
        let target = folder.join(format!("step-{steps:08}"));
        let staging = output::Staging::new(folder, &target)?;
        let arguments = &run.function.arguments;
        let names = field_file_names(arguments);
        for &(position, source) in &self.fields {
            let cells = checkpoint.read(number(source, position, &checkpoint.stop().carried));
            let shape = arguments[position].kind.as_field().expect("only fields are listed");
            let Some(rows) = shape.rows() else {
                staging.write_field(&names[position], shape, cells)?;
                continue;
            };
            let mut content = plain_memory(shape.bytes()).map_err(HostError::from)?;
            rows.unpad(cells, &mut content);
            staging.write_field(&names[position], shape, &content)?;
        }
        let json = serde_json::to_string_pretty(&self.run_file(steps, run))
            .expect("a run file is plain data with text keys");
        staging.write_text(RUN_FILE, &(json + "\n"))?;
        staging.finish()?;
        Ok(target)
    }

    fn run_file(&self, steps: u64, run: Run<'_>) -> RunFile {
        let arguments = &run.function.arguments;
        let entry = |&(position, source): &(usize, Source)| {
            let name = arguments[position].name.clone();
            (position, FieldEntry { name, carried: matches!(source, Source::Carried(_)) })
        };
        RunFile {
            function: run.function.name.clone(),
            steps,
            seed: run.seed,
            scalars: scalars(run.values).collect(),
            fields: self.fields.iter().map(entry).collect(),
            rotation_steps: self.rotation,
            restart: Restart {
                exact: self.differences.is_empty(),
                differences: self.differences.clone(),
                same_places: self.rotation.is_some_and(|rotation| steps.is_multiple_of(rotation)),
            },
        }
    }
}

/// The run that writes a checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// The function.
    pub function: &'r Function,
    /// The scalar arguments, by position; none for fields.
    pub values: &'r [Option<ScalarValue>],
    /// The seed of unset fields.
    pub seed: u64,
}

/// The scalars among the values of the arguments.
pub fn scalars_of(values: &[Value]) -> Vec<Option<ScalarValue>> {
    let scalar = |value: &Value| match value {
        Value::Scalar(value) => Some(*value),
        Value::Field(_) => None,
    };
    values.iter().map(scalar).collect()
}

fn scalars(values: &[Option<ScalarValue>]) -> impl Iterator<Item = (usize, String)> {
    let text = |(position, value): (usize, &Option<ScalarValue>)| {
        value.map(|value| (position, value.to_string()))
    };
    values.iter().enumerate().filter_map(text)
}

fn number(source: Source, position: usize, carried: &[Slot]) -> BufferNumber {
    match source {
        Source::Own => position as BufferNumber,
        Source::Carried(place) => match carried[place] {
            Slot::Buffer(number) => number,
            Slot::Scalar(_) | Slot::OfWindow(_) => {
                unreachable!("a validated loop carries a buffer as a buffer")
            }
        },
    }
}

/// Why a restarted run differs from the original.
fn differences(time_loop: &TimeLoop<'_>) -> Vec<&'static str> {
    let function = time_loop.function;
    let before = &function.body[..time_loop.first().place];
    let is_field = |id: &Id| {
        let argument = function.arguments.get(id.0 as usize);
        argument.is_some_and(|argument| argument.kind.as_field().is_some())
    };
    let initial = time_loop.places().into_iter().map(|place| place.initial);
    let carried_fields: Vec<Id> = initial.filter(is_field).collect();
    let mut loops = time_loop.loops.iter();
    // Loops that share the steps are run in pieces that each start and end with every field in its
    // place.
    let uses_places = function.time_steps.is_none() && uses(time_loop.last().body, &carried_fields);
    let reasons = [
        (
            before.iter().any(acts),
            "the program computes before its time loop, which a restart repeats",
        ),
        (loops.any(|one| uses(one.body, &[one.induction])), "a step reads the loop's counter"),
        (
            time_loop.carries_numbers(),
            "the time loop carries scalars, which a checkpoint does not hold",
        ),
        (
            uses_places || time_loop.rotation().is_none(),
            "the time loop does not only rotate its fields",
        ),
    ];
    reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect()
}

#[cfg(test)]
#[path = "checkpoint_tests.rs"]
mod tests;
