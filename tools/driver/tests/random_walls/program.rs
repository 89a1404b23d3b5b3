//! Time loops with ghost cells and overwritten points, as data: what is printed, and made smaller.

pub use super::cells::Cells;
use super::wraps::Wrap;

/// What an apply reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The level of an unknown so many iterations ago.
    Level { unknown: usize, age: usize },
    /// The new level of an unknown, in the field that the iteration stores.
    New { unknown: usize },
    /// A field that nothing changes.
    Coefficient(usize),
}

/// What values are computed from besides fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// A number that is the same in all iterations is a factor.
    pub constant: bool,
    /// The number of the iteration is one.
    pub time: bool,
    /// A number that the loop carries is one.
    pub carried: bool,
    /// The coordinate along a dimension is added.
    pub coordinate: Option<usize>,
    pub is_negated: bool,
    /// Every value that is read has a weight, and the weights are small.
    pub is_weighted: bool,
}

/// A result of an apply, and its store.
#[derive(Clone, Debug)]
pub struct Part {
    pub unknown: usize,
    pub points: Cells,
    pub reads: Vec<(Source, Vec<i64>)>,
    pub extras: Extras,
    /// What decides the arithmetic.
    pub seed: u64,
}

/// What an apply is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Copies ghost cells from the other end of the domain.
    Strip,
    /// Fills ghost cells.
    Fill,
    /// Computes the new level.
    Step,
    /// Overwrites some points of the new level.
    Force,
}

impl Role {
    pub fn word(self) -> &'static str {
        match self {
            Role::Strip => "strip",
            Role::Fill => "fill",
            Role::Step => "step",
            Role::Force => "force",
        }
    }
}

/// An apply of an iteration.
#[derive(Clone, Debug)]
pub struct Item {
    pub role: Role,
    /// Its name is the role's with this number.
    pub number: usize,
    /// Which level it stores to: the new one, or that which is so many iterations old.
    pub age: Option<usize>,
    pub parts: Vec<Part>,
    /// Whether what it reads is loaded before everything else.
    pub is_loaded_early: bool,
}

impl Item {
    /// The name of its stage.
    pub fn name(&self) -> String {
        format!("{}{}", self.role.word(), self.number)
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub element: &'static str,
    pub domain: Cells,
    /// The cells of every field of an unknown.
    pub field: Cells,
    /// Fields in rotation of each unknown.
    pub rotations: Vec<usize>,
    pub coefficients: usize,
    /// What is stored to coefficients before the loop.
    pub wraps: Vec<Wrap>,
    pub items: Vec<Item>,
    /// First value, step, number of the iterations, and by how much less than a step the last ends.
    pub iterations: [i64; 4],
    pub is_run_time_count: bool,
    /// The level that is read after the loop, if any.
    pub read_behind: Option<usize>,
}

impl Program {
    pub fn rank(&self) -> usize {
        self.domain.lower.len()
    }

    /// The cells of coefficients, which are more than those of unknowns.
    pub fn coefficient(&self) -> Cells {
        self.field.wider(3)
    }

    /// Removes accesses that leave their fields, and stores that do.
    pub fn tidied(mut self) -> Self {
        let (field, coefficient) = (self.field.clone(), self.coefficient());
        for item in &mut self.items {
            item.parts.retain(|part| {
                let is_full = (0..field.lower.len()).all(|d| part.points.extent(d) > 0);
                is_full && field.contains(&part.points)
            });
            let points = item.parts.iter().map(|part| part.points.clone());
            let Some(computed) = points.reduce(|one, two| one.hull(&two)) else { continue };
            for part in &mut item.parts {
                part.reads.retain(|(source, offset)| {
                    let cells = computed.moved(offset);
                    match source {
                        Source::Coefficient(_) => coefficient.contains(&cells),
                        _ => field.contains(&cells),
                    }
                });
            }
        }
        self.items.retain(|item| !item.parts.is_empty());
        self
    }

    /// How far the steps of an iteration read along each dimension, all together.
    pub fn reach(&self) -> Vec<i64> {
        let along = |d: usize| {
            let steps = self.items.iter().filter(|item| item.role == Role::Step);
            let of_step = |item: &Item| {
                let reads = item.parts.iter().flat_map(|part| &part.reads);
                reads.map(|(_, offset)| offset[d].abs()).max().unwrap_or(0)
            };
            steps.map(of_step).sum()
        };
        (0..self.rank()).map(along).collect()
    }

    /// The applies of a role.
    pub fn count(&self, role: Role) -> usize {
        self.items.iter().filter(|item| item.role == role).count()
    }

    /// Programs that hold a little less, the much smaller ones first.
    pub fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut program = self.clone();
            change(&mut program);
            found.push(program.tidied());
        };
        for position in 0..self.items.len() {
            add(&|it| drop(it.items.remove(position)));
            add(&|it| it.items[position].is_loaded_early = false);
            for part in 0..self.items[position].parts.len() {
                add(&|it| drop(it.items[position].parts.remove(part)));
                add(&|it| {
                    let is_weighted = self.items[position].parts[part].extras.is_weighted;
                    it.items[position].parts[part].extras =
                        Extras { is_weighted, ..Extras::default() };
                });
                for read in 0..self.items[position].parts[part].reads.len() {
                    add(&|it| drop(it.items[position].parts[part].reads.remove(read)));
                }
            }
        }
        for wrap in 0..self.wraps.len() {
            add(&|it| drop(it.wraps.remove(wrap)));
        }
        add(&|it| it.read_behind = None);
        add(&|it| it.is_run_time_count = false);
        add(&|it| it.iterations = [0, 1, it.iterations[2], 0]);
        add(&|it| it.iterations[2] -= i64::from(it.iterations[2] > 0));
        found
    }
}
