//! Splits of small codes, by hand, and what must hold for every split of random ones.

use super::*;
use stencil_code::Item;

/// Items are added one by one; names are places.
#[derive(Default)]
struct Maker(Code);

impl Maker {
    fn add(&mut self, computes: Operation, operands: &[ItemId]) -> ItemId {
        self.0.dag.push(Item::new(computes, operands.to_vec(), 0))
    }

    fn read(&mut self, array: usize, plane: i64) -> ItemId {
        let label = array * 100 + (plane + 50) as usize;
        self.add(
            Operation { reads: vec![Cell { array, label, plane }], ..Operation::default() },
            &[],
        )
    }

    /// An operation that weighs as much as several.
    fn operation(&mut self, role: Role, operations: u64, operands: &[ItemId]) -> ItemId {
        let reads = Vec::new();
        self.add(Operation { reads, operations, role, is_storable: true }, operands)
    }

    fn sum(&mut self, terms: &[ItemId]) -> ItemId {
        let (first, rest) = terms.split_first().unwrap();
        rest.iter().fold(*first, |sum, term| self.operation(Role::Sum, 1, &[sum, *term]))
    }

    fn result(&mut self, value: ItemId) {
        self.0.results.push(Output { values: vec![value], ..Output::default() });
    }

    fn overwriting(&mut self, value: ItemId, array: usize) {
        let overwrites = BTreeSet::from([array]);
        self.0.results.push(Output { values: vec![value], overwrites });
    }

    /// Terms that weigh much, each of a cell of its own.
    fn terms(&mut self, array: usize, planes: std::ops::Range<i64>) -> Vec<ItemId> {
        let mut term = |plane| {
            let cell = self.read(array, plane);
            self.operation(Role::Other, 20, &[cell])
        };
        planes.map(&mut term).collect()
    }
}

/// The item after another.
fn next(item: ItemId) -> ItemId {
    ItemId::new(item.index() + 1)
}

fn results(parts: &[Part]) -> Vec<Vec<usize>> {
    parts.iter().map(|part| part.results.clone()).collect()
}

fn most(code: &Code) -> usize {
    split(code, usize::MAX).unwrap_err().most
}

#[test]
fn one_part_is_the_code_as_it_was() {
    let mut maker = Maker::default();
    let terms = maker.terms(0, 0..4);
    let sum = maker.sum(&terms);
    maker.result(sum);
    let parts = split(&maker.0, 1).unwrap();
    let whole = Part {
        results: vec![0],
        loads: BTreeSet::new(),
        stores: BTreeSet::new(),
        repeated: BTreeSet::new(),
    };
    assert_eq!(parts, [whole]);
}

#[test]
fn a_sum_is_cut_in_the_middle_and_between_all_terms() {
    let mut maker = Maker::default();
    let terms = maker.terms(0, 0..4);
    let sum = maker.sum(&terms);
    maker.result(sum);
    // Partial sums follow all terms: of two, of three, of four.
    let two = next(terms[3]);
    let halves = split(&maker.0, 2).unwrap();
    assert_eq!(halves[0].stores, BTreeSet::from([two]));
    assert_eq!(halves[1].loads, BTreeSet::from([two]));
    assert_eq!(results(&halves), [vec![], vec![0]]);
    let all = split(&maker.0, 3).unwrap();
    assert_eq!(all[1].loads, BTreeSet::from([two]));
    assert_eq!(all[1].stores, BTreeSet::from([next(two)]));
    assert_eq!(split(&maker.0, 4), Err(TooMany { most: 3 }));
}

#[test]
fn long_sums_have_eight_segments() {
    let mut maker = Maker::default();
    let terms = maker.terms(0, -50..49);
    let sum = maker.sum(&terms);
    maker.result(sum);
    assert_eq!(most(&maker.0), segments::SEGMENTS_MAX);
    let parts = split(&maker.0, 8).unwrap();
    assert!(parts.iter().skip(1).all(|part| part.loads.len() == 1 && part.repeated.is_empty()));
}

