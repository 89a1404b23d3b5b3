//! Groups: applies outside of time loops that can be one sweep of one step.
//!
//! An apply belongs to the group of those whose results it reads, as temps or loaded from the
//! fields that they are stored to. The sweep is made where the last of them is, so nothing that
//! happens between the applies may depend on them, or change what they read. No apply outside may
//! read a temp of the group, as it is in no memory.
//!
//! Blocks of threads overlap, and compute what they need of each other: a field that is read before
//! the group stores it may have been overwritten by then, even at the point itself.

use super::{
    Source, Statements,
    body::{check_apply, statements, stores_of},
    check_count,
};
use crate::{
    analysis::{
        alias::Aliases,
        placement,
        stages::is_opaque,
        statement::{Unfit, named},
    },
    framework::count_steps,
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::HashSet;
use stencil_dialects::{
    ods::stencil::{self, attribute},
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// The groups of a block, and applies that cannot join those whose results they read, or whose
/// group cannot be one sweep. Applies with `stencil.group` are with those of the same name only.
/// Requires `stencil-place-copies`.
#[allow(clippy::type_complexity)]
pub fn groups<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
) -> (Vec<Statements<'c, 'a>>, Vec<(OperationRef<'c, 'a>, Unfit)>) {
    let (mut open, mut unfit) = (Vec::<Vec<ApplyOp>>::new(), Vec::new());
    for apply in walk::operations(block).into_iter().filter_map(ApplyOp::of) {
        let sources = sources(apply);
        let mark = |apply: &ApplyOp<'c, 'a>| apply.operation().attribute(attribute::GROUP).ok();
        let feeds = |group: &Vec<ApplyOp<'c, 'a>>| {
            let is_fed = || group.iter().any(|member| sources.contains(&member.operation()));
            mark(&group[0]) == mark(&apply) && (mark(&apply).is_some() || is_fed())
        };
        let (feeders, others): (Vec<_>, Vec<_>) = open.iter().cloned().partition(feeds);
        let mut joined = in_order(feeders.concat());
        joined.push(apply);
        let fit = match (joined.len(), mark(&apply)) {
            (1, _) | (_, Some(_)) => Ok(()),
            _ => Statements::of_applies(&joined).map(|_| ()),
        };
        match fit {
            Ok(()) => open = [others, vec![joined]].concat(),
            Err(why) => {
                unfit.push((apply.operation(), why));
                open.push(vec![apply]);
            }
        }
    }
    let mut found = Vec::new();
    for group in open.into_iter().filter(|group| group.len() > 1) {
        let last = group[group.len() - 1].operation();
        match Statements::of_group(&group) {
            Ok(statements) => found.push(statements),
            Err(why) => unfit.push((last, why)),
        }
    }
    (found, unfit)
}

/// Applies of a block in the order of the block.
fn in_order<'c: 'a, 'a>(mut applies: Vec<ApplyOp<'c, 'a>>) -> Vec<ApplyOp<'c, 'a>> {
    let is_before = |one: &ApplyOp<'c, 'a>, two: &ApplyOp<'c, 'a>| {
        one.operation().is_before_in_block(two.operation())
    };
    applies.sort_by(|one, two| is_before(two, one).cmp(&is_before(one, two)));
    applies
}

/// The applies of the same block whose results an apply reads.
fn sources<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let block = apply.operation().block();
    let mut found = Vec::new();
    for argument in apply.arguments() {
        if !types::is_temp(argument.r#type()) {
            continue;
        }
        let Some(definition) = walk::definition(argument) else { continue };
        match placement::loaded_field(argument) {
            None => found.push(definition),
            Some(field) => {
                let users = walk::uses(field).into_iter().map(|used| used.user);
                let stores = users.filter_map(StoreOp::of).filter(|store| {
                    let store = store.operation();
                    store.block() == block && store.is_before_in_block(definition)
                });
                found.extend(stores.filter_map(|store| walk::definition(store.temp())));
            }
        }
    }
    found
}

