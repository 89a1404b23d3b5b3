//! What is said of several devices.

use super::{Tried, facts::Costs};
use crate::{explanation, session::Session};
use serde::Serialize;
use stencil_model::{
    devices::{Choice, Kernels, Prediction, best, brick},
    product::{Route, RouteError},
};

/// What is predicted of a function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DevicesReport {
    /// The function.
    pub function: String,
    /// The chip.
    pub chip: &'static str,
    /// Points along each dimension, slowest first.
    pub extents: Vec<i64>,
    /// Microseconds of a time step on one device.
    pub one_us: f64,
    /// The sweep of which no time is predicted, and what is taken for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpredicted: Option<String>,
    /// By number of devices.
    pub counts: Vec<CountReport>,
}

/// What is predicted for so many devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountReport {
    /// Devices.
    pub devices: u32,
    /// The network, as it is named in options; none if no wire is known.
    pub network: Option<&'static str>,
    /// The network with its numbers and their source, or why none is known.
    pub wire: String,
    /// The domain on all devices; none if it is too thin.
    pub strong: Option<Scaled>,
    /// As many planes for each device; none where halos are too wide for them.
    pub weak: Option<Scaled>,
    /// The same by bricks, which are not built.
    pub strong_bricks: Option<Bricks>,
    /// As many points for each device.
    pub weak_bricks: Option<Bricks>,
    /// Microseconds of a time step by the time steps between exchanges, for the domain on all.
    pub steps: Vec<(i64, f64)>,
    /// The fastest of them.
    pub best_steps: Option<i64>,
}

/// Times of a time step, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scaled {
    /// All of it.
    pub us: f64,
    /// Percent of what as many devices would gain without exchanges.
    pub efficiency_percent: f64,
    /// Time steps between exchanges.
    pub steps: i64,
    /// Planes of a window, halos among them.
    pub planes: i64,
    /// What planes take that other devices compute too.
    pub recomputed_us: f64,
    /// Bytes that a device gets in an exchange.
    pub exchanged_bytes: i64,
    /// The transport; none if no wire is known.
    pub transport_us: Option<f64>,
    /// What is computed beside it.
    pub beside_us: f64,
    /// What of the transport, and of the launches that need it, is waited for.
    pub exposed_us: f64,
    /// What the launches that need it take beside the others.
    pub after_us: f64,
    /// Whether the transport takes longer than all that is computed.
    pub is_bound_by_wire: bool,
}

/// The same for bricks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bricks {
    /// Microseconds of a time step.
    pub us: f64,
    /// Percent of what as many devices would gain without exchanges.
    pub efficiency_percent: f64,
    /// Devices along each dimension.
    pub grid: Vec<i64>,
}

impl DevicesReport {
    pub(super) fn of(session: &Session, costs: &Costs, row: CountReport) -> Self {
        DevicesReport {
            function: costs.function.clone(),
            chip: session.target().machine().product.name(),
            extents: costs.extents.clone(),
            one_us: one_ns(&costs.kernels) / 1e3,
            unpredicted: costs.unpredicted.clone(),
            counts: vec![row],
        }
    }
}

/// Nanoseconds of a time step on one device.
fn one_ns(kernels: &Kernels) -> f64 {
    kernels.iteration_ns + kernels.launches_ns / kernels.at_once as f64
}

impl Scaled {
    fn of(prediction: &Prediction, one_ns: f64, is_weak: bool) -> Self {
        let us = |ns: f64| ns / 1e3;
        Scaled {
            us: us(prediction.ns),
            efficiency_percent: prediction.efficiency_percent(one_ns, is_weak),
            steps: prediction.steps,
            planes: prediction.extent,
            recomputed_us: us(prediction.recomputed_ns),
            exchanged_bytes: prediction.bytes,
            transport_us: prediction.transport_ns.map(us),
            beside_us: us(prediction.early_ns),
            exposed_us: us(prediction.exposed_ns),
            after_us: us(prediction.late_ns),
            is_bound_by_wire: prediction.is_bound_by_wire(),
        }
    }
}

