//! Why the compiler chose the plans that it chose: what it compared, and what was predicted.
//!
//! A program is brought down to where plans are chosen. There every loop and group of statements
//! that can be one sweep has the alternatives that the estimate chose among, and every other kernel
//! the facts that decided. Nothing is measured or assembled, and nothing is predicted here that the
//! compiler did not predict: where no estimate tells plans apart, there are no numbers.
//!
//! - [`losses`]: why a plan takes longer than the chosen one.
//! - [`changes`]: what would have to be otherwise for another plan to win.
//! - [`sites`]: what is said of a loop, a group or a kernel.
//! - [`text`]: all of it for people.

mod changes;
mod losses;
mod sites;
mod text;

pub(crate) use changes::microseconds;
pub use changes::{Change, Difference};
pub use sites::{Chosen, Compared, Limit, SiteReport, Times};
pub use text::text;

use crate::{
    DriverError, demotion,
    devices::DevicesReport,
    plans,
    session::{self, Module, Session},
};
use serde::Serialize;
use std::collections::BTreeMap;
use stencil_dialects::diagnostics::RemarkKind;
use stencil_model::{machine::Machine, product::Origin};
use stencil_passes::{
    framework::{Remark, collecting_remarks},
    strategy::{
        decisions::{self, Decisions},
        space::{self, Breadth, Outcome, Site, SiteKind, Verdict},
    },
};
use stencil_runtime::bind::nearest;

/// What was chosen for a program, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The program, as it was named.
    pub program: String,
    /// The architecture.
    pub target: &'static str,
    /// The chip that times are predicted for.
    pub product: PredictedFor,
    /// What was decided about statements before plans were chosen, in the order of the text.
    pub decisions: Vec<Note>,
    /// Loops and applies that cannot be part of a sweep, and why.
    pub unfit: Vec<Note>,
    /// Loops, groups and kernels.
    pub sites: Vec<SiteReport>,
    /// Functions whose domain several devices are to share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DevicesReport>,
}

/// The chip that times are predicted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PredictedFor {
    /// Its name.
    pub name: &'static str,
    /// Its architecture.
    pub architecture: &'static str,
    /// Whether the target is of that architecture; else the chip runs code of an older one.
    pub is_of_target: bool,
    /// The chip that was measured, if nobody measured this one.
    pub derived_from: Option<&'static str>,
}

/// What was said of an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The function that it is in.
    pub function: String,
    /// The stage, if it is one.
    pub stage: Option<String>,
    /// Where it is in the program.
    pub location: String,
    /// What was said.
    pub text: String,
}

/// Passes that decide which statements are a kernel.
const DECIDING: [&str; 4] = [
    "stencil-select-inlining",
    "stencil-select-cuts",
    "stencil-select-merging",
    "stencil-plan-program",
];
/// A pass that carries a decision out, or says why it cannot be.
const INLINING: &str = "stencil-inline-producers";

/// Explains the plans of a program whose arithmetic is frozen: of all sites, or of the one that has
/// a kernel of this name.
///
/// # Errors
/// If the program or a plan is refused, or no site has the name.
pub fn explain<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    kernel: Option<&str>,
) -> Result<Explanation, DriverError> {
    let planned = Planned::of(session, frozen)?;
    let Planned { sites, verdicts, decided, remarks } = &planned;
    if sites.is_empty() {
        let program = session.program();
        let what = format!("'{program}' applies no stencil whose plan could be chosen");
        return Err(DriverError::Option(what));
    }
    let sites = match kernel {
        None => sites::reports(sites, verdicts, decided),
        Some(name) => {
            let found = find(sites, verdicts, name)?.into_iter();
            found.map(|site| sites::report(site, verdicts, decided)).collect()
        }
    };
    let machine = session.target().machine();
    Ok(Explanation {
        program: session.program().to_owned(),
        target: machine.name,
        product: PredictedFor::of(&machine),
        decisions: remarks.iter().filter(|remark| is_decision(remark)).map(note).collect(),
        unfit: unfit(verdicts),
        sites,
        devices: Vec::new(),
    })
}

/// A program whose plans are chosen.
struct Planned {
    sites: Vec<Site>,
    verdicts: Vec<Verdict>,
    /// By function.
    decided: BTreeMap<String, Decisions>,
    remarks: Vec<Remark>,
}

impl Planned {
    fn of<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Self, DriverError> {
        demotion::settle(session, frozen)?;
        Self::unsettled(session, frozen)
    }

