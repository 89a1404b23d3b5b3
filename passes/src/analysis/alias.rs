//! Alias analysis of field values.
//!
//! Field arguments of a function do not alias (launchers refuse that), and an allocation is new
//! memory. A loop may rotate fields: a slot (iteration argument) may hold any field of the
//! rotation. Two slots of one loop are distinct if the loop permutes fields that are distinct at
//! its entry: in an iteration, or after the loop. A slot in an iteration and another one after the
//! loop may hold one field. A loop may leave the permutation to loops inside it.
//!
//! Loops that start from what loops before them leave are followed back through [`LOOPS_MAX`] of
//! them, so that a query has an end; beyond that, fields may be any.

use super::nested_loops::{self, Permutations};
use crate::framework::count_steps;
use melior::ir::{BlockLike, Value, ValueLike, operation::OperationLike};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};
use stencil_dialects::{
    build,
    ods::{func, memref, scf, stencil},
    walk::{self, ValueKey},
};
use stencil_faults::{Fault, planted};

/// Whether two fields may be one.
pub fn may_alias<'c: 'a, 'a>(one: Value<'c, 'a>, two: Value<'c, 'a>) -> bool {
    Aliases::default().may_alias(one, two)
}

/// The arguments and allocations that a field, or its buffer, may be; none if unknown.
pub fn roots<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Roots> {
    Aliases::default().roots(value)
}

/// Loops in a row that a query follows back.
pub const LOOPS_MAX: usize = 64;

/// Arguments and allocations.
pub type Roots = Rc<BTreeSet<ValueKey>>;

/// Alias analysis of field values of IR that does not change while this lives: what is known of a
/// loop holds for all that follow it.
#[derive(Default)]
pub struct Aliases {
    roots: HashMap<ValueKey, Option<Roots>>,
    rotations: HashMap<ValueKey, bool>,
    /// Whether a query has ended at [`LOOPS_MAX`] loops.
    is_cut: bool,
}

/// What the slots of a loop hold before its first iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A field each.
    Distinct,
    /// Two may hold one field.
    Shared,
    /// Unknown fields, which come through more than [`LOOPS_MAX`] loops.
    Far,
}

