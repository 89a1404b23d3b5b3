//! The statements of a time loop as the stages of a sweep: what each reads, of which statement and
//! which iteration, and where each result lives.
//!
//! A loop qualifies if its body holds applies with direct stores, loads, and host scalars, and
//! permutes the fields that it carries. A stored result has a *history*: in iteration i it is
//! written to the field that is then in its slot, one after the other of the R fields of the slot's
//! cycle. `homes[k]` is the field that the k-th iteration from now writes, counted from 0; they
//! repeat with period R. A level, the result of one iteration, has outside of the statement's
//! domain the cells of its home. A field that is loaded before any store of the iteration holds the
//! level of an *age*: 1 is that of the iteration before.
//!
//! An apply whose results are stored at different points is a statement for each set of points.
//!
//! Ghost cells that are copied from the other end of the domain before they are read make the grid
//! *periodic*: the copies are no stages, and nothing outside the domain is read.

mod body;
mod levels;
mod periodic;

use self::body::{Body, statements};
use super::{
    alias::{Carried, may_alias},
    placement,
    statement::{Unfit, named},
    time_loop::{self, is_seen, slot_in, varies},
};
use melior::ir::{
    BlockRef, OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike,
};
use stencil_dialects::{
    Bounds, StencilType, build,
    ods::stencil::attribute,
    ops::{AccessOp, ApplyOp},
    types, walk,
};

/// A time loop whose iterations can be steps of one sweep.
#[derive(Clone, Debug)]
pub struct TimeStages<'c, 'a> {
    /// The `scf.for`.
    pub operation: OperationRef<'c, 'a>,
    /// For each slot, the one whose field it holds in the next iteration; none for scalars.
    pub permutation: Vec<Option<usize>>,
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
    /// A field that the loop does not store.
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

    /// Iterations at the end of the loop that leave in the fields what sweeps do not.
    fn unfused(&self) -> usize {
        match (self.is_seen, self.has_ghosts) {
            (false, _) => 0,
            (true, true) => self.homes.len(),
            (true, false) => self.homes.len() - self.levels(),
        }
    }
}

