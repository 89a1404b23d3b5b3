//! Executes a sweep level by level over the whole domain.
//!
//! Each level is a function of the levels below, in whatever order a GPU visits the points. Planes,
//! queues and sums are not executed: they were verified when the kernel was decoded.

use super::control::Frame;
use super::host::Host;
use crate::error::{Failure, SiteId};
use crate::grid::{Extent, Field, Temp};
use crate::program::{GridSlot, Sweep};
use std::collections::VecDeque;

impl Host<'_> {
    pub fn sweep(&mut self, sweep: &Sweep, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let fields = Fields::of(sweep, frame);
        fields.check(sweep)?;
        let domain = &sweep.points.extent;
        // The region's operands, the newest level first; then the computed levels, the last level
        // last.
        let mut below: VecDeque<Temp> = (0..)
            .zip(&fields.carried)
            .map(|(age, field)| fields.boundary(-age).overlaid(&field.snapshot(), domain))
            .collect();
        let mut results = VecDeque::new();
        let reads: Vec<Temp> = fields.reads.iter().map(Field::snapshot).collect();
        for (level, own) in (1..).zip(&sweep.level_scalars) {
            let inputs: Vec<Temp> = below.iter().chain(&reads).cloned().collect();
            let scalars = sweep.scalars.iter().chain(own).map(|&slot| frame.get(slot));
            let scalars: Vec<u64> = scalars.collect();
            let mut computed = self.compute(&sweep.points, &inputs, &scalars)?;
            let result = computed.pop().expect("a kernel yields one value");
            below.pop_back();
            below.push_front(fields.boundary(level).overlaid(&result, domain));
            results.push_back(result);
            if results.len() > fields.outs.len() {
                results.pop_front();
            }
        }
        for (out, result) in fields.outs.iter().zip(results.iter().rev()) {
            out.store(result, domain, sweep.points.site)?;
        }
        Ok(())
    }
}

/// The fields of a sweep.
struct Fields {
    carried: Vec<Field>,
    boundaries: Vec<Field>,
    reads: Vec<Field>,
    outs: Vec<Field>,
}

impl Fields {
    fn of(sweep: &Sweep, frame: &Frame) -> Self {
        let all =
            |slots: &[GridSlot]| slots.iter().map(|&slot| frame.field(slot).clone()).collect();
        Self {
            carried: all(&sweep.carried),
            boundaries: all(&sweep.boundaries),
            reads: all(&sweep.reads),
            outs: all(&sweep.outs),
        }
    }

    /// The field that has the cells outside of the domain on a level.
    fn boundary(&self, level: i64) -> &Field {
        &self.boundaries[level.rem_euclid(self.boundaries.len() as i64) as usize]
    }

    /// Every field covers the domain, and nothing is written that something else still reads: the
    /// points of a level are computed in no order.
    fn check(&self, sweep: &Sweep) -> Result<(), Box<Failure>> {
        let (domain, site) = (&sweep.points.extent, sweep.points.site);
        let kinds = [
            ("carried field", &self.carried),
            ("boundary source", &self.boundaries),
            ("out", &self.outs),
        ];
        for (kind, fields) in kinds {
            for (number, field) in fields.iter().enumerate() {
                check_cover(kind, number, field, domain, site)?;
            }
        }
        let is_one_level = sweep.level_scalars.len() == 1;
        let read = self.carried.iter().chain(&self.reads).zip(&sweep.own_cell);
        for (number, out) in self.outs.iter().enumerate() {
            // A point may overwrite a cell that only it reads.
            for (field, own_cell) in read.clone() {
                if field.is_same_memory(out) && !(is_one_level && *own_cell) {
                    let message = format!("writes out {number} over memory that it reads");
                    return Err(Failure::new(site, message));
                }
            }
            if let Some(other) = self.outs[..number].iter().position(|o| o.is_same_memory(out)) {
                let message = format!("writes outs {other} and {number} to the same memory");
                return Err(Failure::new(site, message));
            }
        }
        Ok(())
    }
}

fn check_cover(
    kind: &str,
    number: usize,
    field: &Field,
    domain: &Extent,
    site: SiteId,
) -> Result<(), Box<Failure>> {
    if field.extent.contains_all(domain) {
        return Ok(());
    }
    let (domain, extent) = (domain.text(), field.extent.text());
    let message = format!("sweeps over {domain}, but {kind} {number} has bounds {extent}");
    Err(Failure::new(site, message))
}
