//! The stores of a time loop's body: which are those of its statements, and which fill ghost cells.

use super::{NONE, elsewhere, unbounded};
use crate::analysis::{
    alias::Carried,
    overwrites::Overwrite,
    placement,
    statement::{Unfit, named},
    time_loop::{self, is_host_scalar, rotation, slot_in},
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, build,
    ods::stencil::{self, attribute},
    ops::{AccessOp, ApplyOp, StoreOp},
    types, walk,
};

/// A store of the loop's body.
#[derive(Clone, Debug)]
pub(super) struct Stored<'c, 'a> {
    pub(super) operation: OperationRef<'c, 'a>,
    pub(super) apply: ApplyOp<'c, 'a>,
    pub(super) result: usize,
    pub(super) field: Value<'c, 'a>,
    pub(super) bounds: Bounds,
    /// The fields that take turns with this one.
    pub(super) cycle: usize,
}

/// Facts of the body.
pub(super) struct Body<'c, 'a> {
    pub(super) carried: Carried<'c, 'a>,
    pub(super) applies: Vec<ApplyOp<'c, 'a>>,
    /// In order.
    pub(super) stores: Vec<Stored<'c, 'a>>,
    /// Fields that take turns, and which of the stores is that of their statement.
    pub(super) cycles: Vec<Cycle<'c, 'a>>,
    /// The applies that are fills.
    pub(super) fills: Vec<ApplyOp<'c, 'a>>,
    /// Whether they fill ghost cells for the next iteration, and not for statements behind them.
    pub(super) is_late: bool,
    pub(super) permutation: Vec<Option<usize>>,
}

/// Fields that take turns.
pub(super) struct Cycle<'c, 'a> {
    pub(super) fields: Vec<Value<'c, 'a>>,
    /// The number of their statement's store.
    pub(super) main: usize,
}

