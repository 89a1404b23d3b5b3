//! Fields in a function's own memory whose cells are copies: of another field, and of cells of
//! their own that lie inside.
//!
//! Programs copy a field to memory with ghost cells, and fill these side after side, as mirrors,
//! walls and periodic sides do. Each side is a *piece*: cells beyond the box that is filled so far,
//! along one dimension, whose coordinates along it follow from those of cells inside. As every
//! piece covers all of that box across, the coordinates of the cell that is copied follow from
//! those of a point dimension by dimension.

mod pieces;

pub use self::pieces::{Content, Piece};

use self::pieces::Filled;
use super::{alias::Aliases, placement, run_time_extents::RunTimeExtents, statement::Unfit};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::cmp::Ordering;
use stencil_dialects::{
    Bounds, StencilType, build,
    ods::{arith, stencil},
    ops::{AccessOp, ApplyOp, StoreOp},
    walk,
};

/// A copy of a field to allocated memory.
pub struct FieldCopy<'c, 'a> {
    /// The op that allocates it.
    pub alloc: OperationRef<'c, 'a>,
    /// The field that is copied.
    pub source: Value<'c, 'a>,
    /// The load of it.
    pub temp: Value<'c, 'a>,
    /// How far the copied cell of a cell lies from it.
    pub offset: Vec<i64>,
    /// The apply that reads it, if there is one.
    pub apply: Option<ApplyOp<'c, 'a>>,
    /// The store.
    pub store: StoreOp<'c, 'a>,
}

impl<'c: 'a, 'a> FieldCopy<'c, 'a> {
    /// What the first store to allocated memory copies there; none if that is no field.
    pub fn of(alloc: OperationRef<'c, 'a>) -> Option<Self> {
        let users = walk::uses(build::single(alloc)).into_iter().map(|used| used.user);
        let stores = users.filter(|user| user.block() == alloc.block()).filter_map(StoreOp::of);
        let store = stores.reduce(|one, two| {
            match one.operation().is_before_in_block(two.operation()) {
                true => one,
                false => two,
            }
        })?;
        let rank = store.bounds().rank();
        let apply = ApplyOp::of(walk::definition(store.temp())?);
        let (temp, offset) = match apply {
            None => (store.temp(), vec![0; rank]),
            Some(apply) => {
                let ([temp], access) = (&apply.arguments()[..], returned_access(apply)?) else {
                    return None;
                };
                let is_copy = is_stored_once(apply) && has_all_dimensions(&access, rank);
                is_copy.then(|| (*temp, access.offset()))?
            }
        };
        let source = placement::loaded_field(temp)?;
        Some(Self { alloc, source, temp, offset, apply, store })
    }
}

/// A field whose cells are copies.
pub struct CopiedCells<'c, 'a> {
    /// The copy of another field.
    pub copy: FieldCopy<'c, 'a>,
    /// What lies around it, in the order of the program.
    pub pieces: Vec<Piece<'c>>,
    /// The applies that fill it, each with its store.
    pub strips: Vec<(ApplyOp<'c, 'a>, StoreOp<'c, 'a>)>,
    /// The loads that other applies read, in order.
    pub loads: Vec<OperationRef<'c, 'a>>,
    /// The least extents along each dimension for which pieces copy cells inside, if extents are
    /// given at run time.
    pub least: Vec<i64>,
}

impl<'c: 'a, 'a> CopiedCells<'c, 'a> {
    /// What the cells of allocated memory hold that a field is copied to.
    ///
    /// # Errors
    /// Why they are no copies that readers may make.
    pub fn of(copy: FieldCopy<'c, 'a>) -> Result<Self, Unfit> {
        let alloc = copy.alloc;
        let (stores, loads) = users(alloc)?;
        let extents = RunTimeExtents::around(alloc);
        let mut filled = Filled::new(&copy.store.bounds(), extents.as_ref());
        let mut strips = Vec::new();
        let mut filled_by = vec![(copy.store, filled.valid.clone())];
        for store in stores.into_iter().skip(1) {
            let previous = filled_by.last().expect("it has the copy").0;
            let strip = Strip::of(store, build::single(alloc), previous.operation())?;
            filled.add(&strip)?;
            strips.push((strip.apply, store));
            filled_by.push((store, filled.valid.clone()));
        }
        let (pieces, least) = filled.finish()?;
        let mut found = Self { copy, pieces, strips, loads, least };
        found.loads.retain(|load| {
            let mut uses = walk::uses(build::single(*load)).into_iter();
            let is_of_strip = |user| found.strips.iter().any(|(it, _)| it.operation() == user);
            uses.any(|used| !is_of_strip(used.user))
        });
        found.check_loads(&filled_by)?;
        found.check_source()?;
        Ok(found)
    }

    /// Checks that all that is read was filled before, with each store the cells that are then, and
    /// is read outside of loops.
    fn check_loads(&self, filled_by: &[(StoreOp<'c, 'a>, Bounds)]) -> Result<(), Unfit> {
        for load in &self.loads {
            let temp = build::single(*load);
            let bounds = StencilType::of(temp.r#type()).and_then(|it| it.bounds);
            let before =
                |(store, _): &&(StoreOp, Bounds)| store.operation().is_before_in_block(*load);
            let filled = filled_by.iter().rev().find(before);
            let covers = |(_, valid): &(StoreOp, Bounds)| Some(valid.contains(bounds.as_ref()?));
            if !filled.and_then(covers).unwrap_or_default() {
                return Err(Unfit::new("has cells that are read before they are filled", NONE));
            }
            let is_apply = |used: &walk::Use| {
                ApplyOp::of(used.user).is_some() && used.user.block() == load.block()
            };
            if !walk::uses(temp).iter().all(is_apply) {
                return Err(Unfit::new("is read in a loop, or stored as it is", NONE));
            }
        }
        Ok(())
    }

    /// Checks that the source stays as it was copied.
    fn check_source(&self) -> Result<(), Unfit> {
        let mut aliases = Aliases::default();
        let load = walk::definition(self.copy.temp);
        let mut following = std::iter::successors(load, |it| it.next_in_block());
        match following.any(|it| placement::may_write(it, self.copy.source, &mut aliases)) {
            true => {
                let what = "is a copy of a field that is stored afterwards";
                Err(Unfit::new(what, "store to another field"))
            }
            false => Ok(()),
        }
    }
}

