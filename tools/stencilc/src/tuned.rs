//! `stencilc tuned`, and its options.

use crate::outputs::{self, Place};
use clap::Args;
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use stencil_driver::{
    DriverError,
    session::{Module, Session},
    tuning::lookup,
};
use stencil_tuning::{
    record::Record,
    store::{self, Store},
    t4,
};

const EXAMPLES: &str = "\
Examples:
  stencilc tuned stencil-tuned.jsonl
      what was measured: functions, sizes, chips, and the fastest plan of each
  stencilc tuned stencil-tuned.jsonl --add candidates/results.jsonl --add colleague.jsonl
      takes the measurements of others; what is there already is not added again
  stencilc tuned stencil-tuned.jsonl --export results.json
      the same in the T4 format of the auto-tuning community, which --add reads too";

/// Shows, merges and exports measurements of plans.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TunedOptions {
    /// The file of `stencilc tune`.
    pub store: PathBuf,

    /// Adds the measurements of another file, of this compiler or in its T4 export.
    #[arg(long, value_name = "FILE")]
    pub add: Vec<PathBuf>,

    /// Writes all measurements in the T4 format.
    #[arg(long, value_name = "FILE.json|-")]
    pub export: Option<String>,
}

/// Adds, exports, or shows.
pub fn tuned(options: &TunedOptions) -> Result<ExitCode, DriverError> {
    let mut records = store::read(&options.store)?;
    if records.is_empty() && options.add.is_empty() {
        let problem = format!("'{}' has no measurements", options.store.display());
        return Err(DriverError::Option(format!("{problem}; 'stencilc tune' makes some")));
    }
    // All files are read before one is written.
    let mut added = Vec::new();
    for path in &options.add {
        for record in read(path)? {
            if !records.contains(&record) {
                records.push(record.clone());
                added.push(record);
            }
        }
    }
    if !options.add.is_empty() {
        let store = Store::open(&options.store)?;
        added.iter().try_for_each(|record| store.append(record))?;
        eprintln!("{} measurements added to {}", added.len(), options.store.display());
    }
    match &options.export {
        Some(file) => {
            let place = match file.as_str() {
                "-" => Place::Stdout,
                file => Place::File(PathBuf::from(file)),
            };
            outputs::write(&place, t4::export(&records).as_bytes())?;
        }
        None => outputs::print(table(&records).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The variable that names a store.
const VARIABLE: &str = "STENCIL_TUNED";

/// Has the fastest known plans of a module's functions taken, if a store is named; `chip` is the
/// device's name where it is known.
pub fn apply<'c>(
    session: &Session<'c>,
    modules: (&Module<'c>, &Module<'c>),
    store: Option<&Path>,
    chip: Option<&str>,
) -> Result<(), DriverError> {
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let Some(store) = store.or(named.as_deref()) else { return Ok(()) };
    for found in lookup::apply(session, modules, store, chip)? {
        eprintln!("note: {found}");
    }
    Ok(())
}

/// The records of a file, in either format.
fn read(path: &PathBuf) -> Result<Vec<Record>, DriverError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|source| DriverError::Input { name: name.clone(), source })?;
    // A line of a store is an object by itself.
    match text.trim_start().lines().next() {
        Some(first) if first.trim() == "{" => t4::import(&text, None)
            .map_err(|error| DriverError::Option(format!("'{name}': {error}"))),
        _ => Ok(store::read(path)?),
    }
}

/// A line for each function, size, run and chip.
fn table(records: &[Record]) -> String {
    let mut groups: BTreeMap<(&str, String, &str, &str, &str), Vec<&Record>> = BTreeMap::new();
    for record in records {
        let subject = &record.subject;
        let extents = subject.extents.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        let machine = &record.machine;
        let key = (&*subject.function, extents, &*subject.run, &*machine.chip, &*subject.compiler);
        groups.entry(key).or_default().push(record);
    }
    let mut text = String::new();
    for ((function, extents, run, chip, compiler), of_group) in groups {
        let measured = of_group.iter().filter(|record| record.median_us().is_some());
        let time = |record: &&&Record| record.median_us().unwrap_or(f64::INFINITY);
        let best = measured.clone().min_by(|one, other| time(one).total_cmp(&time(other)));
        let failed = of_group.len() - measured.count();
        text += &format!("{function} {extents}, {run}, {chip}, stencilc {compiler}: ");
        text += &match best {
            Some(best) => {
                let us = best.median_us().unwrap_or(f64::NAN);
                let plan = match best.candidate.plan.as_str() {
                    "" => "the default plan",
                    plan => plan,
                };
                format!("{us:.1} us by {plan}; {} plans, {failed} without a time\n", of_group.len())
            }
            None => format!("{failed} plans, all without a time\n"),
        };
    }
    text
}
