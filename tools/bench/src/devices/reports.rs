//! Two reports of `stencil-run` as a line.

use super::{Derived, Pair};
use crate::{kernels::Element, record::rounded};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Why two reports are no line.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum PairError {
    #[error("'{}' is no report of stencil-run: {message}", path.display())]
    Unreadable { path: PathBuf, message: String },
    #[error(
        "'{}' has no {what}; run stencil-run with '{option}'", path.display()
    )]
    Missing { path: PathBuf, what: &'static str, option: &'static str },
    #[error("'{}' is of {what}, '{}' is of {other}", one.display(), several.display())]
    Differs { one: PathBuf, several: PathBuf, what: String, other: String },
    #[error("'{}' is of several devices; the first report is of one", .0.display())]
    NotOne(PathBuf),
    #[error("'{}' is of one device; the second report is of several", .0.display())]
    NotSeveral(PathBuf),
    #[error("{0}")]
    Wrong(String),
}

/// What a line takes from a report.
#[derive(Clone, Debug, Deserialize)]
struct Report {
    function: String,
    device: Device,
    kernels: Vec<Kernel>,
    time: Option<Time>,
    steps: Option<u64>,
    fields: Vec<Field>,
    shared: Option<Shared>,
    verified: Verified,
}

#[derive(Clone, Debug, Deserialize)]
struct Device {
    name: String,
    driver: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Kernel {
    plan: Option<serde_json::Value>,
}

#[derive(Clone, Debug, Deserialize)]
struct Time {
    samples_s: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize)]
