//! Numbers of values that are equal up to a shift, and where the body needs each.

use super::{Needing, Place, Places, Work, here};
use crate::analysis::{middle::Middle, operation_slots::Operations};
use melior::ir::{
    AttributeLike, OperationRef, RegionLike, Type, TypeLike, Value, ValueLike,
    operation::OperationLike,
};
use std::{
    array,
    collections::{BTreeMap, HashMap},
};
use stencil_dialects::{
    ods::{arith, stencil},
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp},
    types,
    walk::{self, ValueKey},
};

/// What makes a value, with places relative to its own.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Form {
    /// From outside of the body.
    Outside(ValueKey),
    /// A cell of an argument, whose dimensions follow those of the iteration.
    Cell { argument: usize, mapping: Vec<usize> },
    /// A coordinate of the point.
    Coordinate(usize),
    /// An operation, with the attributes that it has.
    Operation { name: String, attributes: Vec<(String, usize)>, operands: Vec<(usize, Place)> },
    /// An operation that equals no other.
    Single(usize),
}

/// The numbers of an apply's values.
#[derive(Default)]
pub struct Numbers {
    forms: HashMap<Form, usize>,
    known: HashMap<ValueKey, (usize, Place)>,
    /// By number, what each takes and where it is needed.
    all: Vec<(Places, Work)>,
    /// Where comparisons of coordinates are known, if they are known anywhere.
    middle: Option<Middle>,
}

impl Numbers {
    /// Those of an apply.
    pub fn of(apply: ApplyOp) -> Self {
        let middle = apply.bounds().and_then(|bounds| Middle::of(apply, &bounds));
        let mut numbers = Self { middle, ..Self::default() };
        let body = walk::operations(apply.body());
        let needing = needing(&body, apply, numbers.middle.as_ref());
        for operation in body {
            let (form, place) = numbers.form(operation, apply);
            let place = place.unwrap_or_default();
            let number = numbers.number(form, work(operation));
            let results = operation.results().map(|result| ValueKey::of(&result));
            let results = results.collect::<Vec<_>>();
            let needed = results.iter().filter_map(|result| needing.get(result));
            let needed = needed.fold(0, |all, one| all | one);
            *numbers.all[number].0.entry(place).or_default() |= needed;
            // What has several results is a number of its own: they are needed together.
            numbers.known.extend(results.into_iter().map(|it| (it, (number, place))));
        }
        numbers
    }

    /// The places of each number, and what it takes at one.
    pub fn values(self) -> impl Iterator<Item = (Places, Work)> {
        self.all.into_iter()
    }

    fn number(&mut self, form: Form, work: Work) -> usize {
        let next = self.all.len();
        let number = *self.forms.entry(form).or_insert(next);
        if number == next {
            self.all.push((Places::new(), work));
        }
        number
    }

    /// What makes the results of an operation, and where; everywhere without a place.
    fn form(&mut self, operation: OperationRef, apply: ApplyOp) -> (Form, Option<Place>) {
        if let Some(access) = AccessOp::of(operation)
            && let Some(argument) = apply.argument_of(access.source())
        {
            let mapping = access.mapping();
            let mut place = Place::default();
            for (dimension, offset) in mapping.iter().zip(access.offset()) {
                place[*dimension] = Some(offset);
            }
            return (Form::Cell { argument, mapping }, Some(place));
        }
        if let Some(access) = DynAccessOp::of(operation)
            && let Some(argument) = apply.argument_of(access.source())
            && let Some(offset) = self.middle.as_ref().and_then(|middle| middle.offset(access))
        {
            let mapping = (0..offset.len()).collect::<Vec<_>>();
            let place = array::from_fn(|d| offset.get(d).copied());
            return (Form::Cell { argument, mapping }, Some(place));
        }
        if let Some(index) = IndexOp::of(operation) {
            let mut place = Place::default();
            place[index.dimension()] = Some(index.offset());
            return (Form::Coordinate(index.dimension()), Some(place));
        }
        let name = walk::name(&operation);
        let is_pure = name.starts_with("arith.") || name.starts_with("math.");
        let has_regions = operation.regions().any(|region| region.first_block().is_some());
        if !is_pure || has_regions || operation.result_count() != 1 {
            return (Form::Single(self.all.len()), Some(here(apply.rank())));
        }
        let operands = operation.operands().map(|operand| self.operand(operand));
        let operands = operands.collect::<Vec<_>>();
        let place = common_place(operands.iter().map(|(_, place)| place));
        let relative = |(number, own): &(usize, Place)| {
            let less = |dimension: usize| Some(own[dimension]?.wrapping_sub(place[dimension]?));
            (*number, array::from_fn(less))
        };
        // Attributes and names of them are unique in their context.
        let attributes = operation.attributes().map(|(name, value)| {
            let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
            (name, value.to_raw().ptr as usize)
        });
        let form = Form::Operation {
            name: name.to_owned(),
            attributes: attributes.collect(),
            operands: operands.iter().map(relative).collect(),
        };
        (form, (name != arith::CONSTANT).then_some(place))
    }

