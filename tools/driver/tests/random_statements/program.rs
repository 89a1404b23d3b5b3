//! Time loops and groups of several statements, drawn at random.

use crate::random_imports::Random;
use std::collections::BTreeSet;

/// Half-open ranges of points, one for each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Box {
    pub lower: Vec<i64>,
    pub upper: Vec<i64>,
}

impl Box {
    /// Moved by an offset.
    pub fn moved(&self, offset: &[i64]) -> Self {
        let add = |ends: &[i64]| ends.iter().zip(offset).map(|(end, by)| end + by).collect();
        Self { lower: add(&self.lower), upper: add(&self.upper) }
    }

    /// The smallest box that holds both.
    pub fn hull(&self, other: &Self) -> Self {
        let pairs = |one: &[i64], two: &[i64], pick: fn(i64, i64) -> i64| {
            one.iter().zip(two).map(|(one, two)| pick(*one, *two)).collect()
        };
        Self {
            lower: pairs(&self.lower, &other.lower, i64::min),
            upper: pairs(&self.upper, &other.upper, i64::max),
        }
    }

    /// Wider by so many points at each end.
    pub fn wider(&self, by: i64) -> Self {
        Self {
            lower: self.lower.iter().map(|end| end - by).collect(),
            upper: self.upper.iter().map(|end| end + by).collect(),
        }
    }
}

/// What a statement reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The level of an unknown so many iterations ago.
    Level { unknown: usize, age: usize },
    /// A result of a statement before it, as a temp.
    Temp { statement: usize, result: usize },
    /// The new level of an unknown, loaded from its field.
    New { unknown: usize },
    /// A field that nothing changes.
    Coefficient(usize),
}

/// Where a result is stored.
#[derive(Clone, Debug)]
pub struct Store {
    pub unknown: usize,
    pub points: Box,
}

/// What the points of a statement are computed from besides fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// The number that is the same in all iterations.
    pub constant: bool,
    /// The number of the iteration.
    pub time: bool,
    /// A number that the loop carries.
    pub carried: bool,
    /// The coordinate along a dimension.
    pub coordinate: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub reads: Vec<(Source, Vec<Vec<i64>>)>,
    pub extras: Extras,
    /// For each result, its store; a result without one is a temp.
    pub results: Vec<Option<Store>>,
    /// What decides the arithmetic.
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub element: &'static str,
    pub domain: Box,
    /// Fields in rotation of each unknown.
    pub rotations: Vec<usize>,
    /// For each unknown, whether its fields are allocated in the function, and if so the level that
    /// is read after the loop, if any.
    pub hidden: Vec<Option<Option<usize>>>,
    pub coefficients: usize,
    /// Whether the loop carries the coefficients.
    pub hands_on_coefficients: bool,
    pub statements: Vec<Statement>,
    pub periodic: Vec<usize>,
    /// Whether ghost cells of what an iteration stores are filled at its end, behind what reads
    /// them.
    pub fills_late: bool,
    /// First value, step and number of the iterations.
    pub iterations: [i64; 3],
    pub is_run_time_count: bool,
    /// Whether the statements are in no loop.
    pub is_group: bool,
    /// Whether the program has a plan, instead of its applies.
    pub is_planned: bool,
}

/// How far statements read.
struct Shape {
    radius: i64,
    periodic: Vec<usize>,
    rank: usize,
}

impl Program {
    pub fn random(random: &mut Random) -> Self {
        let rank = [1, 2, 2, 2, 3, 3][random.below(6)];
        let domain = domain(random, rank);
        let dimensions = 0..rank;
        let periodic = match random.one_in(4) {
            true => dimensions.filter(|_| !random.one_in(3)).collect::<Vec<_>>(),
            false => Vec::new(),
        };
        let shape = Shape { radius: 1 + i64::from(random.one_in(4)), periodic, rank };
        let unknowns = [1, 1, 2, 2, 3][random.below(5)];
        let count = unknowns.max([1, 2, 2, 2, 3, 3, 4][random.below(7)]);
        let rotations = (0..unknowns).map(|_| [2, 2, 2, 1, 3][random.below(5)]).collect::<Vec<_>>();
        let mut program = Self {
            element: ["f64", "f64", "f64", "f32", "f32", "f32", "f16", "bf16"][random.below(8)],
            domain,
            hidden: rotations.iter().map(|rotation| hidden(random, *rotation)).collect(),
            rotations,
            coefficients: random.below(3),
            hands_on_coefficients: random.one_in(4),
            statements: Vec::new(),
            fills_late: !shape.periodic.is_empty() && random.one_in(10),
            periodic: shape.periodic.clone(),
            iterations: [
                random.below(4) as i64 - 1,
                1 + random.below(3) as i64,
                random.below(14) as i64,
            ],
            is_run_time_count: random.one_in(3),
            is_group: false,
            is_planned: false,
        };
        program.add_statements(random, &shape, count);
        program
    }

