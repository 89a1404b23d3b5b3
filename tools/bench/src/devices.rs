//! What several devices gain: a run on one beside a run of the same program on several, each
//! described by a report of `stencil-run`, as one line of JSON.
//!
//! A domain that grows with the devices (weak scaling) and one that does not (strong scaling) have
//! one efficiency: planes that a device computes in a second, over those that one device computes
//! alone. Both runs have to be timed and verified. Whatever follows from the samples is computed
//! in one place, [`Derived::of`]; [`Pair::check`] computes it again.

mod reports;

pub use reports::{PairError, pair};

use crate::{
    check::{SAMPLES_MIN, agree},
    kernels::Element,
    layout::{Form, Grid, number},
    lines,
    record::{required, rounded},
    statistics,
};
use serde::{Deserialize, Serialize};

/// One program on one device and on several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The function that ran.
    pub program: String,
    /// The type of the cells of its largest field.
    pub r#type: Element,
    /// Devices that share the domain.
    pub devices: u64,
    /// Planes of the domain on one device, and on all of them: dimension 0.
    pub planes: [u64; 2],
    /// Cells of a plane of the largest field, ghost cells included, slowest dimension first.
    pub plane_cells: Vec<u64>,
    /// Time steps of a run.
    pub steps: u64,
    /// Time steps that a kernel makes at once, of the kernel that makes most, on one device and on
    /// several.
    pub fused: [u64; 2],
    /// Time steps between exchanges, and planes of a device's halo at a cut.
    pub steps_between_exchanges: u64,
    /// See `steps_between_exchanges`.
    pub halo: u64,
    /// Exchanges of a run, their bytes, and the time that the device which waited longest spent
    /// waiting, in milliseconds.
    pub exchanges: u64,
    /// See `exchanges`.
    pub exchanged_bytes: u64,
    /// See `exchanges`.
    pub exchange_ms: f64,
    /// The part of the time of copies in which the device that gets them computed.
    #[serde(deserialize_with = "required")]
    pub hidden: Option<f64>,
    /// Medians of the samples, in milliseconds: one device, several.
    pub ms: [f64; 2],
    /// The distances of the samples' quartiles over their medians.
    pub spread: [f64; 2],
    /// Planes by seconds of a device of several, over those of one device.
    pub efficiency: f64,
    /// Milliseconds of each timed run on one device and on several.
    pub samples_ms: [Vec<f64>; 2],
    /// Whether both runs were compared with plain kernels on one device, bit for bit.
    pub verified: bool,
    /// Pairs of devices that copy from one to the other, and those that copy through the host.
    pub direct: u64,
    /// See `direct`.
    pub through_host: u64,
    /// The chip, as the driver calls it, and the driver.
    pub chip: String,
    /// See `chip`.
    pub driver: String,
    /// The day of the measurement, UTC: `2026-01-31`.
    pub date: String,
}

/// What follows from the samples of both runs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Derived {
    ms: [f64; 2],
    spread: [f64; 2],
    efficiency: f64,
}

impl Derived {
    /// `None` if there are no samples, or one is no positive time.
    fn of(samples_ms: &[Vec<f64>; 2], planes: [u64; 2], devices: u64) -> Option<Derived> {
        let one = statistics::summarize(&samples_ms[0])?;
        let several = statistics::summarize(&samples_ms[1])?;
        let [planes_one, planes] = planes.map(|planes| planes as f64);
        let efficiency = (planes / devices as f64 / several.median) / (planes_one / one.median);
        Some(Derived {
            ms: [rounded(one.median), rounded(several.median)],
            spread: [rounded(one.spread), rounded(several.spread)],
            efficiency: rounded(efficiency),
        })
    }
}

impl Pair {
    /// Whether the domain grows with the devices.
    pub fn is_weak(&self) -> bool {
        self.planes[0] < self.planes[1]
    }

