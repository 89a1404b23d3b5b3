//! What the program calls arrays, and the extents of their fields.
//!
//! A kernel's parameters have no names. The host program's arguments have those of the source, and
//! its launches say which argument each parameter is. What goes around a time loop is called as it
//! is before the first step.

use melior::ir::{BlockLike, Module, TypeLike, Value, ValueLike, operation::OperationLike};
use std::collections::BTreeMap;
use stencil_dialects::{
    attributes, build,
    ods::{
        func, scf,
        stencil::{self, attribute},
    },
    walk,
};
use stencil_lowering::gpu::{
    host,
    launch::{KERNEL_OPERANDS, segment},
};

/// An array of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name in the source.
    pub name: String,
    /// The extents of its field, the slowest dimension first; none where the source's bounds are
    /// not known.
    pub extents: Vec<i64>,
}

/// Operands of a loop before what it begins with: its bounds and its step.
const LOOP_BOUNDS: usize = 3;

/// The arrays of a kernel, by the number of the parameter.
pub type Arrays = BTreeMap<usize, Array>;

/// The arrays of a kernel, as far as a launch of it says what they are.
pub fn of(module: &Module, kernel: &str) -> Arrays {
    let launches = walk::nested(module.as_operation()).into_iter();
    let mut launches =
        launches.filter(|operation| host::kernel_symbol(*operation).as_deref() == Some(kernel));
    let given = launches.next().map_or(Vec::new(), |launch| segment(launch, KERNEL_OPERANDS));
    let is_memory = |value: &Value| value.r#type().is_mem_ref();
    let memory = given.into_iter().enumerate().filter(|(_, value)| is_memory(value));
    memory.filter_map(|(number, value)| Some((number, array(value)?))).collect()
}

/// What the source says of memory of the host program.
pub fn array(memory: Value) -> Option<Array> {
    let Some((block, number)) = walk::block_argument(memory) else {
        let definition = walk::definition(memory)?;
        let operand = match walk::name(&definition) {
            scf::FOR => walk::result_number(memory)? + LOOP_BOUNDS,
            _ => 0,
        };
        return array(definition.operand(operand).ok()?);
    };
    let owner = block.parent_operation()?;
    match walk::name(&owner) {
        scf::FOR => array(owner.operand((number + LOOP_BOUNDS).checked_sub(1)?).ok()?),
        func::FUNC => {
            let attribute = |name: &str| build::argument_attribute(owner, number, name);
            let name = attribute(stencil::attribute::NAME).and_then(attributes::string)?;
            let bounds = attribute(attribute::BOUNDS).and_then(attributes::bounds);
            let extents = bounds.map(|bounds| {
                let sides = bounds.lower.iter().zip(&bounds.upper);
                sides.map(|(lower, upper)| upper - lower).collect()
            });
            Some(Array { name, extents: extents.unwrap_or_default() })
        }
        _ => None,
    }
}

impl Array {
    /// A distance between two cells, given in elements, along each dimension: the shortest way.
    pub fn distances(&self, elements: i64) -> Vec<i64> {
        let Some((_, inner)) = self.extents.split_first() else { return vec![elements] };
        let mut rest = elements;
        let mut distances = Vec::with_capacity(self.extents.len());
        for extent in inner.iter().rev() {
            let along = (rest + extent / 2).rem_euclid(*extent) - extent / 2;
            distances.push(along);
            rest = (rest - along) / extent;
        }
        distances.push(rest);
        distances.reverse();
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(extents: &[i64]) -> Array {
        Array { name: "u".to_owned(), extents: extents.to_vec() }
    }

    #[test]
    fn elements_are_cells_along_each_dimension() {
        let volume = array(&[10, 66, 8192]);
        let elements = |cells: [i64; 3]| (cells[0] * 66 + cells[1]) * 8192 + cells[2];
        for cells in [[0, 0, 0], [0, 1, -1], [-2, 3, 4], [1, -1, 4095], [-1, 32, -4096]] {
            assert_eq!(volume.distances(elements(cells)), cells, "{cells:?}");
        }
    }

    #[test]
    fn what_has_one_dimension_or_no_known_bounds_has_one_distance() {
        assert_eq!(array(&[64]).distances(-70), [-70]);
        assert_eq!(array(&[]).distances(8191), [8191]);
    }
}