impl Aliases {
    /// Whether two fields may be one.
    pub fn may_alias<'c: 'a, 'a>(&mut self, one: Value<'c, 'a>, two: Value<'c, 'a>) -> bool {
        if one == two {
            return true;
        }
        // Roots first: they are those of two values, a rotation is that of all that a loop carries.
        if let (Some(one), Some(two)) = (self.roots(one), self.roots(two))
            && one.is_disjoint(&two)
        {
            return false;
        }
        if let (Some((loop_one, slot_one)), Some((loop_two, slot_two))) = (slot(one), slot(two))
            && loop_one == loop_two
            && slot_one != slot_two
            && walk::definition(one).is_some() == walk::definition(two).is_some()
            && self.is_rotation(loop_one)
        {
            return false;
        }
        !(planted(Fault::RotatedAlias) && (slot(one).is_some() || slot(two).is_some()))
    }

    /// The arguments and allocations that a field, or its buffer, may be; none if unknown.
    pub fn roots<'c: 'a, 'a>(&mut self, value: Value<'c, 'a>) -> Option<Roots> {
        // Not by recursion: a function may have any number of loops, one after the other.
        let mut open = vec![(value, 0)];
        while let Some((next, loops)) = open.last().copied() {
            count_steps(1);
            let key = ValueKey::of(&next);
            let depth = open.len();
            if loops > LOOPS_MAX {
                self.is_cut = true;
                self.roots.insert(ValueKey::of(&value), None);
                break;
            }
            if !self.roots.contains_key(&key) {
                open.extend(self.unknown_before(next).map(|before| (before, loops + 1)));
            }
            if open.len() == depth {
                open.pop();
                if !self.roots.contains_key(&key) {
                    let found = self.search(next).map(Rc::new);
                    self.roots.insert(key, found);
                }
            }
        }
        self.roots[&ValueKey::of(&value)].clone()
    }

    /// What the outermost loop of a value starts from, as far as nothing is known of it.
    fn unknown_before<'c: 'a, 'a>(
        &self,
        value: Value<'c, 'a>,
    ) -> impl Iterator<Item = Value<'c, 'a>> {
        let loops = outermost_loop(value).into_iter();
        let initial =
            loops.flat_map(|fields| (0..fields.count()).map(move |it| fields.initial(it)));
        initial.filter(|value| !self.roots.contains_key(&ValueKey::of(value)))
    }

    /// The roots of a value, where those of all that its outermost loop starts from are known.
    fn search<'c: 'a, 'a>(&self, value: Value<'c, 'a>) -> Option<BTreeSet<ValueKey>> {
        let outermost = outermost_loop(value);
        let (mut roots, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![value]);
        let mut permutations = Permutations::default();
        while let Some(value) = open.pop() {
            count_steps(1);
            if !seen.insert(ValueKey::of(&value)) {
                continue;
            }
            if let Some((fields, slot)) = slot(value) {
                // Where the number of iterations is known, so is what is left after them.
                let is_result = walk::definition(value).is_some();
                let origin = is_result.then(|| permutations.origin(fields, slot)).flatten();
                if origin.is_none() {
                    open.push(fields.yielded(slot));
                }
                let initial = fields.initial(origin.unwrap_or(slot));
                // What comes before the outermost loop cannot depend on it.
                match Some(fields) == outermost {
                    true => roots.extend(self.roots[&ValueKey::of(&initial)].as_ref()?.iter()),
                    false => open.push(initial),
                }
                continue;
            }
            match walk::definition(value) {
                None => {
                    let (block, _) = walk::block_argument(value)?;
                    let parent = block.parent_operation()?;
                    if walk::name(&parent) != func::FUNC {
                        return None;
                    }
                    roots.insert(ValueKey::of(&value));
                }
                Some(operation) => match walk::name(&operation) {
                    stencil::CAST => open.push(operation.operand(0).ok()?),
                    stencil::ALLOC | memref::ALLOC => {
                        roots.insert(ValueKey::of(&value));
                    }
                    _ => return None,
                },
            }
        }
        Some(roots)
    }

    /// Whether every iteration permutes the fields among the slots, and they are distinct before.
    fn is_rotation<'c: 'a, 'a>(&mut self, fields: Carried<'c, 'a>) -> bool {
        let (mut found, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![fields]);
        while let Some(next) = open.pop() {
            count_steps(1);
            if !self.rotations.contains_key(&next.key()) && seen.insert(next.key()) {
                found.push(next);
                open.extend(next.before());
            }
            if found.len() > LOOPS_MAX {
                self.is_cut = true;
                self.rotations.insert(fields.key(), false);
                return false;
            }
        }
        // Those that others start from come first.
        for next in found.into_iter().rev() {
            let is_it = nested_loops::permutes(next) && self.starts_distinct(next);
            self.rotations.insert(next.key(), is_it);
        }
        self.rotations[&fields.key()]
    }

    /// Whether no two slots hold the same field before the first iteration.
    fn starts_distinct<'c: 'a, 'a>(&mut self, carried: Carried<'c, 'a>) -> bool {
        let fields = carried.fields();
        // Where roots are disjoint, one look at each suffices: loops may carry dozens of fields.
        // What another loop leaves in its slots is as distinct as these.
        let mut held = BTreeSet::new();
        let mut loops: Vec<(Carried, BTreeSet<usize>, BTreeSet<ValueKey>)> = Vec::new();
        let disjoint = fields.iter().all(|field| {
            let initial = carried.initial(*field);
            let Some(roots) = self.roots(initial) else { return false };
            match (slot(initial), walk::definition(initial)) {
                (Some((other, slot)), Some(_)) => {
                    let known = loops.iter_mut().find(|(known, ..)| *known == other);
                    if let Some((_, slots, all)) = known {
                        all.extend(roots.iter().copied());
                        return slots.insert(slot);
                    }
                    loops.push((other, BTreeSet::from([slot]), BTreeSet::clone(&roots)));
                    true
                }
                _ => roots.iter().all(|root| held.insert(*root)),
            }
        });
        let mut is_apart = |(other, _, roots): (Carried<'c, 'a>, _, BTreeSet<ValueKey>)| {
            self.is_rotation(other) && roots.into_iter().all(|root| held.insert(root))
        };
        let disjoint = disjoint && loops.into_iter().all(&mut is_apart);
        if disjoint {
            return true;
        }
        fields.iter().enumerate().all(|(position, one)| {
            let others = &fields[position + 1..];
            others.iter().all(|two| !self.may_alias(carried.initial(*one), carried.initial(*two)))
        })
    }
}