impl<'c: 'a, 'a> Statements<'c, 'a> {
    /// The statements of a group: applies of one block, in order.
    ///
    /// # Errors
    /// Why they cannot be one sweep. Requires `stencil-place-copies`.
    pub fn of_group(applies: &[ApplyOp<'c, 'a>]) -> Result<Self, Unfit> {
        let made = Self::of_applies(applies)?;
        if made.histories.is_empty() {
            return Err(Unfit::new("stores nothing", "store what it computes"));
        }
        for apply in applies {
            let operation = apply.operation();
            let users = operation.results().flat_map(|result| walk::uses(result.into()));
            let is_inside = |user: OperationRef<'c, 'a>| {
                StoreOp::of(user).is_some()
                    || applies.iter().any(|member| member.operation() == user)
            };
            if users.collect::<Vec<_>>().into_iter().any(|used| !is_inside(used.user)) {
                let what = "computes a temp that an op outside of the group reads";
                return Err(Unfit::new(what, "store the temp to a field, and load that"));
            }
        }
        Ok(made)
    }

    /// The same for applies that may be the first ones of a group.
    fn of_applies(applies: &[ApplyOp<'c, 'a>]) -> Result<Self, Unfit> {
        let last = applies.last().ok_or_else(|| Unfit::new("computes nothing", "compute"))?;
        check_count(applies.len())?;
        let mut made = Self {
            operation: last.operation(),
            rotation: None,
            applies: applies.to_vec(),
            stages: Vec::new(),
            histories: Vec::new(),
            periodic: Vec::new(),
        };
        for apply in applies {
            check_apply(*apply)?;
            made.stages.extend(statements(*apply)?);
        }
        made.add_histories(|_| false, |field| Ok((vec![field], Vec::new())))?;
        made.resolve()?;
        made.check_moves()?;
        Ok(made)
    }

    /// Checks that all applies can be computed where the last one is.
    fn check_moves(&self) -> Result<(), Unfit> {
        let homes = self.histories.iter().flat_map(|history| &history.homes);
        let mut late = homes.filter_map(|home| walk::definition(*home)).filter(|definition| {
            definition.block() == self.operation.block()
                && !definition.is_before_in_block(self.operation)
        });
        if late.next().is_some() {
            let what = "stores to a field that is made after its last statement";
            return Err(Unfit::new(what, "make the field before the statements"));
        }
        let key = |operation: OperationRef| operation.to_raw().ptr as usize;
        let own = self.applies.iter().map(|apply| key(apply.operation()));
        let own = own.collect::<HashSet<_>>();
        // An apply of the group, or a store of one.
        let is_own = |operation: OperationRef| match StoreOp::of(operation) {
            Some(store) => {
                walk::definition(store.temp()).is_some_and(|apply| own.contains(&key(apply)))
            }
            None => own.contains(&key(operation)),
        };
        for apply in self.applies.iter().filter(|apply| apply.operation() != self.operation) {
            let mut next = apply.operation().next_in_block();
            while let Some(between) = next.filter(|between| *between != self.operation) {
                count_steps(1);
                if !is_own(between) {
                    self.check_crossing(*apply, between)?;
                }
                next = between.next_in_block();
            }
        }
        Ok(())
    }

    /// Checks that an apply may be computed after an op.
    fn check_crossing(
        &self,
        apply: ApplyOp<'c, 'a>,
        between: OperationRef<'c, 'a>,
    ) -> Result<(), Unfit> {
        if is_opaque(between) {
            let what = format!("has '{}' between its statements", walk::name(&between));
            return Err(Unfit::new(what, "move it before or behind them"));
        }
        if walk::name(&between) == stencil::LOAD {
            return Ok(());
        }
        let own = self.stages.iter().filter(|stage| stage.apply.operation() == apply.operation());
        let read = own.flat_map(|stage| &stage.inputs).filter_map(|source| match source {
            Source::Field(field) => Some(*field),
            _ => None,
        });
        let written = placement::stores(between).into_iter().map(|store| store.field());
        let written = written.collect::<Vec<_>>();
        let mut aliases = Aliases::default();
        let is_written = |field: Value<'c, 'a>, aliases: &mut Aliases| {
            written.iter().any(|other| aliases.may_alias(field, *other))
        };
        let is_overwritten = read.into_iter().any(|field| is_written(field, &mut aliases));
        let stored = stores_of(apply).into_iter().filter_map(|(_, store)| named(store.field()));
        let is_touched = stored.into_iter().any(|field| {
            placement::touches(between, field, &mut aliases) || is_written(field, &mut aliases)
        });
        if !is_overwritten && !is_touched {
            return Ok(());
        }
        let what = "has an op between its statements that accesses one of their fields";
        Err(Unfit::new(what, "move it before or behind them"))
    }
}
