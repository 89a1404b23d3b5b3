//! A domain that several devices share.
//!
//! The function computes one window of it; all numbers of the function and of its kernels are a
//! window's. Devices own planes along the slowest dimension, which partition the domain, and hold
//! copies of others around them. A run makes so many time steps, then every device gets the planes
//! that it does not own from those that do, and so on: each piece is a complete run of the function
//! for fewer time steps.

mod check;

pub(super) use check::check_function;

use super::{ArgumentKind, FieldShape, Function, Id, Parameter, Statement};
use crate::scalar::ScalarType;
use serde::{Deserialize, Serialize};
use std::{fmt, num::NonZeroU64, ops::Range};

/// How devices share a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decomposition {
    /// The first plane of the whole domain.
    pub lower: i64,
    /// One past its last.
    pub upper: i64,
    /// Planes that a window has beyond the owned ones, where the domain goes on.
    pub halo: u64,
    /// Time steps between exchanges; none for a function without a time loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<NonZeroU64>,
    /// Constants of the body, each a number of iterations at the end of the time loop that leave
    /// in older levels what a caller reads there: a run that another one goes on from takes 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_iterations: Vec<Id>,
    /// Constants of the body that are other numbers for each window. Only launches take them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub window_numbers: Vec<WindowValue>,
    /// One for each device.
    pub windows: Vec<Window>,
    /// For each argument, how it is cut; none for scalars, and for fields that all devices have
    /// alike.
    pub fields: Vec<Option<Cut>>,
}

/// What a device holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first plane of the whole domain that it owns, and one past the last.
    pub owned: [i64; 2],
    /// What takes a plane of the window to the one that it stands for.
    pub shift: i64,
    /// From a plane of the window on, another shift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seam: Option<Seam>,
    /// For each number of iterations of the time loop that follow until the next exchange or the
    /// end, from none on: the first plane of the window that is needed then, and one past the last.
    /// Kernels with [`PlaneParameters`] compute only these; where no range is given, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<[i64; 2]>,
    /// For each number of iterations since an exchange, from one on: planes that the device owns
    /// and that hold then what depends on nothing that it got; such a range may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early: Vec<[i64; 2]>,
}

/// Where a window leaves planes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// The plane of the window.
    pub plane: i64,
    /// The shift from there on.
    pub shift: i64,
}

/// A value that is a number of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowValue {
    /// The value, of type index.
    pub value: Id,
    /// Which number it is.
    pub number: WindowNumber,
}

/// A number that says where a window lies: its plane `k` stands for plane `k + shift` of the whole
/// domain, or, from plane `seam` on, for plane `k + shift_from_seam`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowNumber {
    /// What takes a plane of the window to the one that it stands for.
    Shift,
    /// The plane from which on that is another number; beyond the window if there is none.
    Seam,
    /// This number.
    ShiftFromSeam,
}

impl WindowNumber {
    /// The number with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
    }
}

/// How a field is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The dimension that follows the domain's slowest.
    pub dimension: u32,
    /// Its lowest coordinate in the whole domain.
    pub lower: i64,
    /// One past its highest.
    pub upper: i64,
    /// For each device, ranges of the planes of its window that it gets from their owners at an
    /// exchange, of those that it does not own: first planes, and one past the last. None: all, as
    /// in [`super::FORMAT_WHOLE_HALOS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Vec<Vec<[i64; 2]>>>,
}

/// Consecutive planes of a field in a window, and those that they stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first plane, counted from the field's first in the window.
    pub(super) local: u64,
    /// The first one of the whole field, counted from its first.
    pub(super) whole: u64,
    /// How many.
    pub(super) planes: u64,
}

/// Planes of a field that a device gets from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The position of the field.
    pub argument: usize,
    /// The device that owns them.
    pub from: usize,
    /// The device that gets them.
    pub to: usize,
    /// The first plane there, counted from the field's first.
    pub from_plane: u64,
    /// The first plane here.
    pub to_plane: u64,
    /// How many.
    pub planes: u64,
}