/// The outermost loop that carries a value, or around the loop that does.
fn outermost_loop<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Carried<'c, 'a>> {
    let (inner, _) = slot(value)?;
    let around =
        std::iter::successors(inner.time_loop.parent_operation(), |it| it.parent_operation());
    around.into_iter().filter_map(Carried::of).last().or(Some(inner))
}

/// The values that an `scf.for` carries.
#[derive(Clone, Copy, PartialEq)]
pub struct Carried<'c, 'a> {
    time_loop: melior::ir::OperationRef<'c, 'a>,
}

impl<'c: 'a, 'a> Carried<'c, 'a> {
    /// The carried values of a loop; none for other ops.
    pub fn of(operation: melior::ir::OperationRef<'c, 'a>) -> Option<Self> {
        (walk::name(&operation) == scf::FOR).then_some(Self { time_loop: operation })
    }

    /// The loop.
    pub fn operation(&self) -> melior::ir::OperationRef<'c, 'a> {
        self.time_loop
    }

    /// Number of carried values.
    pub fn count(&self) -> usize {
        self.time_loop.result_count()
    }

    /// The initial value of a slot.
    pub fn initial(&self, slot: usize) -> Value<'c, 'a> {
        // Lower bound, upper bound and step come first.
        self.time_loop.operand(3 + slot).expect("a loop has an initial value for each slot")
    }

    /// The yielded value of a slot.
    pub fn yielded(&self, slot: usize) -> Value<'c, 'a> {
        self.last().operand(slot).expect("the yield has a value for each slot")
    }

    /// The op that yields.
    fn last(&self) -> melior::ir::OperationRef<'c, 'a> {
        let body = build::block_of(self.time_loop, 0);
        body.terminator().expect("the body of a loop ends with scf.yield")
    }

    /// The block argument of a slot.
    pub fn argument(&self, slot: usize) -> Value<'c, 'a> {
        build::argument(build::block_of(self.time_loop, 0), slot + 1)
    }

    /// For each slot of a field, the slot whose field it holds in the next iteration; none for
    /// other slots. No result if the loop does not just permute its fields, in an order that is
    /// known.
    pub fn permutation(&self) -> Option<Vec<Option<usize>>> {
        Permutations::default().of(*self)
    }

    /// What the slots hold before the first iteration.
    pub fn entry(&self) -> Entry {
        let mut aliases = Aliases::default();
        match (aliases.starts_distinct(*self), aliases.is_cut) {
            (true, _) => Entry::Distinct,
            (false, false) => Entry::Shared,
            (false, true) => Entry::Far,
        }
    }

    /// The loops whose results this one starts from.
    fn before(&self) -> impl Iterator<Item = Self> + use<'c, 'a> {
        let fields = *self;
        let initial = self.fields().into_iter().map(move |slot| fields.initial(slot));
        initial.filter_map(|value| Self::of(walk::definition(value)?))
    }

    /// The loop's own key: that of its induction variable.
    pub(super) fn key(&self) -> ValueKey {
        ValueKey::of(&build::argument(build::block_of(self.time_loop, 0), 0))
    }

    /// The slots that hold fields.
    pub(super) fn fields(&self) -> Vec<usize> {
        let is_field =
            |slot: &usize| stencil_dialects::types::is_field(self.argument(*slot).r#type());
        (0..self.count()).filter(is_field).collect()
    }
}

