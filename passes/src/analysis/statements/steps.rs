//! The iterations of a time loop as the steps of a sweep.
//!
//! A loop qualifies if its body holds applies with direct stores, loads, and host scalars, and
//! permutes the fields that it carries.

use super::{
    History, Source, Statements,
    body::{Body, statements},
    check_count, periodic,
};
use crate::analysis::{
    alias::Carried,
    statement::Unfit,
    time_loop::{self, is_seen, slot_in, varies},
};
use melior::ir::{BlockRef, OperationRef, Value, operation::OperationLike};
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_model::plan::Remainder;

impl History<'_, '_> {
    /// Iterations at the end of the loop that leave in the fields what sweeps do not.
    fn unfused(&self) -> usize {
        match (self.is_seen, self.has_ghosts) {
            (false, _) => 0,
            (true, true) => self.homes.len(),
            (true, false) => self.homes.len() - self.levels(),
        }
    }
}

impl<'c: 'a, 'a> Statements<'c, 'a> {
    /// The statements of a loop.
    ///
    /// # Errors
    /// Why its iterations cannot be steps of one sweep. Requires `stencil-place-copies`.
    pub fn of_loop(operation: OperationRef<'c, 'a>) -> Result<Self, Unfit> {
        let Some(carried) = Carried::of(operation) else {
            return Err(Unfit::new("is no time loop", "make one step at a time"));
        };
        time_loop::check_loop(operation)?;
        let permutation = time_loop::permutation(carried)?;
        let body = build::block_of(operation, 0);
        let found = Body::of(body)?;
        let applies = walk::operations(body).into_iter().filter_map(ApplyOp::of);
        let mut made = Self {
            operation,
            rotation: Some(permutation.clone()),
            applies: applies.collect(),
            stages: Vec::new(),
            histories: Vec::new(),
            periodic: Vec::new(),
        };
        check_count(found.applies.len())?;
        for apply in &found.applies {
            made.stages.extend(statements(*apply)?);
        }
        let has_ghosts =
            |homes: &[Value]| found.strips.iter().any(|strip| homes.contains(&strip.field));
        made.add_histories(has_ghosts, |field| homes(body, carried, &permutation, field))?;
        if made.histories.is_empty() {
            return Err(Unfit::new("stores nothing", "store what it computes"));
        }
        made.resolve()?;
        periodic::find(&mut made, &found)?;
        made.find_ages(carried);
        Ok(made)
    }

    /// For each slot of a loop, the one whose field it holds in the next iteration; none for
    /// scalars. A group has no slots.
    pub fn permutation(&self) -> &[Option<usize>] {
        self.rotation.as_deref().unwrap_or_default()
    }

    /// The loop's carried values.
    ///
    /// # Panics
    /// If it is no loop.
    pub fn carried(&self) -> Carried<'c, 'a> {
        Carried::of(self.operation).expect("a time loop is a loop")
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
        if !self.is_loop() {
            let what = format!("is no loop, and a sweep of {steps} steps repeats it");
            let is_once = steps == 1;
            return if is_once { Ok(()) } else { Err(Unfit::new(what, "take steps = 1")) };
        }
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

    /// Steps of the sweeps of the pairs that a loop is made of, the most first. Single steps are
    /// paired only where the plan makes no more: the loop as it was takes no longer for them.
    pub fn steps_of_pairs(&self, remainder: Remainder, steps: u32) -> Vec<u32> {
        let all = remainder.steps_of_pairs(steps, steps.min(2)).into_iter();
        all.take_while(|steps| self.check_steps(*steps as usize).is_ok()).collect()
    }

    /// Whether a value of the host differs from one iteration to the next.
    pub fn varies(&self, value: Value<'c, 'a>) -> bool {
        self.is_loop() && varies(self.operation, value)
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
