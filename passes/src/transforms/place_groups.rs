//! `stencil-place-groups`: put the applies of each group in a row, with memory for other readers.
//!
//! Before: applies with `stencil.group`, which says of which sweep each is to be a part.
//! After:  the applies of a group, with their stores, follow each other where the last one was.
//!         Ops between them that need no result of theirs are before them, others behind. A temp
//!         that an apply of a group and an op outside of it have in common is stored to memory of
//!         its own, and loaded from there.
//!
//! Why: any applies of a block can be a group then, not only all that are connected: what becomes
//! of the others no longer matters to the sweep. No value changes.
//! A group of a single apply whose plan is open is none, and loses its name; with keys it is a
//! sweep of one statement.
//! Requires `stencil-place-copies`, and preserves its guarantees. Idempotent.
//! Refuses a group that others need before it is complete (it is not convex), groups that need each
//! other, one with applies in several blocks, and one whose applies cannot be statements of one
//! sweep, each with the reason.
//! Does not decide what is a group: a program plan or the user does.

use super::{name_stages, place_copies::return_shared_results};
use crate::{
    analysis::{
        block_order::{self, BlockOrder, Obstacle},
        placement,
        statement::Unfit,
        statements::Statements,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::stencil::{self, attribute},
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// The table entry.
pub const PLACE_GROUPS: PassInfo = PassInfo {
    argument: "stencil-place-groups",
    summary: "put the applies of each group in a row, with memory for other readers",
    source: include_str!("place_groups.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[MOVED, STORED],
    dialects: &[],
    run: place_groups,
};

const MOVED: Statistic = statistic("num-moved", "groups that were not in a row");
const STORED: Statistic =
    statistic("num-stored", "temps that are in memory for others than groups");

fn place_groups(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let placed = place(function);
    let Placed { moved, stored } =
        placed.map_err(|Illegal { at, what, remedy }| refuse(&at, what, remedy))?;
    cx.count(MOVED, moved);
    cx.count(STORED, stored);
    Ok(())
}

/// How many groups were moved, and temps stored.
#[derive(Default)]
pub(crate) struct Placed {
    moved: u64,
    stored: u64,
}

/// Why groups are refused, and where.
#[derive(Debug)]
pub(crate) struct Illegal<'c, 'a> {
    at: OperationRef<'c, 'a>,
    /// The reason, as the end of a sentence that begins with the op.
    pub what: String,
    remedy: &'static str,
}

/// Puts the groups of a function in a row each.
///
/// # Errors
/// Why they cannot be. The function may have changed.
pub(crate) fn place<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Result<Placed, Illegal<'c, 'a>> {
    let mut places = Vec::<(BlockRef, Vec<String>)>::new();
    for group in groups(function)? {
        if let [only] = &group.members[..]
            && has_open_plan(*only)
        {
            build::remove_attribute(only.operation(), attribute::GROUP);
            continue;
        }
        match places.iter_mut().find(|(block, _)| *block == group.block) {
            Some((_, names)) => names.push(group.name),
            None => places.push((group.block, vec![group.name])),
        }
    }
    let mut placed = Placed::default();
    for (block, names) in places {
        order(block, &names)?;
        for (temp, bounds) in shared_temps(block)? {
            store(temp, &bounds);
            placed.stored += 1;
        }
        for apply in walk::operations(block).into_iter().filter_map(ApplyOp::of) {
            return_shared_results(apply);
        }
        placed.moved += u64::from(arrange(block, &names)?);
        for name in &names {
            check(block, name)?;
        }
    }
    Ok(placed)
}

/// Whether no key of an apply's plan is decided.
fn has_open_plan(apply: ApplyOp) -> bool {
    let plan = apply.operation().attribute(attribute::PLAN).ok().and_then(attributes::plan);
    plan.is_none_or(|keys| keys.is_empty())
}

/// Applies of one name.
struct Group<'c, 'a> {
    name: String,
    block: BlockRef<'c, 'a>,
    members: Vec<ApplyOp<'c, 'a>>,
}

/// The groups of a function.
fn groups<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
) -> Result<Vec<Group<'c, 'a>>, Illegal<'c, 'a>> {
    let mut groups = Vec::<Group>::new();
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let operation = apply.operation();
        let Some(name) = name_stages::group(operation) else { continue };
        let block = operation.block().expect("an apply is in a block");
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) if group.block == block => group.members.push(apply),
            Some(_) => {
                let what = format!("is of group '{name}', which is in another block");
                let remedy = "give each block groups of its own";
                return Err(Illegal { at: operation, what, remedy });
            }
            None => groups.push(Group { name, block, members: vec![apply] }),
        }
    }
    Ok(groups)
}

