//! The statements of a block as the stages of a sweep: what each reads, of which statement and
//! which iteration, and where each result lives.
//!
//! A block is the body of a time loop, whose iterations are the steps of the sweep
//! (`statements/steps.rs`), or some applies in a row are a *group*, a sweep of one step
//! (`statements/group.rs`).
//!
//! A stored result has a *history*: in iteration i it is written to the field that is then in its
//! slot, one after the other of the R fields of the slot's cycle. `homes[k]` is the field that the
//! k-th iteration from now writes, counted from 0; they repeat with period R. A group has one home
//! for each. A level, the result of one iteration, has outside of the statement's domain the cells
//! of its home. A field that is loaded before any store of the iteration holds the level of an
//! *age*: 1 is that of the iteration before.
//!
//! An apply whose results are stored at different points is a statement for each set of points.
//!
//! Ghost cells that are copied from the other end of the domain before they are read make the grid
//! *periodic*: the copies are no stages, and nothing outside the domain is read.

mod body;
mod group;
mod levels;
mod periodic;
mod steps;

pub use self::{group::groups, periodic::Strip};

use super::{
    alias::{self, Aliases},
    placement,
    statement::{Unfit, named},
    time_loop::slot_in,
};
use melior::ir::{
    BlockLike, OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike,
};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::stencil::attribute,
    ops::{AccessOp, ApplyOp},
    types, walk,
};

/// Applies that can be one sweep at most: each keeps planes in registers or shared memory, and
/// pairs of them are compared.
const APPLIES_MAX: usize = 64;

fn check_count(applies: usize) -> Result<(), Unfit> {
    if applies <= APPLIES_MAX {
        return Ok(());
    }
    let what = format!("has {applies} applies, a sweep has at most {APPLIES_MAX}");
    Err(Unfit::new(what, "divide them into groups"))
}

/// What the text calls a field that is an argument of the function, or that a loop begins with.
fn argument_name<'c: 'a, 'a>(mut field: Value<'c, 'a>) -> Option<String> {
    while let Some((carried, slot)) = alias::slot(field) {
        field = carried.initial(slot);
    }
    let (block, position) = walk::block_argument(field)?;
    let function = block.parent_operation()?;
    build::argument_attribute(function, position, attribute::NAME).and_then(attributes::string)
}

/// Statements that can be one sweep.
#[derive(Clone, Debug)]
pub struct Statements<'c, 'a> {
    /// The time loop, or the last apply of a group: here the sweep is made.
    pub operation: OperationRef<'c, 'a>,
    /// Of a time loop, for each slot the one whose field it holds in the next iteration, or none
    /// for scalars. A group has no slots.
    rotation: Option<Vec<Option<usize>>>,
    /// The applies: statements, and those that fill ghost cells.
    pub applies: Vec<ApplyOp<'c, 'a>>,
    /// The statements, in order.
    pub stages: Vec<Stage<'c, 'a>>,
    /// The stored results.
    pub histories: Vec<History<'c, 'a>>,
    /// Dimensions along which the grid is periodic.
    pub periodic: Vec<usize>,
}

/// A statement: some results of an apply.
#[derive(Clone, Debug)]
pub struct Stage<'c, 'a> {
    /// The apply.
    pub apply: ApplyOp<'c, 'a>,
    /// Which results, ascending.
    pub results: Vec<usize>,
    /// The operations of the apply that these depend on, in order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// For each argument, the constant offsets at which these read it.
    offsets: Vec<Vec<Vec<i64>>>,
    /// The points that it computes.
    pub domain: Bounds,
    /// For each argument, what it is.
    pub inputs: Vec<Source<'c, 'a>>,
}

/// What an argument of a statement is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source<'c, 'a> {
    /// A number of the host.
    Scalar(Value<'c, 'a>),
    /// A field that no statement stores.
    Field(Value<'c, 'a>),
    /// A result of a statement before it in the same iteration.
    Result {
        /// The statement.
        stage: usize,
        /// The number of the result among those of the statement.
        result: usize,
    },
    /// A level of an earlier iteration.
    Level {
        /// The history.
        history: usize,
        /// Iterations since it was stored, at least 1.
        age: usize,
    },
}