impl fmt::Display for Decomposition {
    /// For people: `devices: 2, which own 12 and 12 planes, halos of 8; an exchange every 8 time
    /// steps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owned =
            self.windows.iter().map(|window| (window.owned[1] - window.owned[0]).to_string());
        let owned = owned.collect::<Vec<_>>().join(", ");
        write!(f, "devices: {}, which own {owned} planes", self.windows.len())?;
        write!(f, ", with halos of {}", self.halo)?;
        match self.steps {
            Some(steps) => write!(f, "; an exchange every {steps} time steps"),
            None => Ok(()),
        }
    }
}

impl Window {
    /// A number that says where it lies.
    pub fn number(&self, number: WindowNumber) -> i64 {
        match number {
            WindowNumber::Shift => self.shift,
            WindowNumber::Seam => self.seam.map_or(i64::MAX, |seam| seam.plane),
            WindowNumber::ShiftFromSeam => self.seam.map_or(self.shift, |seam| seam.shift),
        }
    }

    /// Planes of the window with one shift each.
    fn pieces(&self) -> Vec<(Range<i64>, i64)> {
        match self.seam {
            None => vec![(i64::MIN..i64::MAX, self.shift)],
            Some(Seam { plane, shift }) => {
                vec![(i64::MIN..plane, self.shift), (plane..i64::MAX, shift)]
            }
        }
    }
}

impl Function {
    /// How many devices share its domain; 1 if it runs on one.
    pub fn devices(&self) -> usize {
        self.decomposition.as_ref().map_or(1, |shared| shared.windows.len())
    }

    /// The function with the fields of the whole domain: what its callers see.
    pub fn whole(&self) -> Function {
        let mut whole = self.clone();
        let Some(shared) = &self.decomposition else { return whole };
        for (argument, cut) in whole.arguments.iter_mut().zip(&shared.fields) {
            if let (ArgumentKind::Field(shape), Some(cut)) = (&mut argument.kind, cut) {
                let d = cut.dimension as usize;
                (shape.lower[d], shape.upper[d]) = (cut.lower, cut.upper);
            }
        }
        whole
    }

    /// The shape of a field in a window, with its cut.
    fn cut_field(&self, position: usize) -> Option<(&FieldShape, &Cut)> {
        let cut = self.decomposition.as_ref()?.fields.get(position)?.as_ref()?;
        Some((self.arguments[position].kind.as_field()?, cut))
    }

    /// The planes of a field in a device's window that stand for planes of the whole field.
    pub(super) fn held(&self, device: usize, position: usize) -> Vec<Run> {
        self.runs(device, position, i64::MIN..i64::MAX)
    }

    /// Those of them that the device owns.
    pub(super) fn owned(&self, device: usize, position: usize) -> Vec<Run> {
        self.runs(device, position, self.owned_range(device))
    }

    /// The planes that a device owns: the first and the last also those outside of the domain.
    fn owned_range(&self, device: usize) -> Range<i64> {
        let Some(shared) = &self.decomposition else { return i64::MIN..i64::MAX };
        let [start, end] = shared.windows[device].owned;
        let start = if device == 0 { i64::MIN } else { start };
        let end = if device + 1 == shared.windows.len() { i64::MAX } else { end };
        start..end
    }

    /// The planes of a window that stand for some of the whole domain.
    fn runs(&self, device: usize, position: usize, of: Range<i64>) -> Vec<Run> {
        let Some((shape, cut)) = self.cut_field(position) else { return Vec::new() };
        let shared = self.decomposition.as_ref().expect("the field is cut");
        let d = cut.dimension as usize;
        let (lower, upper) = (shape.lower[d], shape.upper[d]);
        let run = |(piece, shift): (Range<i64>, i64)| {
            // Of the window, as far as the whole field and what is asked for have them.
            let start = cut.lower.max(of.start).saturating_sub(shift);
            let start = start.max(piece.start).max(lower);
            let end = cut.upper.min(of.end).saturating_sub(shift).min(piece.end).min(upper);
            let planes = u64::try_from(end.saturating_sub(start)).ok().filter(|it| *it > 0)?;
            let local = start.abs_diff(lower);
            Some(Run { local, whole: (start + shift).abs_diff(cut.lower), planes })
        };
        shared.windows[device].pieces().into_iter().filter_map(run).collect()
    }

