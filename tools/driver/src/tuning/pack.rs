//! Candidates as packages in a folder, for a machine without the compiler.
//!
//! Nothing is measured while they are chosen: each site has its part of them, by what is predicted
//! and what the store knows, each with the default plans of the others. Measured and taken into the
//! store, they are what the next folder begins with.

use super::{Tuned, candidates::Site};
use crate::{DriverError, pipelines::PlanRequest};
use std::{collections::BTreeSet, fs, path::Path};
use stencil_runtime::RuntimeError;
use stencil_tuning::{
    record::{Candidate, FORMAT, Record},
    search::{self, Observation},
    task::{FILE, Packed, Task, TaskError},
};

/// Writes the default plan and so many others at most; gives the number of packages.
///
/// # Errors
/// If the folder cannot be written, or has a task already.
pub fn pack(
    tuned: &Tuned,
    sites: &[Site],
    known: &[Record],
    most: usize,
    folder: &Path,
) -> Result<usize, DriverError> {
    let not_written = |error| TaskError::NotWritten { path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(not_written)?;
    if folder.join(FILE).exists() {
        let problem = format!("'{}' has candidates already", folder.display());
        return Err(DriverError::Option(format!("{problem}; name another folder")));
    }
    let mut writer = Writer { tuned, folder, packed: Vec::new(), plans: BTreeSet::new() };
    writer.add(&PlanRequest::default(), None)?;
    for site in sites {
        let share = (most as f64 * site.part).ceil() as usize;
        let observed = observed(site, known);
        // What the compiler refuses is not packed, and others take its place.
        let wanted = writer.packed.len() + share.min(most + 1 - writer.packed.len());
        for plan in search::batch(&site.space, &observed) {
            if writer.packed.len() >= wanted {
                break;
            }
            let plan = &site.plans[plan];
            writer.add(&plan.request, plan.predicted_ns)?;
        }
    }
    let task = Task {
        format: FORMAT,
        subject: tuned.subject.clone(),
        options: tuned.options.clone(),
        candidates: writer.packed,
    };
    task.write(folder)?;
    Ok(task.candidates.len())
}

/// What is known of a site's plans while the others have their defaults.
fn observed(site: &Site, known: &[Record]) -> Vec<Observation> {
    let of_plan = |(plan, one): (usize, &super::candidates::Plan)| {
        let text = one.request.to_string();
        let record = known.iter().find(|record| record.candidate.plan == text)?;
        Some(Observation { plan, time: record.median_us() })
    };
    let all = site.plans.iter().enumerate().filter_map(of_plan).collect::<Vec<_>>();
    // Failures alone say nothing of times.
    if all.iter().any(|one| one.time.is_some()) { all } else { Vec::new() }
}

struct Writer<'w, 'c, 's> {
    tuned: &'w Tuned<'c, 's>,
    folder: &'w Path,
    packed: Vec<Packed>,
    /// Complete plans of the packages.
    plans: BTreeSet<String>,
}

impl Writer<'_, '_, '_> {
    /// Packs a plan, unless the compiler refuses it or it is packed already.
    fn add(&mut self, request: &PlanRequest, predicted_ns: Option<f64>) -> Result<(), DriverError> {
        let Ok(decided) = self.tuned.decided(request) else { return Ok(()) };
        if !self.plans.insert(decided.clone()) {
            return Ok(());
        }
        let candidate = Candidate::new(request.to_string(), decided, predicted_ns);
        let Ok(compiled) = self.tuned.compiled(candidate) else { return Ok(()) };
        let package = format!("{:03}.spk", self.packed.len());
        let path = self.folder.join(&package);
        compiled.package.write(&path).map_err(RuntimeError::from)?;
        self.packed.push(Packed { package, candidate: compiled.candidate });
        Ok(())
    }
}
