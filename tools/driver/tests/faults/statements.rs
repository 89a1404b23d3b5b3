//! Changes of sweeps over several statements: their stages, and the planes that these become.

use super::{named, operand, replace};
use melior::ir::{
    Module, OperationRef, attribute::DenseI64ArrayAttribute, operation::OperationLike,
};
use stencil_dialects::{
    attributes, build,
    ods::sweep::{self, PlanesOp},
    walk,
};

const MARGIN: &str = "margin";
const PERIODIC: &str = "periodic";

fn all<'c: 'a, 'a>(module: &'a Module<'c>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    named(module.as_operation(), name)
}

/// Sweeps of several statements, as planes.
fn tiled<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut tiled = all(module, sweep::TILED);
    tiled.retain(|operation| operation.has_attribute(MARGIN));
    tiled
}

fn numbers(operation: OperationRef, name: &str) -> Vec<i64> {
    let attribute = operation.attribute(name).ok().and_then(attributes::integers);
    attribute.unwrap_or_default()
}

fn set_numbers(operation: OperationRef, name: &str, numbers: &[i64]) {
    let attribute = DenseI64ArrayAttribute::new(build::context(&operation), numbers);
    build::set_attribute(operation, name, attribute.into());
}

/// The next step gets the level that this one began with.
pub fn carry_old_levels(module: &Module) {
    for carry in all(module, sweep::CARRY) {
        build::set_operand(carry, 0, operand(carry, 1));
    }
}

/// Of several outputs the last goes.
pub fn drop_outputs(module: &Module) {
    for stages in all(module, sweep::STAGES) {
        if let [_, .., last] = named(stages, sweep::OUTPUT)[..] {
            build::erase(last);
        }
    }
}

/// Who reads the oldest plane of a queue gets the one that came after it.
pub fn forget_oldest_planes(module: &Module) {
    let planes = tiled(module).into_iter().flat_map(|tiled| named(tiled, sweep::PLANES));
    for body in planes.filter_map(PlanesOp::of).map(|planes| planes.body()) {
        let end = walk::operations(body).pop().expect("a region has an end");
        let next = end.operands().collect::<Vec<_>>();
        for (position, value) in next.iter().enumerate().skip(1) {
            let [older, own] = [position - 1, position].map(|place| build::argument(body, place));
            let is_queue = next[position - 1] == own && *value != own;
            if is_queue {
                build::replace_uses(older, own);
            }
        }
    }
}

/// The first rows that threads exchange, and where they wait for each other, go.
pub fn drop_first(module: &Module, name: &str) {
    for tiled in tiled(module) {
        named(tiled, name).into_iter().take(1).for_each(build::erase);
    }
}

/// The last field that is fetched arrives an iteration late.
pub fn fetch_late(module: &Module) {
    for fetch in tiled(module).into_iter().filter_map(|tiled| named(tiled, sweep::FETCH).pop()) {
        let plane = fetch.attribute("plane").ok().and_then(attributes::integer);
        let plane = plane.expect("a fetch has a plane") - 1;
        let attribute = build::attribute(build::context(&fetch), &format!("{plane} : i64"));
        build::set_attribute(fetch, "plane", attribute);
    }
}

/// Tiles overlap by one column less.
pub fn narrow_margins(module: &Module) {
    for tiled in tiled(module) {
        let mut margin = numbers(tiled, MARGIN);
        let columns = margin.len() - 2;
        for along in margin[columns..].iter_mut().rev().filter(|along| **along > 0).take(1) {
            *along -= 1;
        }
        set_numbers(tiled, MARGIN, &margin);
    }
}

/// The first level that has cells of its home outside of the domain loses them.
pub fn drop_boundaries(module: &Module) {
    for tiled in tiled(module) {
        if let Some(boundary) = named(tiled, sweep::BOUNDARY).first() {
            replace(*boundary, operand(*boundary, 0));
        }
    }
}

/// The last periodic dimension is none.
pub fn end_periodic_sides(module: &Module) {
    for tiled in tiled(module) {
        let mut periodic = numbers(tiled, PERIODIC);
        match periodic.pop() {
            None => {}
            Some(_) if periodic.is_empty() => build::remove_attribute(tiled, PERIODIC),
            Some(_) => set_numbers(tiled, PERIODIC, &periodic),
        }
    }
}
