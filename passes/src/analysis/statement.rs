//! What one apply reads and writes in memory, where that is so little that a sweep can do it.
//!
//! A *sweep* visits the planes of a domain one after the other and keeps what it has read of them.
//! An apply can become one if it computes one field, straight into the field's memory, from fields
//! that lie in memory: no temp of another apply, no point left unwritten, no group of points at
//! once. Of the fields that it reads with the rank of its domain and at constant offsets, one at
//! least must hold the numbers that it computes: the levels of a sweep follow each other.

use super::{alias::may_alias, placement};
use melior::ir::{OperationRef, TypeLike, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, build,
    ops::{self, AccessOp, ApplyOp, StoreOp},
    sweep::KernelOp,
    types, walk,
};

/// Why something cannot be done with an apply, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What stands in the way, as the end of a sentence that begins with the op.
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
    /// The fields that it reads, once for each of its arguments that stands for one.
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
    /// What stands for it in the region.
    pub argument: Value<'c, 'a>,
    /// How far from the point its cells are; none where they are not at constant offsets in all
    /// dimensions of the domain.
    pub radius: Option<u64>,
}

impl<'c: 'a, 'a> Statement<'c, 'a> {
    /// What an apply in value form does.
    ///
    /// # Errors
    /// Why it cannot be a sweep. Requires `stencil-place-copies`.
    pub fn of_apply(apply: ApplyOp<'c, 'a>) -> Result<Self, Unfit> {
        let store = only_store(apply)?;
        let element = check_body(apply)?;
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
            let what = "may write a field that it reads by another name";
            return Err(Unfit::new(what, "give its plan 'mapping = \"thread\"'"));
        }
        if statement.widest().is_none() {
            let what = format!("reads no field of {element} of its rank at constant offsets");
            return Err(Unfit::new(what, "give its plan 'mapping = \"thread\"'"));
        }
        Ok(statement)
    }

    /// The field that a sweep may start from: of those that hold the numbers that are computed and
    /// are read at constant offsets only, the one that is read farthest from the point.
    pub fn widest(&self) -> Option<Value<'c, 'a>> {
        let element = |field: Value<'c, 'a>| StencilType::of(field.r#type()).map(|it| it.element);
        let radius = |field: Value<'c, 'a>| {
            let mut inputs = self.inputs.iter().filter(|input| input.field == field);
            inputs.try_fold(0, |most: u64, input| Some(most.max(input.radius?)))
        };
        let fields = self.inputs.iter().map(|input| input.field);
        let fields = fields.filter(|field| element(*field) == element(self.output));
        let reaches = fields.filter_map(|field| Some((radius(field)?, field)));
        // The first of those that reach equally far.
        reaches.reduce(|one, two| if two.0 > one.0 { two } else { one }).map(|(_, field)| field)
    }

    /// What a sweep of one step and one output does; none for other sweeps.
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
        let what = format!("has {results} results, a sweep computes one");
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

/// The type of the numbers that are computed.
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
            "give its plan 'mapping = \"thread\"'",
        )),
    }
}

/// The field that a temp is read from.
fn loaded<'c: 'a, 'a>(temp: Value<'c, 'a>) -> Result<Value<'c, 'a>, Unfit> {
    let field = placement::loaded_field(temp).ok_or_else(|| {
        Unfit::new(
            "reads a temp that another apply computes",
            "store the temp to a field, or give the plan 'mapping = \"thread\"'",
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

/// The field behind casts; none if it has no bounds.
pub fn named<'c: 'a, 'a>(field: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let mut current = field;
    while let Some(cast) = walk::definition(current).filter(|op| walk::name(op) == ops::CAST) {
        let operand = cast.operand(0).ok()?;
        if StencilType::of(operand.r#type())?.bounds.is_none() {
            break;
        }
        current = operand;
    }
    StencilType::of(current.r#type())?.bounds.map(|_| current)
}

/// How far the accesses to an argument of a region reach; none where one is dynamic, or the field
/// lacks dimensions of the domain.
fn radius(argument: Value, rank: usize) -> Option<u64> {
    if StencilType::of(argument.r#type())?.rank != rank {
        return None;
    }
    let mut most = 0;
    for used in walk::uses(argument) {
        // Whatever else takes a field or temp in a region reads cells that are not known.
        let offset = AccessOp::of(used.user)?.offset();
        most = offset.iter().fold(most, |most, along| most.max(along.unsigned_abs()));
    }
    Some(most)
}
