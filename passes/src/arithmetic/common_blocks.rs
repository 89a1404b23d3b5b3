//! Common subexpressions of several linear forms of the same values.
//!
//! Given are the weights of several sums of the same columns, a matrix M with one row a sum. Where
//! rows I and columns J of it have rank one, M[i,j] = a[i] b[j], the sum over J weighted by b
//! becomes a value of its own, of which every row of I uses a multiple: |I| |J| operations become
//! |J| - 1 to form it, its first weight being one, and |I| to use it. Blocks of two columns or of
//! two rows are extracted greedily, the one that saves most first; a formed value is a column like
//! others, and its own sum a row like others, so larger blocks, class sums (equal weights), and low
//! rank with a sparse remainder result.
//! A rank of two whose rows differ by multiples of a simple vector has no such block: as an
//! alternative all rows are first written in terms of two of the rows or their differences, of
//! which [`CANDIDATES_MAX`] are tried.
//! All pairs of columns and of rows are looked at before each block: the caller bounds the size.
//! Method: common subexpression elimination of constant linear maps, greedy by pairs, as in
//! [Potkonjak, Srivastava, Chandrakasan, Multiple constant multiplications, IEEE TCAD 1996].

use crate::framework::count_steps;

/// Equality of weights in a type with unit roundoff `unit`.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// The unit roundoff of the type.
    pub unit: f64,
}

impl Rounding {
    /// Whether two weights, or quotients of weights, are equal up to rounding. A quotient of two
    /// rounded weights is off by three units, so two quotients differ by up to six.
    fn same(self, one: f64, other: f64) -> bool {
        self.near(one, other, 8.0)
    }

    /// The same for differences of weights, which have lost digits to cancellation.
    fn roughly_same(self, one: f64, other: f64) -> bool {
        self.near(one, other, 4096.0)
    }

    fn near(self, one: f64, other: f64, units: f64) -> bool {
        (one - other).abs() <= units * self.unit * one.abs().max(other.abs())
    }

    /// Rounds to one, if equal up to rounding.
    fn unity(self, weight: f64) -> f64 {
        if self.same(weight.abs(), 1.0) { weight.signum() } else { weight }
    }
}

/// A value that sums use.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A given one.
    Given,
    /// A weighted sum of columns before it.
    Formed(Vec<(usize, f64)>),
}

/// Sums of given values, with common subexpressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Forms {
    /// The given values, then the formed ones, in topological order.
    pub columns: Vec<Column>,
    /// The sums: columns with their weights.
    pub sums: Vec<Vec<(usize, f64)>>,
}

/// Positions of columns, to break ties between pairs.
pub trait Placed {
    /// Small for two columns that should form one value, as their neighbours can share it.
    fn distance(&self, one: &[usize], other: &[usize]) -> Vec<i64>;
}

/// Finds common blocks of a matrix.
pub struct CommonBlocks<'p, P> {
    place: &'p P,
    rounding: Rounding,
    given: usize,
    outputs: usize,
    /// The given columns that each column depends on.
    parts: Vec<Vec<usize>>,
    /// Weights, a row for each sum, then one for each formed column.
    rows: Vec<Vec<f64>>,
    /// For rows after the sums: the column that they form.
    formed: Vec<usize>,
}

