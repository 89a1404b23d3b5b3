//! Statements: applies that can become sweeps, with their inputs and output.
//!
//! A *sweep* is a kernel that streams the planes of a domain and keeps recent ones on chip. An
//! apply can become one if it computes one field with a direct store, from fields: no temp of
//! another apply, no unwritten points, no unrolling. Of the fields that it reads with the rank of
//! its domain and at constant offsets, one at least must have the element type of the result, as
//! the levels of a sweep (its time steps) build on each other.

use super::{alias::may_alias, placement};
use melior::ir::{OperationRef, TypeLike, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, build,
    ods::stencil,
    ops::{AccessOp, ApplyOp, StoreOp},
    sweep::KernelOp,
    types, walk,
};

/// Why a transform does not apply, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The reason, as the end of a sentence that begins with the op.
    pub what: String,
    /// What to do.
    pub remedy: &'static str,
}

impl Unfit {
    /// Both texts.
    pub fn new(what: impl Into<String>, remedy: &'static str) -> Self {
        Self { what: what.into(), remedy }
    }
}

/// An op that computes the points of one field from fields in memory.
#[derive(Clone, Debug)]
pub struct Statement<'c, 'a> {
    /// The apply, or the sweep that it became.
    pub operation: OperationRef<'c, 'a>,
    /// The fields that it reads, one per argument.
    pub inputs: Vec<Input<'c, 'a>>,
    /// The field that it writes.
    pub output: Value<'c, 'a>,
    /// The points of it.
    pub domain: Bounds,
}

/// A field that is read.
#[derive(Clone, Debug)]
pub struct Input<'c, 'a> {
    /// The field; never the result of a cast that has an operand with bounds.
    pub field: Value<'c, 'a>,
    /// Its argument in the region.
    pub argument: Value<'c, 'a>,
    /// The radius of its accesses; none if they are not at constant offsets in all dimensions of
    /// the domain.
    pub radius: Option<u64>,
}