/// A function on so many devices: with the time steps that are to be shown, beside all.
pub(super) fn count(
    session: &Session,
    (tried, all): (&Tried, &Tried),
    costs: &Costs,
    devices: u32,
    route: &Result<Option<Route>, RouteError>,
) -> CountReport {
    let product = session.target().machine().product;
    let wire = match route {
        Ok(Some(route)) => described(route),
        Ok(None) => format!(
            "no wire between {} is known: exchanges are taken to need no time",
            product.name()
        ),
        Err(error) => error.to_string(),
    };
    let empty = CountReport {
        devices,
        network: None,
        wire,
        strong: None,
        weak: None,
        strong_bricks: None,
        weak_bricks: None,
        steps: Vec::new(),
        best_steps: None,
    };
    let Ok(route) = route else { return empty };
    let (route, one_ns) = (route.as_ref(), one_ns(&costs.kernels));
    let count = i64::from(devices);
    let scaled = |choices: &[Choice], is_weak| {
        let chosen = best(choices).first().map(|place| choices[*place].prediction)?;
        Some(Scaled::of(&chosen, one_ns, is_weak))
    };
    let of_all = all.choices(costs, |piece| (count, piece.planes), route);
    let strong = tried.choices(costs, |piece| (count, piece.planes), route);
    let weak = tried.choices(costs, |piece| (count, piece.planes.saturating_mul(count)), route);
    let bricks = |is_weak| {
        let of = |(piece, kernels)| {
            let cut = (count, costs.extents.as_slice(), is_weak);
            brick(kernels, piece, cut, (route?, product))
        };
        let found = tried.pieces_of(costs).filter_map(of);
        let found = found.min_by(|one, other| one.ns.total_cmp(&other.ns))?;
        let share = if is_weak { 1.0 } else { count as f64 };
        let efficiency_percent = 100.0 * one_ns / (share * found.ns);
        Some(Bricks { us: found.ns / 1e3, efficiency_percent, grid: found.grid })
    };
    CountReport {
        network: route.map(|route| route.network.word()),
        strong: scaled(&strong, false),
        weak: scaled(&weak, true),
        strong_bricks: bricks(false),
        weak_bricks: bricks(true),
        steps: of_all.iter().map(|it| (it.prediction.steps, it.prediction.ns / 1e3)).collect(),
        best_steps: best(&of_all).first().map(|place| of_all[*place].prediction.steps),
        ..empty
    }
}

/// A wire, as texts say it.
fn described(route: &Route) -> String {
    format!(
        "{}, {:.0} GB/s and {:.1} us a transfer ({})",
        route.network.described(),
        route.bytes_per_s() / 1e9,
        route.latency_ns() / 1e3,
        route.source
    )
}

/// Lines for people, each with its heading: of one number of devices all that is predicted, of
/// several a table.
pub fn lines(report: &DevicesReport) -> Vec<(&'static str, String)> {
    let extents = report.extents.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
    let DevicesReport { function, chip, one_us, .. } = report;
    let one = microseconds(*one_us);
    let mut lines = vec![(
        "devices",
        format!("'{function}' on {extents} points, {chip}: {one} a time step on one device"),
    )];
    if let Some(why) = &report.unpredicted {
        lines.push(("", why.clone()));
    }
    match &report.counts[..] {
        [only] => of_one(only, &mut lines),
        all => of_several(all, &mut lines),
    }
    lines
}

