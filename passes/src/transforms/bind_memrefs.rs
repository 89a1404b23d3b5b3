//! `stencil-bind-memrefs`: turn the memrefs of a function that are fields into fields.
//!
//! Before: arguments and allocations of type `memref`, read and written as fields through
//!         `stencil.external_load`, `stencil.external_store` and
//!         `builtin.unrealized_conversion_cast`, as PSyclone and Flang write them.
//! After:  the arguments are fields and the allocations `stencil.alloc`. An external load is the
//!         field itself. An external store of a field to the memory that it was loaded from is
//!         gone, one to other memory copies the whole field, as does a `memref.copy`. Other
//!         operations on a memref use a cast of the field.
//!
//! Why: a field argument is contiguous memory in row-major order, as is a memref of identity
//! layout. Bounds are those of the first field made of the memref, by its type or its cast; without
//! one, coordinates begin at 0. Loads and stores of single cells are left to
//! `stencil-gather-updates`.
//! Refuses memory that is no memref, whose layout is unknown; memrefs with gaps, an offset, another
//! order of dimensions, or more than three; fields of one memref with other bounds than the first.
//! Does not touch memrefs of which nothing makes a field or uses a cell.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
};
use melior::ir::{
    BlockLike, OperationRef, ShapedTypeLike, Type, Value, ValueLike,
    operation::OperationLike,
    r#type::{DimSize, MemRefType},
};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::{builtin, memref, stencil},
    types,
    walk::{self, Use},
};

