//! Reassociation analysis: how far a permitted rewriting may have moved a value.
//!
//! Without rounding, the frozen form would give the value of the text but for its weights: passes
//! multiply constants out, add and divide them, and write each as a number of the type. Written
//! out as a sum of products of leaves, every term of the text has a weight; in the frozen form it
//! has a weight within K u of that, relative to it, where u is the unit roundoff and K the sum of
//!
//! - 1 for each constant on the way from the term's leaf to the root: the product with the weights
//!   around it is rounded (none for a power of two);
//! - 2 for a constant that is divided by, as its reciprocal is rounded first;
//! - 1 for each term of the expression with the same leaf, and other factors, but the first: their
//!   weights may be added;
//! - `MOVED_MOST` (`arithmetic::shared_sums`) where the leaf is a cell of a sum that reads cells of
//!   its field in several planes and at several places of them: classes of equal weights and
//!   factors of planes move weights by no more, and are looked for nowhere else;
//! - the same once more, and what may be added, where a sum dissolves: `Leaves::dissolve`.
//!
//! So the sum moves by at most K u M, where M is the sum of the terms' magnitudes: a weight that
//! moved is seen in its own term, also where terms cancel. That is a finished expression: what
//! several operations use, or one that no form goes through, is a leaf of what follows. It then
//! counts with its own magnitude, and what it has moved by, D, goes through what uses it as an
//! error of an operand does (`rounding` has the derivations; divisors and operands of roots may
//! be smaller by D as well). Within an expression
//!
//! | operation | D | M | K of its terms |
//! | --- | --- | --- | --- |
//! | leaf x | what x has moved by | abs(x) and its errors | 0 |
//! | a + b, a - b | D(a) + D(b) | M(a) + M(b) | the larger |
//! | a b | M(a) D(b) + M(b) D(a) + D(a) D(b) | M(a) M(b) | the sum |
//! | a / b, b a leaf | (D(a) + M(a) D(b) / l) / l, l the least abs(b) | M(a) / l | that of a |
//!
//! What has no permission moves only as its operands do. Products of several K u are far below the
//! slack of the comparison.

use super::{
    code::{Code, Inputs, Op, Operation},
    rounding::{Bounded, Columns, is_certain, root_moves},
};
use std::collections::{BTreeMap, BTreeSet};
use stencil_code::{Item, ItemId};
use stencil_passes::arithmetic::shared_sums::{Cell, MOVED_MOST};

/// The cells of one field among the terms of a sum.
#[derive(Clone, Debug, PartialEq)]
struct Cells {
    /// The most units that the weight of one may have moved by.
    units: f64,
    one: Cell,
    several_planes: bool,
    several_places: bool,
}

impl Cells {
    fn of(cell: &Cell) -> Cells {
        let one = cell.clone();
        Cells { units: 0.0, one, several_planes: false, several_places: false }
    }

    fn and(&mut self, other: &Cells) {
        let [(plane, place), (plane2, place2)] =
            [&self.one, &other.one].map(|cell| cell.offset.split_first().unzip());
        self.units = self.units.max(other.units);
        self.several_planes |= other.several_planes || plane != plane2;
        self.several_places |= other.several_places || place != place2;
    }

    /// A block of equal or proportional weights has two planes and two places at least.
    fn closed(&self) -> f64 {
        let has_blocks = self.several_planes && self.several_places;
        self.units + if has_blocks { MOVED_MOST } else { 0.0 }
    }
}

/// What is known about an item without its values.
#[derive(Clone, Debug, Default, PartialEq)]
struct Units {
    /// Cells that are terms, by field.
    cells: BTreeMap<usize, Cells>,
    /// The most units that the weight of another term may have moved by.
    others: f64,
}

impl Units {
    /// The most of all terms when no more terms come.
    fn closed(&self) -> f64 {
        self.cells.values().map(Cells::closed).fold(self.others, f64::max)
    }

    fn weighted(mut self, more: f64) -> Units {
        self.cells.values_mut().for_each(|cells| cells.units += more);
        self.others += more;
        self
    }

