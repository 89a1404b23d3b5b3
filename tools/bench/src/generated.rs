//! Sixty generated programs that nothing was fitted to: what default plans are judged by.
//!
//! Ten kinds of updates, as finite-difference and image codes have them, in two and three
//! dimensions and with radii of one to three. They differ in what makes plans differ: shape,
//! symmetry, operations a point, divisions and roots, arrays of coefficients, unknowns, levels of
//! time and statements. A name is the kind, the dimensions and the radius: `wave3d2r`. The text is
//! in the language of STENCILGEN; weights are chosen so that values stay bounded.

use crate::kernels::{Benchmark, KernelSet};
use std::{collections::BTreeMap, sync::LazyLock};

/// What one step of a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One-sided differences along each axis.
    Upwind,
    /// A Laplacian with a coefficient of each cell.
    Variable,
    /// Fluxes between cells, with the mean of their coefficients.
    Conduction,
    /// Second order in time: the level before is overwritten.
    Wave,
    /// Two unknowns that react and diffuse.
    Coupled,
    /// Diffusion and squared differences.
    Front,
    /// The length of the gradient: a root.
    Gradient,
    /// The largest value of a star.
    Dilation,
    /// A box that is wide along the fastest axis alone.
    Blur,
    /// Two Laplacians, one after the other.
    Biharmonic,
}

const KINDS: [(Kind, &str); 10] = [
    (Kind::Upwind, "upwind"),
    (Kind::Variable, "variable"),
    (Kind::Conduction, "conduction"),
    (Kind::Wave, "wave"),
    (Kind::Coupled, "coupled"),
    (Kind::Front, "front"),
    (Kind::Gradient, "gradient"),
    (Kind::Dilation, "dilation"),
    (Kind::Blur, "blur"),
    (Kind::Biharmonic, "biharmonic"),
];
const RANKS: [usize; 2] = [2, 3];
const RADII: [i64; 3] = [1, 2, 3];
/// Time steps: so many that any number of fused ones is worth it.
const STEPS: u64 = 120;
/// Iterators and parameters, slowest dimension first.
const ITERATORS: [&str; 3] = ["k", "j", "i"];
const PARAMETERS: [&str; 3] = ["L", "M", "N"];

/// One of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// What a step does.
    pub kind: Kind,
    /// Dimensions.
    pub rank: usize,
    /// How far a statement reads along an axis.
    pub radius: i64,
}

static MEMBERS: LazyLock<Vec<Generated>> = LazyLock::new(|| {
    let shapes = RANKS.into_iter().flat_map(|rank| RADII.map(|radius| (rank, radius)));
    let of = |(rank, radius)| KINDS.map(|(kind, _)| Generated { kind, rank, radius });
    shapes.flat_map(of).collect()
});

static BENCHMARKS: LazyLock<Vec<Benchmark>> =
    LazyLock::new(|| MEMBERS.iter().map(Generated::benchmark).collect());

/// All programs.
pub fn members() -> &'static [Generated] {
    &MEMBERS
}

/// The program of this name.
pub fn find(name: &str) -> Option<&'static Generated> {
    members().iter().find(|member| member.name() == name)
}

/// All as benchmarks, in the same order.
pub fn benchmarks() -> &'static [Benchmark] {
    &BENCHMARKS
}

impl Generated {
    /// Its name.
    pub fn name(&self) -> String {
        let named = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        let (_, name) = named.expect("every kind is in the list");
        format!("{name}{}d{}r", self.rank, self.radius)
    }

    /// Statements of a step.
    fn statements(&self) -> u64 {
        if self.kind == Kind::Biharmonic { 2 } else { 1 }
    }

    fn benchmark(&self) -> Benchmark {
        let margin = self.radius as u64 * self.statements();
        let (read, written) = match self.kind {
            Kind::Variable | Kind::Conduction | Kind::Wave => (2, 1),
            Kind::Coupled => (2, 2),
            _ => (1, 1),
        };
        let operators = |text: &str| {
            let outside = without_offsets(text);
            let calls = ["sqrt(", "max("].map(|call| outside.matches(call).count());
            outside.matches(['+', '-', '*', '/']).count() + calls.iter().sum::<usize>()
        };
        let assigned = self.assignments().into_iter().flat_map(|(_, _, lines)| lines);
        Benchmark {
            name: self.name(),
            paper: KernelSet::Family,
            size: if self.rank == 2 { vec![8192; 2] } else { vec![512; 3] },
            steps: STEPS,
            radius: self.radius as u64,
            margin,
            flops_per_point: assigned.map(|line| operators(&line) as u64).sum(),
            stages: self.statements(),
            arrays_read: read,
            arrays_written: written,
            scalars: BTreeMap::new(),
            peers: self.name(),
            ghosts: 0,
        }
    }

