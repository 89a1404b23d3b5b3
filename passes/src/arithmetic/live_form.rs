//! Incremental use counts and instruction counts of a form.
//!
//! A search tries thousands of steps, and each changes a few shapes and their users. So uses are
//! reference counts: those of the next form's roots are added, then those of the last form's are
//! removed, and common values are not visited.

use super::{
    common_parts::{Needs, OUTPUTS},
    shapes::{Computed, Offset, Place, Shape, Shapes, Term},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Use counts of values, as factors and terms of others.
#[derive(Default)]
pub struct LiveUses {
    roots: Vec<Term>,
    /// Uses of each value.
    uses: FxHashMap<Place, usize>,
    shapes: FxHashMap<usize, Occurrences>,
    /// Products with one use at every place.
    single: BTreeSet<usize>,
    /// The shapes in use that use each shape.
    users: FxHashMap<usize, FxHashSet<usize>>,
}

/// Occurrences of a shape.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    places: usize,
    /// Places with several uses.
    shared: usize,
}

impl LiveUses {
    /// Replaces the roots.
    pub fn go_to(&mut self, shapes: &Shapes, roots: &[Term]) {
        let old = std::mem::replace(&mut self.roots, roots.to_vec());
        let changed = |at: usize| old.get(at) != roots.get(at);
        let factors = |of: &[Term], at: usize| {
            of.get(at).filter(|_| changed(at)).map_or(Vec::new(), |term| term.factors.clone())
        };
        for at in 0..roots.len() {
            factors(roots, at).into_iter().for_each(|place| self.add(shapes, place));
        }
        for at in 0..old.len() {
            factors(&old, at).into_iter().for_each(|place| self.remove(shapes, place));
        }
    }

    fn add(&mut self, shapes: &Shapes, place: Place) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let uses = self.uses.entry(place).or_insert(0);
            *uses += 1;
            let occurrences = self.shapes.entry(place.shape).or_default();
            match *uses {
                1 => occurrences.places += 1,
                2 => occurrences.shared += 1,
                _ => continue,
            }
            let is_first = (*uses, occurrences.places) == (1, 1);
            if *uses == 1 {
                for part in shapes.parts(place.shape) {
                    if is_first {
                        self.users.entry(part.shape).or_default().insert(place.shape);
                    }
                    open.push(shapes.moved(part, place.offset));
                }
            }
            self.note(shapes, place.shape);
        }
    }

    fn remove(&mut self, shapes: &Shapes, place: Place) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let uses = self.uses.get_mut(&place).expect("what is removed was added");
            *uses -= 1;
            let occurrences = self.shapes.get_mut(&place.shape).expect("it occurs somewhere");
            match *uses {
                0 => occurrences.places -= 1,
                1 => occurrences.shared -= 1,
                _ => continue,
            }
            let is_last = (*uses, occurrences.places) == (0, 0);
            if *uses == 0 {
                self.uses.remove(&place);
                for part in shapes.parts(place.shape) {
                    if is_last && let Some(users) = self.users.get_mut(&part.shape) {
                        users.remove(&place.shape);
                    }
                    open.push(shapes.moved(part, place.offset));
                }
            }
            self.note(shapes, place.shape);
        }
    }

    fn note(&mut self, shapes: &Shapes, shape: usize) {
        if !matches!(shapes.shape(shape), Shape::Product(_)) {
            return;
        }
        let Occurrences { places, shared } = self.shapes[&shape];
        match places > 0 && shared == 0 {
            true => self.single.insert(shape),
            false => self.single.remove(&shape),
        };
    }

    /// Products with one use at every place.
    pub fn single(&self) -> &BTreeSet<usize> {
        &self.single
    }

    /// The shapes in use with their numbers of places, ascending.
    pub fn shapes(&self) -> Vec<(usize, usize)> {
        let used = self.shapes.iter().filter(|(_, occurrences)| occurrences.places > 0);
        let mut used =
            used.map(|(shape, occurrences)| (*shape, occurrences.places)).collect::<Vec<_>>();
        used.sort_unstable();
        used
    }

    /// Whether a shape is in use.
    pub fn has(&self, shape: usize) -> bool {
        self.shapes.get(&shape).is_some_and(|occurrences| occurrences.places > 0)
    }

    /// These shapes and their transitive users.
    pub fn made_of(&self, shapes: impl Iterator<Item = usize>) -> FxHashSet<usize> {
        let mut open = shapes.collect::<Vec<_>>();
        let mut found = open.iter().copied().collect::<FxHashSet<_>>();
        while let Some(shape) = open.pop() {
            let users = self.users.get(&shape).into_iter().flatten();
            open.extend(users.filter(|user| found.insert(**user)));
        }
        found
    }
}

/// The instructions of a form, for one point and for rows of points.
pub struct LiveCode {
    roots: Vec<Place>,
    values: FxHashMap<Place, Value>,
    /// The instructions of one point: their values, and the fused operand.
    point: FxHashMap<Place, Option<usize>>,
    /// The number of points of a row along each dimension that compute each.
    rows: [FxHashMap<Computed, u32>; 2],
    /// Visited values of all forms.
    visits: u64,
}

/// The uses of a value.
#[derive(Default)]
struct Value {
    /// The users.
    users: Vec<Place>,
    roots: usize,
}

impl Value {
    /// An output is a use that prevents fusion.
    fn uses(&self) -> usize {
        self.users.len() + 2 * self.roots
    }
}