/// A result that is stored, over the iterations.
#[derive(Clone, Debug)]
pub struct History<'c, 'a> {
    /// The statement.
    pub stage: usize,
    /// The number of the result among those of the statement.
    pub result: usize,
    /// The fields that the iterations from now on store it to, in turn, as values of the body.
    pub homes: Vec<Value<'c, 'a>>,
    /// Their slots; empty where the field is stored in place and not carried.
    pub slots: Vec<usize>,
    /// The oldest level that an iteration reads; 0 if none.
    pub age: usize,
    /// Whether the fields are read after the loop.
    pub is_seen: bool,
    /// Whether ghost cells of the fields are written in the loop.
    pub has_ghosts: bool,
}

impl History<'_, '_> {
    /// Levels that sweeps hand on, the newest ones.
    pub fn levels(&self) -> usize {
        self.age.max(usize::from(self.is_seen))
    }

    /// Whether sweeps of so many steps may write levels to their homes at once, because none of
    /// them holds a level that is read.
    pub fn is_direct(&self, steps: usize) -> bool {
        self.homes.len() >= self.age + steps
    }

    /// The home of a level; level 1 is stored by the next iteration, level 0 was by the last.
    pub fn home(&self, level: i64) -> usize {
        (level - 1).rem_euclid(self.homes.len() as i64) as usize
    }
}

