//! Addresses of the cells around a group of points, and numbers that depend on run-time extents.

use super::{
    coordinates::coordinate_type,
    size::{Congruence, Size},
};
use crate::builders;
use melior::ir::{Type, Value, ValueLike};
use std::collections::BTreeMap;
use stencil_dialects::{build::Inserter, ods::arith};

/// Strides of a buffer along the domain's dimensions: elements from one group to the next.
pub type Growth = Vec<Size>;

/// The extents of the domain as values of a kernel: none if they are constants.
///
/// Where extents are known to be multiples of something, plus a rest, numbers are computed from
/// their quotients: what divides a stride is then a factor in the IR, and vectors need no further
/// proof that they are aligned.
#[derive(Clone, Default)]
pub struct Numbers<'c, 'a> {
    /// Of type index: the kernel's parameters, or their quotients.
    wide: Vec<Value<'c, 'a>>,
    /// In 32 bits.
    narrow: Vec<Value<'c, 'a>>,
    /// What is known of each; none if nothing is of any.
    known: Option<Vec<Congruence>>,
}

impl<'c: 'a, 'a> Numbers<'c, 'a> {
    /// From the parameters of a kernel, which begins here.
    pub fn new(at: Inserter<'c, 'a>, extents: Vec<Value<'c, 'a>>) -> Self {
        let narrow = extents
            .iter()
            .map(|extent| arith::index_cast(at, builders::i32_type(at.context()), *extent));
        Self { narrow: narrow.collect(), wide: extents, known: None }
    }

    /// The same, where something is known of each.
    pub fn congruent(
        at: Inserter<'c, 'a>,
        extents: Vec<Value<'c, 'a>>,
        known: Vec<Congruence>,
    ) -> Self {
        if known.iter().all(|known| known.multiple == 1) {
            return Self::new(at, extents);
        }
        let quotients = extents.into_iter().zip(&known).map(|(extent, known)| {
            let above = match known.rest {
                0 => extent,
                rest => arith::subi(at, extent, at.index(rest)),
            };
            match known.multiple {
                1 => above,
                multiple => arith::divui(at, above, at.index(multiple)),
            }
        });
        let quotients = quotients.collect();
        Self { known: Some(known), ..Self::new(at, quotients) }
    }

    /// A number that may depend on extents as a value of type index or i32.
    pub fn value(&self, at: Inserter<'c, 'a>, r#type: Type<'c>, number: &Size) -> Value<'c, 'a> {
        let is_wide = r#type == Type::index(at.context());
        let values = if is_wide { &self.wide } else { &self.narrow };
        match &self.known {
            Some(known) => number.of_quotients(known).emit(at, r#type, values),
            None => number.emit(at, r#type, values),
        }
    }

    /// The same, or zero if it is negative.
    pub fn at_least_zero(
        &self,
        at: Inserter<'c, 'a>,
        r#type: Type<'c>,
        number: &Size,
    ) -> Value<'c, 'a> {
        match number.constant() {
            Some(number) => at.integer(r#type, number.max(0)),
            None => {
                let number = self.value(at, r#type, number);
                arith::maxsi(at, number, at.integer(r#type, 0))
            }
        }
    }
}

/// The coordinates of one group, and the part of every address that depends on them.
pub struct Frame<'c, 'a> {
    /// Coordinates as values, per dimension.
    pub coordinates: Vec<Value<'c, 'a>>,
    /// As coordinates are, and as indices.
    addresses: BTreeMap<Growth, [Value<'c, 'a>; 2]>,
}

impl<'c: 'a, 'a> Frame<'c, 'a> {
    /// A frame with an address for each of these growths, computed here so that every nested region
    /// may use them.
    pub fn new(
        at: Inserter<'c, 'a>,
        coordinates: Vec<Value<'c, 'a>>,
        growths: &[Growth],
        narrow: bool,
        numbers: &Numbers<'c, 'a>,
    ) -> Self {
        let r#type = coordinate_type(at, narrow);
        let mut addresses = BTreeMap::new();
        for growth in growths {
            addresses.entry(growth.clone()).or_insert_with(|| {
                let parts =
                    coordinates.iter().zip(growth).filter(|(_, step)| step.constant() != Some(0));
                let products = parts.map(|(coordinate, step)| match step.constant() {
                    Some(step) => builders::times(at, *coordinate, step),
                    None => arith::muli(at, *coordinate, numbers.value(at, r#type, step)),
                });
                let total = products.reduce(|one, two| arith::addi(at, one, two));
                let total = total.unwrap_or_else(|| at.integer(r#type, 0));
                [total, builders::index(at, total)]
            });
        }
        Self { coordinates, addresses }
    }

    /// The address of a cell so many steps from the coordinates along each dimension of a buffer,
    /// given with its strides. Cells whose distances differ by a constant share what depends on
    /// extents.
    ///
    /// # Panics
    /// If the frame was made without this growth.
    pub fn address(
        &self,
        at: Inserter<'c, 'a>,
        numbers: &Numbers<'c, 'a>,
        growth: &Growth,
        distance: impl Iterator<Item = (Size, Size)>,
    ) -> Value<'c, 'a> {
        let [sum, address] =
            *self.addresses.get(growth).expect("the frame was made for all accesses");
        let (mut constant, mut apart) = (0, Vec::new());
        for (steps, stride) in distance {
            let product = &steps * &stride;
            match product.constant() {
                Some(product) => constant += product,
                None => {
                    let value = |number| numbers.value(at, sum.r#type(), number);
                    let product = match (steps.constant(), stride.constant()) {
                        (Some(steps), _) => builders::times(at, value(&stride), steps),
                        (None, Some(stride)) => builders::times(at, value(&steps), stride),
                        (None, None) => arith::muli(at, value(&steps), value(&stride)),
                    };
                    apart.push(product);
                }
            }
        }
        match apart.into_iter().reduce(|one, two| arith::addi(at, one, two)) {
            None => builders::plus(at, address, constant),
            // Sums of 32 bits wrap: wide ones leave one address of each buffer, from which rows
            // are apart by what all threads share.
            Some(apart) => {
                let place = arith::addi(at, address, builders::index(at, apart));
                builders::plus(at, place, constant)
            }
        }
    }
}
