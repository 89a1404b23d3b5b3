//! Changes of programs and sweeps, before they are kernels.

use super::{named, operand, replace, swap_operands};
use melior::ir::{Attribute, Module, OperationRef, Type, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::stencil,
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp, StoreOp},
    sweep::{Argument, KernelOp},
    types::{Bounds, StencilType},
    walk,
};

fn applies<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<ApplyOp<'c, 'a>> {
    let nested = walk::nested(module.as_operation());
    nested.into_iter().filter_map(ApplyOp::of).collect()
}

fn sweeps<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<KernelOp<'c, 'a>> {
    let nested = walk::nested(module.as_operation());
    nested.into_iter().filter_map(KernelOp::of).collect()
}

/// The ops of a name that compute points.
fn of_points<'c: 'a, 'a>(module: &'a Module<'c>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    let applies = applies(module).into_iter().map(|apply| apply.operation());
    let roots = applies.chain(sweeps(module).into_iter().map(|sweep| sweep.operation()));
    roots.flat_map(|root| named(root, name)).collect()
}

/// Sets an attribute that is a list of numbers.
fn set_index(operation: OperationRef, name: &str, numbers: &[i64]) {
    let attribute = attributes::make_index(build::context(&operation), numbers);
    build::set_attribute(operation, name, attribute);
}