    /// The planes of a field that a device gets from another one that owns them.
    fn received(&self, to: usize, argument: usize, from: usize) -> Vec<Run> {
        let Some((shape, cut)) = self.cut_field(argument) else { return Vec::new() };
        let held = self.runs(to, argument, self.owned_range(from));
        let Some(received) = &cut.received else { return held };
        let lower = shape.lower[cut.dimension as usize];
        let part = |run: &Run, [first, end]: [i64; 2]| {
            // Planes that a window does not hold are refused.
            let [first, end] = [first, end].map(|plane| plane.abs_diff(lower));
            let start = run.local.max(first);
            let planes = (run.local + run.planes).min(end).checked_sub(start)?;
            let whole = run.whole + (start - run.local);
            (planes > 0).then_some(Run { local: start, whole, planes })
        };
        let ranges = |run| received[to].iter().filter_map(move |range| part(&run, *range));
        held.into_iter().flat_map(ranges).collect()
    }

    /// What devices give each other, of all fields that are written.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let Some(shared) = &self.decomposition else { return Vec::new() };
        let devices = 0..shared.windows.len();
        let is_written = |position: &usize| {
            let field = self.arguments[*position].kind.as_field();
            field.is_some_and(|shape| shape.written) && shared.fields[*position].is_some()
        };
        let mut all = Vec::new();
        for argument in (0..self.arguments.len()).filter(is_written) {
            for to in devices.clone() {
                for from in devices.clone().filter(|from| *from != to) {
                    for here in self.received(to, argument, from) {
                        for there in self.owned(from, argument) {
                            let start = here.whole.max(there.whole);
                            let end = (here.whole + here.planes).min(there.whole + there.planes);
                            if start < end {
                                let from_plane = there.local + (start - there.whole);
                                let to_plane = here.local + (start - here.whole);
                                let planes = end - start;
                                let planes =
                                    Exchange { argument, from, to, from_plane, to_plane, planes };
                                all.push(planes);
                            }
                        }
                    }
                }
            }
        }
        all
    }
}

impl Decomposition {
    /// The values that are numbers of a window.
    pub(crate) fn of_window(&self) -> impl Iterator<Item = (Id, WindowNumber)> {
        self.window_numbers.iter().map(|one| (one.value, one.number))
    }

    /// The iterations of the time loop that have to follow on a run for which
    /// [`Decomposition::last_iterations`] are 0.
    pub fn iterations_after(&self, body: &[Statement]) -> u64 {
        let numbers = self.last_iterations.iter().filter_map(|id| constant(body, *id));
        numbers.max().unwrap_or(0)
    }
}

/// The number that a constant at the top level of a body is; none if it is no natural number.
fn constant(body: &[Statement], id: Id) -> Option<u64> {
    let number = body.iter().find_map(|statement| match statement {
        Statement::Constant { result, value } if *result == id => Some(value),
        _ => None,
    })?;
    if number.ty().is_float() { None } else { u64::try_from(number.signed()).ok() }
}

/// Parameters for the planes that a kernel computes along the slowest dimension: the first one, one
/// past the last, and how many there are in a chunk of tiles inside of the domain and of tiles at
/// its ends. The arguments of the host program are those of the whole window; where fewer planes
/// are needed others take their place, with as many chunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneParameters {
    /// Iterations of the time loop that a launch makes.
    pub iterations: NonZeroU64,
    /// The position of the first of them; all are of type index.
    pub first: u32,
    /// The positions of the buffers that a launch writes.
    pub written: Vec<u32>,
}

impl PlaneParameters {
    /// Whether a kernel with these parameters can be told so.
    pub(super) fn is_in(&self, parameters: &[Parameter]) -> bool {
        let numbers = usize::try_from(self.first).ok().and_then(|first| parameters.get(first..));
        let numbers = numbers.and_then(|numbers| numbers.get(..4));
        let is_index = |one: &Parameter| *one == Parameter::Scalar(ScalarType::Index);
        let is_buffer = |one: &u32| parameters.get(*one as usize) == Some(&Parameter::Pointer);
        numbers.is_some_and(|numbers| numbers.iter().all(is_index))
            && self.written.iter().all(is_buffer)
    }
}

#[cfg(test)]
#[path = "decomposition_tests.rs"]
mod tests;