    fn plus(mut self, other: Units) -> Units {
        for (field, cells) in &other.cells {
            self.cells.entry(*field).or_insert_with(|| cells.clone()).and(cells);
        }
        self.others = self.others.max(other.others);
        self
    }
}

/// What permissions allow to change in a graph, found once.
pub struct Reassociation<'c> {
    code: &'c Code,
    /// Whether an item is within an expression, together with its only user.
    is_inner: Vec<bool>,
    /// For the root of an expression, how far a weight in it may have moved, in units of roundoff.
    closed: Vec<f64>,
}

impl<'c> Reassociation<'c> {
    /// Of an apply as it is written.
    pub fn of(code: &'c Code, inputs: &Inputs) -> Reassociation<'c> {
        let uses = uses(code);
        let is_inner = inner(code, &uses);
        let leaves = Leaves { code, is_inner: &is_inner, uses: &uses };
        let mut units: Vec<Units> = Vec::with_capacity(code.dag.len());
        let mut closed = Vec::with_capacity(code.dag.len());
        let mut terms: Vec<Counted> = Vec::with_capacity(code.dag.len());
        for id in code.dag.ids() {
            let (number, item) = (id.index(), &code.dag[id]);
            let of = |operand: ItemId| match code.dag[operand].kind.op {
                _ if is_inner[operand.index()] => units[operand.index()].clone(),
                Op::Input(number) => leaf(inputs.all[number].cell.as_ref()),
                _ => Units::default(),
            };
            let own = match is_part(&item.kind) {
                true => combined(code, item, &of),
                false => Units::default(),
            };
            let counted = leaves.counted(item, &terms);
            let merges = leaves.merges(&counted) as f64;
            closed.push(if is_inner[number] { 0.0 } else { own.closed() + merges });
            if !is_inner[number] {
                leaves.dissolve(id, &counted, &terms, &mut closed);
            }
            units.push(own);
            terms.push(counted);
        }
        Reassociation { code, is_inner, closed }
    }

    /// The most units of roundoff that the weight of a term of any expression may have moved by.
    pub fn most_units(&self) -> f64 {
        self.closed.iter().copied().fold(0.0, f64::max)
    }

    /// How far each item may have moved, for a block of points whose values are known; a point with
    /// a comparison that this makes uncertain is marked.
    pub fn moved(&self, columns: &Columns, uncertain: &mut [bool]) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<Moved>> = Vec::with_capacity(columns.len());
        for (number, item) in self.code.dag.items().iter().enumerate() {
            let Operation { op, format, .. } = item.kind;
            let units = self.closed[number] * format.unit();
            let mut column = Vec::with_capacity(uncertain.len());
            for (point, is_uncertain) in uncertain.iter_mut().enumerate() {
                let mut operands = [Operand::default(); 3];
                for (operand, id) in operands.iter_mut().zip(&item.operands) {
                    let is_inner = self.is_inner[id.index()];
                    let (value, moved) = (columns[id.index()][point], all[id.index()][point]);
                    *operand = Operand { value, moved, is_inner };
                }
                if let (Op::Compare(_), [a, b, _]) = (op, &operands) {
                    let errors = a.value.error + b.value.error + a.moved.by + b.moved.by;
                    *is_uncertain |= !is_certain(a.value.value, b.value.value, errors);
                }
                let moved = operate(op, operands);
                let value = columns[number][point];
                column.push(match self.is_inner[number] {
                    true => moved,
                    false => moved.finished(value, units),
                });
            }
            all.push(column);
        }
        all.into_iter().map(|column| column.into_iter().map(|moved| moved.by).collect()).collect()
    }
}

/// How often each item is used; a result is used elsewhere, too.
fn uses(code: &Code) -> Vec<usize> {
    let mut uses = code.dag.use_counts();
    code.results.iter().for_each(|result| uses[result.index()] += 2);
    uses
}