/// The stores to an allocated field, at least one, and its loads, in order.
fn users<'c: 'a, 'a>(
    alloc: OperationRef<'c, 'a>,
) -> Result<(Vec<StoreOp<'c, 'a>>, Vec<OperationRef<'c, 'a>>), Unfit> {
    let mut users =
        walk::uses(build::single(alloc)).into_iter().map(|used| used.user).collect::<Vec<_>>();
    if users.iter().any(|user| user.block() != alloc.block()) {
        return Err(Unfit::new("is used in a loop or a branch", NONE));
    }
    users.sort_by(|one, two| match one.is_before_in_block(*two) {
        true => Ordering::Less,
        false => Ordering::Greater,
    });
    let is_load = |user: &OperationRef| walk::name(user) == stencil::LOAD;
    let stores = users.iter().copied().filter_map(StoreOp::of).collect::<Vec<_>>();
    if stores.len() + users.iter().filter(|user| is_load(user)).count() != users.len() {
        return Err(Unfit::new("is used otherwise than by loads and stores", NONE));
    }
    users.retain(is_load);
    Ok((stores, users))
}

const NONE: &str = "it stays in memory";

/// An apply that fills cells of a field from other cells of it, or with a number.
pub(super) struct Strip<'c, 'a> {
    /// The cells.
    pub bounds: Bounds,
    /// How far away the cells are that are read; zeros where none is.
    pub offset: Vec<i64>,
    pub content: Content<'c>,
    pub apply: ApplyOp<'c, 'a>,
}

impl<'c: 'a, 'a> Strip<'c, 'a> {
    fn of(
        store: StoreOp<'c, 'a>,
        field: Value<'c, 'a>,
        previous: OperationRef<'c, 'a>,
    ) -> Result<Self, Unfit> {
        let other = || Unfit::new("has cells that are no copies of its own cells", NONE);
        let definition = walk::definition(store.temp()).ok_or_else(other)?;
        let apply = ApplyOp::of(definition).filter(|it| is_stored_once(*it)).ok_or_else(other)?;
        let [returned] = apply.terminator().values()[..] else { return Err(other()) };
        let (bounds, rank) = (store.bounds(), store.bounds().rank());
        if apply.arguments().is_empty() {
            let attribute = walk::constant(returned).ok_or_else(other)?;
            let content = Content::Constant(attribute, returned.r#type());
            return Ok(Self { bounds, offset: vec![0; rank], content, apply });
        }
        let [temp] = apply.arguments()[..] else { return Err(other()) };
        // The strip reads what all strips before it have filled.
        let is_behind = |load: OperationRef<'c, 'a>| {
            previous.is_before_in_block(load) && load.is_before_in_block(store.operation())
        };
        let is_own = placement::loaded_field(temp) == Some(field);
        if !is_own || !walk::definition(temp).is_some_and(is_behind) {
            return Err(other());
        }
        let (access, content) = match returned_access(apply) {
            Some(access) => (access, Content::Same),
            None => (negated_access(apply).ok_or_else(other)?, Content::Negated),
        };
        match has_all_dimensions(&access, rank) {
            true => Ok(Self { bounds, offset: access.offset(), content, apply }),
            false => Err(other()),
        }
    }
}

/// Whether one result of an apply is stored, and nothing else reads it.
fn is_stored_once(apply: ApplyOp) -> bool {
    let operation = apply.operation();
    operation.result_count() == 1
        && apply.destinations().is_empty()
        && apply.terminator().unroll().is_none()
        && walk::uses(build::single(operation)).len() == 1
}

fn has_all_dimensions(access: &AccessOp, rank: usize) -> bool {
    access.mapping().into_iter().eq(0..rank)
}

/// The access whose value an apply gives.
fn returned_access<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Option<AccessOp<'c, 'a>> {
    let [returned] = apply.terminator().values()[..] else { return None };
    AccessOp::of(walk::definition(returned)?)
}

/// The access whose negative value an apply gives.
fn negated_access<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Option<AccessOp<'c, 'a>> {
    let [returned] = apply.terminator().values()[..] else { return None };
    let negation = walk::definition(returned)?;
    if walk::name(&negation) != arith::NEGF {
        return None;
    }
    AccessOp::of(walk::definition(negation.operand(0).ok()?)?)
}
