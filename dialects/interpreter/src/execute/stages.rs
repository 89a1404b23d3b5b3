//! Executes a kernel in the stages form, stage by stage over whole domains.
//!
//! All that is read of memory is what it held before the kernel. Planes, tiles and queues are not
//! executed: each stage is a function of whole streams.

use super::control::Frame;
use super::host::Host;
use crate::error::{Failure, SiteId};
use crate::grid::{Extent, Field, Temp};
use crate::program::GridSlot;
use crate::stages::{Source, Stage, Stages, StreamInput};

impl Host<'_> {
    pub fn stages(&mut self, stages: &Stages, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let field = |&slot: &GridSlot| frame.field(slot).clone();
        let fields: Vec<Field> = stages.fields.iter().map(field).collect();
        check(stages, &fields)?;
        let mut streams: Vec<Option<Temp>> = vec![None; stages.streams];
        for (step, own) in stages.level_scalars.iter().enumerate() {
            let scalars = stages.scalars.iter().chain(own).map(|&slot| frame.get(slot));
            let scalars: Vec<u64> = scalars.collect();
            let mut now = vec![None; stages.streams];
            for input in &stages.inputs {
                let carried = input.next.and_then(|next| streams[next].clone());
                now[input.stream] = Some(carried.unwrap_or_else(|| first_values(input, &fields)));
            }
            for stage in &stages.stages {
                self.stage(stage, step, &fields, &mut now, &scalars)?;
            }
            streams = now;
        }
        for output in &stages.outputs {
            let stream = value(&streams, output.stream);
            fields[output.field].store(stream, &output.domain, output.site)?;
        }
        Ok(())
    }

    /// Computes the results of a stage.
    fn stage(
        &mut self,
        stage: &Stage,
        step: usize,
        fields: &[Field],
        streams: &mut [Option<Temp>],
        scalars: &[u64],
    ) -> Result<(), Box<Failure>> {
        let inputs = stage.inputs.iter().map(|&source| match source {
            Source::Stream(number) => value(streams, number).clone(),
            Source::Field(number) => fields[number].snapshot(),
        });
        let inputs: Vec<Temp> = inputs.collect();
        let scalars: Vec<u64> = stage.scalars.iter().map(|&number| scalars[number]).collect();
        let computed = self.compute(&stage.points, &inputs, &scalars)?;
        for ((&result, outside), temp) in stage.results.iter().zip(&stage.outside).zip(computed) {
            // A result that has no field outside of the domain has no point there.
            streams[result] = Some(match outside.len() {
                0 => temp,
                count => fields[outside[step % count]].overlaid(&temp, &stage.points.extent),
            });
        }
        Ok(())
    }
}

fn value(streams: &[Option<Temp>], number: usize) -> &Temp {
    streams[number].as_ref().expect("SSA: a stream is defined before it is used")
}

/// The values of an input in the first step.
fn first_values(input: &StreamInput, fields: &[Field]) -> Temp {
    let values = fields[input.field].snapshot();
    match &input.over {
        Some((domain, outside)) => fields[*outside].overlaid(&values, domain),
        None => values,
    }
}

/// Nothing is written that the kernel may still read: its points are computed in no order. A point
/// may overwrite a cell that only it reads, and fields that are read outside of a domain may be
/// written inside of it.
fn check(stages: &Stages, fields: &[Field]) -> Result<(), Box<Failure>> {
    for (number, output) in stages.outputs.iter().enumerate() {
        let out = &fields[output.field];
        let is_out = |field: usize| fields[field].is_same_memory(out);
        for other in &stages.outputs[..number] {
            if is_out(other.field) {
                let message = "writes to memory that another 'sweep.output' also writes to";
                return Err(Failure::new(output.site, message));
            }
        }
        let is_kept = |domain: &Extent| domain.contains_all(&output.domain);
        for input in &stages.inputs {
            let is_outside =
                |(domain, outside): &(Extent, usize)| is_out(*outside) && !is_kept(domain);
            if is_out(input.field) && !input.is_own || input.over.as_ref().is_some_and(is_outside) {
                return Err(read_by(output.site, "input"));
            }
        }
        for stage in &stages.stages {
            let mut read = stage.inputs.iter().zip(&stage.reads_own);
            let is_read = read.any(|(&source, &reads_own)| match source {
                Source::Field(field) => is_out(field) && !(stage.is_own && reads_own),
                Source::Stream(_) => false,
            });
            let is_outside = stage.outside.iter().flatten().any(|&field| is_out(field))
                && !is_kept(&stage.points.extent);
            if is_read || is_outside {
                return Err(read_by(output.site, "stage"));
            }
        }
    }
    Ok(())
}

fn read_by(site: SiteId, what: &str) -> Box<Failure> {
    let message = format!("writes to memory that a 'sweep.{what}' reads");
    Failure::new(site, message).with_remedy("write to another field")
}