/// For each item whether it belongs to the expression of the only operation that uses it.
fn inner(code: &Code, uses: &[usize]) -> Vec<bool> {
    let mut goes_on = vec![false; code.dag.len()];
    for item in code.dag.items() {
        for (position, operand) in item.operands.iter().enumerate() {
            let is_divisor = item.kind.op == Op::Divide && position == 1;
            goes_on[operand.index()] = is_part(&item.kind) && !is_divisor;
        }
    }
    let is_inner =
        |id: ItemId| uses[id.index()] == 1 && goes_on[id.index()] && is_part(&code.dag[id].kind);
    code.dag.ids().map(is_inner).collect()
}

/// Whether an operation may become part of another form.
fn is_part(operation: &Operation) -> bool {
    let ops = [Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Negate];
    operation.movable && ops.contains(&operation.op)
}

fn leaf(cell: Option<&Cell>) -> Units {
    let cells = cell.map(|cell| (cell.field, Cells::of(cell))).into_iter().collect();
    Units { cells, others: 0.0 }
}

fn combined(code: &Code, item: &Item<Operation>, of: &dyn Fn(ItemId) -> Units) -> Units {
    let operands = item.operands.as_slice();
    let constant = |position: usize| code.constant(operands[position]);
    let product = |one: Units, other: Units| Units {
        cells: BTreeMap::new(),
        others: one.closed() + other.closed(),
    };
    match item.kind.op {
        Op::Negate => of(operands[0]),
        Op::Add | Op::Subtract => of(operands[0]).plus(of(operands[1])),
        Op::Divide => match constant(1) {
            Some(divisor) => of(operands[0]).weighted(2.0 * roundings(divisor)),
            None => product(of(operands[0]), Units::default()),
        },
        _ => match (constant(0), constant(1)) {
            (Some(weight), _) => of(operands[1]).weighted(roundings(weight)),
            (_, Some(weight)) => of(operands[0]).weighted(roundings(weight)),
            _ => product(of(operands[0]), of(operands[1])),
        },
    }
}

/// Multiplied by a power of two a weight keeps its digits.
fn roundings(weight: f64) -> f64 {
    let is_power = weight.to_bits() << (64 - 52) == 0;
    if is_power { 0.0 } else { 1.0 }
}

/// How often the terms of an expression read a leaf, next to the same other factors: terms with
/// others are never added to one.
type Counted = BTreeMap<(ItemId, Vec<ItemId>), usize>;

/// Looks for leaves that an expression reads several times.
struct Leaves<'c> {
    code: &'c Code,
    is_inner: &'c [bool],
    uses: &'c [usize],
}

impl Leaves<'_> {
    fn counted(&self, item: &Item<Operation>, terms: &[Counted]) -> Counted {
        if !is_part(&item.kind) {
            return Counted::new();
        }
        let of = |operand: &ItemId| match self.code.constant(*operand) {
            _ if self.is_inner[operand.index()] => terms[operand.index()].clone(),
            Some(_) => Counted::new(),
            None => Counted::from([((*operand, Vec::new()), 1)]),
        };
        let parts = item.operands.iter().map(of).collect::<Vec<_>>();
        let is_product = matches!(item.kind.op, Op::Multiply | Op::Divide);
        let mut counted = Counted::new();
        for (position, part) in parts.iter().enumerate() {
            let others = match parts.get(1 - position) {
                Some(other) if is_product => other.keys().map(|(leaf, _)| *leaf).collect(),
                _ => Vec::new(),
            };
            for ((leaf, factors), count) in part {
                let factors = factors.iter().chain(&others).map(|factor| self.base(*factor));
                let factors = factors.collect::<BTreeSet<_>>().into_iter().collect();
                *counted.entry((*leaf, factors)).or_insert(0) += count;
            }
        }
        counted
    }

    /// The most terms that may become one, less that one.
    fn merges(&self, counted: &Counted) -> usize {
        let mut together = BTreeMap::new();
        for ((leaf, factors), count) in counted {
            *together.entry((self.base(*leaf), factors)).or_insert(0) += count;
        }
        together.values().max().map_or(0, |most: &usize| most - 1)
    }

    /// A sum that only one expression uses, several times, has one use when its terms are added:
    /// then it is no leaf any more. Its terms move as all others, and may share parts with them.
    fn dissolve(&self, root: ItemId, counted: &Counted, terms: &[Counted], closed: &mut [f64]) {
        let dissolves = |((leaf, _), count): &(&(ItemId, Vec<ItemId>), &usize)| {
            let leaf = leaf.index();
            **count > 1 && **count == self.uses[leaf] && terms[leaf].len() > 1
        };
        let root = root.index();
        let sums = counted.iter().filter(dissolves).map(|((leaf, _), _)| leaf.index());
        let sums = sums.collect::<Vec<_>>();
        let more = sums.iter().map(|sum| MOVED_MOST + 1.0 + self.merges(&terms[*sum]) as f64);
        closed[root] += more.fold(0.0, f64::max);
        for sum in sums {
            closed[sum] += closed[root];
        }
    }

    /// Of a value times a constant the value: its products are terms of one leaf.
    fn base(&self, leaf: ItemId) -> ItemId {
        let item = &self.code.dag[leaf];
        let is_constant = |operand: &ItemId| self.code.constant(*operand).is_some();
        match (item.kind.op, item.operands.as_slice()) {
            (Op::Multiply, [one, other]) if is_constant(one) => self.base(*other),
            (Op::Multiply | Op::Divide, [one, other]) if is_constant(other) => self.base(*one),
            (Op::Negate, [one]) => self.base(*one),
            _ => leaf,
        }
    }
}

