//! What several devices that share a domain are predicted to gain, how many time steps they make
//! between exchanges, and whether they compute beside them.
//!
//! The estimate of the plans for one device and the planes that `stencil-decompose-domain` finds
//! go into the model of `stencil_model::devices`, for several numbers of time steps; the fastest is
//! what a program is cut for, unless it is given. What is predicted for many devices follows from
//! cutting the domain for three: a window inside and one at each end.

mod facts;
mod report;

pub use report::{Bricks, CountReport, DevicesReport, Scaled, lines};

use self::facts::{Costs, costs, cut, kernels_of_window, pieces};
use crate::{
    DriverError,
    reading::{Devices, Exchanges, Network, Reading},
    session::{Module, Session},
};
use std::{num::NonZeroU32, rc::Rc};
use stencil_model::{
    devices::{Choice, Kernels, Piece, Prediction, best, is_slim, slabs, steps_to_try},
    product::{Route, RouteError},
    sweep::least_common_multiple,
};

/// Windows that stand for those of more devices.
const WINDOWS: u32 = 3;

/// What is predicted to be fastest for a program that is read for several devices: the time steps
/// between exchanges, if they are not given, and whether something is computed beside exchanges.
///
/// # Errors
/// If the network that is given cannot connect the devices, as far as is known.
pub(crate) fn exchanges(session: &Session, reading: &Reading) -> Result<Exchanges, DriverError> {
    let Some(Devices { count, steps, network }) = reading.devices else {
        return Ok(Exchanges::default());
    };
    let route = route(session, network, count.get()).map_err(refused)?;
    // What is wrong with the program is said when it is read for several devices.
    let chosen = session.suppressing_diagnostics(|| -> Result<Option<Exchanges>, DriverError> {
        let whole = session.read(&reading.whole())?;
        let costs = Rc::new(costs(session, &whole)?);
        let tried = Tried::of(session, (&whole, costs), count.get(), steps)?;
        let mut order = tried.order(count.get(), route.as_ref()).into_iter();
        Ok(order.find(|it| cut(session, &whole, count.get(), it.steps.into()).is_ok()))
    });
    session.clear_suppressed_error();
    Ok(chosen.ok().flatten().unwrap_or_default())
}

/// The wire between so many devices: of the network, or the fastest that is known to connect them.
fn route(
    session: &Session,
    network: Option<Network>,
    devices: u32,
) -> Result<Option<Route>, RouteError> {
    let product = session.target().machine().product;
    match network {
        Some(network) => product.route(network, devices).map(Some),
        None => Ok(product.fastest_route(devices)),
    }
}

fn refused(error: RouteError) -> DriverError {
    DriverError::Option(format!("--network: {error}"))
}

/// Time steps between exchanges, with what follows from each.
struct Tried {
    /// Of each function.
    functions: Rc<Vec<Costs>>,
    /// By time steps.
    cuts: Vec<Cut>,
}

/// What follows from so many time steps between exchanges.
struct Cut {
    /// Of each function.
    pieces: Vec<(String, Piece)>,
    /// The kernels that make these steps, where they are fewer than the others make.
    kernels: Vec<(String, Kernels)>,
}

impl Tried {
    /// Of a program that is read for one device: of these time steps, or of all that come into
    /// question.
    fn of<'c>(
        session: &Session<'c>,
        (whole, costs): (&Module<'c>, Rc<Vec<Costs>>),
        devices: u32,
        given: Option<NonZeroU32>,
    ) -> Result<Tried, DriverError> {
        let windows = devices.min(WINDOWS);
        let least = given.map_or(0, |it| it.get().into());
        let fewest = pieces(&cut(session, whole, windows, least)?);
        let piece = |name: &str| Some(&fewest.iter().find(|(known, _)| known == name)?.1);
        let period = fewest.iter().map(|(_, piece)| piece.steps).fold(1, least_common_multiple);
        let at_once = |costs: &Costs| {
            let piece = piece(&costs.function)?;
            let step = piece.steps / piece.iterations.max(1);
            // Sweeps come in pairs: the second one writes the fields that the first one read.
            Some(if costs.kernels.at_once > 1 { 2 * costs.kernels.at_once * step } else { 1 })
        };
        let at_once = costs.iter().filter_map(at_once).fold(1, least_common_multiple);
        let made = |steps: i64, is_short: bool| {
            let made = session.suppressing_diagnostics(|| {
                let made = cut(session, whole, windows, steps).ok()?;
                let kernels = if is_short { kernels_of_window(session, &made) } else { Vec::new() };
                Some(Cut { pieces: pieces(&made), kernels })
            });
            session.clear_suppressed_error();
            made
        };
        // Where a number of steps needs halos too wide for the domain, larger ones do too, and take
        // longest to find that.
        let all =
            |steps: Vec<i64>, is_short| steps.into_iter().map_while(move |it| made(it, is_short));
        let is_slim_cut =
            |cut: &Cut| cut.pieces.iter().all(|(_, piece)| is_slim(piece, devices.into()));
        let [short, long] = steps_to_try(period, at_once);
        let cuts = match given {
            Some(_) => all(vec![least], least % at_once != 0).collect(),
            None => {
                let long = all(long, false).collect::<Vec<_>>();
                // Other plans make fewer steps: they are looked at where many take much memory.
                let short = if long.iter().any(is_slim_cut) { Vec::new() } else { short };
                all(short, true).chain(long).collect::<Vec<_>>()
            }
        };
        Ok(Tried { cuts, functions: costs })
    }

