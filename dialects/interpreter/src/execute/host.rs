//! Steps of the host: loads, applies, combines and stores.

use super::control::{Frame, Holding, Level};
use super::points::{Computed, run_points, workers};
use super::{Counters, Options};
use crate::error::{Failure, SiteId};
use crate::grid::{Extent, Field, Grid, GridBuilder, NoMemory, Point, Temp, point_text};
use crate::program::{Apply, CellAccess, Combine, HostStep, Points, Target};
use rayon::ThreadPool;

/// The running host.
pub(super) struct Host<'a> {
    pub counters: Counters,
    pub(super) symbols: &'a [u64],
    progress: Option<&'a dyn Fn(u64)>,
    pool: Option<ThreadPool>,
}

impl<'a> Host<'a> {
    pub fn new(symbols: &'a [u64], options: &Options<'a>) -> Self {
        Self {
            counters: Counters::default(),
            symbols,
            progress: options.progress,
            pool: workers(options.workers),
        }
    }

    fn apply(&mut self, apply: &Apply, frame: &mut Frame) -> Result<(), Box<Failure>> {
        let inputs: Vec<Temp> = apply.inputs.iter().map(|&slot| frame.values(slot)).collect();
        let scalars: Vec<u64> = apply.scalars.iter().map(|&slot| frame.get(slot)).collect();
        let computed = self.compute(&apply.points, &inputs, &scalars)?;
        drop(inputs);
        let Points { ref extent, site, .. } = apply.points;
        for (target, temp) in apply.targets.iter().zip(computed) {
            match *target {
                Target::Temp(slot) => frame.set_grid(slot, Holding::Temp(temp)),
                Target::Field(slot) => frame.field(slot).store(&temp, extent, site)?,
            }
        }
        Ok(())
    }

    /// Computes all points, and counts what that takes; one temp per output.
    pub fn compute(
        &mut self,
        points: &Points,
        inputs: &[Temp],
        scalars: &[u64],
    ) -> Result<Vec<Temp>, Box<Failure>> {
        let before = self.counters.operations;
        let progress = |done: u64| {
            if let Some(report) = self.progress {
                report(before + done);
            }
        };
        let Computed { temps, operations } =
            run_points(points, inputs, scalars, self.symbols, self.pool.as_ref(), &progress)?;
        self.counters.operations += operations;
        self.counters.points += points.extent.points().unwrap_or(0);
        self.counters.applies += 1;
        Ok(temps)
    }
}

impl Level for Host<'_> {
    type Leaf = HostStep;

    fn run_leaf(&mut self, leaf: &HostStep, frame: &mut Frame) -> Result<(), Box<Failure>> {
        match *leaf {
            HostStep::Cast { field, result, extent, site } => {
                let cast = cast(frame.field(field), extent, site)?;
                frame.set_grid(result, Holding::Field(cast));
            }
            HostStep::Copy { field, target, site } => {
                let field = frame.field(field);
                let values = field.snapshot();
                cast(frame.field(target), field.extent, site)?.store(
                    &values,
                    &field.extent,
                    site,
                )?;
            }
            HostStep::Load { field, result, extent, site } => {
                let temp = load(frame.field(field), extent, site)?;
                frame.set_grid(result, Holding::Temp(temp));
            }
            HostStep::Store { temp, field, bounds, site } => {
                let values = frame.values(temp);
                frame.field(field).store(&values, &bounds, site)?;
            }
            HostStep::Alloc { result, extent, element, site } => {
                let grid = Grid::new(&extent, element, false).map_err(no_memory(site))?;
                frame.set_grid(result, Holding::Field(Field::new(extent, grid)));
            }
            HostStep::Materialize { temp, result, site } => {
                let values = frame.values(temp);
                let grid = Grid::new(&values.extent, values.element(), false);
                let field = Field::new(values.extent, grid.map_err(no_memory(site))?);
                field.store(&values, &values.extent, site)?;
                frame.set_grid(result, Holding::Field(field));
            }
            HostStep::Combine(ref combine) => {
                let temp = run_combine(combine, frame)?;
                frame.set_grid(combine.result, Holding::Temp(temp));
            }
            HostStep::Apply(ref apply) => self.apply(apply, frame)?,
            HostStep::Sweep(ref sweep) => self.sweep(sweep, frame)?,
            HostStep::Stages(ref stages) => self.stages(stages, frame)?,
            HostStep::Tiled(ref tiled) => self.tiled(tiled, frame)?,
            HostStep::LoadCell { access, result } => {
                let (field, point) = cell(access, frame)?;
                // Memory that nothing has written is zero, as its bytes are.
                let bits = field.snapshot().read(point).unwrap_or(0);
                frame.set(result, bits);
            }
            HostStep::StoreCell { access, value } => {
                let (field, point) = cell(access, frame)?;
                field.write(point, frame.get(value));
            }
        }
        Ok(())
    }

    fn count_operation(&mut self) {
        self.counters.operations += 1;
    }
}