    /// Whether the line holds: recomputed from its samples, and in its forms.
    ///
    /// # Errors
    /// The first reason why it does not.
    pub fn check(&self) -> Result<(), String> {
        if !self.verified {
            return Err("verified is false: what was measured is not known".to_owned());
        }
        if self.devices < 2 {
            return Err(format!("devices is {}, there are two at least", self.devices));
        }
        if self.planes[0] == 0 || self.planes[1] < self.planes[0] {
            let [one, several] = self.planes;
            return Err(format!("planes are {one} on one device and {several} on several"));
        }
        for samples in &self.samples_ms {
            let count = samples.len();
            if count < SAMPLES_MIN {
                return Err(format!(
                    "samples_ms has {count} samples, at least {SAMPLES_MIN} are needed; give \
                     stencil-run '--repeat {SAMPLES_MIN}'"
                ));
            }
        }
        let derived = Derived::of(&self.samples_ms, self.planes, self.devices);
        let derived = derived.ok_or("samples_ms has a sample that is no positive time")?;
        let values = [
            ("ms", self.ms[0], derived.ms[0]),
            ("ms", self.ms[1], derived.ms[1]),
            ("spread", self.spread[0], derived.spread[0]),
            ("spread", self.spread[1], derived.spread[1]),
            ("efficiency", self.efficiency, derived.efficiency),
        ];
        match values.iter().find(|(_, found, expected)| !agree(*found, *expected)) {
            None => Ok(()),
            Some((key, found, expected)) => {
                Err(format!("{key} is {found}, the samples give {expected}"))
            }
        }
    }
}

/// Reads lines; every one holds.
///
/// # Errors
/// The first line that does not, and why.
pub fn read(text: &str) -> Result<Vec<Pair>, lines::LineError> {
    let lines = lines::read::<Pair>(text)?;
    for (line, pair) in &lines {
        pair.check().map_err(|message| lines::LineError { line: *line, message })?;
    }
    Ok(lines.into_iter().map(|(_, pair)| pair).collect())
}

/// The least efficiency, and the geometric mean, of domains that grow with the devices and of those
/// that do not.
pub fn summary(pairs: &[Pair]) -> String {
    let of = |weak: bool| {
        let chosen = pairs.iter().filter(|pair| pair.is_weak() == weak);
        let values = chosen.map(|pair| pair.efficiency).collect::<Vec<_>>();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let name = if weak { "weak" } else { "strong" };
        statistics::geometric_mean(&values).map(|mean| {
            format!(
                "{name}: {:.1} % on geometric average of {}, lowest {:.1} %\n",
                100.0 * mean,
                values.len(),
                100.0 * least
            )
        })
    };
    [true, false].into_iter().filter_map(of).collect()
}

/// A row for each line, domains that grow first.
pub fn table(pairs: &[Pair], form: Form) -> String {
    let headings = [
        "program",
        "type",
        "scaling",
        "devices",
        "planes",
        "plane",
        "T",
        "between",
        "one ms",
        "±%",
        "ms",
        "±%",
        "waiting ms",
        "hidden %",
        "efficiency %",
    ];
    let cells = |pair: &&Pair| {
        let plane = pair.plane_cells.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        let [planes_one, planes] = pair.planes;
        vec![
            pair.program.clone(),
            pair.r#type.to_string(),
            if pair.is_weak() { "weak" } else { "strong" }.to_owned(),
            pair.devices.to_string(),
            if pair.is_weak() { format!("{planes_one}, {planes}") } else { planes.to_string() },
            plane,
            pair.fused[1].to_string(),
            pair.steps_between_exchanges.to_string(),
            number(Some(pair.ms[0])),
            format!("{:.1}", 100.0 * pair.spread[0]),
            number(Some(pair.ms[1])),
            format!("{:.1}", 100.0 * pair.spread[1]),
            number(Some(pair.exchange_ms)),
            pair.hidden.map_or("-".to_owned(), |part| format!("{:.0}", 100.0 * part)),
            format!("{:.1}", 100.0 * pair.efficiency),
        ]
    };
    let mut sorted = pairs.iter().collect::<Vec<_>>();
    sorted.sort_by_key(|pair| !pair.is_weak());
    let rows = sorted.iter().map(cells).collect();
    Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 3 }.text(form)
}

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;