    /// Statements in no loop: each stored field is written once, and read after that.
    pub fn group(random: &mut Random) -> Self {
        let rank = [1, 2, 2, 2, 3, 3][random.below(6)];
        let domain = domain(random, rank);
        let radius = 1 + i64::from(rank < 3 && random.one_in(4));
        let shape = Shape { radius, periodic: Vec::new(), rank };
        let unknowns = 1 + random.below(3);
        let most = if rank == 3 { 3 } else { 7 };
        let count = unknowns.max(2 + random.below(most));
        let mut program = Self {
            element: ["f64", "f64", "f32", "f32", "f16", "bf16"][random.below(6)],
            domain,
            hidden: vec![None; unknowns],
            rotations: vec![1; unknowns],
            coefficients: 1 + random.below(3),
            hands_on_coefficients: false,
            statements: Vec::new(),
            periodic: Vec::new(),
            fills_late: false,
            iterations: [0, 1, 1],
            is_run_time_count: false,
            is_group: true,
            is_planned: false,
        };
        program.add_statements(random, &shape, count);
        program
    }

    /// Up to twelve such statements, which several kernels compute.
    pub fn planned(random: &mut Random) -> Self {
        let mut program = Self::group(random);
        let most = if program.domain.lower.len() == 3 { 5 } else { 12 };
        let shape = Shape { radius: 1, periodic: Vec::new(), rank: program.domain.lower.len() };
        let count = program.rotations.len().max(2 + random.below(most - 1));
        program.statements.clear();
        program.add_statements(random, &shape, count);
        program.is_planned = true;
        program
    }

    /// The statements that a statement needs.
    pub fn needs(&self, number: usize) -> Vec<usize> {
        let reads = self.statements[number].reads.iter();
        let of = |(source, _): &(Source, Vec<Vec<i64>>)| match source {
            Source::Temp { statement, .. } => Some(*statement),
            Source::New { unknown } => self.writer(*unknown),
            _ => None,
        };
        reads.filter_map(of).collect()
    }

    fn add_statements(&mut self, random: &mut Random, shape: &Shape, count: usize) {
        for number in 0..count {
            // The last statements store what the others have not.
            let stored = number + self.rotations.len() >= count || random.one_in(4);
            let statement = self.statement(random, shape, stored, count - number);
            self.statements.push(statement);
        }
    }

    /// The statement and the result that store an unknown.
    fn writer(&self, unknown: usize) -> Option<usize> {
        let is_writer = |statement: &Statement| {
            statement.results.iter().flatten().any(|store| store.unknown == unknown)
        };
        self.statements.iter().position(is_writer)
    }

    fn statement(
        &self,
        random: &mut Random,
        shape: &Shape,
        stored: bool,
        to_come: usize,
    ) -> Statement {
        let mut open = (0..self.rotations.len())
            .filter(|unknown| self.writer(*unknown).is_none())
            .collect::<Vec<_>>();
        let mut results = Vec::new();
        // A statement of several results may store all that are left.
        let count = if open.len() > 1 && random.one_in(4) { 2 } else { 1 };
        for _ in 0..count {
            let may_wait = open.len() < to_come && !stored;
            if open.is_empty() || may_wait {
                results.push(None);
                continue;
            }
            let unknown = open.remove(random.below(open.len()));
            results.push(Some(Store { unknown, points: self.points(random) }));
        }
        let own = results.iter().flatten().map(|store| store.unknown).collect::<Vec<_>>();
        let sources = self.sources(random, &own);
        let is_plain = self.periodic.is_empty();
        let extras = Extras {
            constant: random.one_in(4),
            time: random.one_in(4) && !self.is_group,
            carried: random.one_in(6) && !self.is_group,
            coordinate: (is_plain && random.one_in(8)).then(|| random.below(shape.rank)),
        };
        let reads = sources.into_iter().map(|source| {
            let offsets = self.offsets(random, shape, source, &own);
            (source, offsets)
        });
        let reads = reads.collect();
        Statement { reads, extras, results, seed: random.below(1 << 30) as u64 }
    }

