//! Builds the body of an apply from typed values.

use super::memory::values_of;
use crate::stencilgen::{
    ast::{IntegerOperator, Operator, Type as Scalar},
    index::{Index, Variable},
    program::{
        Coordinate, IteratorId, LoopId, LoopVariable, Read, ScalarId, Shared, Stage, Value as Node,
        ValueKind, values_below,
    },
    values::is_float,
};
use melior::ir::{
    Attribute, Location, Type, Value, attribute::IntegerAttribute, r#type::IntegerType,
};
use std::{collections::HashMap, rc::Rc};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, math, stencil},
};

/// The context of a body.
pub struct Point<'c, 'a, 's> {
    /// The end of the body.
    pub at: Inserter<'c, 'a>,
    /// The stage.
    pub stage: &'s Stage,
    /// All loop variables.
    pub loops: &'s [LoopVariable],
    /// The body's argument for each version of an array.
    pub grids: HashMap<(usize, u32), Value<'c, 'a>>,
    /// The body's argument for each scalar.
    pub scalars: HashMap<ScalarId, Value<'c, 'a>>,
    /// The body's argument for each loop variable, of type index.
    pub variables: HashMap<LoopId, Value<'c, 'a>>,
    /// `#arith.fastmath<..>`, if the language grants any flag.
    pub fastmath: Option<Attribute<'c>>,
    /// Maps spans to locations.
    pub location: &'s dyn Fn(crate::diagnostic::Span) -> Location<'c>,
}

/// The MLIR type of a scalar.
pub fn scalar_type<'c>(context: &'c melior::Context, scalar: Scalar) -> Type<'c> {
    match scalar {
        Scalar::Bool => IntegerType::new(context, 1).into(),
        Scalar::Int => IntegerType::new(context, 32).into(),
        Scalar::Float => Type::float32(context),
        Scalar::Double => Type::float64(context),
    }
}

/// Predicates of signed `arith.cmpi`, and of `arith.cmpf`, where a comparison with a NaN is false,
/// except for "not equal", as in C.
pub const PREDICATES: [(Operator, i64, i64); 6] = [
    (Operator::Equal, 0, 1),
    (Operator::NotEqual, 1, 13),
    (Operator::Less, 2, 4),
    (Operator::LessEqual, 3, 5),
    (Operator::Greater, 4, 2),
    (Operator::GreaterEqual, 5, 3),
];

impl<'c: 'a, 'a> Point<'c, 'a, '_> {
    /// Builds the stage's values, each once.
    pub fn build(&self) -> Vec<Value<'c, 'a>> {
        let roots = self.stage.values().collect::<Vec<_>>();
        let mut built = HashMap::<*const Node, Value<'c, 'a>>::new();
        for node in values_below(roots.iter().copied()) {
            let of = |operand: &Shared| built[&Rc::as_ptr(operand)];
            let value = self.value(node, &of);
            built.insert(Rc::as_ptr(node), value);
        }
        roots.iter().map(|root| built[&Rc::as_ptr(root)]).collect()
    }