impl<'c: 'a, 'a> Body<'c, 'a> {
    pub(super) fn of(carried: Carried<'c, 'a>) -> Result<Self, Unfit> {
        let permutation = time_loop::permutation(carried)?;
        let block = build::block_of(carried.operation(), 0);
        let applies = applies(block)?;
        let (stores, cycles, fills) = (Vec::new(), Vec::new(), Vec::new());
        let mut body =
            Self { carried, applies, stores, cycles, fills, is_late: false, permutation };
        for operation in walk::operations(block) {
            let computed = |store: &StoreOp<'c, 'a>| walk::definition(store.temp());
            let store = StoreOp::of(operation)
                .filter(|store| !computed(store).and_then(ApplyOp::of).is_some_and(is_merged));
            if let Some(store) = store {
                let stored = body.stored(store)?;
                body.stores.push(stored);
            }
        }
        body.find_fills()?;
        body.check_fill_results()?;
        Ok(body)
    }

    fn stored(&mut self, store: StoreOp<'c, 'a>) -> Result<Stored<'c, 'a>, Unfit> {
        let block = build::block_of(self.carried.operation(), 0);
        let field = named(store.field())
            .ok_or_else(|| Unfit::new("uses a field of unknown bounds", "give the field bounds"))?;
        let known = self.cycles.iter().position(|cycle| cycle.fields.contains(&field));
        let cycle = known.unwrap_or_else(|| {
            let slots = slot_in(block, field).map(|slot| rotation(&self.permutation, slot));
            let fields = slots.map(|slots| {
                slots.iter().map(|slot| self.carried.argument(*slot)).collect::<Vec<_>>()
            });
            let fields = fields.unwrap_or_else(|| vec![field]);
            self.cycles.push(Cycle { fields, main: self.stores.len() });
            self.cycles.len() - 1
        });
        let apply = walk::definition(store.temp()).and_then(ApplyOp::of);
        let number = walk::result_number(store.temp());
        let Some((apply, result)) = apply.zip(number).filter(|(it, _)| self.applies.contains(it))
        else {
            let what = "stores a temp that it does not compute";
            return Err(Unfit::new(what, "store it before the loop"));
        };
        let bounds = store.bounds();
        Ok(Stored { operation: store.operation(), apply, result, field, bounds, cycle })
    }

    /// The store of the most points is that of a cycle's statement; the others are fills.
    fn find_fills(&mut self) -> Result<(), Unfit> {
        let mut sides = Vec::new();
        for number in 0..self.cycles.len() {
            let stores = self.stores.iter().enumerate().filter(|(_, it)| it.cycle == number);
            let main = stores.max_by_key(|(_, stored)| stored.bounds.points());
            let (main, of_main) = main.expect("a cycle is made for a store");
            self.cycles[number].main = main;
            for (position, other) in self.stores.iter().enumerate() {
                if other.cycle != number || position == main {
                    continue;
                }
                if !other.bounds.intersection(&of_main.bounds).is_empty() {
                    let what = "stores to points of a field twice";
                    return Err(Unfit::new(what, "store each point once an iteration"));
                }
                if is_far(other, &of_main.bounds) {
                    continue;
                }
                let is_behind = position > main;
                sides.push((is_behind, is_behind && self.is_read_behind(other)));
                if !self.fills.contains(&other.apply) {
                    self.fills.push(other.apply);
                }
            }
        }
        // What is read in the same iteration is filled between its statements.
        let is_for_next = |(is_behind, is_read): &(bool, bool)| *is_behind && !*is_read;
        self.is_late = sides.iter().any(is_for_next);
        if self.is_late && !sides.iter().all(is_for_next) {
            let what = "fills ghost cells before and after its statements";
            return Err(Unfit::new(what, "fill all of them before the first statement"));
        }
        let order = |apply: &ApplyOp<'c, 'a>| self.applies.iter().position(|it| it == apply);
        self.fills.sort_by_key(order);
        match self.fills.is_empty() {
            true => Err(Unfit::new("fills no ghost cells", NONE)),
            false => Ok(()),
        }
    }

    /// Whether a statement loads the field behind a store.
    fn is_read_behind(&self, stored: &Stored<'c, 'a>) -> bool {
        let is_statement = |apply: &ApplyOp<'c, 'a>| {
            let mut own = self.stores.iter().filter(|other| other.apply == *apply);
            own.all(|other| self.stores[self.cycles[other.cycle].main].apply == *apply)
        };
        let is_behind = |load: OperationRef<'c, 'a>| stored.operation.is_before_in_block(load);
        let loads = |temp| {
            placement::loaded_field(temp).and_then(named) == Some(stored.field)
                && walk::definition(temp).is_some_and(is_behind)
        };
        let mut statements = self.applies.iter().filter(|apply| is_statement(apply));
        statements.any(|apply| apply.arguments().into_iter().any(loads))
    }

    /// The results of fills are stored to ghost cells, each once.
    fn check_fill_results(&mut self) -> Result<(), Unfit> {
        let mains = self.cycles.iter().map(|cycle| &self.stores[cycle.main]);
        if mains.into_iter().any(|main| self.fills.contains(&main.apply)) {
            return Err(Unfit::new("stores a statement to ghost cells too", "split the apply"));
        }
        for fill in &self.fills {
            for result in 0..fill.operation().result_count() {
                let of_it = |it: &&Stored<'c, 'a>| (it.apply, it.result) == (*fill, result);
                let stores = self.stores.iter().filter(of_it).count();
                let uses = walk::uses(build::result(fill.operation(), result)).len();
                if (stores, uses) != (1, 1) {
                    let what = "fills ghost cells from a temp that has other uses";
                    return Err(Unfit::new(what, "compute it in an apply of its own"));
                }
            }
        }
        if !self.is_late {
            return Ok(());
        }
        // In the next iteration the fields have other names.
        for number in 0..self.stores.len() {
            if self.fills.contains(&self.stores[number].apply) {
                self.stores[number].field = self.renamed(self.stores[number].field)?;
            }
        }
        Ok(())
    }

    /// The name that a field which a fill loads has where its ghost cells are read.
    pub(super) fn read_by_fill(
        &self,
        load: OperationRef<'c, 'a>,
        field: Value<'c, 'a>,
    ) -> Result<Value<'c, 'a>, Unfit> {
        if !self.is_late {
            return Ok(field);
        }
        let is_behind = |stored: &Stored<'c, 'a>| {
            stored.field != field || stored.operation.is_before_in_block(load)
        };
        match self.cycles.iter().all(|cycle| is_behind(&self.stores[cycle.main])) {
            true => self.renamed(field),
            false => Err(Unfit::new(
                "fills ghost cells, for the next iteration, from what it has overwritten",
                "load the field behind its statement",
            )),
        }
    }

    /// The name that a field of an iteration has in the next one.
    pub(super) fn renamed(&self, field: Value<'c, 'a>) -> Result<Value<'c, 'a>, Unfit> {
        let block = build::block_of(self.carried.operation(), 0);
        let Some(slot) = slot_in(block, field) else { return Ok(field) };
        let next = self.permutation.iter().position(|source| *source == Some(slot));
        let next = next.ok_or_else(|| Unfit::new("does not permute its fields", NONE))?;
        Ok(self.carried.argument(next))
    }

    /// The cycles some of whose cells are filled.
    pub(super) fn filled_cycles(&self) -> impl Iterator<Item = usize> {
        (0..self.cycles.len()).filter(|cycle| {
            let mut own = self.stores.iter().filter(|stored| stored.cycle == *cycle);
            own.any(|stored| self.fills.contains(&stored.apply))
        })
    }

    /// The cycle of a field, if cells of it are filled.
    pub(super) fn filled_cycle(&self, field: Value<'c, 'a>) -> Option<usize> {
        self.filled_cycles().find(|cycle| self.cycles[*cycle].fields.contains(&field))
    }

    pub(super) fn main(&self, cycle: usize) -> &Stored<'c, 'a> {
        &self.stores[self.cycles[cycle].main]
    }

    /// Whether an apply is a copy from the other end of the domain.
    pub(super) fn is_kept_fill(&self, apply: ApplyOp<'c, 'a>) -> bool {
        let mut own = self.stores.iter().filter(|stored| stored.apply == apply);
        own.any(|stored| self.main(stored.cycle).operation != stored.operation)
    }

    /// The load of an argument that reads a field with filled cells.
    #[allow(clippy::type_complexity)]
    pub(super) fn filled_load(
        &self,
        argument: Value<'c, 'a>,
    ) -> Result<Option<(OperationRef<'c, 'a>, Value<'c, 'a>)>, Unfit> {
        if types::is_field(argument.r#type()) {
            let field = named(argument).ok_or_else(unbounded)?;
            return match self.filled_cycle(field) {
                Some(_) => Err(elsewhere()),
                None => Ok(None),
            };
        }
        let Some(field) = placement::loaded_field(argument).and_then(named) else {
            return Ok(None);
        };
        let load = walk::definition(argument).expect("a loaded temp has a load");
        Ok(self.filled_cycle(field).map(|_| (load, field)))
    }
}

