//! The table of results: each measurement with its resources, beside the peers.
//!
//! Ratios are rates over rates, so that more is better. `/nvcc` divides by the peers' plain CUDA,
//! `/here` by the same CUDA measured in the same file, `/peer` by the best peer, `/target` by what
//! this project means to reach.

use crate::{
    kernels::{self, Element},
    layout::{Form, Grid, count, number},
    peers,
    record::{Ceilings, Record},
    statistics, targets,
};
use std::fmt::Write;

/// A kernel is level with plain CUDA from this ratio on.
pub const LEVEL: f64 = 0.95;
/// Below this ratio something is wrong with a kernel.
pub const FAR_BELOW: f64 = 0.85;

/// Which measurements a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All.
    All,
    /// Of each kernel, type and version the fastest.
    Best,
}

/// A measurement beside its peers.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// The measurement.
    pub record: &'a Record,
    /// Its rate over the peers' plain CUDA.
    pub to_nvcc: Option<f64>,
    /// Its rate over plain CUDA measured in the same file.
    pub to_nvcc_here: Option<f64>,
    /// Its rate over the best peer's.
    pub to_peer: Option<f64>,
    /// The best peer.
    pub peer: Option<&'static peers::Peer>,
    /// Its rate over what is meant to be reached.
    pub to_target: Option<f64>,
}