impl<'c: 'a, 'a> Statement<'c, 'a> {
    /// The statement of an apply in value form.
    ///
    /// # Errors
    /// Why it cannot be a sweep. Requires `stencil-place-copies`.
    pub fn of_apply(apply: ApplyOp<'c, 'a>) -> Result<Self, Unfit> {
        let store = only_store(apply)?;
        let element = check_body(apply)?;
        check_coordinates(&store.bounds())?;
        let output = named(store.field()).ok_or_else(unbounded)?;
        let mut inputs = Vec::new();
        for (position, argument) in apply.arguments().into_iter().enumerate() {
            let r#type = argument.r#type();
            let field = match (types::is_field(r#type), types::is_temp(r#type)) {
                (true, _) => argument,
                (_, true) => loaded(argument)?,
                _ => continue,
            };
            let inner = build::argument(apply.body(), position);
            let field = named(field).ok_or_else(unbounded)?;
            let radius = radius(inner, apply.rank());
            inputs.push(Input { field, argument: inner, radius });
        }
        let operation = apply.operation();
        let statement = Self { operation, inputs, output, domain: store.bounds() };
        if statement
            .inputs
            .iter()
            .any(|input| input.field != output && may_alias(input.field, output))
        {
            let what = "may write a field that it reads through another alias";
            return Err(Unfit::new(what, "set 'mapping = \"thread\"' in its plan"));
        }
        // Its own cells alone, or it reads another component of the memory that it writes.
        if statement.inputs.iter().any(|it| it.field == output && it.radius != Some(0)) {
            let what = "reads other cells of the field that it writes, which no sweep does";
            return Err(Unfit::new(what, "set 'mapping = \"thread\"' in its plan"));
        }
        if statement.widest().is_none() {
            let what = format!("reads no field of {element} of its rank at constant offsets");
            return Err(Unfit::new(what, "set 'mapping = \"thread\"' in its plan"));
        }
        Ok(statement)
    }

    /// The field to carry: of those with the result's element type and constant offsets, the one
    /// with the largest radius.
    pub fn widest(&self) -> Option<Value<'c, 'a>> {
        let element = |field: Value<'c, 'a>| StencilType::of(field.r#type()).map(|it| it.element);
        let radius = |field: Value<'c, 'a>| {
            let mut inputs = self.inputs.iter().filter(|input| input.field == field);
            inputs.try_fold(0, |most: u64, input| Some(most.max(input.radius?)))
        };
        let fields = self.inputs.iter().map(|input| input.field);
        let fields = fields.filter(|field| element(*field) == element(self.output));
        let reaches = fields.filter_map(|field| Some((radius(field)?, field)));
        // The first of those with equal radius.
        reaches.reduce(|one, two| if two.0 > one.0 { two } else { one }).map(|(_, field)| field)
    }

    /// The statement of a sweep of one step and one output; none for other sweeps.
    pub fn of_kernel(kernel: KernelOp<'c, 'a>) -> Option<Self> {
        let outs = kernel.outs();
        let [output] = outs[..] else { return None };
        let (operation, domain) = (kernel.operation(), kernel.domain());
        let fields = kernel.carried().into_iter().chain(kernel.reads()).enumerate();
        let inputs = fields.map(|(position, field)| {
            let argument = build::argument(kernel.body(), position);
            let radius = radius(argument, domain.rank());
            Some(Input { field: named(field)?, argument, radius })
        });
        let inputs = inputs.collect::<Option<_>>()?;
        (kernel.steps() == 1).then_some(Self { operation, inputs, output: named(output)?, domain })
    }
}

fn unbounded() -> Unfit {
    Unfit::new("uses a field of unknown bounds", "give the field bounds")
}

/// The store that takes the only result.
fn only_store<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Result<StoreOp<'c, 'a>, Unfit> {
    let results = apply.operation().result_count();
    if results != 1 {
        let what =
            format!("has {results} results, a sweep of one statement and one step computes one");
        return Err(Unfit::new(what, "split it into applies of one result"));
    }
    let result = build::single(apply.operation());
    let uses = walk::uses(result);
    let store = uses.first().and_then(|used| StoreOp::of(used.user));
    store.filter(|store| placement::direct(*store).is_ok()).ok_or_else(|| {
        Unfit::new(
            "has a result that it cannot write to the field of its only store",
            "store the result next to the apply, and use the field",
        )
    })
}

/// The element type of the result.
/// Sweeps compute with coordinates beyond the ends of a domain, and with their distances.
pub(super) fn check_coordinates(domain: &Bounds) -> Result<(), Unfit> {
    let is_near = |coordinate: &i64| coordinate.unsigned_abs() <= COORDINATE_MAX;
    if domain.lower.iter().chain(&domain.upper).all(is_near) {
        return Ok(());
    }
    let what = format!("has coordinates beyond 2^62 in its domain {domain}");
    Err(Unfit::new(what, "move the fields' bounds towards 0"))
}

/// The largest distance of a sweep's domain from 0: sums of two coordinates have 64 bits.
const COORDINATE_MAX: u64 = 1 << 62;

fn check_body<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Result<melior::ir::Type<'c>, Unfit> {
    let returned = apply.terminator();
    if returned.unroll().is_some_and(|unroll| unroll.iter().any(|points| *points != 1)) {
        return Err(Unfit::new(
            "computes several points at once",
            "return one point, not unrolled",
        ));
    }
    let value = returned.values()[0].r#type();
    if types::is_result(value) {
        let what = "returns a stencil.result, which may leave points unwritten";
        return Err(Unfit::new(what, "return the number itself"));
    }
    match value.is_float() {
        true => Ok(value),
        false => Err(Unfit::new(
            format!("computes numbers of type {value}, sweeps are made for floats"),
            "set 'mapping = \"thread\"' in its plan",
        )),
    }
}

/// The field that a temp is read from.
fn loaded<'c: 'a, 'a>(temp: Value<'c, 'a>) -> Result<Value<'c, 'a>, Unfit> {
    let field = placement::loaded_field(temp).ok_or_else(|| {
        Unfit::new(
            "reads a temp that another apply computes",
            "store the temp to a field, or set 'mapping = \"thread\"' in its plan",
        )
    })?;
    let load = walk::definition(temp).expect("a loaded temp has a load");
    match placement::is_in_place(load) {
        true => Ok(field),
        false => Err(Unfit::new(
            "reads a temp whose field changes before its last use",
            "run stencil-place-copies first",
        )),
    }
}

/// The field under casts; none if it has no bounds.
pub fn named<'c: 'a, 'a>(field: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let mut current = field;
    while let Some(cast) = walk::definition(current).filter(|op| walk::name(op) == stencil::CAST) {
        let operand = cast.operand(0).ok()?;
        if StencilType::of(operand.r#type())?.bounds.is_none() {
            break;
        }
        current = operand;
    }
    StencilType::of(current.r#type())?.bounds.map(|_| current)
}

/// The radius of the accesses to an argument of a region; none if one is dynamic, or the field
/// lacks dimensions of the domain.
fn radius(argument: Value, rank: usize) -> Option<u64> {
    if StencilType::of(argument.r#type())?.rank != rank {
        return None;
    }
    let mut most = 0;
    for used in walk::uses(argument) {
        // Other users of a field or temp in a region read unknown cells.
        let offset = AccessOp::of(used.user)?.offset();
        most = offset.iter().fold(most, |most, along| most.max(along.unsigned_abs()));
    }
    Some(most)
}
