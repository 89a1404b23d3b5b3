//! What a program takes on several devices that share its domain.
//!
//! Devices make so many time steps, a *piece*, and then get planes from each other. The first
//! launch of a piece computes beside that what depends on no such plane. What is left are few
//! planes at each cut, in launches of their own that wait for nothing but the transport. They run
//! beside the early part, where its blocks leave room, take their share of the device, and pass
//! their planes one after the other:
//!
//! ```text
//!   piece = max(early part + work of the late ones,
//!               transport + longest late part) + joining them + the other launches
//! ```
//!
//! Where the first kernel cannot be told which planes to compute, where statements precede the time
//! loop, which each piece makes again, or where that takes longer, the transport comes first and
//! the whole launch after it. What a launch takes follows from the estimate for one device by the
//! number of planes that it computes; which planes these are, and which travel, is found for the
//! program ([`Piece`]). Devices at an end of the domain and those inside differ, and the slowest
//! counts.
//!
//! Wrong where a kernel takes more registers to be told its planes (j3d7pt in f32 spills 232 bytes
//! instead of 140, and is 4 % slower than predicted); where a window is so thin that blocks of a
//! sweep wait for latency; and, by processes of several hosts, about the time in which a host
//! enqueues a piece. No transport waits for another one: every device has a wire of its own.

mod bricks;
mod choice;
#[cfg(test)]
mod tests;

pub use self::{
    bricks::{Brick, brick},
    choice::{Choice, best, is_slim, steps_to_try},
};

use crate::product::Route;
use std::ops::Range;

/// What iterations of the time loop take on one device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernels {
    /// Planes of the domain that this is about.
    pub planes: i64,
    /// Nanoseconds of an iteration for all of them, without launches.
    pub iteration_ns: f64,
    /// Nanoseconds of the launches for `at_once` iterations.
    pub launches_ns: f64,
    /// Iterations that they make.
    pub at_once: i64,
    /// The same of iterations that are left, one by one: an iteration with its launches.
    pub left_ns: f64,
    /// Nanoseconds of the statements before the time loop, which each piece makes again: its first
    /// launch is none that can be told its planes.
    pub before_ns: f64,
    /// The same of the statements after it.
    pub after_ns: f64,
    /// Nanoseconds that a launch takes at least for each plane of a chunk, if it is one kernel that
    /// can be told its planes.
    pub plane_ns: Option<f64>,
    /// Nanoseconds from a launch to the next.
    pub launch_ns: f64,
}

/// What a device does between two exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// For each number of iterations that follow, the planes that are needed.
    pub computed: Vec<Range<i64>>,
    /// For each number of iterations since an exchange, from one on, the planes that depend on
    /// nothing that was exchanged; none where the exchange is waited for.
    pub early: Vec<Range<i64>>,
    /// Bytes that the device gets.
    pub received_bytes: i64,
    /// Ranges of planes in which it gets them.
    pub transfers: i64,
}

/// How a domain is cut, and what follows from it between two exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Planes of the domain.
    pub planes: i64,
    /// Time steps.
    pub steps: i64,
    /// Iterations of the time loop that make them.
    pub iterations: i64,
    /// Planes of a window.
    pub extent: i64,
    /// Planes beyond those that a device owns, at a cut.
    pub halo: i64,
    /// The same at the other end of the domain.
    pub other_end: i64,
    /// Planes that a device gets at a cut, of the field of which it gets most.
    pub received: i64,
    /// Devices at the first end, inside if there are any, and at the last.
    pub windows: Vec<Window>,
}

/// What a time step takes on several devices, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Devices.
    pub devices: i64,
    /// Time steps between exchanges.
    pub steps: i64,
    /// Whether what does not depend on an exchange is computed beside it, where kernels can be told
    /// their planes.
    pub overlaps: bool,
    /// Planes of a window.
    pub extent: i64,
    /// All of it.
    pub ns: f64,
    /// What the planes that no other device computes take, with launches.
    pub owned_ns: f64,
    /// What the others take.
    pub recomputed_ns: f64,
    /// What is computed beside the transport.
    pub early_ns: f64,
    /// By how much the launches for what was left make a piece longer that need not wait.
    pub late_ns: f64,
    /// The transport, none if no wire is known.
    pub transport_ns: Option<f64>,
    /// The part of it, and of the launches that wait for it, that nothing is computed beside.
    pub exposed_ns: f64,
    /// Bytes that a device gets in an exchange.
    pub bytes: i64,
}

impl Prediction {
    /// Percent of the devices' time that one device with `one_ns` a time step would take.
    pub fn efficiency_percent(&self, one_ns: f64, is_weak: bool) -> f64 {
        let devices = if is_weak { 1.0 } else { self.devices as f64 };
        100.0 * one_ns / (devices * self.ns)
    }