/// Measurements in the order of the papers, types and versions, the fastest of each first.
pub fn rows(records: &[Record], which: Rows) -> Vec<Row<'_>> {
    let place = |record: &Record| {
        let position = kernels::known().position(|known| known.name == record.kernel);
        (position.unwrap_or(usize::MAX), record.r#type)
    };
    let mut sorted: Vec<&Record> = records.iter().collect();
    sorted.sort_by(|one, other| {
        let versions = one.version.cmp(&other.version);
        let rates = other.gpts.total_cmp(&one.gpts);
        place(one).cmp(&place(other)).then(versions).then(rates)
    });
    if which == Rows::Best {
        let same = |one: &Record, other: &Record| {
            (&one.kernel, one.r#type, &one.version) == (&other.kernel, other.r#type, &other.version)
        };
        sorted.dedup_by(|later, first| same(later, first));
    }
    sorted.into_iter().map(|record| row(record, records)).collect()
}

fn row<'a>(record: &'a Record, all: &[Record]) -> Row<'a> {
    let name = kernels::find(&record.kernel).map_or("", |benchmark| benchmark.peers.as_str());
    let nvcc = peers::nvcc(name, record.r#type, &record.chip);
    let peer = peers::best(name, record.r#type, &record.chip);
    let here = all
        .iter()
        .filter(|other| other.version == peers::NVCC && other.chip == record.chip)
        .filter(|other| (&other.kernel, other.r#type) == (&record.kernel, record.r#type))
        .map(|other| other.gpts)
        .max_by(f64::total_cmp);
    // The peers ran at the papers' sizes.
    let whole = kernels::find(&record.kernel).is_some_and(|known| known.size == record.size);
    let ratio = |of: Option<f64>| of.filter(|_| whole).map(|rate| record.gpts / rate);
    Row {
        record,
        to_nvcc: ratio(nvcc.map(|peer| peer.gpts)),
        to_nvcc_here: here.map(|rate| record.gpts / rate),
        to_peer: ratio(peer.map(|peer| peer.gpts)),
        peer: peer.filter(|_| whole),
        to_target: targets::of(record).map(|target| record.gpts / target.gpts),
    }
}

/// The headings of the table.
const HEADINGS: [&str; 22] = [
    "kernel",
    "type",
    "version",
    "plan",
    "best peer",
    "T",
    "steps",
    "GPt/s",
    "±%",
    "GFLOP/s",
    "GB/s",
    "%mem",
    "T_eff",
    "%fp",
    "regs",
    "spill",
    "shared",
    "occ",
    "/nvcc",
    "/here",
    "/peer",
    "/target",
];
/// Those of them that are words.
const WORDS: usize = 5;

/// The table.
pub fn text(rows: &[Row], form: Form) -> String {
    let cells = |row: &Row| {
        let Row { record, to_nvcc, to_nvcc_here, to_peer, peer, to_target } = row;
        vec![
            record.kernel.clone(),
            record.r#type.to_string(),
            record.version.clone(),
            record.plan.clone(),
            peer.map_or("-".to_owned(), peer_name),
            record.fused.to_string(),
            record.steps.to_string(),
            number(Some(record.gpts)),
            format!("{:.1}", record.spread * 100.0),
            number(Some(record.gflops)),
            number(Some(record.gbs)),
            number(record.memory_percent),
            number(effective(record)),
            number(record.flops_percent),
            count(record.registers),
            count(record.spill_bytes),
            record.shared_bytes.to_string(),
            number(record.occupancy),
            number(*to_nvcc),
            number(*to_nvcc_here),
            number(*to_peer),
            number(*to_target),
        ]
    };
    let headings = HEADINGS.map(str::to_owned).to_vec();
    Grid { headings, rows: rows.iter().map(cells).collect(), words: WORDS }.text(form)
}

/// The bytes of a point that a step has to move, at the record's rate, over what a copy reaches:
/// above one where time steps were fused.
fn effective(record: &Record) -> Option<f64> {
    let most = Ceilings::of(&record.chip, record.r#type)?.gbs;
    let bytes = kernels::find(&record.kernel)?.bytes_per_point(record.r#type);
    Some(record.gpts * bytes as f64 / most)
}

fn peer_name(peer: &'static peers::Peer) -> String {
    let name = peers::system(&peer.system).map_or(peer.system.as_str(), |system| &system.name);
    match peer.steps {
        Some(steps) => format!("{name} {} (T={steps})", peer.gpts),
        None => format!("{name} {}", peer.gpts),
    }
}

/// What is short of plain CUDA: of each kernel and type the best of ours, against the faster of the
/// peers' CUDA and that of the same file.
pub fn shortfall(records: &[Record]) -> String {
    let ours: Vec<Record> =
        records.iter().filter(|record| record.version != peers::NVCC).cloned().collect();
    let mut with_nvcc: Vec<(f64, String)> = Vec::new();
    for benchmark in kernels::all() {
        for element in Element::ALL {
            let of_row =
                |record: &&Record| record.kernel == benchmark.name && record.r#type == element;
            let best =
                ours.iter().filter(of_row).max_by(|one, other| one.gpts.total_cmp(&other.gpts));
            let Some(best) = best else { continue };
            let Row { to_nvcc, to_nvcc_here, .. } = row(best, records);
            let against = [(to_nvcc, "nvcc"), (to_nvcc_here, "nvcc here")];
            let known = against.into_iter().filter_map(|(ratio, what)| Some((ratio?, what)));
            let least = known.min_by(|(one, _), (other, _)| one.total_cmp(other));
            let Some((ratio, what)) = least else { continue };
            let (name, plan) = (&benchmark.name, &best.plan);
            let line = format!("{ratio:.2} of {what}: {name} {element}, {} {plan}", best.version);
            with_nvcc.push((ratio, line));
        }
    }
    let total = with_nvcc.len();
    with_nvcc.retain(|(ratio, _)| *ratio < LEVEL);
    with_nvcc.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let ratios: Vec<f64> = ours_to_peers(&ours);
    let far = with_nvcc.iter().filter(|(ratio, _)| *ratio < FAR_BELOW).count();
    let mut text = format!(
        "{} of {total} rows are below {LEVEL} of nvcc, {far} of them below {FAR_BELOW}\n",
        with_nvcc.len()
    );
    for (_, line) in with_nvcc {
        writeln!(text, "- {line}").expect("text grows without errors");
    }
    if let Some(mean) = statistics::geometric_mean(&ratios) {
        writeln!(text, "{mean:.2} of the best peers on geometric average, {} rows", ratios.len())
            .expect("text grows without errors");
    }
    text
}

/// The best of each kernel and type over the best peer.
fn ours_to_peers(ours: &[Record]) -> Vec<f64> {
    let mut best: Vec<Record> = Vec::new();
    for record in ours {
        match best.iter_mut().find(|b| b.kernel == record.kernel && b.r#type == record.r#type) {
            Some(known) if known.gpts >= record.gpts => {}
            Some(known) => *known = record.clone(),
            None => best.push(record.clone()),
        }
    }
    best.iter().filter_map(|record| row(record, ours).to_peer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Derived, tests::sample};

    /// A measurement of this rate.
    fn at(kernel: &str, version: &str, plan: &str, gpts: f64) -> Record {
        let benchmark = kernels::find(kernel).unwrap();
        let ms = benchmark.points(&benchmark.size) as f64 / gpts * 1e-6;
        let mut record = sample(kernel, Element::F64, ms);
        record.samples_ms = vec![ms; 7];
        let derived = Derived::of(benchmark, record.work(), &record.samples_ms).unwrap();
        record.gpts = derived.gpts;
        (record.version, record.plan) = (version.to_owned(), plan.to_owned());
        record
    }

    #[test]
    fn ratios_are_to_the_peers_of_the_kernel() {
        let records = [at("j2d5pt", "plain", "points=4", 510.0)];
        let rows = rows(&records, Rows::All);
        assert_eq!((rows[0].to_nvcc, rows[0].to_nvcc_here), (Some(2.0), None));
        assert!((rows[0].to_peer.unwrap() - 510.0 / 885.0).abs() < 1e-9);
        let text = text(&rows, Form::Plain);
        assert!(text.contains("EBISU 885 (T=48)"), "{text}");
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn fused_steps_move_less_than_each_would() {
        // Sixteen bytes, and 4280 GB/s.
        let record = Record { fused: 4, ..at("j2d5pt", "plain", "points=4", 535.0) };
        assert!((effective(&record).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(effective(&Record { chip: "a chip".to_owned(), ..record }), None);
    }

    #[test]
    fn plain_cuda_of_the_same_file_comes_first() {
        let records =
            [at("heat", "plain", "points=1", 200.0), at("heat", "nvcc", "points=4", 250.0)];
        let row = &rows(&records, Rows::All)[1];
        assert_eq!((row.record.version.as_str(), row.to_nvcc_here), ("plain", Some(0.8)));
        let text = shortfall(&records);
        assert!(
            text.starts_with(
                "1 of 1 rows are below 0.95 of nvcc, 1 of them below 0.85\n- 0.80 of nvcc here"
            ),
            "{text}"
        );
    }

    #[test]
    fn the_best_of_each_kernel_decides() {
        let records = [
            at("heat", "plain", "points=1", 100.0),
            at("heat", "plain", "points=2", 222.0),
            at("poisson", "plain", "points=2", 87.0),
        ];
        let plans: Vec<&str> =
            rows(&records, Rows::Best).iter().map(|row| row.record.plan.as_str()).collect();
        assert_eq!(plans, ["points=2", "points=2"]);
        let text = shortfall(&records);
        assert!(text.starts_with("1 of 2 rows"), "{text}");
        assert!(text.contains("- 0.50 of nvcc: poisson f64, plain points=2\n"), "{text}");
    }

    #[test]
    fn other_sizes_have_no_peers() {
        let mut record = at("heat", "plain", "points=1", 100.0);
        record.size = vec![17, 17, 17];
        assert_eq!(rows(&[record], Rows::All)[0].to_peer, None);
    }
}