/// A block of rank one.
struct Block {
    saved: usize,
    /// Prefers columns; then weights of one; then small distances.
    order: (bool, bool, Vec<i64>),
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl<'p, P: Placed> CommonBlocks<'p, P> {
    /// The forms of a matrix with a row for each sum.
    pub fn forms(matrix: &[Vec<f64>], place: &'p P, rounding: Rounding) -> Forms {
        let given = matrix.first().map_or(0, Vec::len);
        let parts = (0..given).map(|column| vec![column]).collect();
        let rows = matrix.to_vec();
        let outputs = rows.len();
        let formed = Vec::new();
        let mut blocks = Self { place, rounding, given, outputs, parts, rows, formed };
        while let Some(block) = blocks.best() {
            blocks.take_out(&block);
        }
        blocks.finish()
    }

    fn best(&self) -> Option<Block> {
        let columns = self.parts.len();
        count_steps((columns * columns + self.rows.len() * self.rows.len()) as u64 / 2);
        let mut best: Option<Block> = None;
        let mut offer = |block: Block| {
            let is_better = best.as_ref().is_none_or(|best| {
                (std::cmp::Reverse(block.saved), &block.order)
                    < (std::cmp::Reverse(best.saved), &best.order)
            });
            if block.saved > 0 && is_better {
                best = Some(block);
            }
        };
        for one in 0..columns {
            for other in one + 1..columns {
                self.of_columns(one, other).into_iter().for_each(&mut offer);
            }
        }
        for one in 0..self.rows.len() {
            for other in one + 1..self.rows.len() {
                self.of_rows(one, other).into_iter().for_each(&mut offer);
            }
        }
        best
    }

    /// Two columns, in the rows with a common ratio.
    fn of_columns(&self, one: usize, other: usize) -> Option<Block> {
        let quotients = self.rows.iter().enumerate();
        let quotients = quotients.filter_map(|(row, weights)| {
            quotient(weights[other], weights[one]).map(|quotient| (row, quotient))
        });
        let (quotient, rows) = self.rounding.most_common(quotients)?;
        let distance = self.place.distance(&self.parts[one], &self.parts[other]);
        let order = (false, quotient.abs() != 1.0, distance);
        Some(Block { saved: rows.len() - 1, order, columns: vec![one, other], rows })
    }

    /// Two rows, in the columns with a common ratio.
    fn of_rows(&self, one: usize, other: usize) -> Option<Block> {
        let quotients = (0..self.parts.len()).filter_map(|column| {
            let quotient = quotient(self.rows[other][column], self.rows[one][column])?;
            Some((column, quotient))
        });
        let (quotient, columns) = self.rounding.most_common(quotients)?;
        let order = (true, quotient.abs() != 1.0, vec![one as i64, other as i64]);
        Some(Block { saved: columns.len() - 1, order, columns, rows: vec![one, other] })
    }

    /// Forms a column from a block.
    fn take_out(&mut self, block: &Block) {
        let first = block.columns[0];
        let new = self.parts.len();
        let pattern = &self.rows[block.rows[0]];
        let mut definition = vec![0.0; new + 1];
        for column in &block.columns {
            definition[*column] = self.rounding.unity(pattern[*column] / pattern[first]);
        }
        let mut parts = block.columns.iter().flat_map(|column| self.parts[*column].clone());
        let mut parts = parts.by_ref().collect::<Vec<_>>();
        parts.sort_unstable();
        self.parts.push(parts);
        for (number, row) in self.rows.iter_mut().enumerate() {
            row.push(0.0);
            if block.rows.contains(&number) {
                row[new] = row[first];
                for column in &block.columns {
                    row[*column] = 0.0;
                }
            }
        }
        self.rows.push(definition);
        self.formed.push(new);
    }

    /// The columns in topological order.
    fn finish(self) -> Forms {
        let weighted = |row: &Vec<f64>| {
            let all = row.iter().copied().enumerate();
            all.filter(|(_, weight)| *weight != 0.0).collect::<Vec<_>>()
        };
        let definitions = self.rows[self.outputs..].iter().map(weighted).collect::<Vec<_>>();
        let mut number = (0..self.given).map(Some).collect::<Vec<_>>();
        number.resize(self.parts.len(), None);
        let mut columns = vec![Column::Given; self.given];
        let renamed = |sum: &[(usize, f64)], number: &[Option<usize>]| {
            let named = sum.iter().map(|(column, weight)| Some((number[*column]?, *weight)));
            named.collect::<Option<Vec<_>>>()
        };
        while columns.len() < self.parts.len() {
            let before = columns.len();
            for (definition, column) in definitions.iter().zip(&self.formed) {
                let sum = renamed(definition, &number).filter(|_| number[*column].is_none());
                if let Some(sum) = sum {
                    number[*column] = Some(columns.len());
                    columns.push(Column::Formed(sum));
                }
            }
            assert!(columns.len() > before, "a column is formed of columns before it");
        }
        let sums = self.rows[..self.outputs].iter().map(weighted);
        let sums = sums.map(|sum| renamed(&sum, &number).expect("all columns have numbers"));
        Forms { sums: sums.collect(), columns }
    }
}

/// A weight divided by another, if both are non-zero.
fn quotient(above: f64, below: f64) -> Option<f64> {
    (above != 0.0 && below != 0.0).then(|| above / below)
}

impl Rounding {
    /// The most frequent number, and its positions.
    fn most_common(self, all: impl Iterator<Item = (usize, f64)>) -> Option<(f64, Vec<usize>)> {
        let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
        for (item, number) in all {
            match groups.iter_mut().find(|(known, _)| self.same(*known, number)) {
                Some((_, members)) => members.push(item),
                None => groups.push((number, vec![item])),
            }
        }
        let (number, members) = groups.into_iter().reduce(|best, next| {
            let is_better = next.1.len() > best.1.len();
            if is_better { next } else { best }
        })?;
        Some((self.unity(number), members))
    }
}

/// Residuals of this many units of the largest weight are no rounding errors: those of a row in two
/// others are a hundred times smaller.
const RANK_UNITS: f64 = 1e4;

/// The determinant of two columns of two rows.
fn determinant([one, other]: [&Vec<f64>; 2], [a, b]: [usize; 2]) -> f64 {
    one[a] * other[b] - one[b] * other[a]
}

/// The columns of two rows with the largest determinant; none if it is zero.
fn pivot(two: [&Vec<f64>; 2]) -> Option<[usize; 2]> {
    let columns = (0..two[0].len()).flat_map(|b| (0..b).map(move |a| [a, b]));
    let size = |columns: &[usize; 2]| determinant(two, *columns).abs();
    let largest = columns.max_by(|one, other| size(one).total_cmp(&size(other)))?;
    (size(&largest) != 0.0).then_some(largest)
}

/// All rows of a matrix as multiples of two rows.
pub struct ByTwo {
    /// Coefficients of each row.
    pub taken: Vec<Vec<f64>>,
    /// The two rows.
    pub two: Vec<Vec<f64>>,
}

/// Rows and differences of rows that others are written in terms of: all of ten rows, and the first
/// of more.
pub const CANDIDATES_MAX: usize = 64;

impl Rounding {
    /// The ways to write the rows of a matrix of rank two in terms of two rows or differences of
    /// rows.
    ///
    /// The second result is whether all of them were tried.
    pub fn by_two(self, matrix: &[Vec<f64>]) -> (Vec<ByTwo>, bool) {
        if self.has_higher_rank(matrix) {
            return (Vec::new(), true);
        }
        let mut candidates: Vec<Vec<f64>> = Vec::new();
        let differences = matrix.iter().enumerate().flat_map(|(position, one)| {
            let difference = move |other: &Vec<f64>| self.simplest(self.difference(one, other));
            matrix[..position].iter().map(difference)
        });
        let mut rest = matrix.iter().cloned().chain(differences);
        while candidates.len() < CANDIDATES_MAX
            && let Some(row) = rest.next()
        {
            count_steps((candidates.len() + 1) as u64);
            let is_new = candidates.iter().all(|known| !self.is_multiple(&row, known));
            if is_new && row.iter().any(|weight| *weight != 0.0) {
                candidates.push(row);
            }
        }
        let are_all = rest.next().is_none();
        let pairs = (0..candidates.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
        let written = pairs.filter_map(|(one, other)| {
            let two = [&candidates[one], &candidates[other]];
            let pivot = pivot(two)?;
            let taken = matrix.iter().map(|row| self.in_two(row, two, pivot));
            let taken = taken.collect::<Option<Vec<_>>>()?;
            Some(ByTwo { taken, two: two.map(Clone::clone).to_vec() })
        });
        (written.collect(), are_all)
    }

    /// Whether the rank of a matrix is certainly more than two: two steps of elimination with
    /// complete pivoting leave more than rounding errors of weights can.
    fn has_higher_rank(self, matrix: &[Vec<f64>]) -> bool {
        let mut rows = matrix.to_vec();
        let largest = |rows: &[Vec<f64>]| {
            let all = rows.iter().enumerate();
            let all =
                all.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, w)| (i, j, w.abs())));
            all.max_by(|one, other| one.2.total_cmp(&other.2))
        };
        let Some((.., scale)) = largest(&rows) else { return false };
        for _ in 0..2 {
            let Some((at, column, size)) = largest(&rows) else { return false };
            if size == 0.0 {
                return false;
            }
            let taken = rows.swap_remove(at);
            for row in &mut rows {
                let factor = row[column] / taken[column];
                row.iter_mut().zip(&taken).for_each(|(weight, other)| *weight -= factor * other);
            }
        }
        largest(&rows).is_some_and(|(.., size)| size > RANK_UNITS * self.unit * scale)
    }

    /// One row minus another; rounding errors become zero.
    fn difference(self, one: &[f64], other: &[f64]) -> Vec<f64> {
        let less = |(one, other): (&f64, &f64)| match self.same(*one, *other) {
            true => 0.0,
            false => one - other,
        };
        one.iter().zip(other).map(less).collect()
    }

    /// A row divided by its most common weight.
    fn simplest(self, row: Vec<f64>) -> Vec<f64> {
        let mut groups: Vec<(f64, usize)> = Vec::new();
        for size in row.iter().map(|weight| weight.abs()).filter(|size| *size > 0.0) {
            match groups.iter_mut().find(|(known, _)| self.roughly_same(*known, size)) {
                Some((_, count)) => *count += 1,
                None => groups.push((size, 1)),
            }
        }
        let Some((common, _)) = groups.into_iter().max_by_key(|(_, count)| *count) else {
            return row;
        };
        let scaled = |weight: f64| match self.roughly_same(weight.abs(), common) {
            true => weight.signum(),
            false => weight / common,
        };
        let scaled = |weight: f64| if weight == 0.0 { 0.0 } else { scaled(weight) };
        row.into_iter().map(scaled).collect()
    }

    fn is_multiple(self, row: &[f64], of: &[f64]) -> bool {
        let Some(at) = of.iter().position(|weight| *weight != 0.0) else { return false };
        let factor = row[at] / of[at];
        let is_same = |(one, other): (&f64, &f64)| self.same(*one, factor * other);
        factor != 0.0 && row.iter().zip(of).all(is_same)
    }

    /// A row as a sum of multiples of two others, to the last digits of its weights.
    fn in_two(self, row: &[f64], two: [&Vec<f64>; 2], pivot: [usize; 2]) -> Option<Vec<f64>> {
        let ([one, other], [a, b]) = (two, pivot);
        let whole = determinant(two, pivot);
        // Prefer exact zeros and ones.
        let rounded = |weight: f64| {
            let near = weight.round();
            if (weight - near).abs() <= 1024.0 * self.unit { near } else { weight }
        };
        let first = rounded((row[a] * other[b] - row[b] * other[a]) / whole);
        let second = rounded((one[a] * row[b] - one[b] * row[a]) / whole);
        let made = |column: usize| first * one[column] + second * other[column];
        let is_exact = (0..row.len()).all(|column| match row[column] == 0.0 {
            true => made(column) == 0.0,
            false => self.same(made(column), row[column]),
        });
        is_exact.then(|| vec![first, second])
    }
}

#[cfg(test)]
#[path = "common_blocks_tests.rs"]
mod tests;