impl<'c: 'a, 'a> TimeStages<'c, 'a> {
    /// The statements of a loop.
    ///
    /// # Errors
    /// Why its iterations cannot be steps of one sweep. Requires `stencil-place-copies`.
    pub fn of(operation: OperationRef<'c, 'a>) -> Result<Self, Unfit> {
        let Some(carried) = Carried::of(operation) else {
            return Err(Unfit::new("is no time loop", "make one step at a time"));
        };
        time_loop::check_loop(operation)?;
        let permutation = time_loop::permutation(carried)?;
        let body = build::block_of(operation, 0);
        let found = Body::of(body)?;
        let mut stages = Self {
            operation,
            permutation,
            stages: Vec::new(),
            histories: Vec::new(),
            periodic: Vec::new(),
        };
        for apply in &found.applies {
            stages.stages.extend(statements(*apply)?);
        }
        stages.add_histories(&found, carried)?;
        for number in 0..stages.stages.len() {
            let inputs = stages.inputs(number)?;
            stages.stages[number].inputs = inputs;
        }
        stages.check_elements()?;
        stages.check_aliases()?;
        stages.check_outside()?;
        periodic::find(&mut stages, &found)?;
        stages.find_ages(carried);
        Ok(stages)
    }

    /// The loop's carried values.
    pub fn carried(&self) -> Carried<'c, 'a> {
        Carried::of(self.operation).expect("a time loop is a loop")
    }

    /// The history of a result, if it is stored.
    pub fn history(&self, stage: usize, result: usize) -> Option<usize> {
        let is_it = |history: &History| (history.stage, history.result) == (stage, result);
        self.histories.iter().position(is_it)
    }

    /// Iterations at the end of the loop that are not fused.
    pub fn unfused(&self) -> usize {
        self.histories.iter().map(History::unfused).max().unwrap_or(0)
    }

    /// Checks that sweeps of so many steps leave all levels that the next one reads.
    ///
    /// # Errors
    /// Why they do not.
    pub fn check_steps(&self, steps: usize) -> Result<(), Unfit> {
        let is_written = |history: &History| match history.is_direct(steps) {
            true => history.levels() > 0,
            false => history.age > 0,
        };
        if !self.histories.iter().any(is_written) {
            let what = "computes no level that a later iteration reads";
            return Err(Unfit::new(what, "make one step at a time, or leave out the loop's plan"));
        }
        let mut few = self.histories.iter().filter(|it| it.levels() > steps);
        let Some(history) = few.find(|history| !history.is_direct(steps)) else { return Ok(()) };
        let what = format!(
            "reads {} levels of one field, but a sweep of {steps} steps writes only {steps}",
            history.levels()
        );
        Err(Unfit::new(what, "make at least as many steps as levels are read"))
    }

    /// Whether a value of the host differs from one iteration to the next.
    pub fn varies(&self, value: Value<'c, 'a>) -> bool {
        varies(self.operation, value)
    }

    /// The type of the levels' values.
    pub fn element(&self) -> Type<'c> {
        let result = build::result(self.stages[0].apply.operation(), 0);
        StencilType::of(result.r#type()).expect("an apply computes temps").element
    }

    /// The smallest box that holds the domains of all statements.
    pub fn domain(&self) -> Bounds {
        let domains = self.stages.iter().map(|stage| stage.domain.clone());
        domains.reduce(|one, two| one.union(&two)).expect("a loop has statements")
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
            offsets.any(|offset| !domain.contains(&moved(&reader.domain, &offset)))
        })
    }

    fn add_histories(
        &mut self,
        found: &Body<'c, 'a>,
        carried: Carried<'c, 'a>,
    ) -> Result<(), Unfit> {
        let body = build::block_of(self.operation, 0);
        for (number, stage) in self.stages.iter().enumerate() {
            for (result, store) in stage.stores() {
                let field = named(store.field()).ok_or_else(unbounded)?;
                let (homes, slots) = homes(body, carried, &self.permutation, field)?;
                let is_known =
                    |other: &History<'c, 'a>| other.homes.iter().any(|home| homes.contains(home));
                if self.histories.iter().any(is_known) {
                    let what = "stores to one field, or to those that rotate with it, twice";
                    return Err(Unfit::new(what, "store each field once an iteration"));
                }
                let has_ghosts = found.strips.iter().any(|strip| homes.contains(&strip.field));
                let is_seen = true;
                let history =
                    History { stage: number, result, homes, slots, age: 0, is_seen, has_ghosts };
                self.histories.push(history);
            }
        }
        match self.histories.is_empty() {
            true => Err(Unfit::new("stores nothing", "store what it computes")),
            false => Ok(()),
        }
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
            let what = "reads a temp that nothing in the loop computes";
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
            let slot = slot_in(build::block_of(self.operation, 0), field);
            if slot.is_some_and(|slot| self.permutation[slot] != Some(slot)) {
                let what = "reads a field that its loop rotates and does not store";
                return Err(Unfit::new(what, "do not rotate fields that are only read"));
            }
            return Ok(Source::Field(field));
        };
        let history = &self.histories[number];
        let Some(load) = load else {
            let what = "reads a field that its loop stores at cells that are not constant offsets";
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
        // The slot that is stored holds the oldest level, the one after it in turn the next older.
        let place = history.homes.iter().position(|home| *home == field);
        let place = place.expect("the field is a home of it");
        Ok(Source::Level { history: number, age: history.homes.len() - place })
    }

    fn find_ages(&mut self, carried: Carried<'c, 'a>) {
        let sources = self.stages.iter().flat_map(|stage| stage.inputs.iter().copied());
        for source in sources.collect::<Vec<_>>() {
            if let Source::Level { history, age } = source {
                let history = &mut self.histories[history];
                history.age = history.age.max(age);
            }
        }
        for history in &mut self.histories {
            let used = |slot: &usize| {
                let result = build::result(carried.operation(), *slot);
                !walk::uses(result).is_empty() || is_seen(carried.initial(*slot), self.operation)
            };
            history.is_seen = match history.slots.is_empty() {
                _ if self.operation.has_attribute(attribute::CONTINUED) => false,
                true => is_seen(history.homes[0], self.operation),
                false => history.slots.iter().any(used),
            };
        }
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
                return Err(Unfit::new(what, "give all fields of the loop one type"));
            }
        }
        Ok(())
    }

    /// Fields that are only read are no others by another name; nor are two stored ones.
    fn check_aliases(&self) -> Result<(), Unfit> {
        let homes = || self.histories.iter().flat_map(|history| history.homes.iter().copied());
        let is_slot =
            |value: Value<'c, 'a>| slot_in(build::block_of(self.operation, 0), value).is_some();
        let inputs = self.stages.iter().flat_map(|stage| &stage.inputs);
        let read = inputs.filter_map(|source| match source {
            Source::Field(field) => Some(*field),
            _ => None,
        });
        let others = self.histories.iter().filter(|it| it.slots.is_empty()).map(|it| it.homes[0]);
        for field in read.chain(others) {
            let mut others = homes().filter(|home| *home != field);
            // Slots of one loop hold different fields.
            if others.any(|home| !(is_slot(home) && is_slot(field)) && may_alias(home, field)) {
                let what = "reads or stores a field through two aliases while its loop stores it";
                return Err(Unfit::new(what, "use the loop's iteration argument only"));
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
            "reads what its loop computes at cells that are not constant offsets",
            "access it at constant offsets in all dimensions",
        )),
    }
}

/// The fields that iterations store to in turn, and their slots.
#[allow(clippy::type_complexity)]
fn homes<'c: 'a, 'a>(
    body: BlockRef<'c, 'a>,
    carried: Carried<'c, 'a>,
    permutation: &[Option<usize>],
    stored: Value<'c, 'a>,
) -> Result<(Vec<Value<'c, 'a>>, Vec<usize>), Unfit> {
    let Some(slot) = slot_in(body, stored) else {
        return match time_loop::made_inside(body, stored) {
            Some(why) => Err(why),
            None => Ok((vec![stored], Vec::new())),
        };
    };
    let slots = time_loop::rotation(permutation, slot);
    Ok((slots.iter().map(|slot| carried.argument(*slot)).collect(), slots))
}