impl Default for LiveCode {
    fn default() -> Self {
        let (roots, values, point) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Self { roots, values, point, rows: Default::default(), visits: 0 }
    }
}

impl LiveCode {
    /// Replaces the roots, and counts their instructions.
    pub fn needs(&mut self, shapes: &mut Shapes, roots: &[Term]) -> Needs {
        let roots = roots.iter().map(|root| shapes.of_term(root)).collect::<Vec<_>>();
        let old = std::mem::replace(&mut self.roots, roots);
        let changed = (0..old.len().max(self.roots.len()))
            .filter(|at| old.get(*at) != self.roots.get(*at))
            .collect::<Vec<_>>();
        let mut before = FxHashMap::default();
        for at in &changed {
            if let Some(root) = self.roots.get(*at).copied() {
                self.add(shapes, root, None, &mut before);
            }
        }
        for at in &changed {
            if let Some(root) = old.get(*at).copied() {
                self.remove(shapes, root, None, &mut before);
            }
        }
        self.settle(shapes, &before);
        let rows = self.rows.iter().map(FxHashMap::len).sum();
        Needs { point: self.point.len(), rows }
    }

    /// The number of visited values.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Adds a use, by a value or as a root; `before` records the previous count.
    fn add(
        &mut self,
        shapes: &Shapes,
        place: Place,
        user: Option<Place>,
        before: &mut FxHashMap<Place, usize>,
    ) {
        let mut open = vec![(place, user)];
        while let Some((place, user)) = open.pop() {
            let value = self.values.entry(place).or_default();
            let uses = value.uses();
            before.entry(place).or_insert(uses);
            match user {
                Some(user) => value.users.push(user),
                None => value.roots += 1,
            }
            if uses == 0 {
                open.extend(shapes.operands(place).map(|part| (part, Some(place))));
            }
        }
    }

    fn remove(
        &mut self,
        shapes: &Shapes,
        place: Place,
        user: Option<Place>,
        before: &mut FxHashMap<Place, usize>,
    ) {
        let mut open = vec![(place, user)];
        while let Some((place, user)) = open.pop() {
            let value = self.values.get_mut(&place).expect("what is removed was added");
            let uses = value.uses();
            before.entry(place).or_insert(uses);
            match user {
                Some(user) => {
                    let at = value.users.iter().rposition(|known| *known == user);
                    value.users.swap_remove(at.expect("what is removed was added"));
                }
                None => value.roots -= 1,
            }
            if value.uses() == 0 {
                self.values.remove(&place);
                open.extend(shapes.operands(place).map(|part| (part, Some(place))));
            }
        }
    }

    /// Updates instructions whose operands have, or had, one use.
    fn settle(&mut self, shapes: &Shapes, before: &FxHashMap<Place, usize>) {
        let mut again = FxHashSet::default();
        for (place, before) in before {
            let now = self.uses(*place);
            if now == *before {
                continue;
            }
            again.insert(*place);
            // Fusion into its sum depends on whether a product has one use.
            if (now == 1 || *before == 1) && is_product(shapes, *place) {
                let users = self.values.get(place).map_or(&[][..], |value| &value.users);
                for user in users {
                    again.insert(*user);
                    again.extend(shapes.operands(*user));
                }
            }
            again.extend(shapes.operands(*place));
        }
        self.visits += again.len() as u64;
        for place in again {
            let wanted = self.instruction(shapes, place);
            let known = self.point.get(&place).copied();
            if wanted == known {
                continue;
            }
            if let Some(takes) = known {
                self.point.remove(&place);
                self.count(shapes, Computed { place, takes }, false);
            }
            if let Some(takes) = wanted {
                self.point.insert(place, takes);
                self.count(shapes, Computed { place, takes }, true);
            }
        }
    }

    fn uses(&self, place: Place) -> usize {
        self.values.get(&place).map_or(0, Value::uses)
    }

    /// The instruction of a value, by its fused operand; none for leaves, and for fused products.
    fn instruction(&self, shapes: &Shapes, place: Place) -> Option<Option<usize>> {
        let value = self.values.get(&place)?;
        if matches!(shapes.shape(place.shape), Shape::Leaf(_)) {
            return None;
        }
        if let ([user], 0) = (&value.users[..], value.roots)
            && is_product(shapes, place)
            && let Some(at) = self.takes(shapes, *user)
            && shapes.operands(*user).nth(at) == Some(place)
        {
            return None;
        }
        Some(self.takes(shapes, place))
    }

    /// The operand that a sum fuses: the first product without other uses.
    fn takes(&self, shapes: &Shapes, place: Place) -> Option<usize> {
        if !shapes.may_take(place.shape) {
            return None;
        }
        let mut operands = shapes.operands(place);
        operands.position(|part| is_product(shapes, part) && self.uses(part) == 1)
    }

    /// Adds or removes an instruction at all points of the rows.
    fn count(&mut self, shapes: &Shapes, value: Computed, is_new: bool) {
        for (dimension, row) in self.rows.iter_mut().enumerate() {
            for along in 0..OUTPUTS {
                let mut by = Offset::default();
                by[dimension] = along;
                let place = shapes.moved(value.place, by);
                let key = Computed { place, ..value };
                if is_new {
                    *row.entry(key).or_insert(0) += 1;
                } else if let Some(count) = row.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        row.remove(&key);
                    }
                }
            }
        }
    }
}

fn is_product(shapes: &Shapes, place: Place) -> bool {
    matches!(shapes.shape(place.shape), Shape::Product(_) | Shape::Weighted(..))
}
