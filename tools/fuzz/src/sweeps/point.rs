//! The code of a point: mostly a weighted sum of cells, sometimes with other operations.

use super::program::{Draft, Role, Source};
use crate::{
    point::{Block, Kind, Literal, Op},
    program::Value,
    types::{Binary, FastMath, FloatPredicate, Scalar, Type, Unary},
};

/// Approximate limit on the cells that a point reads of one field.
const CELLS_MAX: usize = 9;

/// The code of a point under construction.
pub(super) struct Point<'d, 'r, 's> {
    draft: &'d mut Draft<'r, 's>,
    /// Scalar operands of the point.
    numbers: Vec<Value>,
    ops: Vec<Op>,
    flags: FastMath,
}

impl<'d, 'r, 's> Point<'d, 'r, 's> {
    pub(super) fn new(draft: &'d mut Draft<'r, 's>, numbers: Vec<Value>) -> Self {
        // All flags, reassociation only, or none.
        let none = if draft.shape.is_sum { 4 } else { 40 };
        let flags = draft.random.weighted(&[(none, 0), (35, 0b0001), (25, 0b1001)]);
        Self { draft, numbers, ops: Vec::new(), flags: FastMath::from_bits(flags) }
    }

    /// The body of an apply on these fields.
    pub(super) fn draw(mut self, sources: &[Source]) -> Block {
        let numbers = self.floats();
        let mut terms = Vec::new();
        for source in sources {
            for offset in self.offsets(source) {
                terms.push(self.term(source, &offset, sources, &numbers));
            }
        }
        if self.draft.random.chance(60) {
            self.draft.random.shuffle(&mut terms);
        }
        let mut sum = terms[0];
        for term in &terms[1..] {
            sum = self.binary(Binary::Add, sum, *term);
        }
        let result = if self.draft.random.chance(40) { self.bend(sum, &terms) } else { sum };
        Block { ops: self.ops, yields: vec![result] }
    }

    fn element(&self) -> Scalar {
        self.draft.element
    }

    fn push(&mut self, of: Scalar, kind: Kind) -> Value {
        let result = self.draft.program.new_value(Type::Scalar(of));
        let mut op = Op::new(result, kind);
        if op.takes_flags() {
            op.flags = self.flags;
        }
        self.ops.push(op);
        result
    }

    fn binary(&mut self, op: Binary, one: Value, two: Value) -> Value {
        self.push(self.element(), Kind::Binary(op, [one, two]))
    }

    fn constant(&mut self, number: f64) -> Value {
        self.push(self.element(), Kind::Constant(Literal::Float(number)))
    }

    /// The scalar operands as floats, and sometimes the point's coordinate.
    fn floats(&mut self) -> Vec<Value> {
        let mut floats = Vec::new();
        let mut whole = Vec::new();
        for number in self.numbers.clone() {
            match self.draft.program.type_of(number) == Type::Scalar(self.element()) {
                true => floats.push(number),
                false => whole.push(number),
            }
        }
        if self.draft.random.chance(15) {
            let rank = self.draft.shape.domain.rank();
            let dim = self.draft.random.below(rank);
            let offset = (0..rank).map(|_| self.draft.random.between(-2, 2)).collect();
            whole.push(self.push(Scalar::Index, Kind::Index { dim, offset }));
        }
        for number in whole {
            let short = self.push(Scalar::I32, Kind::Convert(number));
            let float = self.push(self.element(), Kind::Convert(short));
            let small = self.constant(0.015_625);
            floats.push(self.binary(Binary::Multiply, float, small));
        }
        floats
    }

    /// The offsets of a field, including the radius along every axis.
    fn offsets(&mut self, source: &Source) -> Vec<Vec<Option<i64>>> {
        let rank = self.draft.shape.domain.rank();
        let own: Vec<Option<i64>> =
            (0..rank).map(|dim| source.dims.contains(&dim).then_some(0)).collect();
        let reach: Vec<(i64, i64)> = match source.role {
            Role::Newest => self.draft.shape.reach.clone(),
            Role::Older(true) => return vec![own],
            Role::Older(false) => vec![(1, 0); rank],
            Role::Coefficient if self.draft.random.chance(55) => return vec![own],
            Role::Coefficient => {
                let random = &mut *self.draft.random;
                (0..rank).map(|_| (random.between(0, 2), random.between(0, 2))).collect()
            }
        };
        let mut offsets = vec![own.clone()];
        for dim in source.dims.clone() {
            let (below, above) = reach[dim];
            let mut along: Vec<i64> = vec![-below, above];
            along.extend((1 - below..above).filter(|_| self.draft.random.chance(40)));
            for distance in along {
                let mut offset = own.clone();
                offset[dim] = Some(distance);
                if self.draft.shape.is_box {
                    self.spread(&mut offset, dim, &reach);
                }
                offsets.push(offset);
            }
        }
        while self.draft.shape.is_box && offsets.len() < CELLS_MAX && self.draft.random.chance(70) {
            let mut offset = own.clone();
            self.spread(&mut offset, usize::MAX, &reach);
            offsets.push(offset);
        }
        let mut known = Vec::new();
        offsets.retain(|offset| {
            let is_new = !known.contains(offset);
            known.push(offset.clone());
            is_new
        });
        if self.draft.random.chance(20) && offsets.len() > 3 {
            // The cell itself need not be read.
            offsets.remove(0);
        }
        offsets
    }

