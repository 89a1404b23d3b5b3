//! What the predictor chooses among packages that were measured, beside what is fastest.
//!
//! A package's cubin says how long each of its kernels takes; of several packages of a program the
//! one with the smallest prediction is picked, and its measured speed is held against the fastest.
//! Beside the three models are rules that look at no machine code: the package with the most
//! resident warps, and that which demotes registers and has the most of them. Only packages whose
//! host program launches each kernel equally often are compared, as those of one time step do.

use anyhow::Context;
use std::path::{Path, PathBuf};
use stencil_bench::{
    index::{Entry, Index},
    layout::{Form, Grid, number},
    record::Record,
};
use stencil_driver::prediction;
use stencil_model::{product::Product, target::Architecture};
use stencil_predictor::{
    Model, Variant,
    coefficients::Coefficients,
    disassembly,
    evaluation::{self, Evaluation, Sample},
    fit::{self, Case},
    predict::MODELS,
};
use stencil_runtime::Package;

/// A package that was measured.
struct Measured {
    case: Case,
    occupancy: f64,
    spill_bytes: u32,
    demotes: bool,
}

/// The measured packages of a folder, for the chip that measured them.
pub struct Predictions {
    measured: Vec<Measured>,
    coefficients: Coefficients,
}

impl Predictions {
    /// Reads the machine code of all packages that have results. Of several results of a package
    /// the fastest counts: a chip that had to lower its clock made the others.
    ///
    /// # Errors
    /// If there is no disassembler, a package cannot be read, folders are for several
    /// architectures, or nothing was measured.
    pub fn read(folders: &[PathBuf], records: &[Record]) -> anyhow::Result<Predictions> {
        let nvdisasm = disassembly::find()
            .context("there is no nvdisasm; name it in STENCIL_NVDISASM, or say './x setup'")?;
        let (mut measured, mut targets) = (Vec::new(), Vec::new());
        for folder in folders {
            let index = Index::read(folder)?;
            let target = Architecture::parse(&index.target)?;
            targets.push(target);
            for entry in &index.entries {
                let of_entry = records.iter().filter(|record| is_of(record, entry));
                let Some(record) = of_entry.min_by(|a, b| a.ms.total_cmp(&b.ms)) else { continue };
                let package = Package::read(&folder.join(&entry.package))?;
                measured.push(read(entry, record, &package, target, &nvdisasm)?);
            }
        }
        anyhow::ensure!(!measured.is_empty(), "no package of the folders has results");
        targets.dedup();
        let [target] = targets.as_slice() else {
            anyhow::bail!("folders are for several architectures; give those of one")
        };
        Ok(Predictions { measured, coefficients: Coefficients::of(target)? })
    }

    /// How well each model and rule chooses; our model once more with the coefficients in `fitted`
    /// changed for each kernel as all the other kernels want them, if there are any.
    ///
    /// # Errors
    /// If a kernel cannot be launched, or a coefficient does not exist.
    pub fn evaluate(&self, fitted: &[String]) -> anyhow::Result<Vec<(String, Evaluation)>> {
        let cases = self.measured.iter().map(|measured| measured.case.clone()).collect::<Vec<_>>();
        let mut evaluations = Vec::new();
        for model in MODELS {
            let evaluation = fit::evaluate_model(&cases, &self.coefficients, model)?;
            evaluations.push((model.word().to_owned(), evaluation));
            if model == Model::Ours && !fitted.is_empty() {
                let free = fitted.iter().map(String::as_str).collect::<Vec<_>>();
                let evaluation = fit::leave_one_out(&cases, &self.coefficients, &free)?;
                evaluations.push(("ours, fitted".to_owned(), evaluation));
            }
        }
        evaluations.push(("always demote".to_owned(), self.by_rule(|one| !one.demotes)?));
        evaluations.push(("occupancy alone".to_owned(), self.by_rule(|_| false)?));
        Ok(evaluations)
    }

    /// What a rule chooses: of those that it does not mind the one with the most resident warps,
    /// then with the fewest spills.
    fn by_rule(&self, minds: impl Fn(&Measured) -> bool) -> anyhow::Result<Evaluation> {
        let sample = |one: &Measured| Sample {
            kernel: one.case.kernel.clone(),
            variant: one.case.name.clone(),
            options_on: one.case.variant.options_on,
            seconds: one.case.seconds,
            predicted: f64::from(u8::from(minds(one))) + 2.0 - one.occupancy
                + f64::from(one.spill_bytes) * 1e-9,
        };
        let samples = self.measured.iter().map(sample).collect::<Vec<_>>();
        Ok(evaluation::evaluate(&samples)?)
    }
}