/// How far a value has moved, and how large the terms are that may still move.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    /// D.
    by: f64,
    /// M.
    terms: f64,
}

impl Moved {
    /// The same for a finished expression, whose weights may have moved by this, relatively.
    fn finished(self, value: Bounded, units: f64) -> Moved {
        let by = self.by + units * self.terms;
        Moved { by, terms: value.value.abs() + value.error + by }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Operand {
    value: Bounded,
    moved: Moved,
    is_inner: bool,
}

impl Operand {
    /// The least magnitude that a leaf may have, moved or not.
    fn least(&self) -> f64 {
        debug_assert!(!self.is_inner, "a divisor is a leaf");
        (self.value.value.abs() - self.value.error - self.moved.by).max(0.0)
    }
}

fn operate(op: Op, [a, b, c]: [Operand; 3]) -> Moved {
    let product = |a: Moved, b: Moved| Moved {
        by: a.terms * b.by + b.terms * a.by + a.by * b.by,
        terms: a.terms * b.terms,
    };
    let sum = |a: Moved, b: Moved| Moved { by: a.by + b.by, terms: a.terms + b.terms };
    // What these give is finished, so its terms do not matter.
    let only = |by: f64| Moved { by, terms: 0.0 };
    match op {
        Op::Input(_) | Op::Constant(_) | Op::Compare(_) => Moved::default(),
        Op::Add | Op::Subtract => sum(a.moved, b.moved),
        Op::Multiply => product(a.moved, b.moved),
        Op::Divide => {
            let least = b.least();
            let by = (a.moved.by + a.moved.terms * b.moved.by / least) / least;
            Moved { by, terms: a.moved.terms / least }
        }
        Op::Fma => sum(product(a.moved, b.moved), c.moved),
        Op::Negate => a.moved,
        Op::Abs | Op::Convert => only(a.moved.by),
        Op::CopySign if b.value.value.abs() > b.value.error + b.moved.by => only(a.moved.by),
        Op::CopySign => only(a.moved.by + 2.0 * (a.value.value.abs() + a.value.error)),
        Op::Sqrt => only(root(&a)),
        Op::Rsqrt => only(root(&a) / a.least()),
        Op::Minimum | Op::Maximum => only(a.moved.by.max(b.moved.by)),
        Op::Select => only(if a.value.value == 1.0 { b.moved.by } else { c.moved.by }),
    }
}

/// Both roots are of numbers that are at least this, and lie no further apart than D.
fn root(a: &Operand) -> f64 {
    root_moves(Bounded { value: a.least() + a.moved.by, error: a.moved.by })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::{
        code::{Format, Input},
        rounding::evaluate,
    };

    /// Appends an operation that may move.
    fn push(code: &mut Code, op: Op, operands: &[ItemId]) -> ItemId {
        let operation = Operation { op, format: Format::F64, movable: true };
        code.dag.push(Item::new(operation, operands.to_vec(), 0))
    }

    /// 0.3 (x + y) - x / 7.
    fn example() -> Code {
        let mut code = Code::default();
        let [x, y] = [0, 1].map(|input| push(&mut code, Op::Input(input), &[]));
        let [third, seven] = [0.3, 7.0].map(|number| push(&mut code, Op::Constant(number), &[]));
        let sum = push(&mut code, Op::Add, &[x, y]);
        let one = push(&mut code, Op::Multiply, &[third, sum]);
        let other = push(&mut code, Op::Divide, &[x, seven]);
        let result = push(&mut code, Op::Subtract, &[one, other]);
        code.results.push(result);
        code
    }

    /// x and y as cells of one field, y at this place.
    fn cells(offset: [i64; 2]) -> Inputs {
        let mut inputs = Inputs::default();
        for (key, offset) in [("x", [0, 0]), ("y", offset)] {
            let cell = Some(Cell { field: 0, offset: offset.to_vec() });
            inputs.number(key, Input { cell, ..Input::of(Format::F64) });
        }
        inputs
    }

    #[test]
    fn weights_of_an_expression_are_counted() {
        let code = example();
        // The quotient's two, the second term with x, and what classes may move.
        let most = |code: &Code, offset| Reassociation::of(code, &cells(offset)).most_units();
        assert_eq!(most(&code, [1, 1]), 2.0 + 1.0 + MOVED_MOST);
        // No block is in one plane, or at one place of all planes.
        assert_eq!([[0, 1], [1, 0]].map(|offset| most(&code, offset)), [3.0; 2]);
        let mut fixed = code;
        fixed.dag.ids().for_each(|item| fixed.dag.kind_mut(item).movable = false);
        assert_eq!(most(&fixed, [1, 1]), 0.0);
    }

    /// (x + y) 3 - (x + y): of one use when it is (x + y) 2.
    #[test]
    fn sums_that_lose_their_uses_dissolve() {
        let mut code = Code::default();
        let [x, y] = [0, 1].map(|input| push(&mut code, Op::Input(input), &[]));
        let three = push(&mut code, Op::Constant(3.0), &[]);
        let sum = push(&mut code, Op::Add, &[x, y]);
        let product = push(&mut code, Op::Multiply, &[sum, three]);
        let result = push(&mut code, Op::Subtract, &[product, sum]);
        code.results.push(result);
        let reassociation = Reassociation::of(&code, &cells([0, 1]));
        // The weight, the second term, and what dissolves.
        let own = 1.0 + 1.0 + MOVED_MOST + 1.0;
        assert_eq!(
            (reassociation.closed[result.index()], reassociation.closed[sum.index()]),
            (own, own)
        );
    }

    #[test]
    fn terms_move_each_for_itself() {
        let code = example();
        let inputs = [vec![1.0], vec![-1.0]];
        let mut uncertain = [false];
        let columns = evaluate(&code, &inputs, &mut uncertain);
        let moved = Reassociation::of(&code, &cells([1, 1])).moved(&columns, &mut uncertain);
        let result = moved[code.results[0].index()][0];
        // 0.3 (x + y) is zero; its terms are not.
        let terms = 0.3 + 0.3 + 1.0 / 7.0;
        let expected = (3.0 + MOVED_MOST) * f64::EPSILON / 2.0 * terms;
        assert!((result / expected - 1.0).abs() < 1e-12, "{result} {expected}");
        assert!(!uncertain[0]);
    }

    #[test]
    fn powers_of_two_keep_digits() {
        assert_eq!([0.25, -8.0, 3.0, 0.1].map(roundings), [0.0, 0.0, 1.0, 1.0]);
    }
}