    /// Whether the wire takes longer than all that is computed between two exchanges.
    pub fn is_bound_by_wire(&self) -> bool {
        self.transport_ns.is_some_and(|ns| ns > self.owned_ns + self.recomputed_ns)
    }
}

/// Windows of a domain that is cut for several devices, as small as they can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvenWindows {
    /// Planes of a window.
    pub planes: i64,
    /// How many devices, the last ones, need one plane less.
    pub shorter: i64,
}

impl EvenWindows {
    /// Those of so many devices, where the first and the last have `other_end` planes of each
    /// other's end; none if a device would own nothing. Devices at the ends need fewer planes of
    /// others, and own more.
    pub fn of(planes: i64, devices: i64, halo: i64, other_end: i64) -> Option<Self> {
        let (inner, outer) = (2 * halo, halo + other_end);
        if devices == 1 {
            return Some(Self { planes, shorter: 0 });
        }
        let beyond = (devices - 2).max(0).checked_mul(inner)? + 2 * outer;
        let all = planes.checked_add(beyond)?;
        let window = all.checked_add(devices - 1)? / devices;
        let shorter = devices.checked_mul(window)? - all;
        let less = |devices: i64| i64::from(shorter >= devices);
        let ends = window > outer + less(1);
        let inside = devices == 2 || window > inner + less(2);
        (ends && inside).then_some(Self { planes: window, shorter })
    }
}

impl Piece {
    /// Planes of a window, for other numbers of devices and planes of the domain; none if it is too
    /// thin.
    pub fn extent_for(&self, devices: i64, planes: i64) -> Option<i64> {
        let extent = EvenWindows::of(planes, devices, self.halo, self.other_end)?.planes;
        if devices == 1 {
            // Nothing is cut.
            return Some(extent);
        }
        let inner = if devices > 2 { 2 * self.halo } else { 0 };
        let beyond = inner.max(self.halo + self.other_end);
        (extent < planes && 2 * beyond <= planes).then_some(extent)
    }

    /// Planes that are needed beyond what a device owns, at a cut, where so many iterations follow.
    fn beyond(&self, following: usize) -> i64 {
        let cuts = if self.windows.len() > 2 { 2 } else { 1 };
        let window = &self.windows[cuts as usize - 1];
        let count = |range: &Range<i64>| range.end - range.start;
        let (Some(last), Some(own)) = (window.computed.get(following), window.computed.first())
        else {
            return self.halo;
        };
        // A window of both ends computes all of its planes, where it needs more than it owns.
        if self.other_end == 0 {
            return (count(last) - count(own)) / cuts;
        }
        let (following, all) = (following as i64, self.iterations.max(1));
        (self.halo * following + all - 1) / all
    }
}

/// What a time step takes on so many devices with a domain of so many planes, with what is computed
/// beside the transport or without, whichever is faster; none if the domain is too thin.
pub fn slabs(
    kernels: &Kernels,
    piece: &Piece,
    (devices, planes): (i64, i64),
    route: Option<&Route>,
) -> Option<Prediction> {
    let extent = piece.extent_for(devices, planes)?;
    let of = |window, overlaps| {
        of_window(kernels, piece, window, (devices, planes), (extent, overlaps), route)
    };
    // The windows at the ends are the first and the last.
    let is_there = |place: &usize| devices > 2 || *place == 0 || *place + 1 == piece.windows.len();
    let slowest = |overlaps: bool| {
        let windows = (0..piece.windows.len()).filter(is_there);
        let predictions = windows.map(|place| of(&piece.windows[place], overlaps));
        predictions.max_by(|one, other| one.ns.total_cmp(&other.ns))
    };
    // Where no wire is known, transport takes something unknown.
    let ways: &[bool] = if route.is_some() { &[true, false] } else { &[true] };
    let predictions = ways.iter().filter_map(|overlaps| slowest(*overlaps));
    predictions.min_by(|one, other| one.ns.total_cmp(&other.ns))
}

/// The iterations of the launches of a piece, and how many follow each of them.
fn launches(kernels: &Kernels, iterations: i64) -> Vec<(i64, i64)> {
    let mut left = iterations;
    let mut found = Vec::new();
    while left > 0 {
        let made = if left >= kernels.at_once { kernels.at_once } else { 1 };
        left -= made;
        found.push((made, left));
    }
    found
}

impl Kernels {
    /// Nanoseconds of the statements around the time loop, for so many planes of the domain.
    fn around(&self, planes: f64) -> f64 {
        (self.before_ns + self.after_ns) * planes / self.planes as f64
    }

    /// Nanoseconds of a launch for so many iterations and points, in planes of the domain.
    fn launch(&self, iterations: i64, planes: f64) -> f64 {
        let part = planes / self.planes as f64;
        match iterations == self.at_once {
            true => self.iteration_ns * iterations as f64 * part + self.launches_ns,
            false => self.left_ns * part * iterations as f64,
        }
    }