/// The loop and slot of a value that is carried: inside the loop, or as its result.
pub fn slot<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<(Carried<'c, 'a>, usize)> {
    if let Some(operation) = walk::definition(value) {
        return Some((Carried::of(operation)?, walk::result_number(value)?));
    }
    let (block, position) = walk::block_argument(value)?;
    let carried = Carried::of(block.parent_operation()?)?;
    // Argument 0 of the body is the induction variable.
    Some((carried, position.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::ir::Module;
    use std::fmt::Write;
    use stencil_dialects::context::new_context;

    /// Loops one after the other, each of which exchanges what the one before has left.
    fn chain(loops: usize) -> String {
        let field = "!stencil.field<[0,8]xf64>";
        let mut text = format!("func.func @f(%a: {field}, %b: {field}, %n: index) {{\n");
        let (mut one, mut two) = ("%a".to_owned(), "%b".to_owned());
        for number in 0..loops {
            writeln!(
                text,
                "%e{number}:2 = scf.for %i = %n to %n step %n iter_args(%x = {one}, %y = {two}) \
                 -> ({field}, {field}) {{ scf.yield %y, %x : {field}, {field} }}"
            )
            .unwrap();
            (one, two) = (format!("%e{number}#0"), format!("%e{number}#1"));
        }
        text + "return }\n"
    }

    #[test]
    fn loops_are_followed_back_as_far_as_is_said() {
        let context = new_context();
        let module = Module::parse(&context, &chain(20_000)).unwrap();
        let function = walk::operations(build::block_of(module.as_operation(), 0))[0];
        let loops = walk::operations(build::block_of(function, 0));
        let of = |number: usize| (build::result(loops[number], 0), build::result(loops[number], 1));
        let entry = |number: usize| Carried::of(loops[number]).unwrap().entry();
        let (one, two) = of(LOOPS_MAX - 1);
        assert!(!may_alias(one, two) && may_alias(one, one));
        assert_eq!(roots(one).unwrap().len(), 2);
        assert_eq!(entry(LOOPS_MAX - 1), Entry::Distinct);
        for number in [LOOPS_MAX + 1, 19_999] {
            let (one, two) = of(number);
            assert!(may_alias(one, two) && roots(one).is_none());
            assert_eq!(entry(number), Entry::Far);
        }
        // What is known of loops before holds for all that follow.
        let mut aliases = Aliases::default();
        assert!((0..20_000).all(|number| !aliases.may_alias(of(number).0, of(number).1)));
    }

    /// A loop around one that makes `%{trips}` iterations, each of which exchanges two fields.
    fn around(trips: &str, second: &str, yielded: &str) -> String {
        let field = "!stencil.field<[0,8]xf64>";
        let fields = format!("({field}, {field})");
        format!(
            "func.func @f(%a: {field}, %b: {field}, %c: {field}, %n: index) {{
               %z = arith.constant 0 : index
               %o = arith.constant 1 : index
               %two = arith.constant 2 : index
               %three = arith.addi %two, %o : index
               %r:2 = scf.for %t = %z to %n step %o iter_args(%x = %a, %y = %b) -> {fields} {{
                 %q:2 = scf.for %s = %z to %{trips} step %o iter_args(%v = %x, %w = {second})
                     -> {fields} {{ scf.yield %w, %v : {field}, {field} }}
                 scf.yield {yielded} : {field}, {field}
               }}
               return
             }}"
        )
    }

    /// Whether the slots of the inner loop are apart, and the permutation of the outer one.
    fn inside(text: &str) -> (bool, Option<Vec<Option<usize>>>) {
        let context = new_context();
        let module = Module::parse(&context, text).unwrap();
        let nested = walk::nested(module.as_operation()).into_iter();
        let loops = nested.filter_map(Carried::of).collect::<Vec<_>>();
        let is_inner = |it: &&Carried| {
            it.operation().parent_operation().is_some_and(|it| walk::name(&it) == scf::FOR)
        };
        let inner = loops.iter().find(is_inner).unwrap();
        let outer = loops.iter().find(|it| !is_inner(it)).unwrap();
        (!may_alias(inner.argument(0), inner.argument(1)), outer.permutation())
    }

    #[test]
    fn loops_leave_what_they_rotate_to_loops_inside() {
        let (same, exchanged) = (vec![Some(0), Some(1)], vec![Some(1), Some(0)]);
        let (results, crossed) = ("%q#0, %q#1", "%q#1, %q#0");
        assert_eq!(inside(&around("two", "%y", results)), (true, Some(same.clone())));
        assert_eq!(inside(&around("two", "%y", crossed)), (true, Some(exchanged.clone())));
        assert_eq!(inside(&around("three", "%y", results)), (true, Some(exchanged)));
        // In an order that only the run knows.
        assert_eq!(inside(&around("n", "%y", results)), (true, None));
        // Twice one field.
        assert_eq!(inside(&around("n", "%y", "%q#0, %q#0")), (false, None));
        assert_eq!(inside(&around("n", "%y", "%q#0, %y")), (false, None));
        // With a field from outside, which an even number of exchanges leaves where it was.
        assert_eq!(inside(&around("two", "%c", "%q#0, %y")), (true, Some(same)));
        assert_eq!(inside(&around("three", "%c", "%q#0, %y")), (false, None));
        assert_eq!(inside(&around("n", "%c", "%q#0, %y")), (false, None));
    }
}