    /// The points of a store: those of a periodic grid, or others by up to two at each end.
    fn points(&self, random: &mut Random) -> Box {
        if !self.periodic.is_empty() || random.one_in(3) {
            return self.domain.clone();
        }
        let mut points = self.domain.clone();
        for (lower, upper) in points.lower.iter_mut().zip(&mut points.upper) {
            *lower += random.below(5) as i64 - 2;
            *upper += random.below(5) as i64 - 2;
        }
        points
    }

    fn sources(&self, random: &mut Random, own: &[usize]) -> Vec<Source> {
        let mut sources = Vec::new();
        for (unknown, rotation) in self.rotations.iter().enumerate() {
            let is_new = self.writer(unknown).is_some();
            // What a statement before this one has overwritten is rarely read.
            let oldest = if self.is_group { 0 } else { *rotation };
            for age in 1..=oldest {
                let is_gone = age == *rotation && is_new && !random.one_in(30);
                let chances = if age == 1 { 2 } else { 4 };
                let is_wanted = random.one_in(chances) || (age == 1 && own.contains(&unknown));
                if is_wanted && !is_gone {
                    sources.push(Source::Level { unknown, age });
                }
            }
            if is_new && random.one_in(2) {
                sources.push(Source::New { unknown });
            }
        }
        for (statement, before) in self.statements.iter().enumerate() {
            for result in 0..before.results.len() {
                let chances = if before.results[result].is_some() { 4 } else { 2 };
                if random.one_in(chances) {
                    sources.push(Source::Temp { statement, result });
                }
            }
        }
        for coefficient in 0..self.coefficients {
            if random.one_in(2) {
                sources.push(Source::Coefficient(coefficient));
            }
        }
        if sources.is_empty() && self.is_group {
            sources.push(Source::Coefficient(0));
        }
        if sources.is_empty() {
            sources.push(Source::Level { unknown: own.first().copied().unwrap_or(0), age: 1 });
        }
        sources
    }

    fn offsets(
        &self,
        random: &mut Random,
        shape: &Shape,
        source: Source,
        own: &[usize],
    ) -> Vec<Vec<i64>> {
        let center = vec![0; shape.rank];
        let has_ghosts = matches!(source, Source::Level { .. } | Source::New { .. });
        let in_place = match source {
            // The field that the statement stores holds the oldest level: only the own cell is
            // there for sure.
            Source::Level { unknown, age } => {
                own.contains(&unknown) && age == self.rotations[unknown]
            }
            _ => false,
        };
        if in_place || (!self.periodic.is_empty() && !has_ghosts) {
            return vec![center];
        }
        let is_coefficient = matches!(source, Source::Coefficient(_));
        let column = is_coefficient && random.one_in(3);
        let count = match is_coefficient && !random.one_in(3) {
            true => 1,
            false => 1 + random.below(3),
        };
        let mut offsets = Vec::new();
        for _ in 0..count {
            let mut offset = center.clone();
            let first = random.below(shape.rank);
            for (d, along) in offset.iter_mut().enumerate() {
                let is_on_ring = shape.periodic.is_empty() || shape.periodic.contains(&d);
                let is_chosen = if column { d == 0 } else { d == first || random.one_in(5) };
                if is_on_ring && is_chosen {
                    *along = random.below(2 * shape.radius as usize + 1) as i64 - shape.radius;
                }
            }
            offsets.push(offset);
        }
        offsets.sort();
        offsets.dedup();
        offsets
    }

