//! The fastest known plan of a program.
//!
//! Nearest first: of the same program at its size on its chip; at another size, where what was
//! asked for is asked for again and everything that depends on the size is chosen anew; on another
//! chip, in the same order. Of each, measurements by the same version of the compiler come first.

use crate::record::Record;
use std::fmt;

/// What a plan is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'w> {
    /// As [`crate::record::Subject::program`].
    pub program: &'w str,
    /// As [`crate::record::Subject::family`].
    pub family: Option<&'w str>,
    /// The size.
    pub extents: &'w [u64],
    /// The chip, as the driver calls it.
    pub chip: &'w str,
    /// The compiler's version.
    pub compiler: &'w str,
}

/// A plan that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<'r> {
    /// The measurement.
    pub record: &'r Record,
    /// Whether it is of the same size.
    pub is_size: bool,
    /// Whether it is of the same chip.
    pub is_chip: bool,
    /// Plans that it is the fastest of.
    pub of: usize,
}

impl Found<'_> {
    /// The plan to ask for.
    pub fn plan(&self) -> &str {
        // Complete plans hold what was chosen for a size.
        match self.is_size {
            true => &self.record.candidate.decided,
            false => &self.record.candidate.plan,
        }
    }
}

impl fmt::Display for Found<'_> {
    /// `the fastest of 16 plans measured on an NVIDIA H200 at 512x512x512`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents = self.record.subject.extents.iter().map(u64::to_string);
        let extents = extents.collect::<Vec<_>>().join("x");
        let chip = &self.record.machine.chip;
        write!(f, "the fastest of {} plans measured on {chip}", self.of)?;
        match self.is_size {
            true => write!(f, " at this size"),
            false => write!(f, " at {extents}"),
        }
    }
}

/// The fastest known plan; none if nothing is known of the program.
pub fn find<'r>(records: &'r [Record], wanted: &Wanted) -> Option<Found<'r>> {
    let related = records.iter().filter(|record| {
        let family = record.subject.family.as_deref();
        record.median_us().is_some()
            && (record.subject.program == wanted.program
                || family.is_some() && family == wanted.family)
    });
    let nearest = related.min_by(|one, other| {
        let near = |record: &Record| distance(record, wanted);
        near(one).partial_cmp(&near(other)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    // Times of one run, chip and version can be compared, and no others.
    let alike = |record: &&Record| record.is_of(&nearest.subject, &nearest.machine.chip);
    let alike = records.iter().filter(alike).collect::<Vec<_>>();
    let time = |record: &&&Record| record.median_us().unwrap_or(f64::INFINITY);
    let best = alike.iter().min_by(|one, other| time(one).total_cmp(&time(other)))?;
    Some(Found {
        record: best,
        is_size: best.subject.program == wanted.program,
        is_chip: best.machine.chip == wanted.chip,
        of: alike.iter().filter(|record| record.median_us().is_some()).count(),
    })
}

/// How far a measurement is from what is wanted: chip, size, version of the compiler.
fn distance(record: &Record, wanted: &Wanted) -> (bool, f64, bool) {
    let size = match record.subject.program == wanted.program {
        true => -1.0,
        false => {
            let along = record.subject.extents.iter().zip(wanted.extents);
            along.map(|(one, other)| (*one as f64 / *other as f64).ln().abs()).sum()
        }
    };
    (record.machine.chip != wanted.chip, size, record.subject.compiler != wanted.compiler)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{failed, record};

    fn wanted(program: &'static str) -> Wanted<'static> {
        Wanted {
            program,
            family: Some("heat"),
            extents: &[256, 256, 256],
            chip: "NVIDIA H200",
            compiler: "0.1.0",
        }
    }

    #[test]
    fn the_fastest_of_the_same_size_is_found() {
        let records = [
            record("heat", 256, "", 30.0),
            record("heat", 256, "points=8", 20.0),
            failed("heat", 256, "points=2"),
            record("heat", 512, "points=4", 1.0),
            record("wave", 256, "points=1", 1.0),
        ];
        let found = find(&records, &wanted("heat-256")).unwrap();
        assert_eq!((found.plan(), found.of), ("step:points=8", 2));
        assert_eq!(
            found.to_string(),
            "the fastest of 2 plans measured on NVIDIA H200 at this size"
        );
    }

    #[test]
    fn then_the_nearest_size_as_it_was_asked_for() {
        let records = [
            record("heat", 64, "points=2", 1.0),
            record("heat", 512, "points=4", 9.0),
            record("heat", 512, "points=8", 8.0),
        ];
        let found = find(&records, &wanted("heat-256")).unwrap();
        assert_eq!((found.plan(), found.is_size), ("points=8", false));
        assert!(found.to_string().ends_with("on NVIDIA H200 at 512x512x512"));
        assert_eq!(find(&records, &Wanted { family: None, ..wanted("heat-256") }), None);
    }

    #[test]
    fn then_another_chip() {
        let mut other = record("heat", 256, "points=2", 1.0);
        "NVIDIA H100".clone_into(&mut other.machine.chip);
        let mut records = vec![other];
        let found = find(&records, &wanted("heat-256")).unwrap();
        assert_eq!((found.plan(), found.is_chip), ("step:points=2", false));
        records.push(record("heat", 64, "points=4", 5.0));
        assert_eq!(find(&records, &wanted("heat-256")).unwrap().plan(), "points=4");
    }

    #[test]
    fn versions_are_not_mixed() {
        let mut old = record("heat", 256, "points=2", 1.0);
        "0.0.9".clone_into(&mut old.subject.compiler);
        let records = [old, record("heat", 256, "points=4", 5.0)];
        let found = find(&records, &wanted("heat-256")).unwrap();
        assert_eq!((found.plan(), found.of), ("step:points=4", 1));
    }
}