fn bounds(r#type: Type) -> Option<Bounds> {
    StencilType::of(r#type)?.bounds
}

pub fn swap(module: &Module, name: &str, [one, two]: [usize; 2]) {
    of_points(module, name).into_iter().for_each(|operation| swap_operands(operation, one, two));
}

pub fn rename(module: &Module, from: &str, to: &str) {
    for operation in of_points(module, from) {
        let attributes = build::attributes(&operation);
        let attributes: Vec<_> =
            attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let operands: Vec<_> = operation.operands().collect();
        let at = Inserter::before(operation);
        replace(operation, at.value(to, &operands, &attributes, operands[0].r#type()));
    }
}

pub fn round_conversions(module: &Module) {
    for operation in of_points(module, "arith.fptosi") {
        let number = operand(operation, 0);
        let at = Inserter::before(operation);
        let rounded = at.value("math.roundeven", &[number], &[], number.r#type());
        build::set_operand(operation, 0, rounded);
    }
}

pub fn positive_powers(module: &Module) {
    for operation in named(module.as_operation(), "math.fpowi") {
        let exponent = operand(operation, 1);
        let number = walk::constant(exponent).and_then(attributes::integer);
        if let Some(number) = number.filter(|number| *number < 0) {
            let at = Inserter::before(operation);
            build::set_operand(operation, 1, at.integer(exponent.r#type(), -number));
        }
    }
}

pub fn permit_reciprocals(module: &Module) {
    permit(module, &["arith.divf"], "arcp");
}

pub fn permit_contraction(module: &Module) {
    permit(module, &["arith.mulf", "arith.addf", "arith.subf"], "contract");
}

fn permit(module: &Module, names: &[&str], flag: &str) {
    const FASTMATH: &str = "fastmath";
    for operation in names.iter().flat_map(|name| named(module.as_operation(), name)) {
        let flags = operation.attribute(FASTMATH).map(|flags| flags.to_string());
        let known = flags.ok().filter(|flags| !flags.contains("none"));
        let known = known.as_deref().and_then(|flags| flags.strip_suffix('>'));
        let text = match known {
            Some(known) => format!("{known},{flag}>"),
            None => format!("#arith.fastmath<{flag}>"),
        };
        let attribute = Attribute::parse(build::context(&operation), &text).unwrap();
        build::set_attribute(operation, FASTMATH, attribute);
    }
}

pub fn reverse_destinations(module: &Module) {
    for apply in applies(module) {
        let (first, count) = (apply.arguments().len(), apply.destinations().len());
        for position in 0..count / 2 {
            swap_operands(apply.operation(), first + position, first + count - 1 - position);
        }
    }
}

pub fn shift_copies(module: &Module) {
    for apply in applies(module) {
        if let [access, _] = walk::operations(apply.body())[..]
            && let Some(access) = AccessOp::of(access)
        {
            let mut offset = access.offset();
            *offset.last_mut().unwrap() += 1;
            set_index(access.operation(), "offset", &offset);
        }
    }
}

/// The boundary sources of a sweep are the given ones.
fn set_boundaries<'c: 'a, 'a>(sweep: KernelOp<'c, 'a>, boundaries: Vec<melior::ir::Value<'c, 'a>>) {
    let first = sweep.carried().len();
    for (number, boundary) in boundaries.into_iter().enumerate() {
        build::set_operand(sweep.operation(), first + number, boundary);
    }
}

/// Of two sweeps one after the other in a loop, the second gets the boundary sources of the first.
pub fn boundaries_of_the_first(module: &Module) {
    for time_loop in named(module.as_operation(), "scf.for") {
        let inside = walk::operations(build::block_of(time_loop, 0)).into_iter();
        if let [one, two] = inside.filter_map(KernelOp::of).collect::<Vec<_>>()[..] {
            set_boundaries(two, one.boundaries());
        }
    }
}

pub fn rotate_boundaries(module: &Module) {
    for sweep in sweeps(module) {
        let mut boundaries = sweep.boundaries();
        if boundaries.len() > 1 {
            boundaries.rotate_left(1);
            set_boundaries(sweep, boundaries);
        }
    }
}

pub fn drop_remainders(module: &Module) {
    let points: Vec<_> = of_points(module, "arith.remsi");
    for operation in named(module.as_operation(), "arith.remsi") {
        if !points.contains(&operation) {
            let r#type = operand(operation, 0).r#type();
            replace(operation, Inserter::before(operation).integer(r#type, 0));
        }
    }
}

/// The accesses of applies.
fn accesses<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<AccessOp<'c, 'a>> {
    let nested = applies(module).into_iter().flat_map(|apply| walk::nested(apply.operation()));
    nested.filter_map(AccessOp::of).collect()
}

pub fn follow_first_dimensions(module: &Module) {
    for access in accesses(module) {
        let first: Vec<i64> = (0..access.mapping().len() as i64).collect();
        if access.operation().has_attribute("offset_mapping") {
            set_index(access.operation(), "offset_mapping", &first);
        }
    }
}

pub fn negate_offsets(module: &Module) {
    for access in accesses(module) {
        let offset: Vec<i64> = access.offset().iter().map(|offset| -offset).collect();
        set_index(access.operation(), "offset", &offset);
    }
}

/// In sweeps, and where a field is carried.
pub fn negate_columns(module: &Module) {
    for sweep in sweeps(module) {
        let nested = walk::nested(sweep.operation()).into_iter();
        for access in nested.filter_map(AccessOp::of) {
            if matches!(sweep.argument_of(access.source()), Some(Argument::Carried(0))) {
                let mut offset = access.offset();
                *offset.last_mut().unwrap() *= -1;
                set_index(access.operation(), "offset", &offset);
            }
        }
    }
}

pub fn dynamic_from_zero(module: &Module) {
    let nested = walk::nested(module.as_operation());
    for access in nested.into_iter().filter_map(DynAccessOp::of) {
        let Some(bounds) = bounds(access.source().r#type()) else { continue };
        let at = Inserter::before(access.operation());
        for (d, index) in
            access.operation().operands().skip(1).collect::<Vec<_>>().into_iter().enumerate()
        {
            let more = at.index(bounds.lower[d]);
            let moved = at.binary("arith.addi", index, more);
            build::set_operand(access.operation(), d + 1, moved);
        }
    }
}

pub fn index_from_zero(module: &Module) {
    for apply in applies(module) {
        let bounds = apply.bounds().unwrap();
        for index in walk::nested(apply.operation()).into_iter().filter_map(IndexOp::of) {
            let mut offset = vec![0; bounds.rank()];
            offset[index.dimension()] = index.offset() - bounds.lower[index.dimension()];
            set_index(index.operation(), "offset", &offset);
        }
    }
}

pub fn begin_stores_late(module: &Module) {
    move_stores(module, |part, whole, d| {
        part.lower[d] += i64::from(part.lower[d] > whole.lower[d]);
    });
}

pub fn end_stores_late(module: &Module) {
    move_stores(module, |part, whole, d| {
        part.upper[d] += i64::from(part.upper[d] < whole.upper[d]);
    });
}

/// Changes the points that are stored, which are part of those computed, in each dimension.
fn move_stores(module: &Module, change: fn(&mut Bounds, &Bounds, usize)) {
    let nested = walk::nested(module.as_operation());
    for store in nested.into_iter().filter_map(StoreOp::of) {
        let (mut part, whole) = (store.bounds(), bounds(store.temp().r#type()).unwrap());
        (0..part.rank()).for_each(|d| change(&mut part, &whole, d));
        if part.lower.iter().zip(&part.upper).any(|(lower, upper)| lower >= upper) {
            build::erase(store.operation());
            continue;
        }
        let context = build::context(&store.operation());
        let attribute = attributes::make_bounds(context, &part);
        build::set_attribute(store.operation(), "bounds", attribute);
    }
}

pub fn reverse_unrolled(module: &Module) {
    for returned in applies(module).into_iter().map(|apply| apply.terminator()) {
        let Some(unroll) = returned.unroll() else { continue };
        let points = unroll.iter().product::<i64>() as usize;
        for first in (0..returned.values().len()).step_by(points) {
            for position in 0..points / 2 {
                let last = first + points - 1 - position;
                swap_operands(returned.operation(), first + position, last);
            }
        }
    }
}

/// What is not stored is stored as zero.
pub fn store_skipped(module: &Module) {
    for operation in named(module.as_operation(), stencil::STORE_RESULT) {
        if operation.operand_count() == 0 {
            let result = build::single(operation).r#type();
            let element = StencilType::of(result).unwrap().element;
            let at = Inserter::before(operation);
            let zero = match element.to_string().starts_with('i') {
                true => at.integer(element, 0),
                false => at.float(element, 0.0),
            };
            replace(operation, at.value(stencil::STORE_RESULT, &[zero], &[], result));
        }
    }
}