/// Whether an apply is to be part of the one whose points it overwrites.
fn is_merged(apply: ApplyOp) -> bool {
    apply.operation().has_attribute(attribute::INLINE) && Overwrite::of(apply).is_ok()
}

/// The applies of a body that holds nothing else that matters.
fn applies<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Result<Vec<ApplyOp<'c, 'a>>, Unfit> {
    let mut applies = Vec::new();
    for operation in walk::operations(block) {
        let name = walk::name(&operation);
        if let Some(apply) = ApplyOp::of(operation) {
            if is_merged(apply) {
                continue;
            }
            let returned = apply.terminator();
            let is_plain = !returned.values().iter().any(|it| types::is_result(it.r#type()));
            if !is_plain || returned.unroll().is_some() {
                let what = "computes several points at once, or leaves some out";
                return Err(Unfit::new(what, "return one number for each point"));
            }
            applies.push(apply);
            continue;
        }
        let is_name = matches!(name, stencil::LOAD | stencil::CAST | stencil::STORE);
        let is_end = operation.next_in_block().is_none();
        if !is_name && !is_end && !is_host_scalar(operation, name) {
            return Err(Unfit::new(format!("holds '{name}'"), "move it out of the loop"));
        }
    }
    Ok(applies)
}

/// Whether a fill copies cells from as far away as the domain is wide.
fn is_far(stored: &Stored, domain: &Bounds) -> bool {
    let extents = domain.extents();
    let accesses = walk::nested(stored.apply.operation()).into_iter().filter_map(AccessOp::of);
    let offsets = accesses.filter(|access| access.offset().len() == extents.len());
    offsets.into_iter().any(|access| {
        let offset = access.offset();
        offset.iter().zip(&extents).any(|(by, extent)| by.abs() >= *extent)
    })
}