/// The ops of a block, and the order that they are to have.
#[allow(clippy::type_complexity)]
fn order<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    names: &[String],
) -> Result<(Vec<OperationRef<'c, 'a>>, Vec<usize>), Illegal<'c, 'a>> {
    let found = BlockOrder::of(block);
    let number = |operation| {
        let name = name_stages::group(operation)?;
        names.iter().position(|other| *other == name)
    };
    let nodes = (0..found.operations.len()).map(|op| found.node(op, number)).collect::<Vec<_>>();
    let order = block_order::arranged(&found.needs, &nodes).map_err(|obstacle| match obstacle {
        Obstacle::Through { group, op } => {
            let (group, what) = (&names[group], "needs a result of group");
            let what = format!("{what} '{group}', which needs a result or an access of it");
            let remedy = "make it a part of the group, or split the group";
            Illegal { at: found.operations[op], what, remedy }
        }
        Obstacle::Mutual(groups) => {
            let of_first = |node: &block_order::Node| node.group == groups.first().copied();
            let first = nodes.iter().position(of_first).expect("a group has applies");
            let names = groups.iter().map(|group| format!("'{}'", names[*group]));
            let names = names.collect::<Vec<_>>().join(" and ");
            let what = format!("is of a group, and the groups {names} need each other");
            let remedy = "make one group of them, or split one";
            Illegal { at: found.operations[first], what, remedy }
        }
    })?;
    Ok((found.operations, order))
}

/// Puts the ops of a block in order; says whether something changed.
fn arrange<'c: 'a, 'a>(block: BlockRef<'c, 'a>, names: &[String]) -> Result<bool, Illegal<'c, 'a>> {
    let (operations, order) = order(block, names)?;
    let end = operations[operations.len() - 1];
    let changes = !order.is_sorted();
    for op in order.into_iter().filter(|op| changes && operations[*op] != end) {
        build::move_before(operations[op], end);
    }
    Ok(changes)
}

/// The temps that an apply of a group computes or reads, and an op outside of the group reads or
/// computes, with their bounds.
fn shared_temps<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
) -> Result<Vec<(Value<'c, 'a>, Bounds)>, Illegal<'c, 'a>> {
    let group = |operation: OperationRef<'c, 'a>| {
        ApplyOp::of(operation).and_then(|apply| name_stages::group(apply.operation()))
    };
    let mut found = Vec::new();
    for apply in walk::operations(block).into_iter().filter_map(ApplyOp::of) {
        let (operation, own) = (apply.operation(), group(apply.operation()));
        for (number, result) in operation.results().enumerate() {
            let users = walk::uses(result.into()).into_iter().map(|used| used.user);
            let mut others = users.filter(|user| StoreOp::of(*user).is_none());
            if !others.any(|user| group(user) != own) {
                continue;
            }
            let bounds = StencilType::of(result.r#type()).and_then(|it| it.bounds);
            let Some(bounds) = bounds.filter(|_| !placement::is_optional(apply, number)) else {
                let what = "shares a temp with a group that has unwritten points or no bounds";
                let (what, remedy) = (what.to_owned(), "store the temp, and load that");
                return Err(Illegal { at: operation, what, remedy });
            };
            found.push((result.into(), bounds));
        }
    }
    Ok(found)
}

/// Stores a temp to memory of its own, and lets every op outside of its group load it.
fn store<'c: 'a, 'a>(temp: Value<'c, 'a>, bounds: &Bounds) {
    let definition = walk::definition(temp).expect("an apply computes it");
    let own = name_stages::group(definition);
    let r#type = StencilType::of(temp.r#type()).expect("it is a temp");
    let users = walk::uses(temp);
    let field = types::field(build::context(&definition), bounds, r#type.element);
    let field = Inserter::before(definition).value(stencil::ALLOC, &[], &[], field);
    let at = Inserter::after(definition);
    let all = attributes::make_bounds(at.context(), bounds);
    at.create(stencil::STORE, &[temp, field], &[("bounds", all)], &[], Vec::new());
    let loaded = at.value(stencil::LOAD, &[field], &[], temp.r#type());
    for used in users.into_iter().filter(|used| StoreOp::of(used.user).is_none()) {
        if own.is_none() || name_stages::group(used.user) != own {
            build::set_operand(used.user, used.operand, loaded);
        }
    }
}

/// Refuses a group whose applies cannot be one sweep.
fn check<'c: 'a, 'a>(block: BlockRef<'c, 'a>, name: &str) -> Result<(), Illegal<'c, 'a>> {
    let applies = walk::operations(block).into_iter().filter_map(ApplyOp::of);
    let is_member =
        |apply: &ApplyOp| name_stages::group(apply.operation()).is_some_and(|it| it == name);
    let members = applies.filter(is_member).collect::<Vec<_>>();
    let last = members[members.len() - 1].operation();
    let refused = |Unfit { what, remedy }| {
        let what = format!("is the last of group '{name}', which cannot be one sweep: it {what}");
        Illegal { at: last, what, remedy }
    };
    Statements::of_group(&members).map(|_| ()).map_err(refused)
}
