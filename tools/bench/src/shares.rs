//! How near each kernel comes to the ceiling that binds it, and how the generated family compares
//! with the named kernels.
//!
//! A kernel that makes T time steps at once updates at most
//! `min(P / operations of a point, T * B / bytes of a point)` points in a second: `P` instructions
//! of the arithmetic pipe, `B` bytes of a copy on the device, of [`Ceilings`]. The bytes are those
//! of the record, which has divided them by T already. The operations are instructions that no
//! compiler can do without: a fused multiply-add is one and counts as two of the paper's, and no
//! instruction joins more than two values that were read. A root or a division takes more than its
//! one, so that the share of a kernel with one is lower than it should be.
//!
//! A *twin* of a member of the family is a named kernel of the same shape, radius and rank. If the
//! compiler treats shapes and not names, both have the same share.

use crate::{
    family,
    kernels::{self, Benchmark, Element, KernelSet},
    layout::{Form, Grid, number},
    peers,
    record::{Ceilings, Record},
    statistics,
};
use std::fmt::Write;

/// Members of the family with a named kernel of their shape.
const TWINS: [(&str, &str); 11] = [
    ("star1d1r", "j1d3pt"),
    ("star1d3r", "j1d7pt"),
    ("star2d1r", "j2d5pt"),
    ("star2d2r", "j2d9pt"),
    ("star2d3r", "2d13pt"),
    ("box2d1r", "j2d9pt-gol"),
    ("box2d2r", "gaussian"),
    ("star3d1r", "j3d7pt"),
    ("star3d2r", "j3d13pt"),
    ("star3d3r", "3d19pt"),
    ("box3d1r", "j3d27pt"),
];

/// Points that named kernels without a twin read of one array.
const READS: [(&str, u64); 4] = [("gradient", 5), ("heat", 7), ("j3d17pt", 17), ("poisson", 19)];

/// A member is level with its twin from this ratio of their shares on.
pub const LEVEL: f64 = 0.9;

/// What bounds a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Instructions of the arithmetic pipe.
    Arithmetic,
    /// Bytes of global memory.
    Memory,
}

/// What a kernel's operations were taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Half of the floating-point operations that the paper counts.
    Flops,
    /// Values that a point reads, one less.
    Reads,
}

/// A measurement beside its ceiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Share<'a> {
    /// The measurement.
    pub record: &'a Record,
    /// Whether it is of the family.
    pub is_family: bool,
    /// Instructions of the arithmetic pipe for a point, at least.
    pub operations: u64,
    /// Where that number is from.
    pub source: Source,
    /// 10^9 points in a second, at most.
    pub ceiling: f64,
    /// Why not more.
    pub bound: Bound,
    /// The rate over the ceiling.
    pub share: f64,
}