    /// The points that each statement computes: those that are stored, and those that statements
    /// after it read as temps. None for what nothing reads.
    pub fn computed(&self) -> Vec<Option<Box>> {
        let mut computed = self.statements.iter().map(stored).collect::<Vec<_>>();
        for (number, statement) in self.statements.iter().enumerate().rev() {
            let Some(points) = computed[number].clone() else { continue };
            for (source, offsets) in &statement.reads {
                let Source::Temp { statement, .. } = source else { continue };
                for offset in offsets {
                    let moved = points.moved(offset);
                    let known = computed[*statement].take();
                    computed[*statement] = Some(known.map_or(moved.clone(), |it| it.hull(&moved)));
                }
            }
        }
        computed
    }

    /// The bounds of the fields of each unknown, and of the coefficients.
    pub fn bounds(&self) -> (Vec<Box>, Vec<Box>) {
        let ghosts = if self.periodic.is_empty() { 0 } else { 2 };
        let mut unknowns = vec![self.domain.wider(ghosts); self.rotations.len()];
        let mut coefficients = vec![self.domain.clone(); self.coefficients];
        for (statement, computed) in self.statements.iter().zip(self.computed()) {
            for store in statement.results.iter().flatten() {
                unknowns[store.unknown] = unknowns[store.unknown].hull(&store.points);
            }
            let Some(computed) = computed else { continue };
            for (source, offsets) in &statement.reads {
                let field = match *source {
                    Source::Level { unknown, .. } | Source::New { unknown } => {
                        &mut unknowns[unknown]
                    }
                    Source::Coefficient(number) => &mut coefficients[number],
                    Source::Temp { .. } => continue,
                };
                for offset in offsets {
                    *field = field.hull(&computed.moved(offset));
                }
            }
        }
        (unknowns, coefficients)
    }

    /// Unknowns and ages of levels of which ghost cells are read; age 0 is the new one.
    pub fn ghosts(&self) -> BTreeSet<(usize, usize)> {
        let reads = self.statements.iter().flat_map(|statement| &statement.reads);
        let is_outside = |offsets: &[Vec<i64>]| offsets.iter().flatten().any(|along| *along != 0);
        let wanted =
            reads.filter(|(_, offsets)| is_outside(offsets)).filter_map(
                |(source, _)| match *source {
                    Source::Level { unknown, age } => Some((unknown, age)),
                    Source::New { unknown } => Some((unknown, 0)),
                    _ => None,
                },
            );
        wanted.filter(|_| !self.periodic.is_empty()).collect()
    }

    /// How far a step reads along the last dimension but one and the last, all statements together.
    pub fn reach(&self) -> [i64; 2] {
        let rank = self.domain.lower.len();
        let along = |d: usize| {
            let of_statement = |statement: &Statement| {
                let offsets = statement.reads.iter().flat_map(|(_, offsets)| offsets);
                offsets.map(|offset| offset[d].abs()).max().unwrap_or(0)
            };
            self.statements.iter().map(of_statement).sum()
        };
        [if rank == 3 { along(1) } else { 0 }, along(rank - 1)]
    }
}

/// The points of a statement's stores.
fn stored(statement: &Statement) -> Option<Box> {
    let stores = statement.results.iter().flatten().map(|store| store.points.clone());
    stores.reduce(|one, two| one.hull(&two))
}

fn domain(random: &mut Random, rank: usize) -> Box {
    let extents: Vec<i64> = match rank {
        1 => vec![30 + random.below(160)],
        2 => vec![5 + random.below(14), 17 + random.below(70)],
        _ => vec![5 + random.below(5), 6 + random.below(8), 17 + random.below(24)],
    }
    .into_iter()
    .map(|extent| extent as i64)
    .collect();
    let lower = (0..rank).map(|_| random.below(8) as i64 - 4).collect::<Vec<_>>();
    let upper = lower.iter().zip(&extents).map(|(lower, extent)| lower + extent).collect();
    Box { lower, upper }
}

/// Rarely fields of the function, of which a level may be read after the loop.
fn hidden(random: &mut Random, rotation: usize) -> Option<Option<usize>> {
    let is_hidden = random.one_in(5);
    is_hidden.then(|| random.one_in(2).then(|| 1 + random.below(rotation)))
}
