//! The 23 benchmark kernels: what their papers say of them, as data; others of no paper; and
//! applications, programs of several unknowns and statements.
//!
//! The programs are those of `test/kernels`, by the same names. A *point* is one grid point updated
//! by one time step: a kernel of several stages counts it once. Points are those that are really
//! updated, so the outermost cells of a field, which keep their values, are not counted; that gives
//! rates that are slightly lower than `N^d * T` over the time.

use crate::{family, generated, lines};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr, sync::LazyLock};

/// One benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Its name, and that of its program's file.
    pub name: String,
    /// The paper whose set it belongs to.
    pub paper: KernelSet,
    /// Points along each dimension, slowest first, as the paper gives them.
    pub size: Vec<u64>,
    /// Time steps.
    pub steps: u64,
    /// How far a point reads along an axis in one step.
    pub radius: u64,
    /// Points of `size` at each end of each dimension that are not updated.
    pub margin: u64,
    /// Floating-point operations for one point and step, as the paper counts them.
    pub flops_per_point: u64,
    /// Sweeps of one step.
    pub stages: u64,
    /// Arrays of the full size that a step has to read.
    pub arrays_read: u64,
    /// Arrays of the full size that a step has to write.
    pub arrays_written: u64,
    /// Values of the program's scalar arguments, by name.
    pub scalars: BTreeMap<String, f64>,
    /// The row of the peers' table that it is compared with.
    pub peers: String,
    /// Ghost cells outside each end of each dimension that the program stores before each step:
    /// they are no points, and part of the domain whose extents a program is read at.
    #[serde(default)]
    pub ghosts: u64,
}

/// Where a benchmark comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KernelSet {
    /// Rawat et al., Domain-Specific Optimization and Generation of High-Performance GPU Code for
    /// Stencil Computations, Proceedings of the IEEE 2018.
    Stencilgen,
    /// Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018.
    Ppopp18,
    /// A program of this repository that is no paper's.
    None,
    /// Applications: its file has small extents, and it is measured at those of its row.
    Applications,
    /// A generated one, see [`family`] and [`generated`].
    Family,
}

/// The type of a benchmark's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// Double precision, as the papers measure.
    F64,
    /// Single precision.
    F32,
}

/// A word that is no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no type of a benchmark; write f64 or f32")]
pub struct ElementError(String);

impl Element {
    /// Both types, in the order of the tables.
    pub const ALL: [Element; 2] = [Element::F64, Element::F32];

    /// The size of a cell.
    pub fn bytes(self) -> u64 {
        match self {
            Element::F64 => 8,
            Element::F32 => 4,
        }
    }

    /// The distance from one to the next larger number.
    pub fn epsilon(self) -> f64 {
        match self {
            Element::F64 => f64::EPSILON,
            Element::F32 => f64::from(f32::EPSILON),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::F64 => "f64",
            Element::F32 => "f32",
        })
    }
}

impl FromStr for Element {
    type Err = ElementError;

    fn from_str(text: &str) -> Result<Element, ElementError> {
        let named = Element::ALL.into_iter().find(|element| element.to_string() == text);
        named.ok_or_else(|| ElementError(text.to_owned()))
    }
}

static ALL: LazyLock<Vec<Benchmark>> =
    LazyLock::new(|| lines::built_in(include_str!("../kernels.jsonl")));

static MORE: LazyLock<Vec<Benchmark>> =
    LazyLock::new(|| lines::built_in(include_str!("../more.jsonl")));

static APPLICATIONS: LazyLock<Vec<Benchmark>> =
    LazyLock::new(|| lines::built_in(include_str!("../applications.jsonl")));

/// The benchmarks of the papers, in their order.
pub fn all() -> &'static [Benchmark] {
    &ALL
}

/// Programs of the repository that are no paper's.
pub fn more() -> &'static [Benchmark] {
    &MORE
}

/// Programs of several unknowns and statements.
pub fn applications() -> &'static [Benchmark] {
    &APPLICATIONS
}

/// Everything that can be measured: the papers' benchmarks, more programs, applications, the
/// family of generated stencils, and generated programs.
pub fn known() -> impl Iterator<Item = &'static Benchmark> {
    let programs = all().iter().chain(more()).chain(applications());
    programs.chain(family::benchmarks()).chain(generated::benchmarks())
}

/// The benchmark of this name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    known().find(|benchmark| benchmark.name == name)
}

