//! Decisions about small blocks of applies.

use super::*;
use crate::analysis::{
    shared_work::SharedWork,
    stages::{Memory, Output, Range, Read, Source, Stage, Write},
};
use std::rc::Rc;
use stencil_dialects::Bounds;

fn product() -> &'static Product {
    Product::named("NVIDIA H200").unwrap()
}

fn read(source: Source, offset: i64) -> Read {
    let range = Range { follows: Some(0), lower: offset, upper: offset };
    Read { source, ranges: vec![range], is_computed: false }
}

/// An apply over 1000 points of f64, at twice its number in the block, as its store follows it.
fn stage(number: usize, reads: &[(Source, i64)], stored: Option<usize>) -> Stage {
    let domain = Bounds::new(vec![0], vec![1000]);
    let fields = stored.into_iter().collect::<Vec<_>>();
    let ends = vec![2 * number + 1; fields.len()];
    let stored = stored.map(|_| domain.clone());
    Stage {
        position: 2 * number,
        domain,
        results: vec![Output { bytes: 8, fields, ends, stored }],
        work: work(4.0, 4.0),
        group: 1,
        reads: reads.iter().map(|(source, offset)| read(*source, *offset)).collect(),
        reads_near: false,
        stays: None,
        apart: None,
        ready: 0,
        segment: 0,
        is_gone: false,
    }
}

fn work(slots: f64, slots_f64: f64) -> Rc<SharedWork> {
    Rc::new(SharedWork::apart(Work { operations: 5.0, slots, slots_f64, cells: 0.0 }, 1))
}

fn of_size(operations: u64) -> Rc<SharedWork> {
    let work = Work { operations: operations as f64, ..Work::default() };
    Rc::new(SharedWork::apart(work, 1))
}

fn stages(list: Vec<Stage>) -> Stages {
    let memory = |field| Memory { field, bytes: 8, writes: Vec::new() };
    Stages { list, memory: (0..4).map(memory).collect(), aliases: BTreeSet::new() }
}

const U: Source = Source::Memory(0);
const FIRST: Source = Source::Result(0, 0);

/// One apply reads `u`, another what it computes, at two offsets.
fn pair() -> Stages {
    stages(vec![stage(0, &[(U, 0), (U, 1)], None), stage(1, &[(FIRST, 0), (FIRST, 1)], Some(3))])
}

#[test]
fn half_of_the_bytes_are_worth_some_operations() {
    let found = pair().inlinings(product());
    let (bytes, work) = ([33, 17], [8, 12]);
    assert_eq!(found, [Inlining { stage: 0, is_free: false, bytes, work, turns: None }]);
}

#[test]
fn operations_that_take_longer_than_the_bytes_are_not_added() {
    let most = |slots: f64| {
        let mut stages = pair();
        stages.list[0].work = work(slots, slots);
        stages.inlinings(product()).len()
    };
    // 16 bytes a point take as long as 125 operations.
    assert_eq!([most(120.0), most(130.0)], [1, 0]);
}

/// The pipes of a chip for graphics take a 64th of the lanes in double precision.
#[test]
fn added_operations_take_as_long_as_the_chip_takes_for_them() {
    let product = Product::told("rtx4090").unwrap();
    let added = |slots, slots_f64| {
        let mut stages = pair();
        stages.list[0].work = work(slots, slots_f64);
        stages.inlinings(product).len()
    };
    // 16 bytes a point take as long as 735 operations in single, 11 in double precision.
    assert_eq!([added(730.0, 0.0), added(740.0, 0.0)], [1, 0]);
    assert_eq!([added(22.0, 22.0), added(24.0, 24.0)], [1, 0]);
}

#[test]
fn bodies_do_not_exceed_the_limit() {
    let sized = |size| {
        let mut stages = pair();
        stages.list[0].work = of_size(size);
        stages.inlinings(product()).len()
    };
    assert_eq!([sized((SIZE_MAX - 5) / 2), sized(SIZE_MAX / 2)], [1, 0]);
}

#[test]
fn what_is_read_at_one_offset_is_free() {
    let mut stages = pair();
    stages.list[1] = stage(1, &[(FIRST, 1)], Some(3));
    stages.list[0].work = of_size(2 * SIZE_MAX);
    assert_eq!(stages.inlinings(product()).len(), 1);
}

#[test]
fn a_field_that_is_overwritten_is_not_read_later() {
    let with = |write| {
        let mut stages = pair();
        stages.memory[0].writes.push(write);
        stages.inlinings(product()).len()
    };
    // Before the producer, by the reader itself, and after the reader.
    assert_eq!(with(Write { at: 0, by: 0 }), 1);
    assert_eq!(with(Write { at: 3, by: 2 }), 0);
    assert_eq!(with(Write { at: 5, by: 5 }), 1);
    // An apply before the reader may write what is stored after it.
    assert_eq!(with(Write { at: 5, by: 1 }), 0);
}

#[test]
fn a_chain_is_copied_once_for_each_place() {
    let second = Source::Result(1, 0);
    let chain = stages(vec![
        stage(0, &[(U, 0), (U, 1)], None),
        stage(1, &[(FIRST, 0), (FIRST, 1)], None),
        stage(2, &[(second, 0), (second, 1)], Some(3)),
    ]);
    let after = chain.inlined(&BTreeSet::from([0, 1])).unwrap();
    // Two copies of the second, three of the first.
    assert_eq!(after.list[2].work.of_tile(&[1]).slots, 4.0 + 2.0 * 4.0 + 3.0 * 4.0);
    let sources = after.list[2].reads.iter().map(|read| read.source).collect::<BTreeSet<_>>();
    assert_eq!(sources, BTreeSet::from([U]));
    assert_eq!(chain.inlinings(product()).len(), 2);
}