    /// A launch for a few planes in a row: it computes those before them too, and takes a while for
    /// each plane, however little it has to do there.
    fn few_planes(&self, iterations: i64, planes: i64, before: i64) -> Late {
        let all = planes + 2 * before;
        let waiting = self.plane_ns.unwrap_or(0.0) * all as f64;
        let work = self.launch(iterations, all as f64) - self.launches_ns;
        Late { work, alone: work.max(waiting) + self.launches_ns }
    }
}

fn of_window(
    kernels: &Kernels,
    piece: &Piece,
    window: &Window,
    (devices, planes): (i64, i64),
    (extent, overlaps): (i64, bool),
    route: Option<&Route>,
) -> Prediction {
    let more = extent - piece.extent;
    let count = |range: &Range<i64>| (range.end - range.start + more).max(0);
    let all = launches(kernels, piece.iterations);
    let computed =
        |following: i64| match (kernels.plane_ns, window.computed.get(following as usize)) {
            (Some(_), Some(range)) => count(range).min(extent),
            _ => extent,
        };
    let of_planes = |planes: &dyn Fn(i64) -> f64| {
        all.iter().map(|(made, following)| kernels.launch(*made, planes(*following))).sum::<f64>()
    };
    let own = planes as f64 / devices as f64;
    let total = of_planes(&|following| computed(following) as f64) + kernels.around(extent as f64);
    let owned = of_planes(&|_| own) + kernels.around(own);
    let transport = route.map(|it| it.ns(window.transfers as f64, window.received_bytes as f64));
    let beside = route.map_or(0.0, |route| route.beside_ns as f64);
    let waited = route.map_or(0.0, |route| route.waited_ns(window.transfers));
    let first = all.first().filter(|_| overlaps && kernels.before_ns == 0.0);
    let split = first.and_then(|first| split(kernels, piece, window, *first, more));
    let steps = piece.steps.max(1) as f64;
    let wire = transport.unwrap_or(0.0);
    let (ns, early_ns, late_ns, exposed_ns) = match split {
        Some(Split { whole, early, late }) => {
            let exposed = transport.map_or(0.0, |wire| late.exposed(early, wire + beside));
            let joined = route.filter(|_| late.alone > 0.0);
            let late = late.work + joined.map_or(0.0, |route| route.join_ns as f64);
            (total - whole + early + late + exposed, early, late, exposed)
        }
        None => (total + wire + waited + kernels.launch_ns, 0.0, 0.0, wire + waited),
    };
    Prediction {
        devices,
        steps: piece.steps,
        overlaps,
        extent,
        ns: ns / steps,
        owned_ns: owned / steps,
        recomputed_ns: (total - owned).max(0.0) / steps,
        early_ns: early_ns / steps,
        late_ns: late_ns / steps,
        transport_ns: transport.map(|ns| ns / steps),
        exposed_ns: exposed_ns / steps,
        bytes: window.received_bytes,
    }
}

/// The first launch of a piece in parts.
struct Split {
    whole: f64,
    early: f64,
    late: Late,
}

/// Launches that wait for the transport, and run beside each other.
#[derive(Clone, Copy, Default)]
struct Late {
    /// Nanoseconds in which the device has to compute for all of them.
    work: f64,
    /// Nanoseconds of the longest, where nothing else runs.
    alone: f64,
}

impl Late {
    fn and(self, other: Late) -> Late {
        Late { work: self.work + other.work, alone: self.alone.max(other.alone) }
    }

    /// Nanoseconds of the transport and of these for which an early part is too short.
    fn exposed(self, early: f64, transport: f64) -> f64 {
        (transport + self.alone - early - self.work).max(0.0)
    }
}

/// As the runtime does it: not where most planes depend on the exchange.
fn split(
    kernels: &Kernels,
    piece: &Piece,
    window: &Window,
    (made, following): (i64, i64),
    more: i64,
) -> Option<Split> {
    kernels.plane_ns?;
    if made != kernels.at_once {
        return None;
    }
    let needed = window.computed.get(following as usize)?;
    let early = window.early.get(made as usize - 1)?;
    let (first, end) = (needed.start, needed.end + more);
    let (from, to) = (early.start.clamp(first, end), (early.end + more).clamp(first, end));
    if from >= to || 2 * (to - from) < end - first {
        return None;
    }
    let before = piece.beyond(made as usize);
    let sides = [from - first, end - to].into_iter().filter(|planes| *planes > 0);
    Some(Split {
        whole: kernels.launch(made, (end - first) as f64),
        early: kernels.launch(made, (to - from) as f64),
        late: sides
            .map(|planes| kernels.few_planes(made, planes, before))
            .fold(Late::default(), Late::and),
    })
}