struct Field {
    r#type: String,
    extents: Vec<u64>,
    scratch: bool,
    sha256: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Shared {
    devices: Vec<Device>,
    links: Links,
    planes: u64,
    halo: u64,
    steps_between_exchanges: Option<u64>,
    exchanges: u64,
    exchanged_bytes: u64,
    exchange_s: Option<f64>,
    hidden: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Links {
    direct: u64,
    through_host: u64,
}

#[derive(Clone, Debug, Deserialize)]
struct Verified {
    plain: Option<serde_json::Value>,
}

impl Report {
    /// The time steps that the kernel makes at once that makes most.
    fn fused(&self) -> u64 {
        let steps = |kernel: &Kernel| kernel.plan.as_ref()?.get("steps")?.as_u64();
        self.kernels.iter().filter_map(steps).max().unwrap_or(1)
    }

    /// The field of most cells.
    fn largest(&self) -> Option<&Field> {
        self.fields.iter().max_by_key(|field| field.extents.iter().product::<u64>())
    }

    /// Milliseconds of the timed runs.
    fn samples_ms(&self, path: &Path) -> Result<Vec<f64>, PairError> {
        let missing = |what, option| PairError::Missing { path: path.to_owned(), what, option };
        if self.verified.plain.is_none() {
            return Err(missing("comparison with plain kernels", "--verify"));
        }
        let time = self.time.as_ref().ok_or_else(|| missing("times", "--time"))?;
        Ok(time.samples_s.iter().map(|time| rounded(1e3 * time)).collect())
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, PairError> {
    let unreadable = |message: String| PairError::Unreadable { path: path.to_owned(), message };
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))
}

/// Both reports, and where they are.
struct Reports<'p> {
    paths: [&'p Path; 2],
    one: Report,
    several: Report,
    shared: Shared,
}

impl<'p> Reports<'p> {
    fn read(paths: [&'p Path; 2]) -> Result<Reports<'p>, PairError> {
        let (one, several) = (read::<Report>(paths[0])?, read::<Report>(paths[1])?);
        if one.shared.is_some() {
            return Err(PairError::NotOne(paths[0].to_owned()));
        }
        let not_several = || PairError::NotSeveral(paths[1].to_owned());
        let shared = several.shared.clone().ok_or_else(not_several)?;
        Ok(Reports { paths, one, several, shared })
    }

    /// Fails unless both are of the same.
    fn same(&self, of: impl Fn(&Report) -> String) -> Result<(), PairError> {
        let (what, other) = (of(&self.one), of(&self.several));
        match what == other {
            true => Ok(()),
            false => {
                let [one, several] = self.paths.map(Path::to_owned);
                Err(PairError::Differs { one, several, what, other })
            }
        }
    }

    /// Fails unless both are runs of one program of planes alike, on chips alike.
    fn check(&self) -> Result<(), PairError> {
        self.same(|report| format!("function '{}'", report.function))?;
        self.same(|report| match report.steps {
            Some(steps) => format!("{steps} time steps"),
            None => "a number of time steps that --steps does not say".to_owned(),
        })?;
        for device in &self.shared.devices {
            self.same(|report| match report.shared {
                None => report.device.name.clone(),
                Some(_) => device.name.clone(),
            })?;
        }
        self.same(|report| report.device.driver.clone())?;
        self.same(|report| match report.largest() {
            None => "no field".to_owned(),
            Some(Field { extents, r#type, .. }) => {
                let extents = extents.iter().skip(1).map(u64::to_string).collect::<Vec<_>>();
                format!("planes of {} cells of {}", extents.join("x"), r#type)
            }
        })
    }

    /// The largest field, and planes of the domain on one device and on several: fields have as
    /// many more in both runs.
    fn planes(&self) -> Result<(&Field, [u64; 2]), PairError> {
        let [one, several] = self.paths.map(|path| path.display().to_string());
        let no_field = || PairError::Wrong(format!("'{one}' has no field"));
        let field = self.one.largest().ok_or_else(no_field)?;
        let whole = self.several.largest().ok_or_else(no_field)?;
        let all = self.shared.planes;
        let more = whole.extents.first().and_then(|planes| planes.checked_sub(all));
        let own = more.and_then(|more| field.extents.first()?.checked_sub(more));
        let own = own.filter(|own| (1..=all).contains(own));
        let own = own.ok_or_else(|| {
            PairError::Wrong(format!("'{several}' has fewer planes than '{one}'"))
        })?;
        let sums = |report: &Report| {
            let specified = report.fields.iter().filter(|field| !field.scratch);
            specified.map(|field| field.sha256.clone()).collect::<Vec<_>>()
        };
        if own == all && sums(&self.one) != sums(&self.several) {
            let why = "both runs have one domain, and their fields have other checksums; give \
                       both the same seed or files";
            return Err(PairError::Wrong(why.to_owned()));
        }
        Ok((field, [own, all]))
    }
}

/// The line of two reports of `stencil-run --steps --verify --time --report`, of one device and of
/// several, measured on a day.
///
/// # Errors
/// If one cannot be read, lacks what a line has, or is about something else than the other one.
pub fn pair(one: &Path, several: &Path, date: &str) -> Result<Pair, PairError> {
    let reports = Reports::read([one, several])?;
    reports.check()?;
    let (field, planes) = reports.planes()?;
    let Reports { one, several, shared, paths } = &reports;
    let steps = one.steps.ok_or_else(|| PairError::Missing {
        path: paths[0].to_owned(),
        what: "number of time steps",
        option: "--steps N",
    })?;
    let samples_ms = [one.samples_ms(paths[0])?, several.samples_ms(paths[1])?];
    let devices = shared.devices.len() as u64;
    let derived = Derived::of(&samples_ms, planes, devices);
    let derived =
        derived.ok_or_else(|| PairError::Wrong("a sample is no positive time".to_owned()))?;
    let r#type = field.r#type.parse::<Element>();
    let pair = Pair {
        program: one.function.clone(),
        r#type: r#type.map_err(|error| PairError::Wrong(error.to_string()))?,
        devices,
        planes,
        plane_cells: field.extents.iter().skip(1).copied().collect(),
        steps,
        fused: [one.fused(), several.fused()],
        steps_between_exchanges: shared.steps_between_exchanges.unwrap_or(steps),
        halo: shared.halo,
        exchanges: shared.exchanges,
        exchanged_bytes: shared.exchanged_bytes,
        exchange_ms: rounded(1e3 * shared.exchange_s.unwrap_or(0.0)),
        hidden: shared.hidden.map(rounded),
        ms: derived.ms,
        spread: derived.spread,
        efficiency: derived.efficiency,
        samples_ms,
        verified: true,
        direct: shared.links.direct,
        through_host: shared.links.through_host,
        chip: one.device.name.clone(),
        driver: one.device.driver.clone(),
        date: date.to_owned(),
    };
    pair.check().map_err(PairError::Wrong)?;
    Ok(pair)
}