#[test]
fn a_stored_producer_is_merged_with_its_reader() {
    let mut both = pair();
    both.list[0] = stage(0, &[(U, 0)], Some(2));
    let found = both.inlinings(product());
    // u, the field and the temp, the temp and the result; then u and both fields.
    assert_eq!(found[0].bytes, [41, 25]);
    let chosen = found.iter().map(|inlining| inlining.stage).collect();
    let after = both.inlined(&chosen).unwrap();
    assert!(!after.list[0].is_gone && after.groups()[0].members == [0, 1]);
}

/// Two applies that read `u`, and store one field each.
fn independent() -> Stages {
    stages(vec![stage(0, &[(U, 0)], Some(2)), stage(1, &[(U, 1)], Some(3))])
}

#[test]
fn shared_reads_make_one_kernel() {
    let group = Group { members: vec![0, 1], bytes: [32, 25] };
    assert_eq!(independent().groups(), [group]);
    let mut apart = independent();
    apart.list[1] = stage(1, &[(Source::Memory(1), 1)], Some(3));
    assert_eq!(apart.groups(), []);
}

#[test]
fn each_reason_alone_keeps_applies_apart() {
    let without = |change: fn(&mut Stages)| {
        let mut stages = independent();
        change(&mut stages);
        assert_eq!(stages.groups(), []);
        stages.joins(&[vec![0]], 0, 1).unwrap_err()
    };
    let mut reasons = vec![
        without(|it| it.list[0].apart = Some("it is swept".to_owned())),
        without(|it| it.list[1].domain.upper[0] = 999),
        without(|it| it.list[1].segment = 1),
        without(|it| it.list[1].ready = 1),
        without(|it| it.list[1].reads.extend([read(FIRST, 0)])),
        // The second writes what the first reads.
        without(|it| it.list[1].results[0].fields = vec![0]),
    ];
    reasons.sort();
    reasons.dedup();
    assert_eq!(reasons.len(), 6);
    // An earlier apply stores to the field of the second after the first.
    without(|it| it.list[0].results[0].fields = vec![3]);
    // Two names of one field.
    without(|it| it.aliases = BTreeSet::from([(2, 3)]));
}

#[test]
fn fills_of_the_same_points_are_one_kernel() {
    let fill = |number| stage(number, &[], Some(10 + number));
    let group = Group { members: vec![0, 1], bytes: [16, 16] };
    assert_eq!(stages(vec![fill(0), fill(1)]).groups(), [group]);
    // A fill has nothing in common with a kernel that reads.
    assert_eq!(stages(vec![fill(0), stage(1, &[(U, 0)], Some(3))]).groups(), []);
}

#[test]
fn rims_of_two_fields_are_merged_side_by_side() {
    let fill = |number, side: i64, field| {
        let mut fill = stage(number, &[], Some(field));
        fill.domain = Bounds::new(vec![side], vec![side + 2]);
        fill
    };
    // Both sides of one field, then both of another: the order within a field stays.
    let sides = vec![fill(0, 0, 8), fill(1, 9, 8), fill(2, 0, 9), fill(3, 9, 9)];
    let groups = stages(sides).groups();
    let members = groups.iter().map(|group| group.members.clone()).collect::<Vec<_>>();
    assert_eq!(members, [vec![0, 2], vec![1, 3]]);
}

#[test]
fn a_kernel_has_few_results() {
    let many = (0..6).map(|number| stage(number, &[(U, 0)], Some(10 + number)));
    let groups = stages(many.collect()).groups();
    let members = groups.iter().map(|group| group.members.clone()).collect::<Vec<_>>();
    assert_eq!(members, [vec![0, 1, 2, 3], vec![4, 5]]);
}

#[test]
fn of_many_applies_each_has_its_turn() {
    let pairs = |count: usize| {
        let pair = |number: usize| {
            let first = Source::Result(2 * number, 0);
            let own = Source::Memory(number);
            [
                stage(2 * number, &[(own, 0), (own, 1)], None),
                stage(2 * number + 1, &[(first, 0), (first, 1)], Some(count + number)),
            ]
        };
        let memory = |field| Memory { field, bytes: 8, writes: Vec::new() };
        let list = (0..count).flat_map(pair).collect();
        Stages { list, memory: (0..2 * count).map(memory).collect(), aliases: BTreeSet::new() }
    };
    let decided = |count: usize| {
        let found = pairs(count).inlinings(product()).into_iter();
        found.map(|inlining| inlining.stage).collect::<Vec<_>>()
    };
    let producers = |count: usize| (0..count).map(|number| 2 * number).collect::<Vec<_>>();
    assert_eq!(decided(COMPARED_MAX), producers(COMPARED_MAX));
    assert_eq!(decided(COMPARED_MAX + 20), producers(COMPARED_MAX + 20));
    let why = |count: usize| pairs(count).inlinings(product())[0].to_string();
    assert!(!why(COMPARED_MAX).contains("turn"));
    assert!(
        why(COMPARED_MAX + 20).ends_with("; decided at its turn, as 84 applies are more than 64")
    );
}