fn of_one(row: &CountReport, lines: &mut Vec<(&'static str, String)>) {
    lines.push(("wire", row.wire.clone()));
    let devices = row.devices;
    for (heading, scaled, what) in [
        ("strong", &row.strong, "for this domain"),
        ("weak", &row.weak, "for a domain of as many planes for each device"),
    ] {
        lines.push((
            heading,
            match scaled {
                Some(Scaled { us, efficiency_percent, planes, .. }) => format!(
                    "{} {what}, windows of {planes} planes on {devices} devices: efficiency \
                 {efficiency_percent:.1} %",
                    microseconds(*us)
                ),
                None => format!("too few planes {what} and {devices} devices"),
            },
        ));
    }
    let Some(scaled) = row.strong else { return };
    let tried = row.steps.iter().map(|(steps, us)| format!("{steps}: {}", microseconds(*us)));
    let tried = tried.collect::<Vec<_>>().join(", ");
    let steps = scaled.steps;
    let of_tried = if tried.is_empty() { String::new() } else { format!("; {tried}") };
    lines.push(("steps", format!("{steps} between exchanges{of_tried}")));
    if let Some(best) = row.best_steps.filter(|best| *best != scaled.steps) {
        lines.push(("", format!("--steps-between-exchanges={best} is predicted to be best")));
    }
    let part = |us: f64| 100.0 * us / scaled.us;
    let recomputed = scaled.recomputed_us;
    let what = format!(
        "{} a time step for planes that other devices compute too, {:.1} %",
        microseconds(recomputed),
        part(recomputed)
    );
    lines.push(("recompute", what));
    of_transport(&scaled, lines);
}

fn of_transport(scaled: &Scaled, lines: &mut Vec<(&'static str, String)>) {
    let bytes = scaled.exchanged_bytes as f64 / 1e6;
    let got = format!("a device gets {bytes:.2} MB in an exchange");
    let Some(transport) = scaled.transport_us else {
        lines.push(("transport", got));
        return;
    };
    let taken = format!("{got}, {} a time step", microseconds(transport));
    lines.push((
        "transport",
        match scaled.beside_us > 0.0 {
            true => format!(
                "{taken}, beside {} of compute; {} of it exposed, and {} for launches that need it",
                microseconds(scaled.beside_us),
                microseconds(scaled.exposed_us),
                microseconds(scaled.after_us)
            ),
            false => format!("{taken}, all of it waited for"),
        },
    ));
    let roof = match scaled.is_bound_by_wire {
        true => "the wire: it takes longer than all that is computed between two exchanges",
        false => "compute: the wire takes less than what is computed between two exchanges",
    };
    lines.push(("roofline", roof.to_owned()));
}

/// Heads of the table.
const HEADS: [&str; 8] =
    ["devices", "network", "slabs", "steps", "bricks", "grid", "slabs, weak", "bricks, weak"];

fn of_several(rows: &[CountReport], lines: &mut Vec<(&'static str, String)>) {
    let mut wires = Vec::<&str>::new();
    for row in rows {
        if !wires.contains(&row.wire.as_str()) {
            wires.push(&row.wire);
        }
    }
    lines.extend(wires.iter().map(|wire| ("wire", (*wire).to_owned())));
    for note in [
        "weak: for a domain of as many points for each device as it has now",
        "bricks cut two dimensions or more: they are predicted for comparison, and are not built",
    ] {
        lines.push(("", note.to_owned()));
    }
    let time = |us: f64, percent: f64| format!("{} {percent:.1} %", microseconds(us));
    let slabs = |row: &CountReport, it: Option<Scaled>| match it {
        Some(it) => time(it.us, it.efficiency_percent),
        None if row.network.is_none() => "-".to_owned(),
        None => "too thin".to_owned(),
    };
    let bricks = |it: &Option<Bricks>| {
        it.as_ref().map_or("-".to_owned(), |it| time(it.us, it.efficiency_percent))
    };
    let cells = rows.iter().map(|row| {
        let grid = row.strong_bricks.as_ref().map_or("-".to_owned(), |it| {
            it.grid.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
        });
        let steps = row.strong.map_or("-".to_owned(), |it| it.steps.to_string());
        [
            row.devices.to_string(),
            row.network.unwrap_or("-").to_owned(),
            slabs(row, row.strong),
            steps,
            bricks(&row.strong_bricks),
            grid,
            slabs(row, row.weak),
            bricks(&row.weak_bricks),
        ]
    });
    let table = std::iter::once(HEADS.map(str::to_owned)).chain(cells).collect::<Vec<_>>();
    let width = |column: usize| table.iter().map(|line| line[column].chars().count()).max();
    let widths: [usize; 8] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for line in &table {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
        lines.push(("", cells.collect::<Vec<_>>().join("  ")));
    }
}

/// A time in microseconds.
fn microseconds(us: f64) -> String {
    explanation::microseconds(us * 1e3)
}