#[test]
fn a_factor_of_the_whole_sum_does_not_hide_it() {
    let mut maker = Maker::default();
    let terms = maker.terms(0, 0..4);
    let sum = maker.sum(&terms);
    let scaled = maker.operation(Role::Through, 1, &[sum]);
    let old = maker.read(1, 0);
    let new = maker.operation(Role::Sum, 1, &[old, scaled]);
    maker.overwriting(new, 1);
    assert_eq!(split(&maker.0, 2).unwrap()[1].loads, BTreeSet::from([next(terms[3])]));
}

#[test]
fn results_are_parts_before_sums_are_cut() {
    let mut maker = Maker::default();
    for array in 0..3 {
        let terms = maker.terms(array, 0..4);
        let sum = maker.sum(&terms);
        maker.result(sum);
    }
    let parts = split(&maker.0, 3).unwrap();
    assert_eq!(results(&parts), [[0], [1], [2]]);
    assert!(parts.iter().all(|part| part.loads.is_empty() && part.stores.is_empty()));
    assert_eq!(most(&maker.0), 9);
}

#[test]
fn what_has_most_cells_in_common_stays_together() {
    let mut maker = Maker::default();
    for (array, planes) in [(0, 0..4), (1, 0..4), (0, 2..6)] {
        let terms = maker.terms(array, planes);
        let sum = maker.sum(&terms);
        maker.result(sum);
    }
    assert_eq!(results(&split(&maker.0, 2).unwrap()), [vec![0, 2], vec![1]]);
}

#[test]
fn a_part_does_not_run_around_another() {
    let mut maker = Maker::default();
    // The first and the last third read the same cells; what is between has no cell of theirs.
    let first = maker.terms(0, 0..4);
    let between = maker.terms(1, 0..4);
    let last = maker.terms(0, 0..4);
    let sum = maker.sum(&[first, between, last].concat());
    maker.result(sum);
    let order = split(&maker.0, 2).unwrap();
    assert_eq!(order[0].loads, BTreeSet::new());
    assert_eq!((order[0].stores.len(), order[1].loads.len()), (1, 1));
}

/// A value that two results share, and what the second one reads otherwise.
fn shared(operations: u64, array: usize, is_storable: bool) -> (Code, ItemId) {
    let mut maker = Maker::default();
    let cell = maker.read(0, 0);
    let shared = maker.operation(Role::Other, operations, &[cell]);
    maker.0.dag.kind_mut(shared).is_storable = is_storable;
    for own in [1, array] {
        let other = maker.read(own, 7);
        let value = maker.operation(Role::Other, 20, &[shared, other]);
        maker.result(value);
    }
    (maker.0, shared)
}

#[test]
fn what_is_cheap_is_computed_again() {
    let second = |operations, array, is_storable| {
        let (code, shared) = shared(operations, array, is_storable);
        let part = split(&code, 2).unwrap().pop().unwrap();
        (part.loads.contains(&shared), part.repeated.contains(&shared))
    };
    let (stored, repeated) = ((true, false), (false, true));
    assert_eq!(second(crossing::OPERATIONS_MAX, 0, true), repeated);
    assert_eq!(second(crossing::OPERATIONS_MAX + 1, 0, true), stored);
    assert_eq!(second(1, 2, true), repeated, "an array is read instead of a value");
    assert_eq!(second(100, 2, false), repeated, "it cannot lie in memory");
}

#[test]
fn what_needs_many_further_arrays_is_stored() {
    let second = |values: usize| {
        let mut maker = Maker::default();
        let cells = [0, 1, 2].map(|array| maker.read(array, 0));
        let shared = (0..values).map(|_| maker.operation(Role::Other, 3, &cells));
        let shared = shared.collect::<Vec<_>>();
        for own in [3, 4] {
            let other = maker.read(own, 7);
            let value = maker.operation(Role::Other, 20, &[shared.as_slice(), &[other]].concat());
            maker.result(value);
        }
        split(&maker.0, 2).unwrap().pop().unwrap().loads.len()
    };
    assert_eq!([second(2), second(3)], [2, 0]);
}

#[test]
fn readers_run_before_what_they_read_is_overwritten() {
    let mut maker = Maker::default();
    let one = maker.terms(0, 0..2);
    let two = maker.terms(1, 0..2);
    let (one, two) = (maker.sum(&one), maker.sum(&two));
    // The first result overwrites what the second reads.
    maker.overwriting(one, 1);
    maker.result(two);
    assert_eq!(results(&split(&maker.0, 2).unwrap()), [[1], [0]]);
    // And the other way round, too: neither can be first.
    maker.0.results[1].overwrites = BTreeSet::from([0]);
    assert_eq!(split(&maker.0, 2), Err(TooMany { most: 1 }));
}