    /// The program, in the language of STENCILGEN.
    pub fn text(&self) -> String {
        let name = self.name();
        let size = &self.benchmark().size;
        let parameters = &PARAMETERS[3 - self.rank..];
        let define = |(name, extent): (&&str, &u64)| format!("{name} = {extent}");
        let defined = parameters.iter().zip(size).map(define).collect::<Vec<_>>().join(", ");
        let extents = parameters.join(",");
        let arrays = self.arrays();
        let declared = arrays.iter().map(|array| format!("{array}[{extents}]"));
        let declared = declared.collect::<Vec<_>>().join(", ");
        let copied = arrays.iter().filter(|array| **array != "m").copied();
        let copied = copied.collect::<Vec<_>>().join(", ");
        let (mut stencils, mut calls) = (String::new(), String::new());
        for (number, (taken, given, lines)) in self.assignments().into_iter().enumerate() {
            let margin = self.radius * (number as i64 + 1);
            let range = |parameter: &&str| format!("{margin}:{parameter}-{}", margin + 1);
            let ranges = parameters.iter().map(range).collect::<Vec<_>>().join(", ");
            let body = lines.iter().map(|line| format!("  {line}\n")).collect::<String>();
            stencils += &format!("stencil step{number} ({taken}) {{\n{body}}}\n\n");
            calls += &format!("  [{ranges}] : step{number} ({given});\n");
        }
        let swapped = match self.kind {
            Kind::Coupled => "  swap (u, v);\n  swap (p, q);\n",
            _ => "  swap (u, v);\n",
        };
        let iterators = ITERATORS[3 - self.rank..].join(", ");
        format!(
            "// {name}: generated.\n\nparameter {defined};\niterator {iterators};\n\
             double {declared};\ncopyin {copied};\n\n{stencils}\
             iterate {STEPS} {{\n{calls}{swapped}}}\ncopyout {copied};\n"
        )
    }

