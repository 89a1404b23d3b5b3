//! What a sweep along the streamed axis needs, in exact integers.
//!
//! A *sweep* visits the planes of a grid one after the other (rows, in two dimensions), several
//! time levels in one pass: when a plane arrives, each level computes the plane that the one below
//! has just completed the neighbourhood of. What must be remembered between planes, where it lies,
//! follows from a few numbers; here are the counts, before there is any code, so that a decision
//! and the code that carries it out can be held against each other.
//!
//! - [`queue`]: one circular queue for all levels [Yang et al., hybrid circular queue, 2012].
//! - [`search`]: which versions are worth a run, of the same paper.
//! - [`planes`]: a store of planes for each level, and tiles [Rawat et al., STENCILGEN, Proc. IEEE
//!   2018].
//! - [`check`]: what must hold for a sweep as a whole.
//! - [`estimate`]: what a step takes, as one sweep or statement by statement.
//! - [`pipeline`]: several statements, each at its distance behind what arrives.
//! - [`drawing`]: the pipeline of a sweep as text.

pub mod check;
pub mod drawing;
pub mod estimate;
pub mod halo;
pub mod launch;
pub mod pipeline;
pub mod planes;
pub mod queue;
pub mod search;
pub mod tiling;

/// The next multiple of a unit, for counts that are not negative.
pub fn round_up(number: i64, unit: i64) -> i64 {
    (number + unit - 1) / unit * unit
}

/// Entries for planes, rows and columns, as those of a domain's dimensions.
pub fn of_rank<T: Copy>([planes, rows, columns]: [T; 3], rank: usize) -> Vec<T> {
    match rank {
        1 => vec![columns],
        2 => vec![planes, columns],
        _ => vec![planes, rows, columns],
    }
}

/// The least common multiple of two positive numbers: after so many iterations two things that come
/// again every `one` and every `two` iterations coincide.
pub fn least_common_multiple(one: i64, two: i64) -> i64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}

/// How far a stencil reaches along the streamed axis, in planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reach {
    /// Planes behind the one that is computed.
    pub behind: u32,
    /// Planes ahead of it.
    pub ahead: u32,
}

impl Reach {
    /// The same on both sides.
    pub const fn symmetric(radius: u32) -> Self {
        Self { behind: radius, ahead: radius }
    }

    /// The least that reaches as far as both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { behind: self.behind.max(other.behind), ahead: self.ahead.max(other.ahead) }
    }

    /// Planes that one is computed from, itself not counted.
    pub const fn span(self) -> u32 {
        self.behind + self.ahead
    }
}