    /// Moves an offset off all axes but one, as far as other planes' cells are available.
    fn spread(&mut self, offset: &mut [Option<i64>], but: usize, reach: &[(i64, i64)]) {
        let is_straight = self.draft.shape.is_straight;
        if is_straight && but == 0 {
            return;
        }
        for (dim, along) in offset.iter_mut().enumerate() {
            if dim != but && along.is_some() && !(is_straight && dim == 0) {
                *along = Some(self.draft.random.between(-reach[dim].0, reach[dim].1));
            }
        }
    }

    /// A cell with its weight.
    fn term(
        &mut self,
        source: &Source,
        offset: &[Option<i64>],
        sources: &[Source],
        numbers: &[Value],
    ) -> Value {
        let cell = self.read(source, offset);
        let coefficients: Vec<&Source> =
            sources.iter().filter(|other| other.role == Role::Coefficient).collect();
        let weight = match self.draft.random.below(10) {
            0..2 => return cell,
            2..4 if !coefficients.is_empty() && source.role != Role::Coefficient => {
                let other = self.draft.random.pick(&coefficients).clone();
                let rank = self.draft.shape.domain.rank();
                let own: Vec<Option<i64>> =
                    (0..rank).map(|dim| other.dims.contains(&dim).then_some(0)).collect();
                self.read(&other, &own)
            }
            2..6 if !numbers.is_empty() => self.draft.random.pick(numbers),
            _ => {
                let sixteenths = self.draft.random.between(-7, 9) as f64;
                self.constant(sixteenths / 16.0)
            }
        };
        self.binary(Binary::Multiply, weight, cell)
    }

    fn read(&mut self, source: &Source, offset: &[Option<i64>]) -> Value {
        let access = Kind::Access { operand: source.argument, offset: offset.to_vec() };
        let cell = self.push(source.element, access);
        match source.element == self.element() {
            true => cell,
            false => self.push(self.element(), Kind::Convert(cell)),
        }
    }

    /// An operation other than a sum.
    fn bend(&mut self, sum: Value, terms: &[Value]) -> Value {
        // A term would have to be carried besides the sum.
        let other = match self.draft.shape.is_sum {
            true => self.constant(0.375),
            false => self.draft.random.pick(terms),
        };
        match self.draft.random.below(6) {
            0 => self.binary(Binary::Maximum, sum, other),
            1 => {
                let above = Kind::CompareFloat(FloatPredicate::Ogt, [sum, other]);
                let above = self.push(Scalar::I1, above);
                let half = self.constant(0.5);
                let less = self.binary(Binary::Multiply, sum, half);
                self.push(self.element(), Kind::Select([above, less, other]))
            }
            2 => {
                let size = self.push(self.element(), Kind::Unary(Unary::Absolute, sum));
                self.push(self.element(), Kind::Unary(Unary::SquareRoot, size))
            }
            3 => {
                let square = self.binary(Binary::Multiply, other, other);
                let one = self.constant(1.0);
                let divisor = self.binary(Binary::Add, one, square);
                self.binary(Binary::Divide, sum, divisor)
            }
            4 => {
                let product = self.binary(Binary::Multiply, sum, other);
                let fourth = self.constant(0.25);
                self.binary(Binary::Multiply, product, fourth)
            }
            _ => self.branch(sum, other),
        }
    }

    /// `scf.if` on what was computed before.
    fn branch(&mut self, sum: Value, other: Value) -> Value {
        let below = Kind::CompareFloat(FloatPredicate::Olt, [sum, other]);
        let condition = self.push(Scalar::I1, below);
        let of = self.element();
        let mut side = |kind: Kind| {
            let result = self.draft.program.new_value(Type::Scalar(of));
            Block { ops: vec![Op::new(result, kind)], yields: vec![result] }
        };
        let then = side(Kind::Binary(Binary::Subtract, [sum, other]));
        let otherwise = side(Kind::Unary(Unary::Absolute, sum));
        self.push(of, Kind::If { condition, then, otherwise })
    }
}