    fn value(&self, node: &Node, of: &dyn Fn(&Shared) -> Value<'c, 'a>) -> Value<'c, 'a> {
        let at = self.at.with_location((self.location)(node.span));
        let r#type = scalar_type(at.context(), node.r#type);
        match &node.kind {
            ValueKind::Bool(bool) => at.integer(r#type, i64::from(*bool)),
            ValueKind::Int(int) => at.integer(r#type, *int),
            ValueKind::Float(float) => at.float(r#type, *float),
            ValueKind::Scalar(id) => self.scalars[id],
            ValueKind::Iterator(iterator) => {
                let index = self.variable(at, Variable::Iterator(*iterator));
                arith::index_cast(at, r#type, index)
            }
            ValueKind::Loop(id) => arith::index_cast(at, r#type, self.variables[id]),
            ValueKind::Read(read) => self.read(at, read, r#type),
            ValueKind::Own(own) => of(&own.value),
            ValueKind::Convert(one) => convert(at, of(one), one.r#type, node.r#type),
            ValueKind::Negate(one) if is_float(node.r#type) => {
                self.float(at, arith::NEGF, &[of(one)], r#type)
            }
            ValueKind::Negate(one) => arith::subi(at, at.integer(r#type, 0), of(one)),
            ValueKind::Binary(operator, one, two) => {
                self.binary(at, *operator, (of(one), of(two)), one.r#type, r#type)
            }
            ValueKind::Call(op, operands) => {
                let operands = operands.iter().map(of).collect::<Vec<_>>();
                match is_float(node.r#type) {
                    true => self.float(at, op, &operands, r#type),
                    false => at.value(op, &operands, &[], r#type),
                }
            }
            ValueKind::Power(one, exponent) => self.power(at, of(one), *exponent, node.r#type),
        }
    }

    fn float(
        &self,
        at: Inserter<'c, 'a>,
        op: &str,
        operands: &[Value<'c, 'a>],
        r#type: Type<'c>,
    ) -> Value<'c, 'a> {
        let fastmath = self.fastmath.map(|flags| ("fastmath", flags));
        at.value(op, operands, fastmath.as_slice(), r#type)
    }

    fn binary(
        &self,
        at: Inserter<'c, 'a>,
        operator: Operator,
        (one, two): (Value<'c, 'a>, Value<'c, 'a>),
        operands: Scalar,
        r#type: Type<'c>,
    ) -> Value<'c, 'a> {
        let known = PREDICATES.iter().find(|(known, ..)| *known == operator);
        if let Some((_, of_ints, of_floats)) = known {
            let (op, number) = match is_float(operands) {
                true => (arith::CMPF, *of_floats),
                false => (arith::CMPI, *of_ints),
            };
            let i64_type = IntegerType::new(at.context(), 64).into();
            let predicate = ("predicate", IntegerAttribute::new(i64_type, number).into());
            let mut attributes = vec![predicate];
            // A comparison must not be assumed free of NaN, but it carries the granted flags.
            attributes.extend(
                self.fastmath.filter(|_| is_float(operands)).map(|flags| ("fastmath", flags)),
            );
            return at.value(op, &[one, two], &attributes, r#type);
        }
        let (of_floats, of_ints) = match operator {
            Operator::Add => (arith::ADDF, arith::ADDI),
            Operator::Subtract => (arith::SUBF, arith::SUBI),
            Operator::Multiply => (arith::MULF, arith::MULI),
            Operator::Divide => (arith::DIVF, arith::DIVSI),
            Operator::Remainder => (arith::REMF, arith::REMSI),
            Operator::And => ("", arith::ANDI),
            Operator::Or => ("", arith::ORI),
            _ => unreachable!("comparisons are built above, powers are values of their own"),
        };
        match is_float(operands) {
            true => self.float(at, of_floats, &[one, two], r#type),
            false => at.value(of_ints, &[one, two], &[], r#type),
        }
    }

    fn power(
        &self,
        at: Inserter<'c, 'a>,
        base: Value<'c, 'a>,
        exponent: i64,
        scalar: Scalar,
    ) -> Value<'c, 'a> {
        let r#type = scalar_type(at.context(), scalar);
        if is_float(scalar) {
            let i32_type = IntegerType::new(at.context(), 32).into();
            let exponent = at.integer(i32_type, exponent);
            return self.float(at, math::FPOWI, &[base, exponent], r#type);
        }
        let one = at.integer(r#type, 1);
        (0..exponent).fold(one, |product, _| arith::muli(at, product, base))
    }

    /// A cell of an array: at a constant offset if the indices allow it, else at computed
    /// coordinates.
    fn read(&self, at: Inserter<'c, 'a>, read: &Read, r#type: Type<'c>) -> Value<'c, 'a> {
        let grid = self.grids[&(read.array, read.version)];
        let context = at.context();
        if let Some(offsets) = self.offsets(read) {
            let (dims, values): (Vec<usize>, Vec<i64>) = offsets.into_iter().unzip();
            let mut all = vec![("offset", attributes::make_index(context, &values))];
            if dims.len() < self.stage.frame.len() {
                let dims = dims.into_iter().map(|dim| dim as i64).collect::<Vec<_>>();
                all.push(("offset_mapping", attributes::make_index(context, &dims)));
            }
            return at.value(stencil::ACCESS, &[grid], &all, r#type);
        }
        let of = |variable: Variable| values_of(variable, self.stage, self.loops);
        let intervals = read.indices.iter().map(|index| index.interval(&of).unwrap_or((0, 0)));
        let (first, last): (Vec<i64>, Vec<i64>) = intervals.unzip();
        let mut operands = vec![grid];
        operands.extend(read.indices.iter().map(|index| self.index(at, index)));
        let all = [
            ("lb", attributes::make_index(context, &first)),
            ("ub", attributes::make_index(context, &last)),
            ("absolute", Attribute::unit(context)),
        ];
        at.value(stencil::DYN_ACCESS, &operands, &all, r#type)
    }

    /// The apply's dimension and the offset for each index; none where dimensions are not
    /// increasing, or an index has another form.
    fn offsets(&self, read: &Read) -> Option<Vec<(usize, i64)>> {
        let mut offsets = Vec::<(usize, i64)>::new();
        for (position, index) in read.indices.iter().enumerate() {
            let affine = index.affine()?;
            let (dim, offset) = match affine.shifted_iterator() {
                Some((iterator, number)) => {
                    let (dim, shift) = self.place(iterator)?;
                    (dim, number - shift)
                }
                // A constant index is an offset where the region is one cell wide.
                None => {
                    let region = &self.stage.region;
                    let is_number = affine.factors.is_empty();
                    let is_full = read.indices.len() == region.rank();
                    let is_one = is_number && is_full && region.extents()[position] == 1;
                    is_one.then(|| (position, affine.constant - region.lower[position]))?
                }
            };
            if offsets.last().is_some_and(|(last, _)| *last >= dim) {
                return None;
            }
            offsets.push((dim, offset));
        }
        Some(offsets)
    }

    /// The dimension that follows an iterator, and what is added to it.
    fn place(&self, iterator: IteratorId) -> Option<(usize, i64)> {
        self.stage.frame.iter().enumerate().find_map(|(dim, coordinate)| match coordinate {
            Coordinate::Iterator(one, shift) if *one == iterator => Some((dim, *shift)),
            _ => None,
        })
    }

    fn index(&self, at: Inserter<'c, 'a>, index: &Index) -> Value<'c, 'a> {
        match index {
            Index::Constant(constant) => at.index(*constant),
            Index::Variable(variable) => self.variable(at, *variable),
            Index::Negate(one) => arith::subi(at, at.index(0), self.index(at, one)),
            Index::Binary(operator, one, two) => {
                let op = match operator {
                    IntegerOperator::Add => arith::ADDI,
                    IntegerOperator::Subtract => arith::SUBI,
                    IntegerOperator::Multiply => arith::MULI,
                    IntegerOperator::Divide => arith::DIVSI,
                };
                at.binary(op, self.index(at, one), self.index(at, two))
            }
        }
    }

    /// The value of an iterator or loop variable, of type index.
    fn variable(&self, at: Inserter<'c, 'a>, variable: Variable) -> Value<'c, 'a> {
        let iterator = match variable {
            Variable::Loop(id) => return self.variables[&id],
            Variable::Iterator(iterator) => iterator,
        };
        let found = self.place(iterator);
        let (dim, shift) = found.expect("elaboration checked that iterators have values");
        let context = at.context();
        let mut offset = vec![0; self.stage.frame.len()];
        offset[dim] = -shift;
        let index = Type::index(context);
        let attributes = [
            ("dim", IntegerAttribute::new(index, dim as i64).into()),
            ("offset", attributes::make_index(context, &offset)),
        ];
        at.value(stencil::INDEX, &[], &attributes, index)
    }
}

/// A conversion by the rules of C.
fn convert<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    from: Scalar,
    to: Scalar,
) -> Value<'c, 'a> {
    let r#type = scalar_type(at.context(), to);
    let op = match (from, to) {
        (Scalar::Bool, Scalar::Int) => arith::EXTUI,
        (Scalar::Bool, _) => arith::UITOFP,
        (Scalar::Int, Scalar::Bool) => {
            let zero = at.integer(scalar_type(at.context(), from), 0);
            let unequal = build::Compare::NotEqual;
            return at.compare(unequal, value, zero);
        }
        (Scalar::Float | Scalar::Double, Scalar::Bool) => {
            let zero = at.float(scalar_type(at.context(), from), 0.0);
            return at.compare_floats(build::CompareFloats::UnorderedNotEqual, value, zero);
        }
        (Scalar::Int, _) => arith::SITOFP,
        (_, Scalar::Int) => arith::FPTOSI,
        (Scalar::Float, _) => arith::EXTF,
        (Scalar::Double, _) => arith::TRUNCF,
    };
    at.value(op, &[value], &[], r#type)
}