/// The cell of an access, by its coordinates in the field.
fn cell(access: CellAccess, frame: &Frame) -> Result<(&Field, Point), Box<Failure>> {
    let field = frame.field(access.field);
    let mut point = field.extent.lower;
    for (d, &slot) in access.coordinates[..access.rank].iter().enumerate() {
        point[d] = point[d].saturating_add(frame.get(slot) as i64);
    }
    if !field.extent.contains(point) {
        let (at, bounds) = (point_text(point, access.rank), field.extent.text());
        let message = format!("accesses {at} of a field of bounds {bounds}");
        return Err(Failure::new(access.site, message));
    }
    Ok((field, point))
}

/// The same memory under other coordinates.
fn cast(field: &Field, extent: Extent, site: SiteId) -> Result<Field, Box<Failure>> {
    field.cast(extent).ok_or_else(|| {
        let (from, to) = (field.extent.text(), extent.text());
        Failure::new(site, format!("gives bounds {to} to a field of bounds {from}"))
    })
}

/// Reports a failed allocation at an op.
pub(super) fn no_memory(site: SiteId) -> impl Fn(NoMemory) -> Box<Failure> {
    move |NoMemory(message)| Failure::new(site, message)
}

fn load(field: &Field, extent: Option<Extent>, site: SiteId) -> Result<Temp, Box<Failure>> {
    let whole = field.snapshot();
    match extent {
        None => Ok(whole),
        Some(extent) if field.extent.contains_all(&extent) => Ok(whole.restrict(extent)),
        Some(extent) => {
            let (temp, field) = (extent.text(), field.extent.text());
            Err(Failure::new(site, format!("loads {temp} of a field of bounds {field}")))
        }
    }
}

/// Takes every point from the side it lies on; a missing side has no values.
fn run_combine(combine: &Combine, frame: &Frame) -> Result<Temp, Box<Failure>> {
    let lower = combine.lower.map(|slot| frame.values(slot));
    let upper = combine.upper.map(|slot| frame.values(slot));
    let sides = [&lower, &upper];
    let gaps = sides.iter().any(|side| side.as_ref().is_none_or(Temp::has_gaps));
    let extent = combine.extent;
    let mut result =
        GridBuilder::new(extent, combine.element, gaps).map_err(no_memory(combine.site))?;
    for point in extent.iterate() {
        let side = if point[combine.dimension] < combine.index { &lower } else { &upper };
        let Some(temp) = side else { continue };
        if !temp.extent.contains(point) {
            let message = format!(
                "reads {} of a temp of bounds {}",
                point_text(point, extent.rank),
                temp.extent.text()
            );
            return Err(Failure::new(combine.site, message));
        }
        if let Some(bits) = temp.read(point) {
            result.set(point, bits);
        }
    }
    Ok(result.finish())
}