    fn arrays(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Variable | Kind::Conduction => &["u", "v", "c"],
            Kind::Coupled => &["u", "v", "p", "q"],
            Kind::Biharmonic => &["u", "v", "m"],
            _ => &["u", "v"],
        }
    }

    /// Statements: the parameters of a stencil, what it is called with, and its lines.
    fn assignments(&self) -> Vec<(&'static str, &'static str, Vec<String>)> {
        let (u, laplacian) = (self.at("u", None), self.laplacian("u"));
        let out = self.at("v", None);
        let one = |value: String| vec![("v, u", "v, u", vec![format!("{out} = {value};")])];
        let with_coefficient =
            |value: String| vec![("v, u, c", "v, u, c", vec![format!("{out} = {value};")])];
        match self.kind {
            Kind::Upwind => one(format!("0.5 * {u} + {}", self.upwind())),
            Kind::Variable => {
                let c = self.at("c", None);
                with_coefficient(format!("{u} + (0.1 * {c}) * ({laplacian})"))
            }
            Kind::Conduction => with_coefficient(format!("{u} + 0.02 * ({})", self.fluxes())),
            Kind::Wave => {
                let value = format!("2.0 * {u} - {out} + 0.2 * ({laplacian})");
                vec![("inout: v, u", "v, u", vec![format!("{out} = {value};")])]
            }
            Kind::Coupled => {
                let (p, q) = (self.at("p", None), self.at("q", None));
                let reaction = format!("{u} * {p} * {p}");
                let lines = vec![
                    format!("{out} = {u} + 0.2 * ({laplacian}) - 0.01 * {reaction};"),
                    format!("{q} = {p} + 0.1 * ({}) + 0.01 * {reaction};", self.laplacian("p")),
                ];
                vec![("v, q, u, p", "v, q, u, p", lines)]
            }
            Kind::Front => one(format!("{u} + 0.1 * ({laplacian}) - 0.005 * ({})", self.squares())),
            Kind::Gradient => one(format!("{u} - 0.01 * sqrt(0.001 + {})", self.squares())),
            Kind::Dilation => one(self.largest()),
            Kind::Blur => one(self.blur()),
            Kind::Biharmonic => {
                let m = self.at("m", None);
                vec![
                    ("m, u", "m, u", vec![format!("{m} = {laplacian};")]),
                    (
                        "v, u, m",
                        "v, u, m",
                        vec![format!("{out} = {u} - 0.1 * ({});", self.laplacian("m"))],
                    ),
                ]
            }
        }
    }

    /// A cell of an array: the point's, or one so far away along an axis.
    fn at(&self, array: &str, away: Option<(usize, i64)>) -> String {
        let mut offsets = vec![0; self.rank];
        if let Some((axis, distance)) = away {
            offsets[axis] = distance;
        }
        self.cell(array, &offsets)
    }

    fn cell(&self, array: &str, offsets: &[i64]) -> String {
        let index = |(iterator, offset): (&&str, &i64)| match offset {
            0 => format!("[{iterator}]"),
            _ => format!("[{iterator}{offset:+}]"),
        };
        let iterators = &ITERATORS[3 - self.rank..];
        let indices = iterators.iter().zip(offsets).map(index).collect::<String>();
        format!("{array}{indices}")
    }

    /// Axes and distances, nearest first.
    fn steps_away(&self) -> impl Iterator<Item = (usize, i64)> + use<> {
        let rank = self.rank;
        (1..=self.radius).flat_map(move |distance| (0..rank).map(move |axis| (axis, distance)))
    }

    /// The mean of a star with weights 1 / distance, less the point's own value.
    fn laplacian(&self, array: &str) -> String {
        let total: f64 = self.steps_away().map(|(_, distance)| 2.0 / distance as f64).sum();
        let of_distance = |distance: i64| {
            let pair = |axis| {
                let side = |distance| self.at(array, Some((axis, distance)));
                format!("({} + {})", side(-distance), side(distance))
            };
            let pairs = (0..self.rank).map(pair).collect::<Vec<_>>().join(" + ");
            format!("{:?} * ({pairs})", 1.0 / (distance as f64 * total))
        };
        let sums = (1..=self.radius).map(of_distance).collect::<Vec<_>>().join(" + ");
        format!("{sums} - {}", self.at(array, None))
    }

    fn upwind(&self) -> String {
        let count = (self.rank as i64 * self.radius) as f64;
        let term = |(number, (axis, distance)): (usize, (usize, i64))| -> String {
            let weight = (0.3 + 0.4 * (number as f64 + 0.5) / count) / count;
            format!("{weight:?} * {}", self.at("u", Some((axis, -distance))))
        };
        self.steps_away().enumerate().map(term).collect::<Vec<_>>().join(" + ")
    }

    fn fluxes(&self) -> String {
        let (u, c) = (self.at("u", None), self.at("c", None));
        let flux = |away| {
            let (other, coefficient) = (self.at("u", Some(away)), self.at("c", Some(away)));
            format!("({c} + {coefficient}) * ({other} - {u})")
        };
        let both =
            |(axis, distance): (usize, i64)| [flux((axis, -distance)), flux((axis, distance))];
        self.steps_away().flat_map(both).collect::<Vec<_>>().join(" + ")
    }

    fn squares(&self) -> String {
        let square = |(axis, distance): (usize, i64)| {
            let side = |distance| self.at("u", Some((axis, distance)));
            let difference = format!("({} - {})", side(distance), side(-distance));
            format!("{difference} * {difference}")
        };
        self.steps_away().map(square).collect::<Vec<_>>().join(" + ")
    }

    fn largest(&self) -> String {
        self.steps_away().fold(self.at("u", None), |largest, (axis, distance)| {
            let side = |distance| self.at("u", Some((axis, distance)));
            format!("max({largest}, max({}, {}))", side(-distance), side(distance))
        })
    }

    fn blur(&self) -> String {
        let mut offsets = vec![Vec::<i64>::new()];
        for axis in 0..self.rank {
            let radius = if axis + 1 == self.rank { self.radius } else { 1 };
            let longer = |start: &Vec<i64>| {
                let start = start.clone();
                (-radius..=radius).map(move |last| [start.as_slice(), &[last]].concat())
            };
            offsets = offsets.iter().flat_map(longer).collect();
        }
        let count = offsets.len() as f64;
        let term = |(number, offsets): (usize, &Vec<i64>)| {
            let weight = (0.5 + (number as f64 + 0.5) / count) / count;
            format!("{weight:?} * {}", self.cell("u", offsets))
        };
        offsets.iter().enumerate().map(term).collect::<Vec<_>>().join(" + ")
    }
}

/// A statement without what is in brackets.
fn without_offsets(text: &str) -> String {
    let parts = text.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let right = parts.collect::<String>();
    right.split_once('=').map_or(right.clone(), |(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_programs_of_distinct_names() {
        let names =
            members().iter().map(Generated::name).collect::<std::collections::BTreeSet<_>>();
        assert_eq!((members().len(), names.len()), (60, 60));
        assert_eq!(find("wave3d2r").map(|found| (found.rank, found.radius)), Some((3, 2)));
    }

    #[test]
    fn a_program_says_its_sizes_and_where_it_is_computed() {
        let text = find("biharmonic2d2r").unwrap().text();
        assert!(text.contains("parameter M = 8192, N = 8192;\niterator j, i;"), "{text}");
        assert!(text.contains("double u[M,N], v[M,N], m[M,N];\ncopyin u, v;"), "{text}");
        assert!(text.contains("[2:M-3, 2:N-3] : step0 (m, u);"), "{text}");
        assert!(text.contains("[4:M-5, 4:N-5] : step1 (v, u, m);"), "{text}");
    }

    #[test]
    fn operations_are_counted_outside_of_brackets() {
        assert_eq!(without_offsets("v[j][i] = u[j-1][i+2] - 2.0;"), " u - 2.0;");
        // Two pairs with a sum each, their sum, a weight, less the centre, a weight, a sum and a
        // product of coefficients.
        let flops = |name: &str| find(name).unwrap().benchmark().flops_per_point;
        assert_eq!(flops("variable2d1r"), 8);
        assert_eq!(flops("dilation3d1r"), 6);
    }
}