impl<'a> Share<'a> {
    /// The share of a measurement; none where the chip or the kernel is unknown.
    pub fn of(record: &'a Record) -> Option<Share<'a>> {
        let benchmark = kernels::find(&record.kernel)?;
        let most = Ceilings::of(&record.chip, record.r#type)?;
        let (operations, source) = operations(benchmark);
        let arithmetic = most.gflops_unfused / operations as f64;
        let memory = most.gbs * record.points as f64 / record.bytes as f64;
        let (ceiling, bound) = match arithmetic < memory {
            true => (arithmetic, Bound::Arithmetic),
            false => (memory, Bound::Memory),
        };
        let is_family = benchmark.paper == KernelSet::Family;
        let share = record.gpts / ceiling;
        Some(Share { record, is_family, operations, source, ceiling, bound, share })
    }

    fn is_of(&self, kernel: &str, element: Element) -> bool {
        self.record.kernel == kernel && self.record.r#type == element
    }
}

/// Instructions for a point, at least.
fn operations(benchmark: &Benchmark) -> (u64, Source) {
    let fused = benchmark.flops_per_point.div_ceil(2);
    match reads(&benchmark.name).map(|reads| reads - 1) {
        Some(joined) if joined > fused => (joined, Source::Reads),
        _ => (fused.max(1), Source::Flops),
    }
}

/// Values that a point reads, where that is known.
fn reads(name: &str) -> Option<u64> {
    let twin = TWINS.iter().find(|(_, named)| *named == name).map(|(member, _)| *member);
    if let Some(member) = family::find(twin.unwrap_or(name)) {
        return Some(member.offsets().len() as u64);
    }
    READS.iter().find(|(kernel, _)| *kernel == name).map(|(_, reads)| *reads)
}

/// The shares of a file of results: of each kernel and type the fastest of ours, in the order of
/// the papers and the family.
pub struct Shares<'a> {
    rows: Vec<Share<'a>>,
}

impl<'a> Shares<'a> {
    /// Those of some measurements.
    pub fn of(records: &'a [Record]) -> Shares<'a> {
        let fastest = |benchmark: &'static Benchmark, element| {
            let of_row = |record: &&Record| {
                (&record.kernel, record.r#type) == (&benchmark.name, element)
                    && record.version != peers::NVCC
            };
            let chosen = records.iter().filter(of_row);
            chosen.max_by(|one, other| one.gpts.total_cmp(&other.gpts))
        };
        let programs = kernels::known().flat_map(|benchmark| {
            Element::ALL.into_iter().filter_map(move |element| fastest(benchmark, element))
        });
        Shares { rows: programs.filter_map(Share::of).collect() }
    }

    /// The twin of a member, where both are measured.
    fn twin(&self, share: &Share) -> Option<&Share<'a>> {
        let (_, named) = TWINS.iter().find(|(member, _)| *member == share.record.kernel)?;
        self.rows.iter().find(|other| other.is_of(named, share.record.r#type))
    }

    /// The table, and what follows from it.
    pub fn text(&self, form: Form) -> String {
        let headings = [
            "kernel", "type", "bound", "from", "twin", "T", "GPt/s", "ops", "ceiling", "share",
            "twin's", "ratio",
        ];
        let cells = |share: &Share| {
            let twin = self.twin(share);
            let bound = match share.bound {
                Bound::Arithmetic => "arithmetic",
                Bound::Memory => "memory",
            };
            let source = match share.source {
                Source::Flops => "FLOPs/2",
                Source::Reads => "reads-1",
            };
            vec![
                share.record.kernel.clone(),
                share.record.r#type.to_string(),
                bound.to_owned(),
                source.to_owned(),
                twin.map_or("-".to_owned(), |twin| twin.record.kernel.clone()),
                share.record.fused.to_string(),
                number(Some(share.record.gpts)),
                share.operations.to_string(),
                number(Some(share.ceiling)),
                number(Some(share.share)),
                number(twin.map(|twin| twin.share)),
                number(twin.map(|twin| share.share / twin.share)),
            ]
        };
        let rows = self.rows.iter().map(cells).collect();
        let table = Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 5 };
        format!("{}\n{}", table.text(form), self.summary())
    }

    /// The geometric means of both groups and of the ratios to twins, of each type and of all.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let types = Element::ALL.into_iter().map(|element| (element.to_string(), Some(element)));
        for (name, element) in types.chain([("all".to_owned(), None)]) {
            let is_of = |share: &&Share| element.is_none_or(|one| share.record.r#type == one);
            let group = |family: bool| {
                let rows = self.rows.iter().filter(is_of);
                let shares = rows.filter(|share| share.is_family == family);
                shares.map(|share| share.share).collect::<Vec<_>>()
            };
            let twins = self.rows.iter().filter(is_of).filter_map(|share| {
                let ratio = share.share / self.twin(share)?.share;
                Some((format!("{} {}", share.record.kernel, share.record.r#type), ratio))
            });
            let (members, ratios): (Vec<String>, Vec<f64>) = twins.unzip();
            let (family, named) = (group(true), group(false));
            let means = [&family, &named].map(|group| statistics::geometric_mean(group));
            let over = means[0].zip(means[1]).map(|(family, named)| family / named);
            writeln!(
                text,
                "{name}: family {} of its ceilings on geometric average ({} rows), named kernels \
                 {} ({} rows), ratio {}; twins {} ({} rows)",
                number(means[0]),
                family.len(),
                number(means[1]),
                named.len(),
                number(over),
                number(statistics::geometric_mean(&ratios)),
                ratios.len(),
            )
            .expect("text grows without errors");
            if element.is_none() {
                let below = members.iter().zip(&ratios).filter(|(_, ratio)| **ratio < LEVEL);
                for (member, ratio) in below {
                    writeln!(text, "- {ratio:.2} of its twin's share: {member}")
                        .expect("text grows without errors");
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;

    /// A measurement with so many steps at once, of this rate.
    fn at(kernel: &str, element: Element, fused: u64, gpts: f64) -> Record {
        let record = sample(kernel, element, 1.0);
        Record { fused, bytes: record.bytes / fused, gpts, ..record }
    }

    #[test]
    fn a_twin_has_the_shape_of_its_member() {
        for (member, named) in TWINS {
            let shape = family::find(member).unwrap();
            let named = kernels::find(named).unwrap();
            assert_eq!((shape.radii.len(), shape.margin()), (named.size.len(), named.radius));
        }
        assert!(READS.iter().all(|(name, _)| kernels::find(name).is_some()));
    }

    #[test]
    fn the_lower_ceiling_binds() {
        // 132 * 64 * 1.98 GFMA/s and 4280 GB/s; five operations, sixteen bytes.
        let few = at("star2d1r", Element::F64, 4, 535.0);
        let share = Share::of(&few).unwrap();
        assert_eq!((share.operations, share.bound), (5, Bound::Memory));
        assert!((share.ceiling - 1070.0).abs() < 1e-6 && (share.share - 0.5).abs() < 1e-9);
        let many = at("star2d1r", Element::F64, 16, 1672.704);
        let share = Share::of(&many).unwrap();
        assert_eq!(share.bound, Bound::Arithmetic);
        assert!((share.ceiling - 3345.408).abs() < 1e-6 && (share.share - 0.5).abs() < 1e-9);
        // Single precision has half of the bytes and twice the operations in a second.
        let single = at("star2d1r", Element::F32, 16, 1.0);
        let single = Share::of(&single).unwrap().ceiling;
        assert!((single - 6690.816).abs() < 1e-6);
        assert_eq!(Share::of(&Record { chip: "a chip".to_owned(), ..many }), None);
    }

    #[test]
    fn operations_are_those_that_cannot_be_saved() {
        let of = |name: &str| operations(kernels::find(name).unwrap());
        assert_eq!(of("star3d1r"), (7, Source::Flops));
        assert_eq!(of("box3d4r"), (729, Source::Flops));
        assert_eq!(of("j3d27pt"), (27, Source::Flops));
        // One weight for all: thirteen values are joined by twelve additions.
        assert_eq!(of("2d13pt"), (12, Source::Reads));
        assert_eq!(of("poisson"), (18, Source::Reads));
        assert_eq!(of("cheby"), (20, Source::Flops));
    }

    #[test]
    fn members_stand_beside_their_twins_and_groups_are_averaged() {
        let records = [
            at("star2d1r", Element::F64, 4, 400.0),
            at("star2d1r", Element::F64, 4, 535.0),
            at("j2d5pt", Element::F64, 4, 1070.0),
            Record { version: "nvcc".to_owned(), ..at("j2d5pt", Element::F64, 4, 1071.0) },
            at("box3d4r", Element::F64, 1, 5.0),
        ];
        let shares = Shares::of(&records);
        let text = shares.text(Form::Plain);
        let row = text.lines().find(|line| line.starts_with("star2d1r")).unwrap();
        let row = row.split_whitespace().collect::<Vec<_>>();
        assert_eq!(row[..6], ["star2d1r", "f64", "memory", "FLOPs/2", "j2d5pt", "4"]);
        assert_eq!(row[6..], ["535", "5", "1070", "0.50", "1.00", "0.50"]);
        assert!(text.lines().any(|line| line.starts_with("box3d4r") && line.ends_with("-")));
        // 5 of 16727.04 / 729 is 0.2179; its root with 0.5 is 0.3301.
        assert!(
            text.contains(
                "f64: family 0.33 of its ceilings on geometric average (2 rows), named kernels \
                 1.00 (1 rows), ratio 0.33; twins 0.50 (1 rows)"
            ),
            "{text}"
        );
        assert!(text.contains("f32: family - of its ceilings"), "{text}");
        assert!(text.ends_with("- 0.50 of its twin's share: star2d1r f64\n"), "{text}");
    }
}