    /// The time steps, fastest first: for the function that takes longest.
    fn order(&self, devices: u32, route: Option<&Route>) -> Vec<Exchanges> {
        let time = |costs: &&Costs| costs.kernels.iteration_ns + costs.kernels.launches_ns;
        let cut = self.functions.iter().filter(|costs| self.pieces_of(costs).next().is_some());
        let longest = cut.max_by(|one, two| time(one).total_cmp(&time(two)));
        longest.map_or(Vec::new(), |costs| {
            let choices = self.choices(costs, |piece| (devices.into(), piece.planes), route);
            let exchanges = |place: usize| {
                let Prediction { steps, overlaps: overlap, .. } = choices[place].prediction;
                Some(Exchanges { steps: u32::try_from(steps).ok()?, overlap })
            };
            best(&choices).into_iter().filter_map(exchanges).collect()
        })
    }

    /// What is predicted of a function, for all time steps that leave each device some planes.
    fn choices(
        &self,
        costs: &Costs,
        cut: impl Fn(&Piece) -> (i64, i64),
        route: Option<&Route>,
    ) -> Vec<Choice> {
        let of = |(piece, kernels): (&Piece, &Kernels)| {
            let (devices, planes) = cut(piece);
            let prediction = slabs(kernels, piece, (devices, planes), route)?;
            Some(Choice { prediction, planes })
        };
        self.pieces_of(costs).filter_map(of).collect()
    }

    /// The pieces of a function, each with the kernels that make it.
    fn pieces_of<'t>(&'t self, costs: &'t Costs) -> impl Iterator<Item = (&'t Piece, &'t Kernels)> {
        self.cuts.iter().filter_map(|cut| {
            let (_, piece) = cut.pieces.iter().find(|(name, _)| *name == costs.function)?;
            let own = cut.kernels.iter().find(|(name, _)| *name == costs.function);
            Some((piece, own.map_or(&costs.kernels, |(_, kernels)| kernels)))
        })
    }
}

/// What is predicted of a program for each of several numbers of devices; the reading is that for
/// one device.
///
/// # Errors
/// If the program cannot be shared by devices, or the network cannot connect the only number of
/// them that is asked for.
pub fn predict(
    session: &Session,
    whole: &Reading,
    counts: &[NonZeroU32],
    (steps, network): (Option<NonZeroU32>, Option<Network>),
) -> Result<Vec<DevicesReport>, DriverError> {
    let module = session.read(whole)?;
    let routes = counts.iter().map(|count| route(session, network, count.get()));
    let routes = routes.collect::<Vec<_>>();
    if let [Err(error)] = &routes[..] {
        return Err(refused(error.clone()));
    }
    let costs = Rc::new(costs(session, &module)?);
    let tried = |count: u32, steps| Tried::of(session, (&module, Rc::clone(&costs)), count, steps);
    let mut reports = Vec::<DevicesReport>::new();
    for (count, route) in counts.iter().zip(routes) {
        let count = count.get();
        let all = tried(count, None)?;
        let given = steps.map(|steps| tried(count, Some(steps))).transpose()?;
        let shown = given.as_ref().unwrap_or(&all);
        for costs in costs.iter().filter(|costs| shown.pieces_of(costs).next().is_some()) {
            let row = report::count(session, (shown, &all), costs, count, &route);
            match reports.iter_mut().find(|report| report.function == costs.function) {
                Some(report) => report.counts.push(row),
                None => reports.push(DevicesReport::of(session, costs, row)),
            }
        }
    }
    Ok(reports)
}
