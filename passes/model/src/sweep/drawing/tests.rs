//! What is drawn, line by line, and that it can be carried out.

use super::*;
use crate::sweep::check::Limits;

fn sweep(reach: Reach, steps: u32) -> Sweep {
    let offsets = (-i64::from(reach.behind)..=i64::from(reach.ahead)).map(|d| vec![d, 0]);
    Sweep {
        rank: 2,
        carried: vec![offsets.collect()],
        reach: vec![reach, Reach::symmetric(0)],
        steps,
        form: Form::Gather,
        skew: Skew::Tight,
        lines: 1,
        storage: Storage::Queue,
        slots: None,
        terms: Vec::new(),
        tile: Vec::new(),
        limits: Limits {
            value_bytes: 8,
            points: 1,
            threads: 32,
            registers: 255,
            shared_bytes: 49152,
        },
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn two_steps_of_radius_one_are_drawn_whole() {
    use SlotPlace::{Register, Shared};
    let slots = Some(vec![Shared, Shared, Shared, Register, Register]);
    let drawn = drawing(&Sweep { slots, ..sweep(Reach::symmetric(1), 2) }, 1..5);
    let expected = "\
2 steps over the planes 1 to 4, gather form, tight skew; reach 1 behind, 1 ahead
queue: 5 slots, in registers 3 4, in shared memory 0 1 2
prolog 4, steady state 3, epilog 1 iterations; roles come again every 5

iteration  arrives  level 1        level 2
0
1          0 -> 1
2          1 -> 2   0: halo -> 0
3          2 -> 3   1: 1 2 3 -> 1
4          3 -> 4   2: 2 3 4 -> 2  1: 0 1 2 -> 0
5          4 -> 0   3: 3 4 0 -> 3  2: 1 2 3 -> 1
6          5 -> 1   4: 4 0 1 -> 4  3: 2 3 4 -> 2
7                   5: halo -> 0   4: 3 4 0 -> 3
";
    assert_eq!(drawn, expected);
}

/// Of a long steady state one round of the queue is drawn.
#[test]
fn a_long_steady_state_is_cut_short() {
    let drawn = drawing(&sweep(Reach::symmetric(1), 1), 0..1000);
    let drawn = lines(&drawn);
    assert_eq!(drawn[1], "queue: 3 slots, it is not decided where they lie");
    let counts = "prolog 2, steady state 1000, epilog 0 iterations; roles come again every 3";
    assert_eq!(drawn[2], counts);
    assert_eq!(drawn.len(), 3 + 1 + 1 + 2 + 3);
    assert_eq!(drawn[7], "2          1 -> 2   0: 0 1 2 -> 0");
    let drawn = drawing(&sweep(Reach::symmetric(1), 2), 0..1000);
    assert_eq!(lines(&drawn)[14], "...");
    assert!(lines(&drawn)[15].starts_with("1003"));
}

/// With lazy skew the first level, too, works on what came an iteration before.
#[test]
fn lazy_levels_are_late() {
    let lazy = Sweep { skew: Skew::Lazy, ..sweep(Reach::symmetric(1), 2) };
    let expected = "\
2 steps over the planes 1 to 3, gather form, lazy skew; reach 1 behind, 1 ahead
queue: 7 slots, it is not decided where they lie
prolog 6, steady state 1, epilog 2 iterations; roles come again every 7

iteration  arrives  level 1        level 2
0
1          0 -> 1
2          1 -> 2
3          2 -> 3   0: halo -> 0
4          3 -> 4   1: 1 2 3 -> 1
5          4 -> 5   2: 2 3 4 -> 2
6                   3: 3 4 5 -> 3  1: 0 1 2 -> 0
7                   4: halo -> 4   2: 1 2 3 -> 1
8                                  3: 2 3 4 -> 2
";
    assert_eq!(drawing(&lazy, 1..4), expected);
    // Level 3 has the plane that tight skew gives it three iterations earlier.
    let [lazy, tight] =
        [Skew::Lazy, Skew::Tight].map(|skew| Sweep { skew, ..sweep(Reach::symmetric(1), 3) });
    let (lazy, tight) = (Pipeline::of(&lazy, 1..9), Pipeline::of(&tight, 1..9));
    assert_eq!([1, 2, 3].map(|level| lazy.plane(9, level)), [5, 3, 1]);
    assert_eq!(lazy.plane(9, 3), tight.plane(6, 3));
    assert_eq!(lazy.arrivals(), tight.arrivals() + 3);
}

/// Several lines an iteration: levels that wait do so for all of them.
#[test]
fn lines_are_drawn_one_by_one() {
    let of = |skew| {
        let lines = Sweep { lines: 4, storage: Storage::Shared, ..sweep(Reach::symmetric(1), 2) };
        drawing(&Sweep { skew, ..lines }, 1..9)
    };
    let expected = "\
2 steps over the planes 1 to 8, gather form, tight skew; reach 1 behind, 1 ahead
6 lines of each level in shared memory
prolog 4, steady state 7, epilog 1 lines, 4 in each iteration; roles come again every 6

iteration  arrives  level 1        level 2
0
0          0
0          1        0 from halo
0          2        1 from 0 to 2
1          3        2 from 1 to 3  1 from 0 to 2
1          4        3 from 2 to 4  2 from 1 to 3
1          5        4 from 3 to 5  3 from 2 to 4
1          6        5 from 4 to 6  4 from 3 to 5
2          7        6 from 5 to 7  5 from 4 to 6
2          8        7 from 6 to 8  6 from 5 to 7
...
2                   9 from halo    8 from 7 to 9
";
    assert_eq!(of(Skew::Tight), expected);
    let lazy = of(Skew::Lazy);
    assert_eq!(lines(&lazy)[1], "10 lines of each level in shared memory");
    // Line 1 of level 2 two iterations later, in row 0 of the threads.
    assert!(lazy.contains("\n3                   6 from 5 to 7  1 from 0 to 2\n"), "{lazy}");
}

#[test]
fn scatter_form_is_drawn_with_sums() {
    let scatter = Sweep { form: Form::Scatter, ..sweep(Reach::symmetric(1), 2) };
    let expected = "\
2 steps over the planes 1 to 3, scatter form, tight skew; reach 1 behind, 1 ahead
sums: 3 of each level are open at once
prolog 4, steady state 2, epilog 1 iterations; roles come again every 3

iteration  arrives  level 1               level 2
0
1          0        0 into 1
2          1        1 into 1 2            0 into 1
3          2        2 into 1 2 3, 1 done  1 into 1 2
4          3        3 into 2 3, 2 done    2 into 1 2 3, 1 done
5          4        4 into 3, 3 done      3 into 2 3, 2 done
6                                         4 into 3, 3 done
";
    assert_eq!(drawing(&scatter, 1..4), expected);
}

#[test]
fn whole_planes_are_drawn_without_slots() {
    let of = |storage, form| Sweep { storage, form, ..sweep(Reach::symmetric(1), 2) };
    let shared = drawing(&of(Storage::Shared, Form::Gather), 1..4);
    let expected = "\
2 steps over the planes 1 to 3, gather form, tight skew; reach 1 behind, 1 ahead
3 planes of each level in shared memory
prolog 4, steady state 2, epilog 1 iterations; roles come again every 3

iteration  arrives  level 1        level 2
0
1          0
2          1        0 from halo
3          2        1 from 0 to 2
4          3        2 from 1 to 3  1 from 0 to 2
5          4        3 from 2 to 4  2 from 1 to 3
6                   4 from halo    3 from 2 to 4
";
    assert_eq!(shared, expected);
    let second = |storage, form| {
        let drawn = drawing(&of(storage, form), 1..4);
        lines(&drawn)[1].to_owned()
    };
    assert_eq!(
        second(Storage::DiagonalFree, Form::Gather),
        "1 plane of each level in shared memory, 2 in registers"
    );
    assert_eq!(
        second(Storage::Retimed, Form::Scatter),
        "1 plane of each level in shared memory, 3 sums in registers"
    );
}

#[test]
fn few_planes_have_no_steady_state() {
    let drawn = drawing(&sweep(Reach::symmetric(2), 4), 0..3);
    let counts = "19 iterations, in none of which every level computes";
    assert_eq!(lines(&drawn)[2], counts);
    assert_eq!(drawn.lines().count(), 4 + 1 + 19);
    assert_eq!(drawing(&sweep(Reach::symmetric(1), 1), 3..3).lines().count(), 5);
}

/// One dimension is one plane, whatever the reach along it.
#[test]
fn one_dimension_is_one_plane() {
    let row = Sweep { rank: 1, reach: vec![Reach::symmetric(3)], ..sweep(Reach::symmetric(0), 3) };
    let drawn = drawing(&row, 0..1);
    assert_eq!(
        lines(&drawn)[4..],
        [
            "iteration  arrives  level 1    level 2    level 3",
            "0          0 -> 0   0: 0 -> 0  0: 0 -> 0  0: 0 -> 0",
        ]
    );
}

/// What is drawn takes as many iterations as a chunk of the tiling that is built.
#[test]
fn iterations_are_those_of_a_chunk() {
    use crate::plan::{Mapping, PlanKeys};
    use crate::sweep::tiling::{Aligned, Cut, Tiling};
    for (reach, steps, lines) in [(1, 1, 1), (1, 3, 1), (2, 2, 1), (1, 2, 4), (2, 3, 8)] {
        for skew in [Skew::Tight, Skew::Lazy] {
            let reach = Reach { behind: reach, ahead: 1 };
            let mapping = Mapping::Block;
            let (threads, points) = (vec![lines, 64], vec![1, 1]);
            let plan = PlanKeys { mapping, threads, points, steps, skew, ..PlanKeys::default() };
            let reaches = [reach; 2];
            let (lower, upper, aligned) = (&[0; 2], &[100; 2], Aligned::ANYWHERE);
            let cut = Cut { lower, upper, reaches: &reaches, aligned };
            let tiling = Tiling::new(&plan.assembled().into_sweep().unwrap(), &cut).unwrap();
            let drawn = Sweep { skew, lines, ..sweep(reach, steps) };
            assert_eq!(iterations(&drawn, 0..100), tiling.streamed.iterations(), "{plan}");
        }
    }
}

/// Every slot that is drawn as read holds the plane and level that are meant.
#[test]
fn what_is_drawn_can_be_carried_out() {
    for (behind, ahead, steps, skew) in [
        (1, 1, 2, Skew::Tight),
        (2, 1, 3, Skew::Tight),
        (0, 2, 2, Skew::Tight),
        (1, 1, 3, Skew::Lazy),
        (1, 2, 3, Skew::Lazy),
    ] {
        let sweep = Sweep { skew, ..sweep(Reach { behind, ahead }, steps) };
        let pipeline = Pipeline::of(&sweep, 5..25);
        let mut held = vec![(0, i64::MIN); pipeline.slots() as usize];
        for iteration in 0..pipeline.arrivals() {
            let mut put = |slot: i64, level: i64, plane| held[slot as usize] = (level, plane);
            put(pipeline.slot(iteration), 0, pipeline.arriving(iteration));
            for level in 1..=i64::from(steps) {
                let plane = pipeline.plane(iteration, level);
                let drawn = pipeline.gathered(iteration, level);
                let Some((_, work)) = drawn.split_once(": ") else { continue };
                let (reads, writes) = work.split_once(" -> ").unwrap();
                if reads != "halo" {
                    for (slot, of) in reads.split(' ').zip(plane - i64::from(behind)..) {
                        let slot: usize = slot.parse().unwrap();
                        assert_eq!(held[slot], (level - 1, of), "{iteration}: {drawn}");
                    }
                }
                held[writes.parse::<usize>().unwrap()] = (level, plane);
            }
        }
    }
}