/// The table entry.
pub const BIND_MEMREFS: PassInfo = PassInfo {
    argument: "stencil-bind-memrefs",
    summary: "turn memrefs that are used as fields into fields",
    source: include_str!("bind_memrefs.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[BOUND, COPIES],
    dialects: &["stencil"],
    run: bind_memrefs,
};

const BOUND: Statistic = statistic("num-bound", "memrefs that became fields");
const COPIES: Statistic = statistic("num-copies", "external stores and copies of a field");

const ALLOCA: &str = "memref.alloca";
const DEALLOC: &str = "memref.dealloc";

fn bind_memrefs(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let Some(entry) = build::entry_block(function) else { return Ok(()) };
    refuse_foreign_memory(function)?;
    for position in 0..entry.argument_count() {
        let argument = build::argument(entry, position);
        let Some(field) = field_type(function, argument)? else { continue };
        let (uses, memory) = (walk::uses(argument), argument.r#type());
        argument.set_type(field);
        replace_memory(argument, memory, uses, cx)?;
        cx.count(BOUND, 1);
    }
    // What one of them erases makes a field, or is itself.
    let of_kind = |is_kind: fn(&OperationRef<'_, '_>) -> bool| {
        walk::nested(function).into_iter().filter(is_kind).collect::<Vec<_>>()
    };
    for allocation in of_kind(|op| matches!(walk::name(op), memref::ALLOC | ALLOCA)) {
        bind_allocation(allocation, cx)?;
    }
    for cast in of_kind(makes_memref) {
        bind_cast_of_field(cast, cx)?;
    }
    for copy in of_kind(|op| walk::name(op) == memref::COPY) {
        bind_copy(copy, cx)?;
    }
    build::update_function_type(function);
    Ok(())
}

/// Only of a memref is the layout known.
fn refuse_foreign_memory(function: OperationRef) -> PassResult {
    for operation in walk::nested(function) {
        let foreign = match walk::name(&operation) {
            stencil::EXTERNAL_LOAD => operation.operand(0),
            stencil::EXTERNAL_STORE => operation.operand(1),
            _ => continue,
        };
        let foreign = foreign.expect("the op has the operand").r#type();
        if !is_memref(foreign) && !types::is_field(foreign) {
            let message = format!("takes memory of type {foreign}, whose layout is unknown");
            let remedy = "convert it to a memref, or make the field an argument of the function";
            return Err(refuse(&operation, message, remedy));
        }
    }
    Ok(())
}

fn is_memref(r#type: Type) -> bool {
    MemRefType::try_from(r#type).is_ok()
}

/// Whether a use makes a field of a memref, stores one to it, or is of one of its cells.
fn is_field_use(used: &Use) -> bool {
    match walk::name(&used.user) {
        stencil::EXTERNAL_STORE | memref::STORE => used.operand == 1,
        memref::LOAD | memref::COPY => true,
        stencil::EXTERNAL_LOAD | builtin::UNREALIZED_CONVERSION_CAST => makes_field(used.user),
        _ => false,
    }
}

fn makes_field(operation: OperationRef) -> bool {
    operation.result_count() == 1 && types::is_field(build::single(operation).r#type())
}

fn makes_memref(cast: &OperationRef) -> bool {
    walk::name(cast) == builtin::UNREALIZED_CONVERSION_CAST
        && (cast.operand_count(), cast.result_count()) == (1, 1)
        && is_memref(build::single(*cast).r#type())
}

/// The field that a memref becomes; none for other values, and for memrefs without fields.
fn field_type<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> PassResult<Option<Type<'c>>> {
    let Ok(memory) = MemRefType::try_from(value.r#type()) else { return Ok(None) };
    let uses = walk::uses(value);
    let Some(first) = uses.iter().filter(|used| is_field_use(used)).map(|used| used.user).next()
    else {
        return Ok(None);
    };
    let given = uses.iter().filter(|used| makes_field(used.user)).find_map(|used| {
        let field = build::single(used.user);
        StencilType::of(field.r#type())?.bounds.or_else(|| bounds_of_cast(field))
    });
    let shape = shape(memory);
    if !(1..=3).contains(&shape.len()) {
        let message = format!("makes a field of {}", value.r#type());
        return Err(refuse(&first, message, "a field has 1 to 3 dimensions"));
    }
    let bounds = given.or_else(|| {
        let extents = shape.iter().copied().collect::<Option<Vec<i64>>>()?;
        Some(Bounds::new(vec![0; extents.len()], extents))
    });
    let Some(bounds) = bounds else {
        let message = format!("makes a field of {}, whose extents are unknown", value.r#type());
        return Err(refuse(&first, message, "give the field bounds, or the memref extents"));
    };
    check_layout(first, memory)?;
    let extents = bounds.extents();
    let fits = extents.len() == shape.len()
        && shape.iter().zip(&extents).all(|(own, wanted)| own.is_none_or(|own| own == *wanted));
    if !fits {
        let message = format!("gives bounds {bounds} to memory of type {}", value.r#type());
        return Err(refuse(&first, message, "a field has the extents of its memref"));
    }
    Ok(Some(types::field(build::context(&user), &bounds, memory.element())))
}

/// The bounds that the first cast of a field gives it.
fn bounds_of_cast(field: Value) -> Option<Bounds> {
    let casts = walk::uses(field).into_iter().map(|used| used.user);
    let mut casts = casts.filter(|user| walk::name(user) == stencil::CAST);
    casts.find_map(|cast| StencilType::of(build::single(cast).r#type())?.bounds)
}

/// The extents of a memref, where they are known.
fn shape(memory: MemRefType) -> Vec<Option<i64>> {
    let extent = |d| match memory.dim_size(d) {
        Ok(DimSize::Static(extent)) => i64::try_from(extent).ok(),
        _ => None,
    };
    (0..memory.rank()).map(extent).collect()
}

/// Refuses a memref that is not contiguous in row-major order.
fn check_layout(user: OperationRef, memory: MemRefType) -> PassResult {
    let is_identity = memory.layout().to_string() == identity_map(memory.rank());
    let (strides, offset) = memory.strides_and_offset();
    if is_identity || offset == 0 && is_contiguous(&shape(memory), &strides) {
        return Ok(());
    }
    let message = format!("makes a field of {memory}, which is not contiguous in row-major order");
    let remedy = "copy the part that is computed to a memref of identity layout, or pass all of it";
    Err(refuse(&user, message, remedy))
}

fn identity_map(rank: usize) -> String {
    let names = (0..rank).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
    format!("affine_map<({names}) -> ({names})>")
}

/// Whether strides are those of memory without gaps; they matter where an extent is not 1.
fn is_contiguous(shape: &[Option<i64>], strides: &[i64]) -> bool {
    let mut expected = Some(1);
    for (extent, stride) in shape.iter().zip(strides).rev() {
        if *extent != Some(1) && expected != Some(*stride) {
            return false;
        }
        expected = expected.zip(*extent).and_then(|(below, extent)| below.checked_mul(extent));
    }
    true
}

/// Replaces the uses of a memref that became `field`: other operations than those on fields get a
/// cast of it. Uses are in no particular order, and every one is looked at before any is erased.
fn replace_memory<'c: 'a, 'a>(
    field: Value<'c, 'a>,
    memory: Type<'c>,
    uses: Vec<Use<'c, 'a>>,
    cx: &mut PassContext,
) -> PassResult {
    let (made, rest): (Vec<_>, Vec<_>) = uses.into_iter().partition(|used| makes_field(used.user));
    for used in made {
        replace_by_field(used.user, field)?;
    }
    for used in rest {
        match walk::name(&used.user) {
            stencil::EXTERNAL_STORE => store_back(used.user, field, cx)?,
            DEALLOC => build::erase(used.user),
            _ => {
                let cast = builtin::UNREALIZED_CONVERSION_CAST;
                let value = Inserter::before(used.user).value(cast, &[field], &[], memory);
                build::set_operand(used.user, used.operand, value);
            }
        }
    }
    Ok(())
}

/// An external load is the field itself.
fn replace_by_field<'c: 'a, 'a>(made: OperationRef<'c, 'a>, field: Value<'c, 'a>) -> PassResult {
    let result = build::single(made);
    let wanted = StencilType::of(result.r#type()).expect("the caller looked for a field");
    let own = StencilType::of(field.r#type()).expect("the memory became a field");
    let same_points = wanted.bounds.as_ref().is_none_or(|it| Some(it) == own.bounds.as_ref());
    if !same_points || wanted.element != own.element {
        let message = format!("makes {} of memory that is {}", result.r#type(), field.r#type());
        return Err(refuse(&made, message, "one memref is one field, with one origin"));
    }
    let is_plain = |used: &Use| {
        matches!(walk::name(&used.user), stencil::CAST | stencil::LOAD | stencil::STORE)
            || walk::name(&used.user) == stencil::EXTERNAL_STORE
    };
    let uses = walk::uses(result);
    if result.r#type() != field.r#type()
        && let Some(used) = uses.iter().find(|used| !is_plain(used))
    {
        let remedy = "give the result of the external load bounds";
        return Err(refuse(&used.user, "uses a field of unknown bounds", remedy));
    }
    build::replace_uses(result, field);
    build::erase(made);
    for used in uses.iter().filter(|used| walk::name(&used.user) == stencil::CAST) {
        let cast = build::single(used.user);
        if cast.r#type() == field.r#type() {
            build::replace_uses(cast, field);
            build::erase(used.user);
        }
    }
    Ok(())
}

/// An external store to the memory that a field was loaded from changes nothing; another one is a
/// copy of all cells.
fn store_back<'c: 'a, 'a>(
    store: OperationRef<'c, 'a>,
    target: Value<'c, 'a>,
    cx: &mut PassContext,
) -> PassResult {
    let source = store.operand(0).expect("an external store has a field");
    replace_by_copy(store, source, target, cx)
}

/// Replaces an op by a copy of all cells of one field to another one.
fn replace_by_copy<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    source: Value<'c, 'a>,
    target: Value<'c, 'a>,
    cx: &mut PassContext,
) -> PassResult {
    if source != target {
        let (from, to) = (StencilType::of(source.r#type()), StencilType::of(target.r#type()));
        let (from, to) = (from.expect("it is a field"), to.expect("it is a field"));
        if from.bounds != to.bounds || from.element != to.element {
            let message = format!("copies {} to {}", source.r#type(), target.r#type());
            return Err(refuse(&operation, message, "give both fields the same bounds"));
        }
        let at = Inserter::before(operation);
        copy(at, source, target, &to.bounds.expect("a bound memref has bounds"));
        cx.count(COPIES, 1);
    }
    build::erase(operation);
    Ok(())
}

/// A copy between memrefs that are fields.
fn bind_copy<'c: 'a, 'a>(copy: OperationRef<'c, 'a>, cx: &mut PassContext) -> PassResult {
    let field = |number| {
        let cast = walk::definition(copy.operand(number).ok()?)?;
        cast.operand(0).ok().filter(|it| makes_memref(&cast) && types::is_field(it.r#type()))
    };
    let (Some(source), Some(target)) = (field(0), field(1)) else { return Ok(()) };
    let casts = copy.operands().filter_map(walk::definition).collect::<Vec<_>>();
    replace_by_copy(copy, source, target, cx)?;
    for cast in casts.into_iter().filter(|cast| walk::uses(build::single(*cast)).is_empty()) {
        build::erase(cast);
    }
    Ok(())
}

/// Copies all cells of a field to another one.
pub(super) fn copy<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    source: Value<'c, 'a>,
    target: Value<'c, 'a>,
    bounds: &Bounds,
) {
    let element = StencilType::of(source.r#type()).expect("the source is a field").element;
    let temp = types::temp(at.context(), bounds, element);
    let loaded = at.value(stencil::LOAD, &[source], &[], temp);
    let all = attributes::make_bounds(at.context(), bounds);
    at.create(stencil::STORE, &[loaded, target], &[("bounds", all)], &[], Vec::new());
}

fn bind_allocation<'c: 'a, 'a>(
    allocation: OperationRef<'c, 'a>,
    cx: &mut PassContext,
) -> PassResult {
    let memory = build::single(allocation);
    let Some(r#type) = field_type(allocation, memory)? else { return Ok(()) };
    let field = Inserter::before(allocation).value(stencil::ALLOC, &[], &[], r#type);
    let uses = walk::uses(memory);
    build::replace_uses(memory, field);
    replace_memory(field, memory.r#type(), uses, cx)?;
    build::erase(allocation);
    cx.count(BOUND, 1);
    Ok(())
}

/// Fields that are made of a cast of a field are that field.
fn bind_cast_of_field<'c: 'a, 'a>(cast: OperationRef<'c, 'a>, cx: &mut PassContext) -> PassResult {
    let (field, memory) = (cast.operand(0).expect("it has one"), build::single(cast));
    let uses = walk::uses(memory);
    if !types::is_field(field.r#type()) || !uses.iter().any(is_field_use) {
        return Ok(());
    }
    check_layout(cast, MemRefType::try_from(memory.r#type()).expect("the caller looked"))?;
    replace_memory(field, memory.r#type(), uses, cx)?;
    build::erase(cast);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_without_gaps_is_contiguous() {
        let static_shape = |extents: &[i64]| extents.iter().map(|e| Some(*e)).collect::<Vec<_>>();
        assert!(is_contiguous(&static_shape(&[3, 4, 5]), &[20, 5, 1]));
        assert!(!is_contiguous(&static_shape(&[3, 4, 5]), &[24, 6, 1]));
        assert!(!is_contiguous(&static_shape(&[3, 4]), &[1, 3]));
        // The stride of one cell is never taken.
        assert!(is_contiguous(&static_shape(&[1, 4]), &[9, 1]));
        // Rows of unknown length may be any distance apart.
        assert!(is_contiguous(&[None, Some(4)], &[4, 1]));
        assert!(!is_contiguous(&[Some(4), None], &[4, 1]));
    }

    #[test]
    fn identity_maps_are_told_by_their_text() {
        let context = stencil_dialects::context::new_context();
        let memory = |text: &str| {
            let r#type = Type::parse(&context, text).unwrap();
            MemRefType::try_from(r#type).unwrap().layout().to_string()
        };
        assert_eq!(memory("memref<3x4xf64>"), identity_map(2));
        assert_eq!(memory("memref<?x?x?xf64>"), identity_map(3));
        assert_ne!(memory("memref<3x4xf64, strided<[1, 3]>>"), identity_map(2));
    }
}