fn is_of(record: &Record, entry: &Entry) -> bool {
    record.kernel == entry.kernel
        && record.r#type == entry.r#type
        && record.version == entry.version
        && record.plan == entry.plan
}

fn read(
    entry: &Entry,
    record: &Record,
    package: &Package,
    target: &'static Architecture,
    nvdisasm: &Path,
) -> anyhow::Result<Measured> {
    let chip = Product::named(&record.chip)
        .with_context(|| format!("'{}' is no chip that is known", record.chip))?;
    let launches =
        prediction::launches(&package.code, nvdisasm, target, chip.sheet.multiprocessors)
            .with_context(|| format!("in '{}'", entry.package))?;
    let resources = package.code.manifest.kernels.iter().filter_map(|kernel| kernel.resources);
    let spills = resources.map(|used| used.spill_store_bytes + used.spill_load_bytes).max();
    let demotes = entry.plan.split(',').any(|key| key.starts_with("demote="));
    let variant = Variant { launches, options_on: options_on(&entry.plan) };
    let case = Case {
        kernel: format!("{} {}", entry.kernel, entry.r#type),
        name: entry.plan.clone(),
        variant,
        seconds: record.ms / 1e3,
    };
    let occupancy = record.occupancy.unwrap_or(0.0);
    Ok(Measured { case, occupancy, spill_bytes: spills.unwrap_or(0), demotes })
}

/// Options of demotion that a plan leaves on: RegDem takes the variant with more of them where two
/// are predicted to be equal.
fn options_on(plan: &str) -> u32 {
    let has = |wanted: &str| plan.split(',').any(|key| key == wanted);
    if !plan.split(',').any(|key| key.starts_with("demote=")) {
        return 0;
    }
    let off = ["demote_layout=thread-major", "demote_redundant=kept", "demote_hoist=0"];
    let off = off.into_iter().filter(|key| has(key)).count() as u32;
    4 - off
}

/// The choices of each model and rule for each program, and their means.
pub fn text(evaluations: &[(String, Evaluation)], form: Form) -> String {
    let Some((_, first)) = evaluations.first() else { return String::new() };
    let mut headings = ["program", "fastest", "variants"].map(str::to_owned).to_vec();
    headings.extend(evaluations.iter().map(|(name, _)| name.clone()));
    let mut rows = Vec::new();
    for (number_of, score) in first.kernels.iter().enumerate() {
        let mut row = vec![score.kernel.clone(), score.oracle.clone(), score.variants.to_string()];
        let ratio = |evaluation: &Evaluation| number(Some(evaluation.kernels[number_of].ratio));
        row.extend(evaluations.iter().map(|(_, evaluation)| ratio(evaluation)));
        rows.push(row);
    }
    let mut summary = |what: &str, of: &dyn Fn(&Evaluation) -> Option<f64>| {
        let mut row = vec![what.to_owned(), String::new(), String::new()];
        row.extend(evaluations.iter().map(|(_, evaluation)| number(of(evaluation))));
        rows.push(row);
    };
    summary("geometric mean", &|evaluation| Some(evaluation.geometric_mean));
    summary("worst", &|evaluation| Some(evaluation.worst));
    summary("rank correlation", &|evaluation| evaluation.rank_correlation);
    Grid { headings, rows, words: 2 }.text(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_predictor::evaluation::KernelScore;

    #[test]
    fn options_count_where_registers_are_demoted() {
        assert_eq!(options_on("max_registers=64"), 0);
        assert_eq!(options_on("demote=8,max_registers=64"), 4);
        assert_eq!(options_on("demote=8,demote_hoist=0,demote_layout=thread-major"), 2);
    }

    #[test]
    fn choices_stand_beside_each_other() {
        let evaluation = |ratio: f64| Evaluation {
            kernels: vec![KernelScore {
                kernel: "heat f64".to_owned(),
                variants: 3,
                oracle: "demote=8".to_owned(),
                oracle_seconds: 1.0,
                picked: "points=1".to_owned(),
                picked_seconds: 1.0 / ratio,
                ratio,
                rank_correlation: None,
            }],
            geometric_mean: ratio,
            worst: ratio,
            rank_correlation: None,
        };
        let models = [Model::Ours, Model::Naive].map(|model| model.word().to_owned());
        let evaluations = models.into_iter().zip([0.5, 1.0].map(evaluation)).collect::<Vec<_>>();
        let text = text(&evaluations, Form::Plain);
        let row = text.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(row, ["heat", "f64", "demote=8", "3", "0.50", "1.00"]);
        assert!(text.lines().any(|line| line.starts_with("geometric mean")));
    }
}