#[test]
fn results_with_one_value_are_one_piece() {
    let mut maker = Maker::default();
    let terms = maker.terms(0, 0..3);
    let sum = maker.sum(&terms);
    maker.result(sum);
    maker.result(sum);
    let parts = split(&maker.0, 2).unwrap();
    assert_eq!(results(&parts), [vec![], vec![0, 1]]);
    // A result may be what another one goes on from.
    maker.0.results[1].values = vec![next(terms[2])];
    assert_eq!(results(&split(&maker.0, 2).unwrap()), [[1], [0]]);
}

#[test]
fn values_of_several_points_are_not_cut() {
    let mut maker = Maker::default();
    let (one, two) = (maker.terms(0, 0..4), maker.terms(0, 1..5));
    let (one, two) = (maker.sum(&one), maker.sum(&two));
    maker.0.results.push(Output { values: vec![one, two], ..Output::default() });
    assert_eq!(most(&maker.0), 1);
}

/// Runs the parts of a split one by one: each needs no more than what it reads and loads, and every
/// result comes out once.
fn check(code: &Code, parts: &[Part]) {
    let mut stored = BTreeSet::new();
    let mut given = Vec::new();
    let mut overwritten = BTreeSet::new();
    for part in parts {
        assert!(part.loads.is_subset(&stored), "{part:?} loads what is not stored");
        let results = part.results.iter().map(|result| &code.results[*result]);
        let targets = results.flat_map(|output| output.values.iter().copied());
        let targets = targets.chain(part.stores.iter().copied()).collect::<Vec<_>>();
        let cone = Cone::of(code, &targets, &part.loads);
        assert!(cone.arrays().is_disjoint(&overwritten), "{part:?} reads what is overwritten");
        assert_eq!(cone.slice.available, part.loads, "all that is loaded is used");
        assert!(part.stores.iter().all(|value| code.dag[*value].kind.is_storable));
        assert!(!targets.is_empty());
        stored.extend(part.stores.iter().copied());
        given.extend(part.results.iter().copied());
        overwritten
            .extend(part.results.iter().flat_map(|result| &code.results[*result].overwrites));
    }
    given.sort_unstable();
    assert!(given.into_iter().eq(0..code.results.len()));
}

/// Numbers below a bound, by a linear congruence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn random(seed: u64) -> Code {
    let mut numbers = Numbers(seed);
    let mut maker = Maker::default();
    let mut values = (0..6).map(|_| maker.read(numbers.below(3), 0)).collect::<Vec<_>>();
    for _ in 0..60 {
        let role = [Role::Sum, Role::Sum, Role::Through, Role::Other][numbers.below(4)];
        // Mostly what came last: long chains.
        let near = values.len() - 1 - numbers.below(3);
        let operands = [values[near], values[numbers.below(values.len())]];
        let item = maker.operation(role, 1 + numbers.below(9) as u64, &operands);
        maker.0.dag.kind_mut(item).is_storable = numbers.below(8) > 0;
        values.push(item);
    }
    for _ in 0..1 + numbers.below(4) {
        let value = values[6 + numbers.below(60)];
        match numbers.below(2) {
            0 => maker.result(value),
            _ => maker.overwriting(value, numbers.below(3)),
        }
    }
    // Each array is overwritten by one result.
    let mut seen = BTreeSet::new();
    for output in &mut maker.0.results {
        output.overwrites.retain(|array| seen.insert(*array));
    }
    maker.0
}

#[test]
fn random_codes_are_split_into_any_number_of_parts() {
    let mut splits = 0;
    for seed in 0..200 {
        let code = random(seed);
        for parts in 1..=most(&code) {
            let parts_made = split(&code, parts).unwrap();
            assert_eq!(parts_made.len(), parts);
            // In place, one part may read what it overwrites at its own cell.
            if parts > 1 {
                splits += 1;
            }
            check(&code, &parts_made);
        }
    }
    assert!(splits > 300, "{splits}");
}