impl<'c: 'a, 'a> Statements<'c, 'a> {
    /// Whether iterations of a loop are the steps.
    pub fn is_loop(&self) -> bool {
        self.rotation.is_some()
    }

    /// The slot of a loop's body that a field is.
    fn slot(&self, field: Value<'c, 'a>) -> Option<usize> {
        slot_in(build::block_of(self.operation, 0), field).filter(|_| self.is_loop())
    }

    /// The history of a result, if it is stored.
    pub fn history(&self, stage: usize, result: usize) -> Option<usize> {
        let is_it = |history: &History| (history.stage, history.result) == (stage, result);
        self.histories.iter().position(is_it)
    }

    /// The type of the levels' values.
    pub fn element(&self) -> Type<'c> {
        let result = build::result(self.stages[0].apply.operation(), 0);
        StencilType::of(result.r#type()).expect("an apply computes temps").element
    }

    /// The smallest box that holds the domains of all statements.
    pub fn domain(&self) -> Bounds {
        let domains = self.stages.iter().map(|stage| stage.domain.clone());
        domains.reduce(|one, two| one.union(&two)).expect("there are statements")
    }

    /// Whether levels of a history need the cells of their homes outside of the domain.
    pub fn is_bounded(&self, history: &History) -> bool {
        self.periodic.is_empty() && self.is_read_outside(history.stage, history.result)
    }

    /// Whether a level of a result is read outside of its statement's domain.
    pub fn is_read_outside(&self, stage: usize, result: usize) -> bool {
        let domain = &self.stages[stage].domain;
        let history = self.history(stage, result);
        self.stages.iter().any(|reader| {
            let inputs = reader.inputs.iter().enumerate();
            let of_it = inputs.filter(|(_, source)| match **source {
                Source::Result { stage: of, result: number } => (of, number) == (stage, result),
                Source::Level { history: of, .. } => Some(of) == history,
                _ => false,
            });
            let mut offsets = of_it.flat_map(|(position, _)| reader.offsets(position));
            offsets.any(|offset| !domain.contains(&moved(&reader.domain, offset)))
        })
    }

    /// Adds what is stored, to the fields and slots that `homes` says.
    #[allow(clippy::type_complexity)]
    fn add_histories(
        &mut self,
        has_ghosts: impl Fn(&[Value<'c, 'a>]) -> bool,
        homes: impl Fn(Value<'c, 'a>) -> Result<(Vec<Value<'c, 'a>>, Vec<usize>), Unfit>,
    ) -> Result<(), Unfit> {
        for (number, stage) in self.stages.iter().enumerate() {
            for (result, store) in stage.stores() {
                let field = named(store.field()).ok_or_else(unbounded)?;
                let (homes, slots) = homes(field)?;
                let is_known =
                    |other: &History<'c, 'a>| other.homes.iter().any(|home| homes.contains(home));
                if self.histories.iter().any(is_known) {
                    let name = homes.iter().find_map(|home| argument_name(*home));
                    let name = name.map_or("one field".to_owned(), |name| format!("'{name}'"));
                    let what = format!("stores to {name}, or to those that rotate with it, twice");
                    return Err(Unfit::new(what, "store each field once an iteration"));
                }
                let (has_ghosts, is_seen) = (has_ghosts(&homes), true);
                let history =
                    History { stage: number, result, homes, slots, age: 0, is_seen, has_ghosts };
                self.histories.push(history);
            }
        }
        Ok(())
    }

    /// Finds what the arguments of all statements are, and checks what any sweep requires of them.
    fn resolve(&mut self) -> Result<(), Unfit> {
        for number in 0..self.stages.len() {
            let inputs = self.inputs(number)?;
            self.stages[number].inputs = inputs;
        }
        self.check_elements()?;
        self.check_aliases()?;
        self.check_outside()
    }

    /// What the arguments of a statement are.
    fn inputs(&self, number: usize) -> Result<Vec<Source<'c, 'a>>, Unfit> {
        let stage = &self.stages[number];
        let mut inputs = Vec::new();
        for (position, argument) in stage.apply.arguments().into_iter().enumerate() {
            let source = match argument.r#type() {
                r#type if types::is_field(r#type) => self.loaded(argument, None)?,
                r#type if types::is_temp(r#type) => self.temp(argument)?,
                _ => Source::Scalar(argument),
            };
            let is_level = matches!(source, Source::Result { .. } | Source::Level { .. });
            if is_level {
                check_reads(stage, position)?;
            }
            inputs.push(source);
        }
        Ok(inputs)
    }

    /// What a temp is.
    fn temp(&self, temp: Value<'c, 'a>) -> Result<Source<'c, 'a>, Unfit> {
        let definition = walk::definition(temp);
        let result = walk::result_number(temp);
        for (stage, computed) in self.stages.iter().enumerate() {
            let of_it = computed.results.iter().position(|own| Some(*own) == result);
            if let (true, Some(result)) = (Some(computed.apply.operation()) == definition, of_it) {
                return Ok(Source::Result { stage, result });
            }
        }
        let Some(field) = placement::loaded_field(temp) else {
            let what = "reads a temp that none of its statements computes";
            return Err(Unfit::new(what, "store the temp to a field, and load that"));
        };
        let load = definition.expect("a loaded temp has a load");
        if !placement::is_in_place(load) {
            let what = "reads a temp whose field changes before its last use";
            return Err(Unfit::new(what, "run stencil-place-copies first"));
        }
        self.loaded(field, Some(load))
    }

    /// What a field holds, at a load or before everything.
    fn loaded(
        &self,
        field: Value<'c, 'a>,
        load: Option<OperationRef<'c, 'a>>,
    ) -> Result<Source<'c, 'a>, Unfit> {
        let field = named(field).ok_or_else(unbounded)?;
        let of_field = |history: &History<'c, 'a>| history.homes.contains(&field);
        let Some(number) = self.histories.iter().position(of_field) else {
            let moves =
                |slot: usize| self.rotation.as_ref().is_some_and(|slots| slots[slot] != Some(slot));
            if self.slot(field).is_some_and(moves) {
                let what = "reads a field that its loop rotates and does not store";
                return Err(Unfit::new(what, "do not rotate fields that are only read"));
            }
            return Ok(Source::Field(field));
        };
        let history = &self.histories[number];
        let Some(load) = load else {
            let what = "reads a field that it also stores at cells that are not constant offsets";
            return Err(Unfit::new(what, "load it, and access it at constant offsets"));
        };
        let stores = self.stages[history.stage].stores();
        let store = stores.into_iter().find(|(result, _)| *result == history.result);
        let store = store.expect("a history has a store").1;
        let is_after =
            load.block() == store.operation().block() && store.operation().is_before_in_block(load);
        if history.homes[0] == field && is_after {
            return Ok(Source::Result { stage: history.stage, result: history.result });
        }
        if !self.is_loop() {
            let what = "reads cells of a field before it stores them, and threads of another \
                        block may have stored them";
            return Err(Unfit::new(what, "store to another field"));
        }
        // The slot that is stored holds the oldest level, the one after it in turn the next older.
        let place = history.homes.iter().position(|home| *home == field);
        let place = place.expect("the field is a home of it");
        Ok(Source::Level { history: number, age: history.homes.len() - place })
    }

    /// All levels have one element type and the rank of the domains.
    fn check_elements(&self) -> Result<(), Unfit> {
        let first = self.stages.first().map(|stage| stage.domain.rank());
        let element = self.element();
        if !element.is_float() {
            let what = format!("computes numbers of type {element}, sweeps are made for floats");
            return Err(Unfit::new(what, "make one step at a time"));
        }
        for stage in &self.stages {
            if stage.apply.elements().iter().any(|other| *other != element) {
                let what = "computes values of several types";
                return Err(Unfit::new(what, "convert them to one"));
            }
            if Some(stage.domain.rank()) != first {
                let what = "computes points of different dimensions";
                return Err(Unfit::new(what, "make one step at a time"));
            }
        }
        for history in &self.histories {
            let is_other = |home: &Value<'c, 'a>| {
                StencilType::of(home.r#type()).is_none_or(|it| it.element != element)
            };
            if history.homes.iter().any(is_other) {
                let what = "stores to fields of another type";
                return Err(Unfit::new(what, "give all fields one type"));
            }
        }
        Ok(())
    }

    /// Fields that are only read are no others by another name; nor are two stored ones.
    fn check_aliases(&self) -> Result<(), Unfit> {
        let homes = || self.histories.iter().flat_map(|history| history.homes.iter().copied());
        let is_slot = |value: Value<'c, 'a>| self.slot(value).is_some();
        let inputs = self.stages.iter().flat_map(|stage| &stage.inputs);
        let read = inputs.filter_map(|source| match source {
            Source::Field(field) => Some(*field),
            _ => None,
        });
        let others = self.histories.iter().filter(|it| it.slots.is_empty()).map(|it| it.homes[0]);
        let mut aliases = Aliases::default();
        for field in read.chain(others) {
            let mut others = homes().filter(|home| *home != field);
            // Slots of one loop hold different fields.
            if others
                .any(|home| !(is_slot(home) && is_slot(field)) && aliases.may_alias(home, field))
            {
                let what = "reads or stores a field that it stores through two aliases";
                return Err(Unfit::new(what, "use one name, of a loop its iteration argument"));
            }
        }
        Ok(())
    }

    /// A result that is not stored is not read where it is not computed.
    fn check_outside(&self) -> Result<(), Unfit> {
        for (number, stage) in self.stages.iter().enumerate() {
            for result in 0..stage.results.len() {
                if self.history(number, result).is_none() && self.is_read_outside(number, result) {
                    let what = "reads a temp outside of the points that are computed";
                    return Err(Unfit::new(what, "store the temp to a field, and load that"));
                }
            }
        }
        Ok(())
    }
}

/// Bounds moved by an offset.
pub fn moved(bounds: &Bounds, offset: &[i64]) -> Bounds {
    let add = |ends: &[i64]| ends.iter().zip(offset).map(|(end, by)| end + by).collect();
    Bounds::new(add(&bounds.lower), add(&bounds.upper))
}

fn unbounded() -> Unfit {
    Unfit::new("uses a field of unknown bounds", "give the field bounds")
}

/// A level is read at constant offsets along all dimensions.
fn check_reads(stage: &Stage, position: usize) -> Result<(), Unfit> {
    let every = (0..stage.domain.rank()).collect::<Vec<_>>();
    let is_constant =
        |user: OperationRef| AccessOp::of(user).is_some_and(|access| access.mapping() == every);
    match stage.accesses(position).all(is_constant) {
        true => Ok(()),
        false => Err(Unfit::new(
            "reads what it computes at cells that are not constant offsets",
            "access it at constant offsets in all dimensions",
        )),
    }
}