    /// The same where nothing that a plan asks of the assembler matters.
    fn unsettled<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Self, DriverError> {
        let (made, remarks) =
            collecting_remarks(session.context(), || plans::around(session, frozen));
        let [before, after] = made?;
        let machine = session.target().machine();
        let of_functions = session::functions(&after).into_iter();
        let decided = of_functions.map(|(name, function)| (name, decisions::of(function)));
        Ok(Self {
            sites: space::sites(before.as_operation(), Breadth::Default, &machine),
            verdicts: space::verdicts(before.as_operation(), &session.plan(), &machine),
            decided: decided.collect(),
            remarks,
        })
    }
}

/// The reports of all sites of a program, for other predictions.
pub(crate) fn reports<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<Vec<SiteReport>, DriverError> {
    let Planned { sites, verdicts, decided, .. } = Planned::unsettled(session, frozen)?;
    Ok(sites::reports(&sites, &verdicts, &decided))
}

/// A predicted rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Points in a second.
    pub points_per_s: f64,
    /// Time steps of the kernel.
    pub steps: u64,
}

/// What is predicted of sweeps and of kernels with the mapping `thread`, by the names of the
/// kernels without the numbers that tell those of one plan apart.
///
/// # Errors
/// If the program or a plan is refused.
pub fn rates<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<BTreeMap<String, Rate>, DriverError> {
    let Planned { sites, verdicts, decided, .. } = Planned::of(session, frozen)?;
    let rate = |site: &Site| sites::rate(site, &verdicts, &decided);
    let named = |site: &Site| Some((sites::kernel_of(site), rate(site)?));
    Ok(sites.iter().filter_map(named).collect())
}

impl PredictedFor {
    fn of(machine: &Machine) -> Self {
        let product = machine.product;
        let derived_from = match product.calibration.origin {
            Origin::Measured { .. } => None,
            Origin::Derived { from } => Some(from),
        };
        Self {
            name: product.name(),
            architecture: product.sheet.architecture,
            is_of_target: product.limits().capability == machine.capability,
            derived_from,
        }
    }
}

/// What cannot be part of a sweep, in the order of the text.
fn unfit(verdicts: &[Verdict]) -> Vec<Note> {
    let mut notes = Vec::new();
    for verdict in verdicts {
        let Outcome::Unfit(why) = &verdict.outcome else { continue };
        let note = Note {
            function: verdict.function.clone(),
            stage: None,
            location: verdict.place.clone(),
            text: why.clone(),
        };
        // A part of a loop that is made again after it is at the same place.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

fn is_decision(remark: &Remark) -> bool {
    let is_refused = remark.pass == INLINING && remark.kind == RemarkKind::Missed;
    is_refused || DECIDING.contains(&remark.pass)
}

fn note(remark: &Remark) -> Note {
    Note {
        function: remark.function.clone(),
        stage: remark.stage.clone(),
        location: remark.place.clone(),
        text: remark.text.clone(),
    }
}

/// The sites that have a name, or a kernel of that name.
fn find<'s>(
    sites: &'s [Site],
    verdicts: &[Verdict],
    name: &str,
) -> Result<Vec<&'s Site>, DriverError> {
    let swept = |site: &&Site| sites::is_swept(site, verdicts);
    let is_kernel_of = |site: &&Site| site.kernels.iter().any(|kernel| kernel == name);
    let is_named = |site: &&Site| sites::names(site).iter().any(|known| known == name);
    // An apply of a group that is one sweep has no plan of its own.
    let groups = sites.iter().filter(|site| site.kind == SiteKind::Group);
    let groups = groups.filter(swept).filter(is_kernel_of).collect::<Vec<_>>();
    let named = sites.iter().filter(is_named).collect::<Vec<_>>();
    let found = [groups, named].into_iter().find(|found| !found.is_empty());
    found.ok_or_else(|| {
        let known = sites.iter().map(|site| site.name.as_str()).collect::<Vec<_>>();
        let hint = nearest(name, &known)
            .map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
        DriverError::NoSuchKernel { name: name.to_owned(), hint, known: known.join(", ") }
    })
}

/// An explanation as JSON.
///
/// # Panics
/// If numbers and texts are no JSON.
pub fn json(explanation: &Explanation) -> String {
    serde_json::to_string_pretty(explanation).expect("numbers and texts are JSON") + "\n"
}
