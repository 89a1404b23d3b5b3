//! Short names for the operations and values of a kernel.
//!
//! A load or store is called by its field and the distance along each dimension: `u[+0, -1]` is one
//! cell in front of the address that the thread's accesses have in common. Memory that the source
//! has no name for is called by the kernel's parameter, as `arg0`, and its distance is one of
//! elements. Other operations are
//! called as in their dialect; `arg0` is a parameter of the kernel, `carried0` the first value that
//! a loop hands to its next iteration. Constants are numbers.

use crate::drawings::{arrays::Arrays, trees::Name};
use melior::ir::{BlockLike, OperationRef, TypeLike, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    ods::{arith, memref, scf, vector},
    walk,
};
use stencil_lowering::gpu::block_dag::{BlockDag, Origin};

/// The names of all items of a block.
pub fn of(block: &BlockDag, arrays: &Arrays) -> Vec<Name> {
    let items = block.dag.ids();
    items
        .map(|item| match block.origin(item) {
            Origin::LiveIn(value) => of_value(value, arrays),
            Origin::Operation(operation) => of_operation(operation, arrays),
        })
        .collect()
}

/// A value from outside of the block, or an argument.
fn of_value(value: Value, arrays: &Arrays) -> Name {
    if let Some((block, number)) = walk::block_argument(value) {
        let owner = block.parent_operation().map(|owner| walk::name(&owner));
        return Name::Node(match owner {
            Some(scf::FOR) => format!("carried{}", number.saturating_sub(1)),
            _ => arrays.get(&number).map_or(format!("arg{number}"), |array| array.name.clone()),
        });
    }
    let definition = walk::definition(value);
    definition.map_or_else(|| Name::Node("value".to_owned()), |made| of_operation(made, arrays))
}

fn of_operation(operation: OperationRef, arrays: &Arrays) -> Name {
    let name = walk::name(&operation);
    match name {
        arith::CONSTANT => of_constant(operation),
        memref::LOAD | vector::LOAD => Name::Node(of_access(operation, arrays, "")),
        memref::STORE | vector::STORE => Name::Node(of_access(operation, arrays, "store ")),
        _ => Name::Node(short(name).to_owned()),
    }
}

/// The name of an operation without its dialect.
fn short(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, short)| short)
}

/// A floating-point constant is a number; others are parts of addresses.
fn of_constant(operation: OperationRef) -> Name {
    let is_float = operation.results().any(|result| result.r#type().is_float());
    let text = operation.attribute("value").map(|value| value.to_string()).unwrap_or_default();
    let number = text.split_once(" : ").map_or(text.as_str(), |(number, _)| number);
    match (is_float, number.parse::<f64>()) {
        (true, Ok(number)) => Name::Constant(rounded(number)),
        (true, Err(_)) => Name::Constant(number.to_owned()),
        (false, _) => Name::Node(number.to_owned()),
    }
}

/// A number in four digits, or fewer if that is all of it.
fn rounded(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e4).contains(&size) {
        return format!("{number:.3e}");
    }
    let digits = if size < 1.0 { 4 } else { 3 };
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The array and the distances of an access: the indices come after the array, which comes after
/// what is stored.
fn of_access(operation: OperationRef, arrays: &Arrays, before: &str) -> String {
    let operands = operation.operands().collect::<Vec<_>>();
    let array = usize::from(!before.is_empty());
    let Some((memory, indices)) = operands.get(array..).and_then(<[_]>::split_first) else {
        return before.to_owned();
    };
    let distances = indices.iter().map(|index| distance(*index)).collect::<Vec<_>>();
    let known = walk::block_argument(*memory).and_then(|(_, number)| arrays.get(&number));
    let (name, distances) = match (known, &distances[..]) {
        (Some(array), [elements]) => (array.name.clone(), array.distances(*elements)),
        _ => (array_name(*memory), distances),
    };
    let distances = distances.into_iter().map(signed).collect::<Vec<_>>();
    format!("{before}{name}[{}]", distances.join(", "))
}

fn signed(distance: i64) -> String {
    format!("{distance:+}")
}

/// The name of memory: an argument of the kernel, or what declares it.
fn array_name(memory: Value) -> String {
    if let Some((_, number)) = walk::block_argument(memory) {
        return format!("arg{number}");
    }
    let Some(definition) = walk::definition(memory) else { return "memory".to_owned() };
    // Views of memory are that memory.
    if let (memref::VIEW | memref::REINTERPRET_CAST | memref::CAST, Ok(viewed)) =
        (walk::name(&definition), definition.operand(0))
    {
        return array_name(viewed);
    }
    match definition.attribute("name") {
        Ok(name) => name.to_string().trim_start_matches('@').to_owned(),
        Err(_) => short(walk::name(&definition)).to_owned(),
    }
}

/// The constant part of an index.
fn distance(index: Value) -> i64 {
    if let Some(constant) = walk::constant(index) {
        let text = constant.to_string();
        return text.split_once(" : ").and_then(|(number, _)| number.parse().ok()).unwrap_or(0);
    }
    let Some(definition) = walk::definition(index) else { return 0 };
    let operand = |place: usize| definition.operand(place).map_or(0, distance);
    match walk::name(&definition) {
        arith::ADDI => operand(0).wrapping_add(operand(1)),
        arith::SUBI => operand(0).wrapping_sub(operand(1)),
        arith::INDEX_CAST => operand(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.5, "0.5"),
            (0.101_694_915, "0.1017"),
            (-2.0, "-2"),
            (0.0, "0"),
            (123.456_7, "123.457"),
            (1e-7, "1.000e-7"),
        ];
        for (number, text) in cases {
            assert_eq!(rounded(number), text);
        }
    }

    #[test]
    fn distances_have_a_sign() {
        assert_eq!([signed(64), signed(0), signed(-1)], ["+64", "+0", "-1"]);
    }
}