    /// The number of an operand and where it is computed.
    fn operand(&mut self, operand: Value) -> (usize, Place) {
        let operand = self.middle.as_ref().map_or(operand, |middle| middle.chosen(operand));
        let key = ValueKey::of(&operand);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let known = (self.number(Form::Outside(key), Work::default()), Place::default());
        self.known.insert(key, known);
        known
    }
}

/// The place of a value: in each dimension that of the first operand that depends on it.
fn common_place<'p>(operands: impl Iterator<Item = &'p Place>) -> Place {
    operands.fold(Place::default(), |place, operand| {
        array::from_fn(|dimension| place[dimension].or(operand[dimension]))
    })
}

/// Which results of the apply need each value of its body, at any depth; where comparisons are
/// known, of choices what is chosen.
fn needing(
    body: &[OperationRef],
    apply: ApplyOp,
    middle: Option<&Middle>,
) -> BTreeMap<ValueKey, Needing> {
    let mut needing = BTreeMap::<ValueKey, Needing>::new();
    let key = |value: Value| ValueKey::of(&middle.map_or(value, |middle| middle.chosen(value)));
    let is_at_offset = |operation: &OperationRef| {
        let access = DynAccessOp::of(*operation);
        access.zip(middle).is_some_and(|(access, middle)| middle.offset(access).is_some())
    };
    let returned = apply.terminator().values();
    let group = (returned.len() / apply.elements().len().max(1)).max(1);
    for (number, value) in returned.iter().enumerate() {
        let result = (number / group).min(Needing::BITS as usize - 1);
        *needing.entry(key(*value)).or_default() |= 1 << result;
    }
    let terminator = apply.terminator().operation();
    for operation in body.iter().rev().filter(|it| **it != terminator) {
        let results = operation.results().filter_map(|it| needing.get(&ValueKey::of(&it)));
        let own = results.fold(0, |all, one| all | one);
        let inner = walk::nested(*operation).into_iter().filter(|inner| !is_at_offset(inner));
        for operand in inner.flat_map(|it| it.operands().collect::<Vec<_>>()) {
            *needing.entry(key(operand)).or_default() |= own;
        }
    }
    needing
}

/// The work of an operation and of what is inside.
pub fn work(operation: OperationRef) -> Work {
    let of_one = |operation: OperationRef| {
        let words = operation.results().next().map_or(1, |result| words(result.r#type()));
        let Operations { single, several } = Operations::of_one(operation, words);
        let slots = single * f64::from(words) + several;
        let is_cell = matches!(walk::name(&operation), stencil::ACCESS | stencil::DYN_ACCESS);
        Work {
            operations: 1.0,
            slots,
            slots_f64: if words > 1 { slots } else { 0.0 },
            cells: if is_cell { f64::from(words) } else { 0.0 },
        }
    };
    walk::nested(operation).into_iter().map(of_one).sum()
}

/// Words of a value: one, but for numbers in double precision.
fn words(r#type: Type) -> u32 {
    match r#type.is_float() {
        true => types::element_bytes(r#type).map_or(1, |bytes| bytes.div_ceil(4)),
        false => 1,
    }
}