/// The names of all programs of the repository, for messages.
pub fn names() -> String {
    let programs = all().iter().chain(more()).chain(applications());
    let names: Vec<&str> = programs.map(|benchmark| benchmark.name.as_str()).collect();
    format!("{} and those of the family, as star2d3r", names.join(", "))
}

impl Benchmark {
    /// Points updated along each dimension, at a size of this many points along each.
    pub fn updated(&self, size: &[u64]) -> Vec<u64> {
        size.iter().map(|extent| extent.saturating_sub(2 * self.margin)).collect()
    }

    /// Points updated by a whole run: the updated extents, times the steps.
    pub fn points(&self, size: &[u64]) -> u64 {
        self.points_in(size, self.steps)
    }

    /// The same of a run of another number of steps.
    pub fn points_in(&self, size: &[u64], steps: u64) -> u64 {
        self.updated(size).iter().product::<u64>() * steps
    }

    /// Points of the domain along each dimension: what is updated, and ghost cells.
    pub fn domain(&self, size: &[u64]) -> Vec<u64> {
        self.updated(size).iter().map(|extent| extent + 2 * self.ghosts).collect()
    }

    /// Bytes that a step has to move for each point: every value read once and written once.
    pub fn bytes_per_point(&self, element: Element) -> u64 {
        (self.arrays_read + self.arrays_written) * element.bytes()
    }

    /// A small odd size: several blocks of any shape, and extents that no block divides.
    pub fn small_size(&self) -> Vec<u64> {
        let updated: &[u64] = match self.size.len() {
            1 => &[611],
            2 => &[37, 75],
            _ => &[9, 13, 75],
        };
        updated.iter().map(|extent| extent + 2 * self.margin).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_23_kernels_of_distinct_names() {
        assert_eq!(all().len(), 23);
        for benchmark in all() {
            assert_eq!(find(&benchmark.name), Some(benchmark));
            assert!(benchmark.size.len() == 2 || benchmark.size.len() == 3, "{}", benchmark.name);
            // A program of two stages of radius 1 may leave two cells; none leaves more.
            assert!(benchmark.margin <= benchmark.radius, "{}", benchmark.name);
        }
    }

    #[test]
    fn names_are_distinct_whatever_their_set() {
        let names: Vec<&str> = known().map(|benchmark| benchmark.name.as_str()).collect();
        let distinct: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!(names.len(), distinct.len());
        assert_eq!(find("star2d3r").map(|benchmark| benchmark.flops_per_point), Some(25));
        assert_eq!(find("j1d7pt").map(Benchmark::small_size), Some(vec![617]));
    }

    #[test]
    fn points_are_those_that_are_updated() {
        let star = find("j2d5pt").unwrap();
        assert_eq!(star.points(&star.size), 8190 * 8190 * 4);
        // Its arrays are larger than N by the radius, so that N points are updated.
        let boxed = find("2d25pt").unwrap();
        assert_eq!(boxed.points(&boxed.size), 8192 * 8192);
        // Two stages update a point once.
        let curl = find("curl").unwrap();
        assert_eq!(curl.points(&curl.size), 448 * 448 * 448);
        assert_eq!(star.points(&star.small_size()), 37 * 75 * 4);
    }

    #[test]
    fn bytes_follow_from_arrays_and_type() {
        assert_eq!(find("j3d7pt").unwrap().bytes_per_point(Element::F64), 16);
        assert_eq!(find("hypterm").unwrap().bytes_per_point(Element::F32), 52);
        assert_eq!(find("acoustic-so8").unwrap().bytes_per_point(Element::F64), 40);
        assert_eq!(find("elastic-so8").unwrap().bytes_per_point(Element::F32), 84);
    }

    #[test]
    fn ghost_cells_are_no_points() {
        let mixture = find("cahn-hilliard2d").unwrap();
        assert_eq!(mixture.points(&mixture.size), 8192 * 8192 * 36);
        assert_eq!(mixture.domain(&[37, 75]), [41, 79]);
        assert!(applications().iter().all(|one| one.paper == KernelSet::Applications));
    }

    #[test]
    fn types_are_read_as_they_are_written() {
        assert_eq!("f32".parse(), Ok(Element::F32));
        assert_eq!(serde_json::to_string(&Element::F64).ok().as_deref(), Some("\"f64\""));
        assert!("f16".parse::<Element>().unwrap_err().to_string().starts_with("'f16' is no type"));
    }
}
